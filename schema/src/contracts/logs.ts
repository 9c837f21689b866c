import Type, { type Static } from 'typebox'
import { LOG_LIMIT_MAX, LOG_WINDOW_HOURS } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'

export const LogEntry = Type.Object({
  id: Type.Integer({ description: 'Increases with time; used by `before` and `after`' }),
  timestamp: Timestamp,
  method: Type.String(),
  endpoint: Type.String({ description: 'The path, without the query' }),
  statusCode: Type.Integer(),
  responseTime: Type.Number({ description: 'Milliseconds from arrival to response' }),
  queueTime: Type.Number({ description: 'Milliseconds of it spent in the queue' }),
  upstreamTime: Type.Union([Type.Number(), Type.Null()], {
    description: 'Milliseconds until the exchange responded; null when nothing was sent',
  }),
  clientId: Type.Union([Type.String(), Type.Null()], {
    description: 'Null when there was no valid token',
  }),
  exchange: Type.Union([Exchange, Type.Null()]),
  requestId: Type.String(),
  code: Type.Union([Type.String(), Type.Null()], {
    description: "The error's code, when there was one",
  }),
  shared: Type.Boolean({
    description: 'The response came from a call shared with an identical request',
  }),
})
export type LogEntry = Static<typeof LogEntry>

const rowId = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

export const listLogs = endpoint({
  id: 'listLogs',
  method: 'GET',
  path: '/api/logs',
  tag: 'Logs and statistics',
  summary: `Requests of the last ${LOG_WINDOW_HOURS} hours, newest first`,
  notes: ['`X-Total-Count` is the number of matches within the window, whatever the limit.'],
  access: 'admin',
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LOG_LIMIT_MAX, default: LOG_LIMIT_MAX }),
      ),
      before: rowId('Only entries older than this id, to get the next page'),
      after: rowId('Only entries newer than this id, to get what was added since'),
      search: Type.Optional(
        Type.String({
          maxLength: 200,
          pattern: '^[^\\u0000-\\u001f\\u007f]*$',
          description: 'Part of the endpoint or client id; upper and lower case are the same',
        }),
      ),
      status: Type.Optional(
        Type.Enum(['success', 'error'], { description: '`success`: 2xx; `error`: 4xx and 5xx' }),
      ),
      method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])),
      clientId: Type.Optional(Type.String({ maxLength: 128 })),
    },
    { additionalProperties: false },
  ),
  response: Type.Array(LogEntry),
  sample: {
    query: { limit: 100, status: 'error' },
    response: [
      {
        id: 4711,
        timestamp: '2026-03-05T14:30:22.000Z',
        method: 'POST',
        endpoint: '/api/mx/v1/submitOrder',
        statusCode: 200,
        responseTime: 143,
        queueTime: 1,
        upstreamTime: 140,
        clientId: 'client_1772721022000_k3v9x2m4q',
        exchange: 'mx',
        requestId: '0197f7a2-6f3a-7b1e-8c55-2f1f0c7e9a10',
        code: null,
        shared: false,
      },
    ],
  },
})
