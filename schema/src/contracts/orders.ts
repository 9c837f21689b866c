import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'
import { FINAL_ORDER_STATES, OPEN_ORDER_STATES, TradeState } from './requests.ts'

const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

const textOrNull = (description: string) => orNull(Type.String(), description)

const OrderSide = Type.Enum(['buy', 'sell'], { description: 'As the call says it' })

/** What a request asks for; each null where its call does not say it, or in old rows. */
const asked = {
  symbol: textOrNull('As the exchange writes it; null also where orders of one call differ'),
  side: orNull(
    Type.Enum(['buy', 'sell']),
    'As the call says it: in hedge mode of Bitget, an order that closes a long position is a `buy`',
  ),
  type: orNull(
    Type.Enum(['limit', 'market', 'trigger', 'change', 'cancel']),
    'The kind of order, or a change or a cancel of one',
  ),
  quantity: textOrNull('In the base coin; on MEXC futures contracts, once its call was built'),
  price: textOrNull('Of a limit order'),
}

/** Of the row of the request log that belongs to an order. */
export const LoggedOrder = Type.Object(asked, {
  description: 'Of an order, a change or a cancel; not in an export',
})
export type LoggedOrder = Static<typeof LoggedOrder>

/** An order, a change or a cancel, as the journal has it. */
export const JournalOrder = Type.Object({
  id: Type.String({ description: 'The request id' }),
  exchange: Exchange,
  clientId: Type.String(),
  method: Type.String(),
  endpoint: Type.String(),
  clientOrderId: orNull(Type.String()),
  orderId: orNull(
    Type.String(),
    "The exchange's id of the order that was placed or changed, or that the cancel names",
  ),
  state: TradeState,
  ...asked,
  amount: textOrNull('What a market order spends, in the quote coin'),
  filled: textOrNull(
    'What was filled, in the unit of `quantity`, as the exchange pushed it or a look-up found it. Null: not known',
  ),
  averagePrice: textOrNull('Of what was filled, likewise; null where the exchange does not say it'),
  value: textOrNull(
    "In USDT: price times quantity where the price is in USDT, or what a market order spends; otherwise at most, as the client's limits counted it. Null where that is not known",
  ),
  source: Type.Enum(['documented', 'exchange', 'gateway'], {
    description:
      "`documented`: a route of the gateway's own. `exchange`: the exchange's own path, which ccxt and the SDKs of the exchanges use. `gateway`: a cancel that the gateway makes, for a stop or of all orders of a client",
  }),
  mayBeOpen: Type.Boolean({ description: 'The order that it placed may be open at the exchange' }),
  createdAt: Timestamp,
  sentAt: orNull(
    Timestamp,
    "By the exchange's clock; null when it was not sent, and of one that waited when the backup was made from which the gateway was restored",
  ),
  settledAt: orNull(Timestamp),
  lookups: Type.Integer({ description: 'Rounds of look-ups at the exchange' }),
  tries: orNull(
    Type.Integer(),
    'Of a cancel that the gateway makes for a stop, or of all orders of a client, and whose outcome is unknown: how often it was sent since the gateway started. `createdAt` is that of the last try; the earlier ones have the code `CANCEL_REPEATED`. Null for any other request',
  ),
  orders: Type.Optional(
    Type.Integer({ description: 'Of such a cancel: how many orders it names' }),
  ),
  canBeLookedUp: Type.Boolean({
    description:
      'False: the gateway cannot look it up. It names no order, or none by an id that the gateway knows, or the exchange keys that it was sent with are not stored any more. While its outcome is unknown, a person must check it at the exchange, and can end it',
  }),
})
export type JournalOrder = Static<typeof JournalOrder>

/** How many orders a list has at most. */
export const ORDERS_MAX = 50

const atMs = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

