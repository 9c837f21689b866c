import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'
import { STREAM_STATES } from './streams.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

/** The APIs that push events of an account. */
export const FEED_NAMES = [
  ...(['mexc-spot', 'mexc-futures', 'bitget-classic', 'bitget-unified'] as const),
] as const

/** The present state of a feed: one API's stream of one account. */
export const FeedNow = Type.Object({
  exchange: Exchange,
  feed: Type.Enum([...FEED_NAMES], { description: 'The API of the exchange' }),
  account: Type.String({ description: 'The same as in the events of the account' }),
  clients: Type.Array(Type.Object({ id: Type.Integer(), clientId: Type.String() }), {
    description:
      'The clients that have its API key; the gateway signs in with the keys of the first',
  }),
  state: Type.Enum([...STREAM_STATES], {
    description:
      '`live`: no events are missing. `gap`: events may be missing. `reconciling`: the gateway reads what was missed',
  }),
  since: Timestamp,
  reason: orNull(Type.String(), 'Of a gap: `disconnected`, `login refused`, `starting` and others'),
  lastEventAt: orNull(Timestamp, 'Null: none since the gateway opened the stream'),
  eventsLastMinute: count('Events of the last minute, pushed or read'),
  listening: count('Streams and sockets of bots that listen to the account'),
})
export type FeedNow = Static<typeof FeedNow>

export const AccountStreams = Type.Object({
  at: Timestamp,
  isOn: Type.Boolean({
    description: 'ACCOUNT_STREAMS; false: the gateway opens no private WebSockets',
  }),
  sockets: Type.Array(
    Type.Object({ exchange: Exchange, open: count('Open WebSockets for accounts') }),
    { description: 'By exchange' },
  ),
  feeds: Type.Array(FeedNow, { description: 'Those that are not `live` come first' }),
})
export type AccountStreams = Static<typeof AccountStreams>

/** The kinds of connections of bots: Sluice's own streams, and the exchanges' own paths. */
export const STREAM_KINDS = [
  ...(['sse', 'websocket', 'bitget-private', 'bitget-public'] as const),
  ...(['mexc-spot', 'mexc-futures'] as const),
] as const

/** An open connection of a bot. */
export const OpenStream = Type.Object({
  kind: Type.Enum([...STREAM_KINDS], {
    description:
      "`sse` and `websocket` are Sluice's own streams, the others the exchanges' own paths for SDKs",
  }),
  since: Timestamp,
  address: Type.String({ description: 'The IP address of the bot' }),
  isResumed: Type.Boolean({ description: 'The bot resumed with the id of an event' }),
  waitingBytes: count(
    'Bytes that the bot has not read yet; above 1 MB its stream is closed with 4408',
  ),
})
export type OpenStream = Static<typeof OpenStream>

export const ClientStreams = Type.Object({
  at: Timestamp,
  isOn: AccountStreams.properties.isOn,
  feeds: Type.Array(FeedNow, { description: 'Of the accounts of its API keys' }),
  streams: Type.Array(OpenStream, { description: 'The oldest first' }),
})
export type ClientStreams = Static<typeof ClientStreams>

const ById = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Database id' }),
})
const AT = '2026-03-05T14:30:22.000Z'
const sampleFeeds: readonly [FeedNow, FeedNow] = [
  {
    ...({ exchange: 'mx', feed: 'mexc-spot', account: '3' } as const),
    clients: [{ id: 2, clientId: 'arb-bot' }],
    ...({ state: 'gap', since: '2026-03-05T14:29:41.000Z', reason: 'disconnected' } as const),
    ...{ lastEventAt: '2026-03-05T14:29:38.120Z', eventsLastMinute: 4, listening: 1 },
  },
  {
    ...({ exchange: 'bg', feed: 'bitget-classic', account: '7' } as const),
    clients: [{ id: 1, clientId: 'grid-bot' }],
    ...({ state: 'live', since: '2026-03-05T08:00:05.000Z', reason: null } as const),
    ...{ lastEventAt: '2026-03-05T14:30:21.640Z', eventsLastMinute: 96, listening: 2 },
  },
]

export const listAccountStreams = endpoint({
  id: 'listAccountStreams',
  method: 'GET',
  path: '/api/admin/streams',
  tag: 'Operations',
  summary: 'The account streams from the exchanges, and their sockets',
  notes: [
    'The gateway keeps the stream of an account while one of its orders may be open or a bot listens, and one more minute.',
  ],
  access: 'admin',
  response: AccountStreams,
  sample: {
    response: {
      at: AT,
      isOn: true,
      sockets: [
        { exchange: 'mx', open: 0 },
        { exchange: 'bg', open: 1 },
      ],
      feeds: [...sampleFeeds],
    },
  },
})

export const listClientStreams = endpoint({
  id: 'listClientStreams',
  method: 'GET',
  path: '/api/admin/client-credentials/{id}/streams',
  tag: 'Client credentials',
  summary: "The streams of a client's accounts, and the open connections of its bots",
  access: 'admin',
  params: ById,
  response: ClientStreams,
  sample: {
    params: { id: '1' },
    response: {
      ...{ at: AT, isOn: true },
      feeds: [sampleFeeds[1]],
      streams: [
        {
          ...({ kind: 'sse', since: '2026-03-05T09:12:40.000Z', address: '203.0.113.7' } as const),
          ...{ isResumed: true, waitingBytes: 0 },
        },
        {
          ...({ kind: 'bitget-private', since: '2026-03-05T14:02:11.000Z' } as const),
          ...{ address: '203.0.113.7', isResumed: false, waitingBytes: 412_000 },
        },
      ],
    },
  },
})
