import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'

const EstimateSeconds = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
  description:
    'About how long the cancels take at the present pace. Null: unknown, because an exchange cannot be reached',
})

/** A stop of a client, an exchange or everything, and how far it has come. */
export const Stop = Type.Object({
  reason: Type.String(),
  startedAt: Timestamp,
  startedBy: Type.Union([Type.String(), Type.Null()], {
    description:
      'Who began it: the e-mail of an administrator, a user of the operating system, or `gateway` for a missed heartbeat. Null: a restore, or a version of the gateway that did not store it',
  }),
  completedAt: Type.Union([Timestamp, Type.Null()], {
    description: 'Null while orders are still being cancelled, or tried again during an outage',
  }),
  dropped: Type.Integer({ description: 'Queued requests that were rejected as not sent' }),
  inFlight: Type.Integer({
    description: 'Orders that were already sent when the stop began; their outcome is waited for',
  }),
  cancelled: Type.Integer({ description: 'Working orders that were cancelled' }),
  total: Type.Integer({
    description:
      'Working orders that it has cancelled or has still to cancel; 0 without `cancelOrders`',
  }),
  remaining: Type.Integer({
    description: 'Those of them that may still be open; once it has ended, those in `failed`',
  }),
  estimateSeconds: EstimateSeconds,
  unreachable: Type.Array(
    Type.Object({
      exchange: Exchange,
      orders: Type.Integer({ description: 'Its orders that stay open until it can be reached' }),
      message: Type.String(),
    }),
    {
      description:
        'Exchanges that give no clear response, as long as orders are to be cancelled there',
    },
  ),
  failed: Type.Array(
    Type.Object({
      clientId: Type.String(),
      exchange: Exchange,
      symbol: Type.Union([Type.String(), Type.Null()]),
      orderId: Type.Union([Type.String(), Type.Null()]),
      clientOrderId: Type.Union([Type.String(), Type.Null()]),
      message: Type.String(),
      tries: Type.Integer({
        description:
          'How often a cancel of it was sent, since the gateway began or continued the stop',
      }),
      lastTriedAt: Type.Union([Timestamp, Type.Null()], { description: 'Null: none was sent' }),
      unreachable: Type.Boolean({
        description: 'Its exchange gave no clear response to the last try',
      }),
    }),
    {
      description:
        'Orders that could not be cancelled, or whose cancellation is unknown; while `completedAt` is null they are tried again',
    },
  ),
  resumedAt: Type.Union([Timestamp, Type.Null()], { description: 'Null while it is in force' }),
})
export type Stop = Static<typeof Stop>

export const StopRequest = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Sent to the callers and logged',
    }),
    cancelOrders: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Also cancel the working orders that were placed through the gateway, each by its id, stop losses and take profits too',
      }),
    ),
  },
  { additionalProperties: false },
)
export type StopRequest = Static<typeof StopRequest>

/** What a stop that cancels orders would do if it began now. */
export const StopPreview = Type.Object({
  waiting: Type.Integer({
    description: 'Queued requests that it would drop; of a client, only its orders',
  }),
  queued: Type.Integer({
    description:
      'All queued requests: what switching the client off, deleting it or dropping its queue drops',
  }),
  workingOrders: Type.Integer({
    description:
      'Orders that may be open and that it would cancel, with those that are on their way',
  }),
  estimateSeconds: EstimateSeconds,
})
export type StopPreview = Static<typeof StopPreview>

/** A way to end what a client or an exchange does, and what still passes then. */
export interface Ending {
  readonly way:
    | 'reducing'
    | 'halted'
    | 'stopped'
    | 'disabled'
    | 'deleted'
    | 'dropped'
    | 'exchange stopped'
  readonly opens: boolean
  readonly closes: boolean
  readonly cancels: boolean
  readonly reads: boolean
  readonly waiting: 'checked' | 'orders dropped' | 'dropped'
  readonly working: 'stay' | 'cancelled' | 'forgotten'
}

/** All of them: the console's dialogs and docs/stops.md show it. */
export const ENDINGS: readonly Ending[] = [
  {
    way: 'reducing',
    ...{ opens: false, closes: true, cancels: true, reads: true },
    ...{ waiting: 'checked', working: 'stay' },
  },
  {
    way: 'halted',
    ...{ opens: false, closes: false, cancels: true, reads: true },
    ...{ waiting: 'checked', working: 'stay' },
  },
  {
    way: 'stopped',
    ...{ opens: false, closes: false, cancels: true, reads: true },
    ...{ waiting: 'orders dropped', working: 'cancelled' },
  },
  {
    way: 'disabled',
    ...{ opens: false, closes: false, cancels: false, reads: false },
    ...{ waiting: 'dropped', working: 'stay' },
  },
  {
    way: 'deleted',
    ...{ opens: false, closes: false, cancels: false, reads: false },
    ...{ waiting: 'dropped', working: 'forgotten' },
  },
  {
    way: 'dropped',
    ...{ opens: true, closes: true, cancels: true, reads: true },
    ...{ waiting: 'dropped', working: 'stay' },
  },
  {
    way: 'exchange stopped',
    ...{ opens: false, closes: false, cancels: false, reads: false },
    ...{ waiting: 'dropped', working: 'cancelled' },
  },
]

