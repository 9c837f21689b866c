import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'
import { FINAL_ORDER_STATES, OPEN_ORDER_STATES, TradeState } from './requests.ts'

const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

const text = (description: string) => orNull(Type.String(), description)

const SymbolName = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: '^[^\\s,]+$',
  'x-characters': 'must be one symbol, without spaces and commas',
  description: '`BTCUSDT` and `BTC_USDT` are the same here: every market of the symbol',
})

/** An order of a client, as the journal and the list of working orders have it. */
export const OwnOrder = Type.Object(
  {
    requestId: text(
      'The request that placed or changed it, for `GET /api/requests/{id}`; null when it is older than the journal',
    ),
    exchange: Exchange,
    market: orNull(Type.Enum(['spot', 'futures'])),
    symbol: text(
      'As the exchange spells it. This and the next ones are null where the gateway does not know them: before the order is in the queue, and of a call that names no order that could be looked up',
    ),
    side: text("In the exchange's words, in small letters: `buy`; of MEXC futures `1` to `4`"),
    type: text('`limit` or `market`'),
    price: text('Null where the order has none'),
    quantity: text(
      'Coins, of MEXC futures contracts, as the call said. Null where it said an amount, and where it left the size open',
    ),
    amount: text('What a market buy of spot may spend, in the quote coin'),
    triggerPrice: text('Of an order that waits for a price'),
    clientOrderId: orNull(Type.String()),
    orderId: text(
      "The exchange's id; null while it is unknown, and of several ended orders of one call",
    ),
    state: orNull(
      TradeState,
      'Of the request, not of the order; null when it is older than the journal',
    ),
    statusCode: orNull(
      Type.Integer(),
      'HTTP status of the response that the request got; null while there is none. 502 with `resolved`: the exchange did not carry it out',
    ),
    working: Type.Boolean({
      description:
        'It may be open at the exchange, as far as the gateway knows. A fill is noticed late: an exchange does not report it',
    }),
    endpoint: text('Where the request came in'),
    createdAt: Timestamp,
    sentAt: orNull(Timestamp, "By the exchange's clock"),
    settledAt: orNull(Timestamp, 'When its response was known'),
  },
  { title: 'Order' },
)
export type OwnOrder = Static<typeof OwnOrder>

/** How many requests a page of a client's orders has. */
export const OWN_ORDERS_LIMIT = 100
export const OWN_ORDERS_LIMIT_MAX = 500

const atMs = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

const sampleOrder: OwnOrder = {
  requestId: '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10',
  exchange: 'bg',
  market: 'spot',
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'limit',
  price: '50000',
  quantity: '0.01',
  amount: null,
  triggerPrice: null,
  clientOrderId: 'grid-7-42',
  orderId: '1298765432109876543',
  state: 'answered',
  statusCode: 200,
  working: true,
  endpoint: '/bg/api/v2/spot/trade/place-order',
  createdAt: '2026-03-05T14:30:22.000Z',
  sentAt: '2026-03-05T14:30:22.004Z',
  settledAt: '2026-03-05T14:30:22.120Z',
}

