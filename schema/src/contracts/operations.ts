import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { EFFECTIVE_STATES, USED_LIMITS } from '../limit-usage.ts'
import { ClientId, Exchange, Timestamp } from './common.ts'
import { QueueEntry, REQUEST_CLASSES } from './queue.ts'
import { ExchangeStats } from './stats.ts'
import { Stop } from './stops.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

/** The number of waiting requests of each class. */
const byClass = {
  cancel: count('Cancels'),
  lookup: count('Look-ups of orders, and reads that the gateway needs itself'),
  order: count('Orders and changes'),
  account: count('Reads of accounts'),
  market: count('Reads of market data'),
}

/** A client whose calls to one exchange are held back, while those of others are sent. */
export const HeldAccount = Type.Object({
  clientId: Type.String(),
  state: Type.Enum(['broken', 'paused'], {
    description:
      '`broken`: its last calls failed, and new ones are refused; `paused`: the rate limit rejected its calls, and they wait',
  }),
  nextTryAt: orNull(Timestamp, 'Null: its next call will test it'),
})
export type HeldAccount = Static<typeof HeldAccount>

/** A waiting request that is among the next to be sent. */
export const NextSlot = Type.Object({
  inMs: count('Until it is sent, if no requests come or leave'),
  id: QueueEntry.properties.id,
  clientId: QueueEntry.properties.clientId,
  requestClass: QueueEntry.properties.requestClass,
  method: QueueEntry.properties.method,
  endpoint: QueueEntry.properties.endpoint,
})
export type NextSlot = Static<typeof NextSlot>

/** At most this many of the next requests are listed. */
export const NEXT_SLOTS_MAX = 12

const { exchange, environment, state, reason, rateLimit, lastError } = ExchangeStats.properties
const { queueSize, inFlight, longestWaitMs, estimatedWaitMs, busiestWaitMs } =
  ExchangeStats.properties

/** One exchange as it is now. */
export const ExchangeNow = Type.Object({
  ...{ exchange, environment, state, reason },
  since: orNull(Timestamp, 'When this state began; null: it runs since the gateway started'),
  nextTryAt: orNull(
    Timestamp,
    'When a pause or a cool-down ends; null when it runs, when the next request will test it, and when the end is not known',
  ),
  lastError,
  rateLimit,
  fullRateLimit: Type.Number({ description: 'Requests per second, as configured' }),
  sentLastMinute: count('Requests sent to it in the last 60 seconds'),
  queueSize,
  queueByClass: Type.Object(byClass),
  ...{ inFlight, longestWaitMs, estimatedWaitMs, busiestWaitMs },
  clockOffsetMs: orNull(
    Type.Integer(),
    "How far its clock is ahead of this machine's; null until it was measured",
  ),
  stop: orNull(
    Stop,
    'The stop that is in force, or the last one. The figures of a stop of everything cover all exchanges',
  ),
  accounts: Type.Array(HeldAccount, { description: 'Accounts that are held back alone' }),
  nextSlots: Type.Array(NextSlot, {
    description: `The next ${NEXT_SLOTS_MAX} requests, in the order in which they are sent`,
  }),
})
export type ExchangeNow = Static<typeof ExchangeNow>

/** One client as it is now. */
export const ClientNow = Type.Object({
  id: Type.Integer({ description: 'Database id' }),
  clientId: Type.String(),
  active: Type.Boolean({ description: 'False: it is switched off' }),
  state: Type.Enum([...EFFECTIVE_STATES], {
    description:
      'What holds for its orders now: the state of its limits, or `stopped` by an administrator, or `expired`',
  }),
  stoppedAt: orNull(Timestamp, 'Null: no stop is in force'),
  stopReason: orNull(Type.String()),
  waiting: count('Its requests that wait, at all exchanges'),
  requestsLastMinute: count('Its requests of the last minute, also those that were refused'),
  failedLastMinute: count(
    'Its responses of the last minute with a status of 400 or above, also to earlier requests',
  ),
  nearestLimit: orNull(
    Type.Object({
      limit: Type.Enum([...USED_LIMITS]),
      used: Type.Number(),
      max: Type.Number(),
    }),
    'The limit of which most is used; null when it has none, or in shadow mode',
  ),
  wouldHaveRefused: orNull(
    count('What its limits would have refused in the last 24 hours, since the gateway started'),
    'Null: its limits are in force',
  ),
  lastSeenAt: orNull(
    Timestamp,
    'Its last request; from before the gateway started, the last time that it asked for a token',
  ),
  lastAddress: orNull(Type.String(), 'Where its last request came from'),
})
export type ClientNow = Static<typeof ClientNow>

/** At most this many clients are listed. */
export const CLIENTS_NOW_MAX = 200

/** An alert that is raised. */
export const OpenAlert = Type.Object({
  name: Type.String({ description: 'Its type', examples: ['exchange.broken'] }),
  subject: Type.String({ description: 'What it is about: an exchange, a request, a client' }),
  since: Timestamp,
  text: Type.String({ description: 'What is wrong and what to do' }),
  count: Type.Integer({ description: 'Of how many things it is true; 1 for most alerts' }),
})
export type OpenAlert = Static<typeof OpenAlert>

export const Operations = Type.Object({
  at: Timestamp,
  exchanges: Type.Array(ExchangeNow),
  clients: Type.Array(ClientNow, {
    description: `Clients with waiting requests, or with a request in the last 24 hours: those with the most waiting first, then those with the most requests; at most ${CLIENTS_NOW_MAX}`,
  }),
  unknownOrders: count('Requests of clients whose outcome is unknown: orders, changes, cancels'),
  unknownCancels: count(
    'Cancels that the gateway makes for a stop, or of all orders of a client, whose outcome is unknown; all tries of one are one',
  ),
  alerts: Type.Array(OpenAlert, { description: 'Open alerts, newest first' }),
  hasNodes: Type.Boolean({
    description: 'Whether other gateways can share its database; `listNodes` has them',
  }),
  requiresSecondAdmin: Type.Boolean({
    description: 'Whether changes that allow more wait for a second admin',
  }),
})
export type Operations = Static<typeof Operations>