const ById = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Database id' }),
})
const sample: Stop = {
  reason: 'strategy misbehaves',
  startedAt: '2026-03-05T14:30:22.000Z',
  startedBy: 'ana@example.com',
  completedAt: '2026-03-05T14:30:27.000Z',
  dropped: 4,
  inFlight: 1,
  cancelled: 9,
  ...{ total: 9, remaining: 0, estimateSeconds: 0 },
  unreachable: [],
  failed: [],
  resumedAt: null,
}
const body = { reason: 'strategy misbehaves', cancelOrders: true }
/** What the API says of every endpoint that resumes. */
export const FRESH_TO_RESUME =
  'You need a factor that you showed in the last five minutes: 403 `FRESH_FACTOR_NEEDED` otherwise.'

export const stopClient = endpoint({
  id: 'stopClient',
  method: 'POST',
  path: '/api/admin/client-credentials/{id}/stop',
  tag: 'Client credentials',
  summary: 'Stop a client: refuse its new orders, clear its queue, cancel its working orders',
  notes: [
    'Consider the state `reducing` first (`PATCH /api/admin/client-credentials/{id}/limits` with `{ "state": "reducing" }`): the client then opens nothing more and can still close what it opened. A stop refuses these orders too, and with `cancelOrders` it also cancels stop losses.',
    'New orders are refused with `LIMIT_HALTED` until the client is resumed, also across a restart.',
    'With `cancelOrders`, its working orders are cancelled one by one, ahead of everything else in the queue. The response comes when that is done, or after 20 s; `GET` at the same address says how far it is. While the exchange does not answer, the stop tries again every 30 s by itself. Repeating the call joins the stop; after a complete one it tries again what that could not cancel.',
  ],
  access: 'admin',
  role: 'operator',
  params: ById,
  body: StopRequest,
  response: Stop,
  sample: { params: { id: '7' }, body, response: sample },
})

export const getClientStop = endpoint({
  id: 'getClientStop',
  method: 'GET',
  path: '/api/admin/client-credentials/{id}/stop',
  tag: 'Client credentials',
  summary: "Progress of a client's last stop; null when there was none",
  access: 'admin',
  params: ById,
  response: Type.Union([Stop, Type.Null()]),
  sample: { params: { id: '7' }, response: sample },
})

export const previewClientStop = endpoint({
  id: 'previewClientStop',
  method: 'GET',
  path: '/api/admin/client-credentials/{id}/stop/preview',
  tag: 'Client credentials',
  summary: 'What a stop of this client that cancels its orders would do now',
  notes: ['Read from memory: it changes nothing and costs no slot.'],
  access: 'admin',
  params: ById,
  response: StopPreview,
  sample: {
    params: { id: '7' },
    response: { waiting: 4, queued: 6, workingOrders: 9, estimateSeconds: 2 },
  },
})

export const resumeClient = endpoint({
  id: 'resumeClient',
  method: 'POST',
  path: '/api/admin/client-credentials/{id}/resume',
  tag: 'Client credentials',
  summary: 'End the stop of a client',
  notes: [
    'The limits that were set for it apply again. What was cancelled stays cancelled; a stop that is still cancelling ends with the cancels that were already sent.',
    FRESH_TO_RESUME,
  ],
  access: 'admin',
  confirm: 'always',
  approval: 'always',
  params: ById,
  response: Type.Union([Stop, Type.Null()]),
  sample: {
    params: { id: '7' },
    response: { ...sample, resumedAt: '2026-03-05T14:40:00.000Z' },
  },
})

export const Heartbeat = Type.Object({
  ttlSeconds: Type.Integer({ description: '0: no heartbeat is expected' }),
  expiresAt: Type.Union([Timestamp, Type.Null()], {
    description: 'Without another heartbeat until then, your working orders are cancelled',
  }),
})
export type Heartbeat = Static<typeof Heartbeat>

export const putHeartbeat = endpoint({
  id: 'putHeartbeat',
  method: 'PUT',
  path: '/api/heartbeat',
  tag: 'Requests and heartbeat',
  summary: "Dead man's switch: cancel my working orders when the next heartbeat does not arrive",
  notes: [
    'When no heartbeat comes for `ttlSeconds`, the gateway cancels the working orders that you placed through it and halts you until an administrator resumes you. 0 disarms it.',
    'Only heartbeats count, no other request. It keeps running while the gateway restarts; after a start you have at least 10 s for the next one.',
  ],
  access: 'client',
  body: Type.Object(
    {
      ttlSeconds: Type.Union([Type.Literal(0), Type.Integer({ minimum: 5, maximum: 86_400 })], {
        description: 'Whole seconds, 5 to 86,400; 0 disarms it',
        'x-error': 'must be 0, or a whole number from 5 to 86400',
      }),
    },
    { additionalProperties: false },
  ),
  response: Heartbeat,
  sample: {
    body: { ttlSeconds: 60 },
    response: { ttlSeconds: 60, expiresAt: '2026-03-05T14:31:22.000Z' },
  },
})

export const getClientHeartbeat = endpoint({
  id: 'getClientHeartbeat',
  method: 'GET',
  path: '/api/admin/client-credentials/{id}/heartbeat',
  tag: 'Client credentials',
  summary: "A client's dead man's switch: whether it is armed, and until when",
  access: 'admin',
  params: ById,
  response: Heartbeat,
  sample: {
    params: { id: '7' },
    response: { ttlSeconds: 60, expiresAt: '2026-03-05T14:31:22.000Z' },
  },
})
