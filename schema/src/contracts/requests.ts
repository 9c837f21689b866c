import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'

export const TradeState = Type.Enum(
  ['queued', 'sent', 'unknown', 'answered', 'refused', 'dropped', 'resolved'],
  {
    description:
      '`queued`: waits. `sent`: at the exchange. `unknown`: sent, and the gateway is finding out. Final: `answered`, `refused` by the exchange, `dropped` without being sent, `resolved` after it was unknown.',
  },
)

export const TradeRequestStatus = Type.Object({
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
    description: 'Requests that go before it, as things stand; null when it does not wait',
  }),
  expectedWaitMs: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Until its slot comes, as things stand; null when it does not wait',
  }),
  answer: Type.Union(
    [Type.Object({ statusCode: Type.Integer(), body: Type.Unknown() }), Type.Null()],
    { description: 'What the caller was or would have been answered; null while there is nothing' },
  ),
})
export type TradeRequestStatus = Static<typeof TradeRequestStatus>

const ById = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The request id: of `Location`, or of `X-Request-Id`',
  }),
})
const sampleId = '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10'

export const getRequest = endpoint({
  id: 'getRequest',
  method: 'GET',
  path: '/api/requests/{id}',
  tag: 'Requests',
  summary: 'What became of an own order or cancel',
  notes: [
    'Known for as long as the request log, at least 24 hours; an order of unknown outcome until it is known.',
  ],
  access: 'client',
  params: ById,
  response: TradeRequestStatus,
  sample: {
    params: { id: sampleId },
    response: {
      id: sampleId,
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
  tag: 'Requests',
  summary: 'Withdraw an own request that was not sent yet',
  notes: [
    '409 when it was already sent: then cancel the order instead. 204 again when it was withdrawn before.',
  ],
  access: 'client',
  params: ById,
  status: 204,
  sample: { params: { id: sampleId } },
})
