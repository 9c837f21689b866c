import type { ErrorBody } from './contracts/errors.ts'
import type { Endpoint, Permission, Tag } from './endpoint.ts'
import { allBotErrors, type BotErrorCode, rawErrors } from './error-codes.ts'

// What the description of the API says besides the endpoints: sections, headers, errors.

/** The sections of bots' document, in its order. All others are in the administrators' document. */
export const BOT_TAGS: readonly Tag[] = [
  'Token',
  'MEXC',
  'Bitget',
  'Raw routes',
  'Streams',
  'Requests and heartbeat',
  'Errors',
]

export const TAG_TEXTS: Readonly<Record<Tag, string>> = {
  Token:
    'Exchange client id and secret for a token, and send it as `Authorization: Bearer …`. On this page, *Authorize* does it.',
  MEXC: "Orders, balances and prices in Sluice's own form. The same fields for spot and futures.",
  Bitget:
    "Orders, positions and prices in Sluice's own form. The same requests for a classic and a unified account.",
  'Raw routes':
    "The exchanges' own APIs, for SDKs: MEXC under `/mx` (`/mx/api/v3/…` spot, `/mx/api/v1/contract/…` and `/mx/api/v1/private/…` futures) and at the root, Bitget under `/bg` (`/bg/api/v2/…` classic, `/bg/api/v3/…` unified). Point an SDK's base URL there, without a slash at its end, and add the token; a client with `secretAsBearer` may send `clientId:clientSecret` as bearer in its place. The gateway removes the SDK's signature and signs the call itself; query, body and response pass byte for byte. An error of the gateway has the exchange's form, with the gateway's own in `sluice`. Market data, account reading and trading are open; account settings need the permission `settings`, grid bots `strategies`; withdrawals, transfers, loans, sub-accounts and keys are closed to everybody. Every open call is in docs/evidence/open-calls.md; these are the ones that place an order, and two for example.",
  Errors:
    'Decide by `outcome` and `retryable` where they are given, otherwise by `code`. `not-sent`: nothing was placed. `not-done`: the exchange did not carry it out. `unknown`: it may have been carried out; send the same again with the same `Idempotency-Key`, or look it up.',
  Authentication: 'How a person signs in, and shows a second factor again.',
  Administrators: 'Your own account, the other people, and changes that wait for a second one.',
  'Client credentials': 'The clients of bots: id and secret, permissions, limits, stops.',
  'API keys': "The exchanges' keys of the clients. A stored key is never returned.",
  'Logs and statistics': 'What was requested, and who changed what.',
  Queue: 'What waits for each exchange, and the stops of an exchange or of everything.',
  Orders: 'The orders of all clients, step by step.',
  Operations: 'What happens now, health, metrics, and these descriptions.',
  Streams:
    'Your orders, fills, positions and balances as they change, without a slot of an exchange: as Server-Sent Events, or on a WebSocket.',
  'Requests and heartbeat':
    'Your own orders and limits, what became of a request, and the heartbeat that protects a bot that falls silent. They take no slot of an exchange.',
}

/** What each permission allows, as the scopes of OAuth 2.0. */
export const PERMISSION_TEXTS: Readonly<Record<Permission, string>> = {
  market: 'Read market data',
  account: 'Read balances, orders and positions',
  trade: 'Place, change and cancel orders',
  settings: 'Change settings of the account, such as leverage; close all positions',
  strategies: 'Start what the exchange then trades on its own',
}

/**
 * Headers that a caller may send, and what for; the code that reads one parses it. No examples: the
 * page would send them, and a key that two orders share is refused.
 */
export const REQUEST_HEADERS = {
  'Idempotency-Key':
    'A retry with the same key, such as `"grid-7-42"`, gets the first response and places nothing (IETF draft-07). 1 to 255 characters, unique per client, kept for at least 24 hours',
  'Cache-Control':
    '`max-age=2`: takes a response that is at most so many seconds old, an hour at most, and then no slot of the queue (RFC 9111). Lists of symbols, contracts and coins are kept for their own time, whatever the seconds. `no-cache` or `max-age=0`: asks the exchange anew. `no-store`: the response is not kept either',
  Prefer:
    '`wait=20`: the longest time to wait in the queue, in seconds (RFC 7240). `respond-async`, for orders: respond at once with an address where the status can be read',
} as const

interface Header {
  readonly description: string
  readonly type: 'string' | 'integer'
  readonly example: string | number
}

