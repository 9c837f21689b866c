import Type, { type Static } from 'typebox'
import { LOG_WINDOW_HOURS } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const ExchangeStats = Type.Object({
  exchange: Exchange,
  environment: Type.Enum(['real', 'paper'], {
    description: '`paper` when the address of the exchange is on this machine',
  }),
  state: Type.Enum(['running', 'paused', 'broken', 'stopped'], {
    description:
      '`paused`: the exchange asked us to slow down; `broken`: it does not answer; `stopped`: by an administrator',
  }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is not running' }),
  rateLimit: Type.Number({ description: 'Requests per second now; lower while backing off' }),
  queueSize: count('Requests that wait'),
  inFlight: count('Requests that were sent and not answered'),
  queueByClass: Type.Record(Type.String(), Type.Integer()),
  queueByClient: Type.Array(Type.Object({ clientId: Type.String(), queued: Type.Integer() }), {
    description: 'Clients that wait, the longest queue first, at most 50',
  }),
  longestWaitMs: Type.Number({ description: 'Of those that wait now' }),
  estimatedWaitMs: Type.Number({ description: 'For an order that came now from a new client' }),
  lastError: Type.Union([Type.Object({ at: Timestamp, message: Type.String() }), Type.Null()]),
})
export type ExchangeStats = Static<typeof ExchangeStats>

export const Stats = Type.Object({
  successRate: Type.Number({ description: 'Percent of 2xx answers' }),
  avgResponseTime: Type.Number({ description: 'Milliseconds' }),
  activeTokens: count('Client tokens that would be accepted now'),
  currentRateLimit: Type.Number({ description: 'Requests per second to one exchange' }),
  queueSize: count('Requests that wait for an exchange, both together'),
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
  estimatedWaitMs: 0,
  lastError: null,
}

export const getStats = endpoint({
  id: 'getStats',
  method: 'GET',
  path: '/api/stats',
  tag: 'Logs and statistics',
  summary: `Figures of the last ${LOG_WINDOW_HOURS} hours, and the queues now`,
  access: 'admin',
  response: Stats,
  sample: {
    response: {
      successRate: 98.7,
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
