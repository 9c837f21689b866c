import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange } from './common.ts'

const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
const text = (description: string) => orNull(Type.String(), description)
const decimal = (description: string) => Type.String({ description })

/** An order ends once, in `filled`, `canceled` or `rejected`. */
export const STREAM_ORDER_STATUSES = [
  ...(['pending', 'open', 'partiallyFilled', 'filled', 'canceled', 'rejected'] as const),
] as const

/** The request that placed an order, from the journal. */
const joined = {
  requestId: text(
    'The id of your request that placed or changed it, for `GET /api/requests/{id}`; null when it is not yours',
  ),
  idempotencyKey: text('Of that request'),
  mine: Type.Boolean({
    description: 'Your client placed it. False for an order that somebody placed by hand',
  }),
}
const side = orNull(Type.Enum(['buy', 'sell']), 'The side of the trade')
const positionSide = orNull(
  Type.Enum(['long', 'short']),
  'Of futures: the side of the position that it opens or closes',
)
const quantityUnit = Type.Enum(['base', 'quote', 'contracts'], {
  description:
    '`base`: the base coin. `quote`: the amount that a market buy spends. `contracts`: contracts of MEXC futures',
})

export const StreamOrder = Type.Object({
  orderId: Type.String({ description: "The exchange's id" }),
  clientOrderId: text('The id that your call gave it, or that Sluice gave it'),
  symbol: Type.String({ description: 'As the exchange spells it' }),
  ...{ side, positionSide },
  orderType: text('`limit`, `market`, `postOnly`, `ioc`, `fok`, `trigger`'),
  price: text('Null: the order has none'),
  quantity: text('The ordered quantity'),
  quantityUnit,
  filledQuantity: text(
    'Never falls. In the base coin, or in contracts of MEXC futures; null: not known',
  ),
  averagePrice: text('Of the filled quantity; null: nothing was filled, or it is not known'),
  status: Type.Enum([...STREAM_ORDER_STATUSES]),
  reason: text("The exchange's reason for a cancel or a rejection"),
  ...joined,
})
export type StreamOrder = Static<typeof StreamOrder>

export const StreamFill = Type.Object({
  fillId: text('The exchange’s id; null when `inferred`'),
  orderId: Type.String(),
  clientOrderId: text('Null: not known'),
  symbol: Type.String(),
  ...{ side, positionSide },
  price: text('Null when `inferred` and the exchange gave no average'),
  quantity: decimal('In the base coin, or in contracts of MEXC futures'),
  quantityUnit,
  fee: text('Positive: paid. Negative: received'),
  feeCurrency: text('The coin of the fee'),
  liquidity: orNull(Type.Enum(['maker', 'taker'])),
  realizedPnl: text('Of a fill that closes a position; null where the exchange does not give it'),
  inferred: Type.Boolean({
    description:
      'True: computed from the filled quantity of an order that was read after a gap. It has no `fillId`',
  }),
  ...joined,
})
export type StreamFill = Static<typeof StreamFill>

export const StreamPosition = Type.Object({
  symbol: Type.String(),
  side: Type.Enum(['long', 'short']),
  quantity: text('In the base coin; `0`: closed. Null: the size of a contract is not known yet'),
  contracts: text('Where the exchange counts in contracts; null elsewhere'),
  entryPrice: text('Average'),
  leverage: text('A whole number as text'),
  marginMode: orNull(Type.Enum(['cross', 'isolated'])),
  unrealizedPnl: text('Null: not given by the feed'),
  liquidationPrice: text('Null: there is none'),
})
export type StreamPosition = Static<typeof StreamPosition>

export const StreamBalance = Type.Object({
  asset: Type.String(),
  available: text('The amount that can be used'),
  locked: text('In open orders, or as margin'),
  total: text('Null: not given by the exchange'),
})
export type StreamBalance = Static<typeof StreamBalance>

export const STREAM_STATES = ['live', 'gap', 'reconciling'] as const
export const StreamState = Type.Object({
  state: Type.Enum([...STREAM_STATES], {
    description:
      '`live`: every event of the exchange arrives here. `gap`: events may be missing. `reconciling`: the gateway reads what was missed and sends it as events with `source` `rest`; `live` follows',
  }),
  since: Type.Integer({
    description:
      'When the state began, Unix ms. A state that lasts is sent again, unchanged, within a day',
  }),
  reason: text(
    'Of a gap, such as `disconnected`, `login refused`, `starting`, `no keys`, `switched off`',
  ),
})
export type StreamState = Static<typeof StreamState>

export const StreamReset = Type.Object({
  why: Type.String({ description: 'Why the stream could not be resumed; a snapshot follows' }),
})
export type StreamReset = Static<typeof StreamReset>

