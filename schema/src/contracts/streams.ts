import Type, { type Static } from 'typebox'
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

export const StreamOrder = Type.Object(
  {
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
  },
  { title: 'Order event' },
)
export type StreamOrder = Static<typeof StreamOrder>

export const StreamFill = Type.Object(
  {
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
  },
  { title: 'Fill event' },
)
export type StreamFill = Static<typeof StreamFill>

export const StreamPosition = Type.Object(
  {
    symbol: Type.String(),
    side: Type.Enum(['long', 'short']),
    quantity: text('In the base coin; `0`: closed. Null: the size of a contract is not known yet'),
    contracts: text('Where the exchange counts in contracts; null elsewhere'),
    entryPrice: text('Average'),
    leverage: text('A whole number as text'),
    marginMode: orNull(Type.Enum(['cross', 'isolated'])),
    unrealizedPnl: text('Null where the feed does not say it'),
    liquidationPrice: text('Null where there is none'),
  },
  { title: 'Position event' },
)
export type StreamPosition = Static<typeof StreamPosition>

export const StreamBalance = Type.Object(
  {
    asset: Type.String(),
    available: text('What may be spent'),
    locked: text('In open orders, or as margin'),
    total: text('Null where the exchange does not say it'),
  },
  { title: 'Balance event' },
)
export type StreamBalance = Static<typeof StreamBalance>

export const STREAM_STATES = ['live', 'gap', 'reconciling'] as const
export const StreamState = Type.Object(
  {
    state: Type.Enum([...STREAM_STATES], {
      description:
        '`live`: what happens at the exchange comes here. `gap`: something may have happened that did not come. `reconciling`: the gap is being closed by reads; what they find comes as events with `source` `rest`, then `live` follows',
    }),
    since: Type.Integer({ description: 'Unix ms' }),
    reason: text('Of a gap: a word such as `disconnected`, `login refused`, `starting`'),
  },
  { title: 'State event' },
)
export type StreamState = Static<typeof StreamState>

export const StreamReset = Type.Object(
  { why: Type.String({ description: 'Why the stream could not be resumed; a snapshot follows' }) },
  { title: 'Reset event' },
)
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
  account: Type.String({ description: 'The same for all events of one exchange account' }),
  time: orNull(Type.Integer(), "By the exchange's clock, Unix ms; null where it does not say it"),
}
const sent = {
  id: Type.String({
    description:
      'Rises within your stream. Send the last one as `Last-Event-ID` or `?after=` to resume',
  }),
  receivedAt: Type.Integer({ description: 'When Sluice had it, Unix ms' }),
  source: Type.Enum([...STREAM_SOURCES], {
    description:
      '`stream`: pushed by the exchange. `rest`: read after a gap. `journal`: known by Sluice',
  }),
}
const eventOf = <Name extends StreamType, Data extends Type.TSchema>(name: Name, data: Data) =>
  Type.Object({ ...sent, type: Type.Enum([name]), ...about, data })

/** One event of a stream, as Server-Sent Events and the WebSocket both have it. */
export const StreamEvent = Type.Union(
  [
    ...[
      eventOf('order', StreamOrder),
      eventOf('fill', StreamFill),
      eventOf('position', StreamPosition),
      eventOf('balance', StreamBalance),
      eventOf('state', StreamState),
    ],
    Type.Object({ ...sent, type: Type.Enum(['reset']), data: StreamReset }),
    Type.Object({ ...sent, type: Type.Enum(['snapshotEnd']), data: Type.Object({}) }),
  ],
  { title: 'Stream event' },
)