/** What narrows the orders: the same for a list, its sums and a file. */
const filters = {
  clientId: Type.Optional(
    Type.String({ maxLength: 128, description: 'Only orders of this client' }),
  ),
  exchange: Type.Optional(Exchange),
  symbol: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'As the exchange writes it, such as `BTCUSDT`, or `BTC_USDT` on MEXC futures',
    }),
  ),
  side: Type.Optional(OrderSide),
  state: Type.Optional(
    Type.Enum([...OPEN_ORDER_STATES, ...FINAL_ORDER_STATES, 'open'], {
      description:
        '`open`: it has no end yet, or the order that it placed may be open at the exchange',
    }),
  ),
  from: atMs('Only orders at or after this time, Unix milliseconds'),
  to: atMs('Only orders before this time, Unix milliseconds'),
}

export const listOrders = endpoint({
  id: 'listOrders',
  method: 'GET',
  path: '/api/admin/orders',
  tag: 'Orders',
  summary: 'Find orders, changes and cancels of all clients, newest first',
  notes: [
    `At most ${ORDERS_MAX}. \`find\` compares exactly, and upper and lower case differ; it does not go with \`before\`. Without a query: the newest.`,
    'When there is more, `X-Next-Before` has the value of `before` with which the next page begins. A page may have fewer entries, or none, and this header: reading ended at a limit of time, and the next page continues.',
    'Orders are kept as long as the request log; one whose outcome is unknown is kept until it is known. `X-Kept-Days` has the number of days.',
    'What an order asks for is known of orders since this version: older ones are found by client, exchange, state, time and name alone. Orders that were placed before an older upgrade are not found by the order id of the exchange.',
  ],
  access: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      ...filters,
      find: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'A client order id, order id, idempotency key or request id',
        }),
      ),
      before: Type.Optional(
        Type.String({
          pattern: '^\\d{1,15}-.{1,64}$',
          description: 'From `X-Next-Before` of the page before',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: ORDERS_MAX,
          default: ORDERS_MAX,
          description: 'Entries in one page',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Array(JournalOrder),
  sample: { query: { find: 'grid-7-42' } },
})

/** The hours that sums are made of. */
export const ORDER_SUMS_HOURS = 24
/** How many orders are summed up, and how many lines the sums have. */
export const SUMMED_ORDERS_MAX = 20_000
export const SUM_LINES_MAX = 200

const sums = {
  orders: Type.Integer({ description: 'Orders that were placed, or may have been' }),
  value: Type.String({ description: 'The sum of their values, in USDT' }),
  unvalued: Type.Integer({ description: 'How many of them have no known value' }),
  filledValue: Type.String({
    description:
      'What was filled of them, in USDT, at their average price or else their own: of those alone of which it is known',
  }),
  filledKnown: Type.Integer({ description: 'Of how many it is known' }),
}

export const OrderSums = Type.Object({
  ...sums,
  refused: Type.Integer({ description: 'Orders that were refused, or not sent' }),
  cancels: Type.Integer(),
  lines: Type.Array(
    Type.Object({
      clientId: Type.String(),
      exchange: Exchange,
      symbol: orNull(Type.String()),
      ...sums,
    }),
    {
      description: `By client, exchange and symbol, the most orders first; at most ${SUM_LINES_MAX}`,
      maxItems: SUM_LINES_MAX,
    },
  ),
  from: Timestamp,
  to: Timestamp,
  isComplete: Type.Boolean({
    description: `False: there are more than ${SUMMED_ORDERS_MAX} orders, and these are the sums of the newest, since \`from\``,
  }),
})
export type OrderSums = Static<typeof OrderSums>

export const getOrderSums = endpoint({
  id: 'getOrderSums',
  method: 'GET',
  path: '/api/admin/orders/summary',
  tag: 'Orders',
  summary: 'How much was traded, by client and symbol',
  notes: [
    `Of at most ${ORDER_SUMS_HOURS} hours before \`to\`, or before now; of the last hour without \`from\`.`,
  ],
  access: 'admin',
  anywhere: true,
  query: Type.Object(filters, { additionalProperties: false }),
  response: OrderSums,
  sample: {
    query: { clientId: 'grid-bot' },
    response: {
      ...{ orders: 12, value: '3400.5', unvalued: 2, filledValue: '300', filledKnown: 3 },
      ...{ refused: 1, cancels: 4, isComplete: true },
      lines: [
        {
          ...{ clientId: 'grid-bot', exchange: 'mx', symbol: 'BTCUSDT', orders: 12 },
          ...{ value: '3400.5', unvalued: 2, filledValue: '300', filledKnown: 3 },
        },
      ],
      ...{ from: '2026-03-05T13:30:22.000Z', to: '2026-03-05T14:30:22.000Z' },
    },
  },
})

export const exportOrders = endpoint({
  id: 'exportOrders',
  method: 'GET',
  path: '/api/admin/orders/export',
  tag: 'Orders',
  summary: 'Orders, changes and cancels as a file, newest first',
  description: `Everything that the filters match, sent while it is read. Without \`from\` it begins ${ORDER_SUMS_HOURS} hours ago. If the gateway cannot read to the end, it closes the connection before the end of the response, so that half a file is not taken for a whole one.`,
  notes: [
    '`csv`: for spreadsheets, times in UTC. A text that they would run as a formula begins with an apostrophe.',
    '`jsonl`: one JSON object per line, as in the list.',
    'Sent compressed to a caller that accepts gzip.',
  ],
  access: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      format: Type.Optional(
        Type.Enum(['csv', 'jsonl'], { default: 'csv', description: 'Form of the file' }),
      ),
      ...filters,
    },
    { additionalProperties: false },
  ),
  response: Type.String(),
  responseTypes: ['text/csv', 'application/jsonl'],
  sample: { query: { format: 'csv', symbol: 'BTCUSDT' } },
})