/** The types of events. */
export const STREAM_TYPES = [
  ...(['order', 'fill', 'position', 'balance', 'state'] as const),
  ...(['reset', 'snapshotEnd'] as const),
] as const
export type StreamType = (typeof STREAM_TYPES)[number]
/** The types that are stored. The others belong to one connection. */
export type StoredStreamType = Exclude<StreamType, 'reset' | 'snapshotEnd'>
export const STREAM_MARKETS = ['spot', 'futures', 'unified'] as const
export type StreamMarket = (typeof STREAM_MARKETS)[number]
export const STREAM_SOURCES = ['stream', 'rest', 'journal'] as const

const about = {
  exchange: Exchange,
  market: Type.Enum([...STREAM_MARKETS], {
    description: '`unified`: balances and the state of a unified account of Bitget',
  }),
  account: Type.String({
    description: 'The same for all events of one exchange account; `0` where you have no keys',
  }),
  time: orNull(Type.Integer(), "The exchange's time, Unix ms; null: it gave none"),
}
const sent = {
  id: Type.String({
    description:
      'Send the last one as `Last-Event-ID` or `?after=` to resume. Do not compare ids: they belong to your stream, and events of a snapshot have ids of another form',
  }),
  receivedAt: Type.Integer({ description: 'When Sluice received it, Unix ms' }),
  source: Type.Enum([...STREAM_SOURCES], {
    description:
      '`stream`: pushed by the exchange. `rest`: read over REST after a gap. `journal`: from Sluice itself',
  }),
}
const eventOf = <Name extends StreamType, Data extends Type.TSchema>(name: Name, data: Data) =>
  Type.Object({ ...sent, type: Type.Enum([name]), ...about, data })

/** The events of a stream by their type. */
export const STREAM_EVENTS = {
  order: eventOf('order', StreamOrder),
  fill: eventOf('fill', StreamFill),
  position: eventOf('position', StreamPosition),
  balance: eventOf('balance', StreamBalance),
  state: eventOf('state', StreamState),
  reset: Type.Object({ ...sent, type: Type.Enum(['reset']), data: StreamReset }),
  snapshotEnd: Type.Object({ ...sent, type: Type.Enum(['snapshotEnd']), data: Type.Object({}) }),
} as const

/** An event of a stream, the same over Server-Sent Events and the WebSocket. */
export const StreamEvent = Type.Union([
  STREAM_EVENTS.order,
  STREAM_EVENTS.fill,
  STREAM_EVENTS.position,
  STREAM_EVENTS.balance,
  STREAM_EVENTS.state,
  STREAM_EVENTS.reset,
  STREAM_EVENTS.snapshotEnd,
])
export type StreamEvent = Static<typeof StreamEvent>

/** The message that a bot may send on the WebSocket. */
export const StreamMessage = Type.Object(
  {
    type: Type.Enum(['token']),
    token: Type.String({
      maxLength: 4_096,
      description: 'A new token of the same client. The connection stays open until it expires',
    }),
  },
  { additionalProperties: false },
)

/** The response to a message with a valid token. */
export const StreamTokenTaken = Type.Object({
  type: Type.Enum(['token']),
  expiresAt: Type.Integer({
    description: 'When the token expires and the connection ends, Unix ms',
  }),
})

/** The response to an invalid message, and the last one of a connection that the gateway ends. */
export const StreamError = Type.Object({
  type: Type.Enum(['error']),
  code: Type.String({ description: 'An error code of Sluice' }),
  message: Type.String(),
})

/** The close codes with which the gateway ends a stream, their causes, and what to do. */
export const STREAM_CLOSE_CODES = {
  1009: 'A message is larger than 16 kB.',
  1011: 'The gateway failed. Reconnect and resume.',
  1012: 'The gateway restarts, or another one has taken over. Reconnect and resume.',
  4401: 'The token has expired. Get a new one, reconnect and resume.',
  4403: 'The client was disabled or deleted, or lost the permission `account`.',
  4408: 'The bot reads too slowly: 1 MB is unread, or a ping got no pong within 10 s. Reconnect and resume.',
  4429: 'More than 10 streams of the client, or more than 10 messages a second.',
} as const

/** A list in one parameter: `order,fill`. */
const listOf = (values: readonly string[], description: string) => {
  const one = `(?:${values.join('|')})`
  return Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: `^${one}(?:,${one})*$`,
      'x-characters': `must be one or more of ${values.join(', ')}, with commas between them`,
      description,
    }),
  )
}

