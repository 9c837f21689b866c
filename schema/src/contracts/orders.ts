import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'
import { TradeState } from './requests.ts'

const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

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

export const listOrders = endpoint({
  id: 'listOrders',
  method: 'GET',
  path: '/api/admin/orders',
  tag: 'Orders',
  summary: 'Find orders, changes and cancels of all clients, newest first',
  notes: [
    `At most ${ORDERS_MAX}. \`find\` compares exactly, and upper and lower case differ. Without a query: the newest.`,
    'Orders are kept as long as the request log; one whose outcome is unknown is kept until it is known. `X-Kept-Days` has the number of days.',
    'Orders that were placed before an upgrade to this version are not found by the order id of the exchange.',
  ],
  access: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      state: Type.Optional(
        Type.Enum(['unknown'], { description: 'Only orders whose outcome is unknown' }),
      ),
      find: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'A client order id, order id, idempotency key or request id',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Array(JournalOrder),
  sample: { query: { find: 'grid-7-42' } },
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
    ],
    {
      description:
        '`received`: entered into the journal. `checked`: its rules and limits allow it. `slot`: its turn came. `turned-away`: by the rate limit of the exchange; it is queued again. `recovered`: found by a start of the gateway. `lookup`: one question to the exchange. `settled`: its outcome is known. `responded`: the response that the bot got. `related`: another request about the same order. `ended`: its order was found ended.',
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
  orderState: optional.text('Of `lookup`: of the order that was found'),
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
  mayBeOpen: Type.Boolean({ description: 'The order that it placed may be open at the exchange' }),
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
