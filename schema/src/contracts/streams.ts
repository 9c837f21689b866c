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

/** Whose an order is, as the journal says it. */
const joined = {
  requestId: text(
    'The request to Sluice that placed or changed it, for `GET /api/requests/{id}`; null when it is not yours',
  ),
  idempotencyKey: text('Of that request'),
  mine: Type.Boolean({
    description: 'Your client placed it. False for an order that somebody placed by hand',
  }),
}
const side = orNull(Type.Enum(['buy', 'sell']), 'The direction of the trade')
const positionSide = orNull(Type.Enum(['long', 'short']), 'Of futures: the position that it is for')
const quantityUnit = Type.Enum(['base', 'quote', 'contracts'], {
  description:
    '`base`: coins. `quote`: an amount to spend, of a market buy. `contracts`: MEXC futures',
})

export const StreamOrder = Type.Object({
  orderId: Type.String({ description: "The exchange's id" }),
  clientOrderId: text('As your call named it, or as Sluice did'),
  symbol: Type.String({ description: 'As the exchange spells it' }),
  ...{ side, positionSide },
  orderType: text('`limit`, `market`, `postOnly`, `ioc`, `fok`, `trigger`'),
  price: text('Null where the order has none'),
  quantity: text('As the order asked'),
  quantityUnit,
  filledQuantity: text('Never falls. Coins, of MEXC futures contracts; null: not known'),
  averagePrice: text('Of what was filled; null: nothing, or not known'),
  status: Type.Enum([...STREAM_ORDER_STATUSES]),
  reason: text("Why it was cancelled or rejected, in the exchange's words"),
  ...joined,
})
export type StreamOrder = Static<typeof StreamOrder>

