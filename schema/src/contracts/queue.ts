import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange } from './common.ts'
import { FRESH_TO_RESUME, Stop, StopPreview, StopRequest } from './stops.ts'

/** The classes of queued requests, with the gateway's own look-ups. */
export const REQUEST_CLASSES = ['cancel', 'lookup', 'order', 'account', 'market'] as const

export const QueueEntry = Type.Object({
  id: Type.String(),
  exchange: Exchange,
  clientId: Type.String(),
  requestClass: Type.Enum([...REQUEST_CLASSES]),
  method: Type.String(),
  endpoint: Type.String(),
  requestId: Type.String(),
  clientOrderId: Type.Union([Type.String(), Type.Null()], {
    description: 'Of the order that it places, changes or cancels; of several, the first',
  }),
  orderId: Type.Union([Type.String(), Type.Null()], {
    description: "The exchange's id of the order that it changes or cancels",
  }),
  position: Type.Integer({ minimum: 1, description: 'In dispatch order, from 1' }),
  waitedMs: Type.Number(),
  expectedWaitMs: Type.Number({ description: 'Until it is sent, if no requests come or leave' }),
  remainingMs: Type.Number({ description: 'Until the request expires' }),
})
export type QueueEntry = Static<typeof QueueEntry>

const Reason = Type.Object(
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Logged' })) },
  { additionalProperties: false },
)
const ByExchange = Type.Object({ exchange: Exchange })
const ExchangeState = Type.Object({
  exchange: Exchange,
  state: Type.Enum(['running', 'paused', 'broken', 'stopped']),
  reason: Type.Union([Type.String(), Type.Null()]),
  dropped: Type.Integer({ description: 'Queued requests that were rejected as not sent' }),
})

/** `dropped` is of the stop, and so is the rest. */
const ExchangeStop = Type.Object({
  ...ExchangeState.properties,
  startedAt: Stop.properties.startedAt,
  startedBy: Stop.properties.startedBy,
  inFlight: Stop.properties.inFlight,
  cancelled: Stop.properties.cancelled,
  total: Stop.properties.total,
  remaining: Stop.properties.remaining,
  estimateSeconds: Stop.properties.estimateSeconds,
  unreachable: Stop.properties.unreachable,
  failed: Stop.properties.failed,
  completedAt: Stop.properties.completedAt,
})

const previewSample: StopPreview = {
  ...{ waiting: 79, queued: 79, workingOrders: 9, estimateSeconds: 2 },
}

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
  role: 'operator',
  params: Type.Object({
    exchange: Exchange,
    id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'From the list of queued requests',
    }),
  }),
  query: Reason,
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
    'With `cancelOrders`, the working orders that clients placed through the gateway are then cancelled, each by its id; only these cancels and look-ups pass. The response comes when that is done, or after 20 s; `GET` at the same address says how far it is. While the exchange does not answer, the stop tries again every 30 s by itself. Repeating the call joins the stop; after a complete one it tries again what that could not cancel.',
    'The stop lasts until requests are resumed, also across a restart. If the database cannot be written, the exchange is stopped as well, but the response is 503 STOP_NOT_KEPT: a restart before the disk recovers would resume requests.',
  ],
  access: 'admin',
  role: 'operator',
  params: ByExchange,
  body: StopRequest,
  response: ExchangeStop,
  sample: { params: { exchange: 'mx' }, body: { reason: 'strategy misbehaves' } },
})

export const getExchangeStop = endpoint({
  id: 'getExchangeStop',
  method: 'GET',
  path: '/api/admin/exchanges/{exchange}/stop',
  tag: 'Queue',
  summary: "Progress of the exchange's last stop; null when there was none",
  access: 'admin',
  params: ByExchange,
  response: Type.Union([Stop, Type.Null()]),
  sample: { params: { exchange: 'mx' } },
})

export const previewExchangeStop = endpoint({
  id: 'previewExchangeStop',
  method: 'GET',
  path: '/api/admin/exchanges/{exchange}/stop/preview',
  tag: 'Queue',
  summary: 'What a stop of this exchange that cancels orders would do now',
  access: 'admin',
  params: ByExchange,
  response: StopPreview,
  sample: { params: { exchange: 'mx' }, response: previewSample },
})

export const stopEverything = endpoint({
  id: 'stopEverything',
  method: 'POST',
  path: '/api/admin/stop',
  tag: 'Queue',
  summary: 'Kill switch: stop all requests to all exchanges',
  notes: [
    'The same as stopping each exchange. With `cancelOrders`, every working order that was placed through the gateway is cancelled.',
  ],
  access: 'admin',
  role: 'operator',
  body: StopRequest,
  response: Stop,
  sample: { body: { reason: 'unusual losses', cancelOrders: true } },
})

export const getStopOfEverything = endpoint({
  id: 'getStopOfEverything',
  method: 'GET',
  path: '/api/admin/stop',
  tag: 'Queue',
  summary: 'Progress of the last stop of everything; null when there was none',
  access: 'admin',
  response: Type.Union([Stop, Type.Null()]),
})

export const previewStopOfEverything = endpoint({
  id: 'previewStopOfEverything',
  method: 'GET',
  path: '/api/admin/stop/preview',
  tag: 'Queue',
  summary: 'What a stop of everything that cancels orders would do now',
  access: 'admin',
  response: StopPreview,
  sample: { response: previewSample },
})

export const resumeEverything = endpoint({
  id: 'resumeEverything',
  method: 'POST',
  path: '/api/admin/resume',
  tag: 'Queue',
  summary: 'Resume requests to all exchanges',
  notes: [
    'Clients that were stopped stay stopped. What was cancelled stays cancelled.',
    FRESH_TO_RESUME,
  ],
  access: 'admin',
  confirm: 'always',
  approval: 'always',
  response: Type.Union([Stop, Type.Null()]),
})

export const resumeExchange = endpoint({
  id: 'resumeExchange',
  method: 'POST',
  path: '/api/admin/exchanges/{exchange}/resume',
  tag: 'Queue',
  summary: 'Resume requests to this exchange',
  notes: [FRESH_TO_RESUME],
  access: 'admin',
  confirm: 'always',
  approval: 'always',
  params: ByExchange,
  query: Reason,
  response: ExchangeState,
  sample: { params: { exchange: 'mx' } },
})