const optional = {
  int: (description: string) => Type.Optional(Type.Integer({ description })),
  text: (description: string) => Type.Optional(Type.String({ description })),
}

/** Something that happened to an order, with the facts that its type has. */
export const OrderEvent = Type.Object({
  at: Timestamp,
  type: Type.Enum(
    [
      'received',
      'checked',
      'queued',
      'slot',
      'signed',
      'sent',
      'answered',
      'turned-away',
      'unknown',
      'recovered',
      'lookup',
      'settled',
      'responded',
      'related',
      'ended',
      'pushed',
    ],
    {
      description:
        '`received`: entered into the journal. `checked`: its rules and limits allow it. `slot`: its turn came. `turned-away`: by the rate limit of the exchange; it is queued again. `recovered`: found by a start of the gateway. `lookup`: one question to the exchange. `settled`: its outcome is known. `responded`: the response that the bot got. `related`: another request about the same order. `ended`: its order was found ended. `pushed`: the exchange reported it in the stream of the account.',
    },
  ),
  note: optional.text('Of `checked`: the limit that would have refused it'),
  reason: optional.text(
    'Of `received` and `related`: the stop that made the gateway cancel, or that the client cancels its own orders',
  ),
  ahead: optional.int('Of `queued`: how many were expected to be sent before it'),
  waiting: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description: 'Of `queued`: how many waited already, by class',
    }),
  ),
  own: optional.int('Of `queued`: how many of them were of the same client'),
  waitedMs: optional.int('Of `slot`: since it was queued'),
  exchangeTime: Type.Optional(Timestamp),
  status: optional.int('Of `answered`, `settled` and `responded`: the HTTP status'),
  tookMs: optional.int('Of `answered`: of the exchange. Of `responded`: since the request arrived'),
  why: optional.text('Of `unknown` and `lookup`'),
  where: optional.text('Of `lookup`: the call to the exchange'),
  found: Type.Optional(Type.Enum(['found', 'absent', 'unclear'])),
  orderState: optional.text('Of `lookup` and `pushed`: the state of the order'),
  orderId: optional.text('Of `pushed`, about several orders: the id of the exchange'),
  filled: optional.text('Of `pushed`: the filled quantity so far'),
  fills: optional.int('Of `pushed`: how many times it was reported partly filled before its end'),
  state: Type.Optional(TradeState),
  code: optional.text("Of `settled` and `responded`: of the gateway's own error"),
  requestId: optional.text('Of `related`'),
  endpoint: optional.text('Of `related`'),
})
export type OrderEvent = Static<typeof OrderEvent>

