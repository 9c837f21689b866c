import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'

// For its name in OpenAPI; `common.ts` has functions, which do not reach the browser.
export { Exchange }

/** An order in one of these has not ended. */
export const OPEN_ORDER_STATES = ['queued', 'sent', 'unknown'] as const
/** An order ends once, in one of these. */
export const FINAL_ORDER_STATES = ['answered', 'refused', 'dropped', 'resolved'] as const

export const TradeState = Type.Enum([...OPEN_ORDER_STATES, ...FINAL_ORDER_STATES], {
  description:
    '`queued`: waiting. `sent`: at the exchange. `unknown`: sent, or after a restore perhaps sent, and the outcome is not known yet. Final states: `answered`, `refused` by the exchange, `dropped` without being sent, `resolved` after it was unknown: found by the gateway, or ended by an administrator.',
})

export const OrderRequestStatus = Type.Object({
  id: Type.String(),
  state: TradeState,
  exchange: Exchange,
  method: Type.String(),
  endpoint: Type.String(),
  clientOrderId: Type.Union([Type.String(), Type.Null()]),
  createdAt: Timestamp,
  sentAt: Type.Union([Timestamp, Type.Null()]),
  settledAt: Type.Union([Timestamp, Type.Null()]),
  position: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Requests expected to go before it; null when it is not queued, or when another gateway than the one that has it responds',
  }),
  expectedWaitMs: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Expected time until it is sent; null where `position` is null',
  }),
  answer: Type.Union(
    [Type.Object({ statusCode: Type.Integer(), body: Type.Unknown() }), Type.Null()],
    { description: 'The response that the caller got or would have got; null while there is none' },
  ),
})
export type OrderRequestStatus = Static<typeof OrderRequestStatus>

/** The response to an order with `Prefer: respond-async`. */
export const QueuedOrder = Type.Object({
  id: Type.String({ description: 'The request id' }),
  state: Type.Enum(['queued']),
  location: Type.String({ description: 'Where its status can be read' }),
})
export type QueuedOrder = Static<typeof QueuedOrder>

const ById = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The request id, from `Location` or `X-Request-Id`',
  }),
})
const SAMPLE_ID = '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10'

export const getRequest = endpoint({
  id: 'getRequest',
  method: 'GET',
  path: '/api/requests/{id}',
  tag: 'Requests and heartbeat',
  summary: 'Get the status of one of your orders or cancels',
  notes: [
    'Available for as long as the request log, at least 24 hours; an order with an unknown outcome until it is resolved.',
  ],
  access: 'client',
  anywhere: true,
  params: ById,
  response: OrderRequestStatus,
  sample: {
    params: { id: SAMPLE_ID },
    response: {
      id: SAMPLE_ID,
      state: 'answered',
      exchange: 'mx',
      method: 'POST',
      endpoint: '/api/mx/v1/submitOrder',
      clientOrderId: 'grid-7-42',
      createdAt: '2026-03-05T14:30:22.000Z',
      sentAt: '2026-03-05T14:31:10.000Z',
      settledAt: '2026-03-05T14:31:10.120Z',
      position: null,
      expectedWaitMs: null,
      answer: {
        statusCode: 200,
        body: { success: true, orderId: '739113577038255616', message: 'Order submitted' },
      },
    },
  },
})

export const withdrawRequest = endpoint({
  id: 'withdrawRequest',
  method: 'DELETE',
  path: '/api/requests/{id}',
  tag: 'Requests and heartbeat',
  summary: 'Withdraw a request that is still queued',
  notes: [
    '409 if it was already sent: cancel the order instead. 204 again if it was withdrawn before.',
  ],
  access: 'client',
  params: ById,
  status: 204,
  sample: { params: { id: SAMPLE_ID } },
})