export const StreamFill = Type.Object({
  fillId: text('The exchange’s id; null when `inferred`'),
  orderId: Type.String(),
  clientOrderId: text('Null where the exchange does not say it and Sluice does not know it'),
  symbol: Type.String(),
  ...{ side, positionSide },
  price: text('Null when `inferred` and the exchange gave no average'),
  quantity: decimal('Coins, of MEXC futures contracts'),
  quantityUnit,
  fee: text('Positive: paid'),
  feeCurrency: text('The coin of the fee'),
  liquidity: orNull(Type.Enum(['maker', 'taker'])),
  realizedPnl: text('Of a fill that closes, where the exchange says it'),
  inferred: Type.Boolean({
    description: 'True: from the total of an order that was read after a gap, without its own id',
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
  unrealizedPnl: text('Null where the feed does not say it'),
  liquidationPrice: text('Null where there is none'),
})
export type StreamPosition = Static<typeof StreamPosition>

export const StreamBalance = Type.Object({
  asset: Type.String(),
  available: text('What may be spent'),
  locked: text('In open orders, or as margin'),
  total: text('Null where the exchange does not say it'),
})
export type StreamBalance = Static<typeof StreamBalance>

export const STREAM_STATES = ['live', 'gap', 'reconciling'] as const
export const StreamState = Type.Object({
  state: Type.Enum([...STREAM_STATES], {
    description:
      '`live`: what happens at the exchange comes here. `gap`: something may have happened that did not come. `reconciling`: the gap is being closed by reads; what they find comes as events with `source` `rest`, then `live` follows',
  }),
  since: Type.Integer({
    description:
      'When it began, Unix ms. A state that lasts is told again, unchanged, within a day',
  }),
  reason: text(
    'Of a gap: words such as `disconnected`, `login refused`, `starting`, `no keys`, `switched off`',
  ),
})
export type StreamState = Static<typeof StreamState>

export const StreamReset = Type.Object({
  why: Type.String({ description: 'Why the stream could not be resumed; a snapshot follows' }),
})
export type StreamReset = Static<typeof StreamReset>

/** What the events of a stream are about. */
export const STREAM_TYPES = [
  ...(['order', 'fill', 'position', 'balance', 'state'] as const),
  ...(['reset', 'snapshotEnd'] as const),
] as const
export type StreamType = (typeof STREAM_TYPES)[number]
/** Those that are stored; the others are of one connection. */
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
  time: orNull(Type.Integer(), "By the exchange's clock, Unix ms; null where it does not say it"),
}
const sent = {
  id: Type.String({
    description:
      'Send the last one as `Last-Event-ID` or `?after=` to resume. Compare it with no other: it is yours alone, and a snapshot has others than what happened',
  }),
  receivedAt: Type.Integer({ description: 'When Sluice had it, Unix ms' }),
  source: Type.Enum([...STREAM_SOURCES], {
    description:
      '`stream`: pushed by the exchange. `rest`: read after a gap. `journal`: known by Sluice',
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

/** One event of a stream, as Server-Sent Events and the WebSocket both have it. */
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

/** What a bot may send on the WebSocket. */
export const StreamMessage = Type.Object(
  {
    type: Type.Enum(['token']),
    token: Type.String({
      maxLength: 4_096,
      description: 'A new token of the same client: the connection now ends when it expires',
    }),
  },
  { additionalProperties: false },
)

/** The response to a message that was taken. */
export const StreamTokenTaken = Type.Object({
  type: Type.Enum(['token']),
  expiresAt: Type.Integer({ description: 'When the connection ends, Unix ms' }),
})

/** The response to a message that was not, and what comes before the end of a connection. */
export const StreamError = Type.Object({
  type: Type.Enum(['error']),
  code: Type.String({ description: 'A code of docs/errors.md' }),
  message: Type.String(),
})

/** How the gateway ends a stream: the close code of a WebSocket, and what to do. */
export const STREAM_CLOSE_CODES = {
  1009: 'A message has more than 16 kB.',
  1011: 'The gateway failed. Connect again and resume.',
  1012: 'The gateway restarts, or another one has taken over. Connect again and resume.',
  4401: 'The token has expired. Connect again with a new one and resume.',
  4403: 'The client was disabled or deleted, or may not read accounts any more.',
  4408: 'The bot reads too slowly: 1 MB waited for it, or a ping got no pong in 10 s. Connect again and resume.',
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
      'Only these markets, of `spot,futures,unified`; the state of a unified account always',
    ),
    symbol: Type.Optional(
      Type.String({
        maxLength: 1_200,
        pattern: '^[^\\s,]{1,60}(?:,[^\\s,]{1,60}){0,19}$',
        'x-characters': 'must be up to 20 symbols, with commas between them',
        description:
          'Only these symbols; `BTCUSDT` and `BTC_USDT` are the same. What has no symbol comes too',
      }),
    ),
    type: listOf(
      FILTERED_TYPES,
      'Only these types, of `order,fill,position,balance,state`; `state`, `reset` and `snapshotEnd` always',
    ),
    snapshot: Type.Optional(
      Type.Enum(['true', 'false'], {
        description: '`false`: begin with what happens from now on, without what is known',
      }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description:
          'The id of the last event that you got, on a stream of the same exchanges; the header `Last-Event-ID` comes first',
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
  'The token needs the permission `account`. Nothing of it takes a slot of an exchange.',
  'First the state of each market, then what is known (open orders, positions, balances), then `snapshotEnd`. After that, what happens. With the id of an event, what you missed comes in place of that.',
  'Each event is on the disk before it is sent, and can be resumed after for 24 hours, also at another gateway of the same database. An id that is older, or of other keys, gives `reset` and then what is known.',
  'An event may come again after a resumption. A filled quantity never falls, and an order ends once.',
  'While a market is not `live`, something may be missing: it comes when the gateway has read it, with the source `rest`, and before `live`.',
  'Without keys at an exchange its markets have the state `gap` with the reason `no keys`.',
  'Limits of the client on markets and symbols hold here too. Where several clients have one API key, you see your own orders and those that somebody placed by hand.',
]

export const streamEvents = endpoint({
  id: 'streamEvents',
  method: 'GET',
  path: '/api/streams/events',
  tag: 'Streams',
  summary: 'What happens in your accounts, as Server-Sent Events',
  description:
    'Each event is one `data:` line with a JSON object and its `id:`, without `event:`, so that `onmessage` gets all of them. A comment comes every 15 s. The response ends when the token expires, with a comment that says why: connect again with `Last-Event-ID`.',
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
  summary: 'What happens in your accounts, on a WebSocket',
  description: `The same events, one JSON object each message. A page in a browser, which can set no header, sends its token as a subprotocol: \`new WebSocket(url, ['sluice', 'sluice.bearer.' + token])\`. Send \`{"type":"token","token":"…"}\` before the token expires, and the connection stays. Messages are described at \`/api/streams/asyncapi.json\`. Close codes: ${Object.entries(
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