export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    type: 'string',
    description: 'Quote it when you ask for help; of an order, its id at `/api/requests/{id}`',
    example: '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10',
  },
  'X-Queue-Wait-Ms': {
    type: 'integer',
    description: 'How long the request waited for its turn at the exchange',
    example: 480,
  },
  'Server-Timing': {
    type: 'string',
    description: 'Milliseconds in the queue, at the exchange and in the gateway',
    example: 'queue;dur=480, upstream;dur=120, gateway;dur=3.1',
  },
  RateLimit: {
    type: 'string',
    description:
      "The exchange's slots: `r` are left, the next one comes in `t` seconds (IETF draft-10)",
    example: '"mx";r=1;t=1',
  },
  'RateLimit-Policy': {
    type: 'string',
    description: 'Slots a second at the exchange, shared by all clients (IETF draft-10)',
    example: '"mx";q=2;w=1',
  },
  Age: {
    type: 'integer',
    description:
      'How many seconds ago the exchange was asked, when the response is a kept one; absent: just now',
    example: 1,
  },
  'Retry-After': {
    type: 'integer',
    description: 'Seconds after which the same request can succeed; absent where it cannot',
    example: 10,
  },
  Location: {
    type: 'string',
    description: 'Where the status of the order, or of the one that it repeats, can be read',
    example: '/api/requests/0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10',
  },
  'Idempotency-Replayed': {
    type: 'string',
    description: '`true`: the response to the first request with this key; nothing was placed now',
    example: 'true',
  },
  'Preference-Applied': {
    type: 'string',
    description: '`respond-async`: the order is in the queue, and its outcome is not known yet',
    example: 'respond-async',
  },
} as const satisfies Record<string, Header>
export type ResponseHeader = keyof typeof RESPONSE_HEADERS

/** Errors of the token's own routes, of requests by their id, and of raw routes alone. */
const NOT_OF_ORDERS: ReadonlySet<string> = new Set([
  ...['CLIENT_SECRET_INVALID', 'PERMISSION_NOT_GRANTED', 'TOO_MANY_ATTEMPTS'],
  'SECRET_AS_BEARER_OFF',
  ...['CLIENT_TOKENS_EXCEEDED', 'REQUEST_NOT_FOUND', 'CANCEL_NOT_FOUND', 'REQUEST_ALREADY_SENT'],
  ...['PATH_NOT_PLAIN', 'QUERY_NOT_PLAIN', 'DEMO_HEADER_INVALID', 'BODY_NOT_TEXT'],
  ...['BATCH_TOO_LARGE', 'ENDPOINT_FORBIDDEN', 'CATEGORY_FORBIDDEN', 'ORDER_FIELD_UNKNOWN'],
  ...['CANCEL_INCOMPLETE', 'OWNER_CONNECTION_LOST', 'ROUTE_NOT_FOUND', 'NOT_A_PROXY'],
  ...['LISTEN_KEY_INVALID', 'TOO_MANY_SOCKETS'],
])

/** The codes with which a call that places, changes or cancels an order may be refused. */
export const orderErrorCodes = (status: number): readonly BotErrorCode[] =>
  allBotErrors
    .filter((error) => error.status === status && !NOT_OF_ORDERS.has(error.code))
    .map(({ code }) => code)

/** The codes of the gateway's own errors on raw routes. */
export const rawErrorCodes = (status: number): readonly BotErrorCode[] =>
  rawErrors.filter((error) => error.status === status).map(({ code }) => code)

/** What errors of a status have in common. */
interface ErrorResponse {
  /** Of the shared response in OpenAPI. */
  readonly name: string
  readonly description: string
  readonly headers: readonly ResponseHeader[]
  /**
   * The body of one such error, as a MEXC futures order gets it. A test gets each from the gateway.
   */
  readonly sample: ErrorBody
  /** The same on raw routes, where they do not have that error: the exchange speaks for itself. */
  readonly rawSample?: ErrorBody
}

/** Headers of a successful response to a call that goes to an exchange. */
export const PROXY_HEADERS = [
  ...(['X-Request-Id', 'X-Queue-Wait-Ms', 'Server-Timing'] as const),
  ...(['RateLimit', 'RateLimit-Policy'] as const),
]
/** Those of an error by which a program decides; the others are the same. */
const OF_ERRORS = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const
const WITH_RETRY = [...OF_ERRORS, 'Retry-After'] as const
/** Of what is in the journal, and what a retry gets again. */
const WITH_REPLAY = [...OF_ERRORS, 'Location', 'Idempotency-Replayed'] as const
const REQUEST_ID = '0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10'
const CLIENT_ORDER_ID = 'sl-N_uEXv0Q3RkiagLDCY3-7pQW'
const notSent = { outcome: 'not-sent', retryable: false } as const

