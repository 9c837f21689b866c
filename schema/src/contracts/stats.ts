import Type, { type Static } from 'typebox'
import { LOG_WINDOW_HOURS } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const ExchangeStats = Type.Object({
  exchange: Exchange,
  environment: Type.Enum(['real', 'paper'], {
    description: "`paper` if the exchange's address is on this machine",
  }),
  state: Type.Enum(['running', 'paused', 'broken', 'stopped'], {
    description:
      '`paused`: the exchange asked the gateway to slow down; `broken`: call after call failed; `stopped`: by an administrator',
  }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why requests to it are not running',
  }),
  rateLimit: Type.Number({ description: 'Requests per second now; lower while backing off' }),
  queueSize: count('Queued requests'),
  inFlight: count('Requests sent that have no response yet'),
  queueByClass: Type.Record(Type.String(), Type.Integer()),
  queueByClient: Type.Array(Type.Object({ clientId: Type.String(), queued: Type.Integer() }), {
    description: 'Clients with queued requests, longest queue first, at most 50',
  }),
  longestWaitMs: Type.Number({ description: 'Longest wait among the queued requests' }),
  estimatedWaitMs: Type.Number({
    description:
      'New client: expected wait for an order arriving now from a client that has none waiting. A stopped or broken exchange refuses it',
  }),
  busiestWaitMs: Type.Number({
    description:
      'Busiest client: expected wait for another order of the client that has the most orders waiting; the same as `estimatedWaitMs` when no order waits',
  }),
  lastError: Type.Union([Type.Object({ at: Timestamp, message: Type.String() }), Type.Null()]),
})
export type ExchangeStats = Static<typeof ExchangeStats>

export const Stats = Type.Object({
  successRate: Type.Number({ description: 'Percentage of 2xx responses' }),
  errorRate: Type.Number({ description: 'Percentage of 4xx and 5xx responses' }),
  avgResponseTime: Type.Number({ description: 'Milliseconds' }),
  activeTokens: count('Client tokens that are currently valid'),
  currentRateLimit: Type.Number({ description: 'Requests per second to one exchange' }),
  queueSize: count('Queued requests, both exchanges together'),
  totalRequests: count(`In the last ${LOG_WINDOW_HOURS} hours`),
  exchanges: Type.Array(ExchangeStats),
})
export type Stats = Static<typeof Stats>

const idle = {
  environment: 'real',
  state: 'running',
  reason: null,
  rateLimit: 2,
  queueSize: 0,
  inFlight: 0,
  queueByClass: { cancel: 0, lookup: 0, order: 0, account: 0, market: 0 },
  queueByClient: [],
  longestWaitMs: 0,
  ...{ estimatedWaitMs: 0, busiestWaitMs: 0 },
  lastError: null,
}

export const getStats = endpoint({
  id: 'getStats',
  method: 'GET',
  path: '/api/stats',
  tag: 'Logs and statistics',
  summary: `Statistics of the last ${LOG_WINDOW_HOURS} hours and the current queues`,
  access: 'admin',
  response: Stats,
  sample: {
    response: {
      successRate: 98.7,
      errorRate: 1.2,
      avgResponseTime: 412.5,
      activeTokens: 3,
      currentRateLimit: 2,
      queueSize: 0,
      totalRequests: 1204,
      exchanges: [
        { exchange: 'mx', ...idle },
        { exchange: 'bg', ...idle },
      ],
    },
  },
})