const FILTERED_TYPES = ['order', 'fill', 'position', 'balance', 'state']
const StreamQuery = Type.Object(
  {
    exchange: listOf(['mx', 'bg'], 'Only these exchanges: `mx,bg`'),
    market: listOf(
      [...STREAM_MARKETS],
      'Only these markets, of `spot,futures,unified`; the state of a unified account is always sent',
    ),
    symbol: Type.Optional(
      Type.String({
        maxLength: 1_200,
        pattern: '^[^\\s,]{1,60}(?:,[^\\s,]{1,60}){0,19}$',
        'x-characters': 'must be up to 20 symbols, with commas between them',
        description:
          'Only these symbols; `BTCUSDT` and `BTC_USDT` are the same. Events without a symbol are always sent',
      }),
    ),
    type: listOf(
      FILTERED_TYPES,
      'Only these types, of `order,fill,position,balance,state`; `state`, `reset` and `snapshotEnd` are always sent',
    ),
    snapshot: Type.Optional(
      Type.Enum(['true', 'false'], {
        description: '`false`: without a snapshot, only new events',
      }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description:
          'The id of the last event that you got, on a stream of the same exchanges. The header `Last-Event-ID` takes precedence',
      }),
    ),
  },
  { additionalProperties: false },
)

const sampleEvent: StreamEvent = {
  id: '5f0c2e7a91bd-1772721022120000',
  receivedAt: 1_772_721_022_118,
  source: 'stream',
  type: 'order',
  exchange: 'bg',
  market: 'spot',
  account: '7',
  time: 1_772_721_022_071,
  data: {
    orderId: '1298765432109876543',
    clientOrderId: 'grid-7-42',
    symbol: 'BTCUSDT',
    ...({ side: 'buy', positionSide: null, orderType: 'limit' } as const),
    ...({ price: '50000', quantity: '0.01', quantityUnit: 'base' } as const),
    ...({ filledQuantity: '0.004', averagePrice: '49999.5', status: 'partiallyFilled' } as const),
    reason: null,
    requestId: '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10',
    idempotencyKey: 'grid-7-42',
    mine: true,
  },
}

const NOTES = [
  'The token needs the permission `account`. A stream takes no slot of an exchange.',
  'The stream first sends the state of each market, then a snapshot (open orders, positions, balances), then `snapshotEnd`, then changes. If you resume with the id of an event, it sends the events that you missed instead of a snapshot.',
  'Each event is written to disk before it is sent. You can resume with its id for 24 hours, also at another gateway of the same database. An older id, or an id from other keys, gives `reset` and then a snapshot.',
  'After you resume, an event may be sent again. A filled quantity never falls, and an order ends once.',
  'While a market is not `live`, events may be missing. The gateway reads them and sends them with the source `rest`, before `live`.',
  'If the client has no keys at an exchange, its markets have the state `gap` with the reason `no keys`.',
  'The limits of the client on markets and symbols apply here too. If several clients have one API key, you see your own orders and those that somebody placed by hand.',
]

export const streamEvents = endpoint({
  id: 'streamEvents',
  method: 'GET',
  path: '/api/streams/events',
  tag: 'Streams',
  summary: 'Events of your accounts, as Server-Sent Events',
  description:
    'Each event is one `data:` line with a JSON object and its `id:`, without `event:`, so that `onmessage` gets all of them. The gateway sends a comment every 15 s. When the token expires, the response ends with a comment that has the reason: reconnect with `Last-Event-ID`.',
  notes: NOTES,
  access: 'client',
  query: StreamQuery,
  response: StreamEvent,
  responseTypes: ['text/event-stream'],
  sample: { query: { exchange: 'bg', type: 'order,fill' }, response: sampleEvent },
})

export const streamSocket = endpoint({
  id: 'streamSocket',
  method: 'GET',
  path: '/api/streams/ws',
  tag: 'Streams',
  summary: 'Events of your accounts, on a WebSocket',
  description: `The same events, one JSON object in each message. A page in a browser cannot set a header and sends its token as a subprotocol: \`new WebSocket(url, ['sluice', 'sluice.bearer.' + token])\`. Send \`{"type":"token","token":"…"}\` before the token expires, to keep the connection. Messages are described at \`/api/streams/asyncapi.json\`. Close codes: ${Object.entries(
    STREAM_CLOSE_CODES,
  )
    .map(([code, text]) => `${code}: ${text}`)
    .join(' ')}`,
  notes: NOTES,
  access: 'client',
  query: StreamQuery,
  status: 101,
  sample: { query: { exchange: 'mx,bg' } },
})

export const streamsAsyncApi = endpoint({
  id: 'streamsAsyncApi',
  method: 'GET',
  path: '/api/streams/asyncapi.json',
  tag: 'Streams',
  summary: 'The messages of the streams, as AsyncAPI 3.0',
  access: 'public',
  anywhere: true,
  response: Type.Unknown({ description: 'An AsyncAPI document' }),
})