export const listOwnOrders = endpoint({
  id: 'listOwnOrders',
  method: 'GET',
  path: '/api/orders',
  tag: 'Requests and heartbeat',
  summary: 'List your own orders, newest first',
  notes: [
    'Read from the journal and the list of working orders: it takes no slot of an exchange, and has no orders of other clients, of people and of the exchange itself.',
    'Cancels are left out. A request about several orders has a row for each. What is not known to be an order (a setting, a cancel of everything) has a row without a symbol.',
    'A page may have fewer rows than `limit`, also none, and still a `cursor`: read on until it is null.',
    'Kept as long as the request log. An order that is still working is listed with `state=working` whatever its age.',
  ],
  access: 'client',
  query: Type.Object(
    {
      state: Type.Optional(
        Type.Enum(['working', ...OPEN_ORDER_STATES, ...FINAL_ORDER_STATES], {
          description:
            '`working`: may be open at the exchange. The others are states of the request',
        }),
      ),
      symbol: Type.Optional(SymbolName),
      exchange: Type.Optional(Exchange),
      from: atMs('Only what came at or after this time, Unix milliseconds'),
      to: atMs('Only what came before this time, Unix milliseconds'),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: OWN_ORDERS_LIMIT_MAX,
          default: OWN_ORDERS_LIMIT,
          description: 'Requests in one page',
        }),
      ),
      cursor: Type.Optional(
        Type.String({
          pattern: '^[0-9]{1,16}-[\\x21-\\x7e]{1,64}$',
          maxLength: 81,
          description: 'Of the page before, for the next one; the other parameters stay the same',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({
    orders: Type.Array(OwnOrder),
    cursor: text('For the next page; null when there is none'),
  }),
  sample: {
    query: { state: 'working', symbol: 'BTCUSDT' },
    response: { orders: [sampleOrder], cursor: null },
  },
})

/** A cancel of a client's own orders, and how far it has come. */
export const OwnCancel = Type.Object({
  id: Type.String(),
  location: Type.String({ description: 'Where this is read again' }),
  state: Type.Enum(['running', 'done'], {
    description: '`running`: orders are being cancelled, or tried again during an outage',
  }),
  symbol: text('Null: of every symbol'),
  exchange: orNull(Exchange, 'Null: at both'),
  startedAt: Timestamp,
  completedAt: orNull(Timestamp),
  orders: Type.Integer({
    description:
      'Working orders that it cancels, with those whose outcome was unknown and that turned out to be working',
  }),
  cancelled: Type.Integer({
    description:
      'How many of them are cancelled. After a crash, those of the last second before it may be missing',
  }),
  failed: Type.Array(
    Type.Object({
      exchange: Exchange,
      symbol: orNull(Type.String()),
      orderId: orNull(Type.String()),
      clientOrderId: orNull(Type.String()),
      message: Type.String(),
    }),
    {
      description:
        'Orders that may still be open; while it is `running` they are tried again. An order that is neither cancelled nor here was filled, or ended otherwise',
    },
  ),
})
export type OwnCancel = Static<typeof OwnCancel>

const sampleCancel: OwnCancel = {
  id: '5b0c6f4e-7a53-4c39-9b8e-5f0a1d2c3b4a',
  location: '/api/orders/cancels/5b0c6f4e-7a53-4c39-9b8e-5f0a1d2c3b4a',
  state: 'running',
  symbol: 'BTCUSDT',
  exchange: null,
  startedAt: '2026-03-05T14:30:22.000Z',
  completedAt: null,
  orders: 9,
  cancelled: 0,
  failed: [],
}

/** How many cancels of its own orders a client may have running, besides those of everything. */
export const OWN_CANCELS_MAX = 100

export const cancelOwnOrders = endpoint({
  id: 'cancelOwnOrders',
  method: 'DELETE',
  path: '/api/orders',
  tag: 'Requests and heartbeat',
  summary: 'Cancel your own working orders, each by its id',
  notes: [
    'It needs the permission `trade`, and reaches no order of another client, also where several have one exchange key. It does not stop you: you may place orders at once.',
    'Cancels what is working now, and what is on its way with an unknown outcome as soon as that is known. What still waits in the queue stays: withdraw it. Trigger orders are cancelled too.',
    'It is tried for up to a minute and a half, and every 30 s for as long as an exchange does not respond. Repeating the call while it runs joins it, with the orders that are working by then.',
    `${OWN_CANCELS_MAX} of a client run at a time; one more is 429 \`CLIENT_QUEUE_SHARE_EXCEEDED\`. Without \`symbol\` it always begins.`,
    'After a restart of the gateway it continues, under the same id. The status of one that had ended before is then 404; what may still be open is listed by `GET /api/orders?state=working`.',
    'Orders that were placed with keys which have been replaced are cancelled with the present ones, when these are of the same account; otherwise they are in `failed`, with the reason.',
  ],
  access: 'client',
  query: Type.Object(
    {
      symbol: Type.Optional(SymbolName),
      exchange: Type.Optional(Exchange),
    },
    { additionalProperties: false },
  ),
  status: 202,
  response: OwnCancel,
  sample: { query: { symbol: 'BTCUSDT' }, response: sampleCancel },
})

export const getOwnCancel = endpoint({
  id: 'getOwnCancel',
  method: 'GET',
  path: '/api/orders/cancels/{id}',
  tag: 'Requests and heartbeat',
  summary: 'Progress of a cancel of your own orders',
  notes: ['The last 20 are kept. A restart of the gateway keeps those that are `running`.'],
  access: 'client',
  params: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64, description: 'From `location`' }),
  }),
  response: OwnCancel,
  sample: {
    params: { id: sampleCancel.id },
    response: {
      ...sampleCancel,
      state: 'done',
      completedAt: '2026-03-05T14:30:23.000Z',
      cancelled: 9,
    },
  },
})