export const OrderLife = Type.Object({
  ...JournalOrder.properties,
  clientRow: Type.Integer({ description: "The client's row id, as in its address" }),
  idempotencyKey: orNull(Type.String(), 'Null when there is none, or when it is free again'),
  keys: orNull(
    Type.Object({
      note: orNull(Type.String()),
      isStored: Type.Boolean({ description: 'False: they were replaced or deleted since' }),
    }),
    'The exchange keys that it was signed with or waited with; null where it did not come so far',
  ),
  refusal: orNull(
    Type.Object({
      by: Type.Enum(['gateway', 'exchange'], { description: 'Who refused it' }),
      code: Type.String({ description: "The gateway's own code, or else the exchange's" }),
      message: Type.String({ description: "In the exchange's words where it refused" }),
      isTemporary: Type.Boolean({ description: 'The same request may be accepted later' }),
    }),
    'Of an order that was refused, or not sent',
  ),
  events: Type.Array(OrderEvent, { description: 'Oldest first' }),
  response: orNull(
    Type.Object({
      statusCode: Type.Integer(),
      contentType: Type.String(),
      body: Type.String({ description: 'As it is stored, byte for byte' }),
    }),
    'What a retry with the same idempotency key gets',
  ),
  logIds: Type.Array(Type.Integer(), { description: 'The rows of the request log' }),
})
export type OrderLife = Static<typeof OrderLife>

export const getOrderLife = endpoint({
  id: 'getOrderLife',
  method: 'GET',
  path: '/api/admin/orders/{id}',
  tag: 'Orders',
  summary: 'What happened to an order, a change or a cancel, step by step',
  notes: [
    'While the order runs, the events come from memory. They are written with its changes of state: after a crash, those since the last one are missing, and the next start continues with look-ups.',
    'Orders of versions before this one have few events.',
  ],
  access: 'admin',
  params: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64, description: 'The request id' }),
  }),
  response: OrderLife,
  sample: { params: { id: '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10' } },
})

export const endOrder = endpoint({
  id: 'endOrder',
  method: 'POST',
  path: '/api/admin/orders/{id}/end',
  tag: 'Orders',
  summary: 'End an order of unknown outcome with what you found at the exchange',
  notes: [
    'Only for a request in the state `unknown`; otherwise 409 `ORDER_NOT_UNKNOWN`. Look the order up at the exchange first: the gateway does not check what you say, and sends nothing.',
    'A cancel that the gateway makes itself, for a stop or of all orders of a client, is not ended so while the gateway can look it up: 409 `CANCEL_UNDER_WAY`. The gateway finds out what became of it.',
    'It is `resolved` then, and is not looked up any more. A retry with its idempotency key gets 502 `NOT_CARRIED_OUT` (`not-done`) or 504 `OUTCOME_SET_BY_ADMIN` (`done`: the order exists), with your reason.',
  ],
  access: 'admin',
  confirm: 'second-factor',
  params: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64, description: 'The request id' }),
  }),
  body: Type.Object(
    {
      outcome: Type.Enum(['done', 'not-done'], {
        description:
          '`done`: the exchange carried it out. `not-done`: it is neither among the open orders nor in the history',
      }),
      reason: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'What you found; sent to the bot, and in the audit trail',
      }),
    },
    { additionalProperties: false },
  ),
  response: JournalOrder,
  sample: {
    params: { id: '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10' },
    body: { outcome: 'not-done', reason: 'neither open nor in the history of 5 March' },
  },
})
