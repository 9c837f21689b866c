import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange } from './common.ts'

export const QueueEntry = Type.Object({
  id: Type.String(),
  exchange: Exchange,
  clientId: Type.String(),
  requestClass: Type.Enum(['cancel', 'lookup', 'order', 'account', 'market']),
  method: Type.String(),
  endpoint: Type.String(),
  requestId: Type.String(),
  waitedMs: Type.Number(),
  remainingMs: Type.Number({ description: 'Until the request expires' }),
})
export type QueueEntry = Static<typeof QueueEntry>

const Reason = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Sent to the callers and logged',
    }),
  },
  { additionalProperties: false },
)
const ByExchange = Type.Object({ exchange: Exchange })
const ExchangeState = Type.Object({
  exchange: Exchange,
  state: Type.Enum(['running', 'paused', 'broken', 'stopped']),
  reason: Type.Union([Type.String(), Type.Null()]),
  dropped: Type.Integer({ description: 'Queued requests that were rejected as not sent' }),
})

export const listQueue = endpoint({
  id: 'listQueue',
  method: 'GET',
  path: '/api/admin/queue',
  tag: 'Queue',
  summary: 'List the queued requests of each exchange, in dispatch order',
  notes: [
    'The order in which they would be sent now: by class, with clients in turn, and requests that waited long in between.',
    'At most 1,000 entries per exchange; the statistics have the totals.',
  ],
  access: 'admin',
  response: Type.Array(QueueEntry),
})

export const dropQueueEntry = endpoint({
  id: 'dropQueueEntry',
  method: 'DELETE',
  path: '/api/admin/queue/{exchange}/{id}',
  tag: 'Queue',
  summary: 'Drop a queued request; its caller gets the error that it was not sent',
  access: 'admin',
  params: Type.Object({ exchange: Exchange, id: Type.String({ minLength: 1, maxLength: 64 }) }),
  query: Type.Object(
    { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) },
    { additionalProperties: false },
  ),
  status: 204,
  sample: { params: { exchange: 'mx', id: '42' } },
})

export const stopExchange = endpoint({
  id: 'stopExchange',
  method: 'POST',
  path: '/api/admin/exchanges/{exchange}/stop',
  tag: 'Queue',
  summary: 'Kill switch: stop all requests to this exchange',
  notes: [
    'Queued requests are rejected as not sent, and new ones get 503. Requests that were already sent are completed and logged.',
    'The stop lasts until requests are resumed, also across a restart. If the database cannot be written, the exchange is stopped as well, but the response is 503 STOP_NOT_KEPT: a restart before the disk recovers would resume requests.',
  ],
  access: 'admin',
  params: ByExchange,
  body: Reason,
  response: ExchangeState,
  sample: { params: { exchange: 'mx' }, body: { reason: 'strategy misbehaves' } },
})

export const resumeExchange = endpoint({
  id: 'resumeExchange',
  method: 'POST',
  path: '/api/admin/exchanges/{exchange}/resume',
  tag: 'Queue',
  summary: 'Resume requests to this exchange',
  access: 'admin',
  params: ByExchange,
  response: ExchangeState,
  sample: { params: { exchange: 'mx' } },
})
