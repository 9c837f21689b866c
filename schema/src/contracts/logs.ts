import Type, { type Static } from 'typebox'
import { LOG_COUNT_MAX, LOG_LIMIT, LOG_LIMIT_MAX, LOG_WINDOW_HOURS } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { Exchange, Timestamp } from './common.ts'
import { LoggedOrder } from './orders.ts'

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
    description:
      'The response came from the call of another request: both waited for it, or it was kept',
  }),
  order: Type.Optional(LoggedOrder),
  message: Type.Optional(Type.String({ description: 'The message of the error' })),
  note: Type.Optional(
    Type.String({
      description:
        'The limit that would have refused the request, or how many refused requests without a row this one represents',
    }),
  ),
})
export type LogEntry = Static<typeof LogEntry>

const rowId = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

const atMs = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

/** What narrows the log, the same for a list and an export. */
const filters = {
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      description:
        'Part of the endpoint, the client id, the error code or the note, or at least the first 8 characters of a request id; upper and lower case are the same',
    }),
  ),
  status: Type.Optional(
    Type.Enum(['success', 'error'], { description: '`success`: 2xx; `error`: 4xx and 5xx' }),
  ),
  code: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 999, description: 'One status code, such as 429' }),
  ),
  method: Type.Optional(
    Type.Enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'], {
      description: 'Only requests with this method',
    }),
  ),
  endpoint: Type.Optional(Type.String({ maxLength: 2_000, description: 'The whole path' })),
  clientId: Type.Optional(
    Type.String({ maxLength: 128, description: 'Only requests of this client' }),
  ),
  refused: Type.Optional(
    Type.Enum(['hide', 'only'], {
      description:
        'Requests that Sluice refused itself: 400 and above, and nothing was sent to an exchange. `hide`: all but these; `only`: these alone',
    }),
  ),
}

export const listLogs = endpoint({
  id: 'listLogs',
  method: 'GET',
  path: '/api/logs',
  tag: 'Logs and statistics',
  summary: `Requests of the last ${LOG_WINDOW_HOURS} hours, newest first`,
  notes: [
    `\`X-Total-Count\` is the number of matches within the window, whatever the limit, up to ${LOG_COUNT_MAX}. \`X-Total-Count-Relation\` is \`eq\` when that is all of them, and \`gte\` when there are more.`,
    'The next page is the one `before` the id of the last entry.',
  ],
  access: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LOG_LIMIT_MAX,
          default: LOG_LIMIT,
          description: 'Entries in one page',
        }),
      ),
      before: rowId('Only entries older than this id, to get the next page'),
      after: rowId('Only entries newer than this id, to get what was added since'),
      id: rowId('The entry with this id alone, however old; no other parameter applies'),
      ...filters,
      from: atMs('Only entries at or after this time, Unix milliseconds'),
      to: atMs('Only entries before this time, Unix milliseconds'),
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

const mean = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

export const LogHistogramStep = Type.Object({
  at: Timestamp,
  success: Type.Integer({ description: '2xx responses' }),
  failed: Type.Integer({ description: '4xx and 5xx responses' }),
  refused: Type.Integer({
    description: 'How many of `failed` Sluice refused itself: nothing was sent to an exchange',
  }),
  other: Type.Integer(),
  avgResponseMs: mean('Null with any filter but the client: only counts are known then'),
  avgQueueMs: mean('Time in the queue; null likewise'),
  avgUpstreamMs: mean('Time of the requests that were sent to an exchange; null likewise'),
})
export type LogHistogramStep = Static<typeof LogHistogramStep>

export const getLogHistogram = endpoint({
  id: 'getLogHistogram',
  method: 'GET',
  path: '/api/logs/histogram',
  tag: 'Logs and statistics',
  summary: `How many requests there were over time, within the last ${LOG_WINDOW_HOURS} hours`,
  notes: [
    'A step begins at a whole multiple of its length since 1970, UTC. A step without requests is missing.',
    '`isFiltered` is false when more than 200,000 entries match a filter other than client or status, or in the first minute after an upgrade: the steps then count all requests.',
  ],
  access: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      ...filters,
      from: atMs('Only entries at or after this time, Unix milliseconds'),
      to: atMs('Only entries before this time, Unix milliseconds'),
      stepMinutes: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 360,
          description: 'Length of a step; without it there are at most 100 steps',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({
    stepMs: Type.Integer({ description: 'Length of a step' }),
    isFiltered: Type.Boolean({ description: 'The filters were applied' }),
    steps: Type.Array(LogHistogramStep, { description: 'Oldest first' }),
  }),
  sample: {
    query: { stepMinutes: 60 },
    response: {
      stepMs: 3_600_000,
      isFiltered: true,
      steps: [
        {
          at: '2026-03-05T14:00:00.000Z',
          success: 812,
          failed: 9,
          refused: 4,
          other: 0,
          avgResponseMs: 143,
          avgQueueMs: 2,
          avgUpstreamMs: 139,
        },
      ],
    },
  },
})

export const exportLogs = endpoint({
  id: 'exportLogs',
  method: 'GET',
  path: '/api/logs/export',
  tag: 'Logs and statistics',
  summary: 'The log as a file, newest first',
  description: `Everything that the filters match, however much that is, sent while it is read. Without \`from\` it begins ${LOG_WINDOW_HOURS} hours ago; any time is possible from which the log is still kept. If the gateway cannot read to the end, it closes the connection before the end of the response, so that half a file is not taken for a whole one.`,
  notes: [
    '`csv`: the columns of the console, for spreadsheets. A text that they would run as a formula begins with an apostrophe.',
    '`jsonl`: one JSON object per line, as in the list.',
    'Sent compressed to a caller that accepts gzip.',
  ],
  access: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      format: Type.Optional(
        Type.Enum(['csv', 'jsonl'], { default: 'csv', description: 'Form of the file' }),
      ),
      ...filters,
      from: atMs('Only entries at or after this time, Unix milliseconds'),
      to: atMs('Only entries before this time, Unix milliseconds'),
      timeZone: Type.Optional(
        Type.String({
          maxLength: 64,
          pattern: '^[A-Za-z0-9_+\\-/]+$',
          default: 'UTC',
          description: 'Of the times in CSV: an IANA name such as `Europe/Berlin`',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.String(),
  responseTypes: ['text/csv', 'application/jsonl'],
  sample: {
    query: { format: 'csv', status: 'error' },
    response:
      'Timestamp,Method,Endpoint,Status,Response Time,Client ID\r\n2026-03-05 14:30:22,POST,/api/mx/v1/submitOrder,429,143,client_1772721022000_k3v9x2m4q\r\n',
  },
})