export const ERROR_RESPONSES = {
  400: {
    name: 'BadRequest',
    description: 'The request is wrong; `fields` names what to correct',
    headers: OF_ERRORS,
    sample: {
      ...{ statusCode: 400, error: 'Bad Request', code: 'VALIDATION_FAILED' },
      ...{ message: 'The request is not valid: symbol: is required', requestId: REQUEST_ID },
      fields: [{ field: 'symbol', message: 'is required' }],
    },
    rawSample: {
      ...{ statusCode: 400, error: 'Bad Request', code: 'IDEMPOTENCY_KEY_INVALID' },
      requestId: REQUEST_ID,
      message:
        'Send one Idempotency-Key of 1 to 255 printable ASCII characters, in double quotes, or without quotes if it has no comma',
      ...notSent,
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'The token is missing, expired or revoked: get a new one and send the same again',
    headers: OF_ERRORS,
    sample: {
      ...{ statusCode: 401, error: 'Unauthorized', code: 'TOKEN_EXPIRED' },
      requestId: REQUEST_ID,
      message: 'The token has expired; get a new one and send the same request again',
    },
  },
  403: {
    name: 'Forbidden',
    description: 'You, your token or the stored exchange key may not do this',
    headers: OF_ERRORS,
    sample: {
      ...{ statusCode: 403, error: 'Forbidden', code: 'SCOPE_INSUFFICIENT' },
      requestId: REQUEST_ID,
      message:
        'This call needs the permission "trade"; the token or its client does not have it. An administrator can grant it',
    },
  },
  404: {
    name: 'NotFound',
    description: 'It does not exist, or it is not yours',
    headers: WITH_REPLAY,
    sample: {
      ...{ statusCode: 404, error: 'Not Found', code: 'EXCHANGE_ORDER_NOT_FOUND' },
      requestId: REQUEST_ID,
      message:
        'MEXC rejected the request: order not exist (2040). Check the id and the symbol; an order placed moments ago may not be visible yet',
      ...{ exchangeCode: '2040', exchangeMessage: 'order not exist' },
    },
  },
  409: {
    name: 'Conflict',
    description:
      'The order is in another state than the call needs, or it repeats one whose outcome is not known yet, which `Location` names',
    headers: WITH_REPLAY,
    sample: {
      ...{ statusCode: 409, error: 'Conflict', code: 'OUTCOME_PENDING' },
      requestId: REQUEST_ID,
      message: `The same order, request ${REQUEST_ID}, was sent to MEXC, and its outcome is not known yet. GET /api/requests/${REQUEST_ID} says what becomes of it. This request was not sent. If you want another order, send it with an Idempotency-Key or with a client order id of your own`,
      ...{ ...notSent, clientOrderId: CLIENT_ORDER_ID },
    },
  },
  422: {
    name: 'Unprocessable',
    description: "A limit of the client refused it, or the exchange's rules did",
    headers: WITH_REPLAY,
    sample: {
      ...{ statusCode: 422, error: 'Unprocessable Entity', code: 'LIMIT_ORDER_VALUE' },
      requestId: REQUEST_ID,
      message:
        'The order is worth up to 600 USDT; the limit for one order is 500 USDT. Nothing was sent',
      ...{ ...notSent, limit: '500', value: '600' },
    },
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests; send the same again after `Retry-After`',
    headers: WITH_RETRY,
    sample: {
      ...{ statusCode: 429, error: 'Too Many Requests', code: 'EXCHANGE_RATE_LIMITED' },
      requestId: REQUEST_ID,
      message:
        'MEXC rejected the request: Too Many Requests (429). Nothing was done; wait, then send the request again',
      ...{ exchangeCode: '429', exchangeMessage: 'Too Many Requests' },
      ...{ outcome: 'not-sent', retryable: true },
    },
    rawSample: {
      ...{ statusCode: 429, error: 'Too Many Requests', code: 'CLIENT_REQUESTS_EXCEEDED' },
      requestId: REQUEST_ID,
      message:
        'This client has sent more than 20 requests of this kind in this minute; try again in 23 s',
      ...{ outcome: 'not-sent', retryable: true },
    },
  },
  502: {
    name: 'BadGateway',
    description: "The exchange's response cannot be used, or it did not carry the order out",
    headers: WITH_REPLAY,
    sample: {
      ...{ statusCode: 502, error: 'Bad Gateway', code: 'NOT_CARRIED_OUT' },
      requestId: REQUEST_ID,
      message:
        'MEXC did not carry out this request: a minute later the order is neither open nor in the history, so it was most probably never placed. It was not sent again and will not be; to retry, use a new Idempotency-Key',
      ...{ outcome: 'not-done', retryable: false },
    },
  },
  503: {
    name: 'Unavailable',
    description:
      'The exchange or the gateway takes nothing now; send the same again after `Retry-After`',
    headers: WITH_RETRY,
    sample: {
      ...{ statusCode: 503, error: 'Service Unavailable', code: 'EXCHANGE_STOPPED' },
      requestId: REQUEST_ID,
      message:
        'All requests to MEXC are stopped until an administrator resumes them: maintenance; the request was not sent',
      ...{ outcome: 'not-sent', retryable: true },
    },
  },
  504: {
    name: 'Timeout',
    description:
      'No response in time. With the outcome `unknown` the order may exist: send the same again with the same Idempotency-Key, never with another one',
    headers: WITH_REPLAY,
    sample: {
      ...{ statusCode: 504, error: 'Gateway Timeout', code: 'OUTCOME_UNKNOWN' },
      requestId: REQUEST_ID,
      message: `It is unknown whether MEXC carried out this request: The connection to MEXC was lost before its response was complete; the request may have been carried out. Send it again only with the same Idempotency-Key; without one, look it up first by its client order id "${CLIENT_ORDER_ID}"`,
      ...{ outcome: 'unknown', retryable: true, clientOrderId: CLIENT_ORDER_ID },
    },
  },
} as const satisfies Record<number, ErrorResponse>
export type ErrorStatus = keyof typeof ERROR_RESPONSES
export const errorResponseOf = (status: ErrorStatus): ErrorResponse => ERROR_RESPONSES[status]

const refused = (body: Omit<ErrorBody, 'requestId'>): ErrorBody => ({
  ...body,
  requestId: REQUEST_ID,
})

/** A bot's calls that cancel or withdraw, and go to no exchange themselves: as `sample` above. */
export const OWN_ERROR_SAMPLES: Readonly<
  Record<string, Partial<Readonly<Record<ErrorStatus, ErrorBody>>>>
> = {
  cancelOwnOrders: {
    400: refused({
      ...{ statusCode: 400, error: 'Bad Request', code: 'VALIDATION_FAILED' },
      message: 'The request is not valid: symbol: must not have more than 60 characters',
      fields: [{ field: 'symbol', message: 'must not have more than 60 characters' }],
    }),
    401: ERROR_RESPONSES[401].sample,
    403: ERROR_RESPONSES[403].sample,
    429: ERROR_RESPONSES[429].rawSample,
  },
  withdrawRequest: {
    400: refused({
      ...{ statusCode: 400, error: 'Bad Request', code: 'VALIDATION_FAILED' },
      message: 'The request is not valid: id: must not have more than 64 characters',
      fields: [{ field: 'id', message: 'must not have more than 64 characters' }],
    }),
    401: ERROR_RESPONSES[401].sample,
    403: refused({
      ...{ statusCode: 403, error: 'Forbidden', code: 'ADDRESS_FORBIDDEN' },
      message:
        'This client may not be used from the address 203.0.113.7; an administrator can allow it',
    }),
    404: refused({
      ...{ statusCode: 404, error: 'Not Found', code: 'REQUEST_NOT_FOUND' },
      message: `No order or cancel of this client has the request id "${REQUEST_ID}"`,
    }),
    409: refused({
      ...{ statusCode: 409, error: 'Conflict', code: 'REQUEST_ALREADY_SENT' },
      message: `The request "${REQUEST_ID}" was already sent; cancel the order instead`,
    }),
    429: refused({
      ...{ statusCode: 429, error: 'Too Many Requests', code: 'CLIENT_REQUESTS_EXCEEDED' },
      message: ERROR_RESPONSES[429].rawSample.message,
    }),
  },
}

/** Whether it places, changes or cancels an order at an exchange. */
export const isOrderCall = ({ proxy }: Pick<Endpoint, 'proxy'>): boolean =>
  proxy?.permission === 'trade'

/**
 * The errors of the gateway that a call can respond with, besides what any HTTP request can get
 * wrong. On raw routes what does not exist is the exchange's to say.
 */
export function errorStatusesOf(endpoint: Endpoint): readonly ErrorStatus[] {
  if (endpoint.tag === 'Raw routes') return [400, 401, 403, 409, 422, 429, 502, 503, 504]
  if (isOrderCall(endpoint)) return [400, 401, 403, 404, 409, 422, 429, 502, 503, 504]
  if (endpoint.proxy !== undefined) return [400, 401, 403, 404, 422, 429, 502, 503, 504]
  if (endpoint.access === 'public') return [400, 401, 403, 429, 503]
  const own = OWN_ERROR_SAMPLES[endpoint.id]
  if (own !== undefined) return [...(Object.keys(own).map(Number) as ErrorStatus[]), 503, 504]
  return [400, 401, 403, 404, 409, 422, 429, 503, 504]
}