const AT = '2026-03-05T14:30:22.000Z'
const idle: ExchangeNow = {
  exchange: 'bg',
  environment: 'real',
  state: 'running',
  reason: null,
  since: null,
  nextTryAt: null,
  lastError: null,
  rateLimit: 2,
  fullRateLimit: 2,
  sentLastMinute: 0,
  queueSize: 0,
  queueByClass: { cancel: 0, lookup: 0, order: 0, account: 0, market: 0 },
  inFlight: 0,
  longestWaitMs: 0,
  ...{ estimatedWaitMs: 0, busiestWaitMs: 0 },
  clockOffsetMs: -3,
  stop: null,
  accounts: [],
  nextSlots: [],
}
const next: NextSlot = {
  ...{ inMs: 350, id: '42', clientId: 'grid-bot', requestClass: 'order' },
  ...{ method: 'POST', endpoint: '/api/mxv1/order/submit' },
}
const sample: Operations = {
  at: AT,
  exchanges: [
    {
      ...idle,
      exchange: 'mx',
      sentLastMinute: 118,
      queueSize: 79,
      queueByClass: { ...idle.queueByClass, order: 79 },
      ...{ inFlight: 2, longestWaitMs: 21_500, estimatedWaitMs: 500, busiestWaitMs: 39_500 },
      nextSlots: [next],
    },
    idle,
  ],
  clients: [
    {
      ...{ id: 7, clientId: 'grid-bot', active: true, state: 'active' },
      ...{ stoppedAt: null, stopReason: null },
      ...{ waiting: 79, requestsLastMinute: 340, failedLastMinute: 12 },
      nearestLimit: { limit: 'maxOpenOrders', used: 17, max: 20 },
      wouldHaveRefused: null,
      ...{ lastSeenAt: AT, lastAddress: '203.0.113.7' },
    },
  ],
  ...{ unknownOrders: 0, unknownCancels: 0 },
  alerts: [],
  hasNodes: false,
  requiresSecondAdmin: false,
}

export const getOperations = endpoint({
  id: 'getOperations',
  method: 'GET',
  path: '/api/admin/operations',
  tag: 'Operations',
  summary: 'Everything that happens now: exchanges, clients, unknown outcomes, alerts',
  notes: [
    'Read from memory, except for the stops and the unknown outcomes: the console asks every 2 seconds.',
    'What clients did in the last minute is counted since the gateway started.',
  ],
  access: 'admin',
  response: Operations,
  sample: { response: sample },
})

export const HISTORY_SPANS = ['5m', '1h', '24h'] as const
export type HistorySpan = (typeof HISTORY_SPANS)[number]

export const HistoryPoint = Type.Object({
  at: Timestamp,
  ...byClass,
  sent: count('Requests that were sent to the exchange'),
})
export type HistoryPoint = Static<typeof HistoryPoint>

export const OperationsHistory = Type.Object({
  stepMs: Type.Integer({ description: 'The time that each point covers, from its `at` on' }),
  exchanges: Type.Array(
    Type.Object({
      exchange: Exchange,
      points: Type.Array(HistoryPoint, { description: 'Oldest first' }),
    }),
  ),
})
export type OperationsHistory = Static<typeof OperationsHistory>

const point: HistoryPoint = {
  ...{ at: '2026-03-05T14:30:20.000Z', cancel: 0, lookup: 0, order: 79, account: 0, market: 2 },
  sent: 10,
}

export const getOperationsHistory = endpoint({
  id: 'getOperationsHistory',
  method: 'GET',
  path: '/api/admin/operations/history',
  tag: 'Operations',
  summary: 'How many requests waited and were sent, over the last minutes or hours',
  notes: [
    'The waiting requests of a class are the most that were seen within the step; the queue is looked at once a second.',
    '`5m` has a point for 5 seconds and is empty after a start; `1h` has one for a minute and `24h` one for 5 minutes, also from before a restart. While the gateway did not run there are no points.',
  ],
  access: 'admin',
  query: Type.Object(
    {
      span: Type.Optional(
        Type.Enum([...HISTORY_SPANS], { default: '5m', description: 'How far back' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: OperationsHistory,
  sample: {
    query: { span: '5m' },
    response: { stepMs: 5_000, exchanges: [{ exchange: 'mx', points: [point] }] },
  },
})

export const dropQueueOfClient = endpoint({
  id: 'dropQueueOfClient',
  method: 'DELETE',
  path: '/api/admin/queue/{exchange}',
  tag: 'Queue',
  summary: "Drop a client's queued requests; their callers get the error that they were not sent",
  notes: [
    'The client may send new ones. To keep it out, stop it.',
    'With `requestClass` only those of this class are dropped: `order` leaves the cancels in the queue.',
  ],
  access: 'admin',
  role: 'operator',
  params: Type.Object({ exchange: Exchange }),
  query: Type.Object(
    {
      clientId: ClientId,
      requestClass: Type.Optional(
        Type.Enum([...REQUEST_CLASSES], { description: 'Only requests of this class' }),
      ),
      reason: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Sent to the callers and logged',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({ dropped: count('How many were dropped') }),
  sample: {
    params: { exchange: 'mx' },
    query: { clientId: 'grid-bot', reason: 'strategy misbehaves' },
    response: { dropped: 78 },
  },
})
