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
  sentAt: orNull(Timestamp, "By the exchange's clock; null when it was not sent"),
  settledAt: orNull(Timestamp),
  lookups: Type.Integer({ description: 'Rounds of look-ups at the exchange' }),
  canBeLookedUp: Type.Boolean({
    description:
      'False: it names no order that the gateway could look up. While its outcome is unknown, a person must check it at the exchange',
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
