import { createError } from '@fastify/error'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  catalogue,
  type ErrorBody,
  type Factor,
  type FieldProblem,
  type Permission,
  type Role,
  type SignInNeeded,
} from 'schema'
import { refusalTextOf } from '../exchanges/refusals.ts'
import { JSON_TYPE, type StoredResponse } from '../upstream/responses.ts'
import { REQUESTS_EXCEEDED } from './client-budget.ts'
import { timeOfRequestId } from './request-origin.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { permissionFor, ValidationError } from './route.ts'
import { withoutSecrets } from './shown-text.ts'

// To import node:http would load a second undici, Node's own: 14 MB and a tenth of the start.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

export const RouteNotFoundError = createError<[method: string, path: string]>(
  'ROUTE_NOT_FOUND',
  'There is no %s %s; /docs lists the routes of bots, /docs/admin all others',
  404,
)
export const MethodNotAllowedError = createError<[method: string, path: string, allowed: string]>(
  'METHOD_NOT_ALLOWED',
  'Method %s is not allowed on %s; use %s',
  405,
)
export const BodyNotJsonError = createError<[options?: ErrorOptions]>(
  'BODY_NOT_JSON',
  'The body is not valid JSON',
  400,
)
export const HostInvalidError = createError('HOST_INVALID', 'Send exactly one Host header', 400)
export const ExpectationUnknownError = createError(
  'EXPECTATION_UNKNOWN',
  'The Expect header supports only 100-continue',
  417,
)
export const NotAProxyError = createError(
  'NOT_A_PROXY',
  'Sluice is a base URL, not an HTTP proxy: set it as the base URL of your program, in place of the exchange, and set no proxy',
  400,
)
export const UriTooLongError = createError<[max: number]>(
  'URI_TOO_LONG',
  'The URL is longer than %s characters',
  414,
)

const ForbiddenError = createError<[has: Role, needed: Role]>(
  'ROLE_FORBIDDEN',
  'Your role is %s; this needs the role %s',
  403,
)

/** The role of a person does not cover what was asked for. */
export class RoleForbiddenError extends ForbiddenError {
  /** The least role that may do it; in the response too. */
  readonly role: Role
  constructor(has: Role, needed: Role) {
    super(has, needed)
    this.role = needed
  }
}

/** What an error may add to the body besides its code, status and message. */
interface ErrorDetails {
  fields?: readonly FieldProblem[]
  exchangeCode?: string
  exchangeMessage?: string
  outcome?: 'not-sent' | 'not-done' | 'unknown'
  /** Set where the outcome and the status do not determine it. */
  retryable?: boolean
  sent?: boolean
  clientOrderId?: string
  limit?: string
  value?: string | null
  role?: Role
  factors?: readonly Factor[]
  signIn?: SignInNeeded
  triesLeft?: number
  retryAfterSeconds?: number
  headers?: Readonly<Record<string, string>>
}
type AnyError = Error & Partial<Pick<FastifyError, 'code' | 'statusCode'>> & ErrorDetails

/** Fastify's own errors, mapped to the codes that this API promises. */
const OWN_CODES: Record<string, readonly [code: string, message: string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['MEDIA_TYPE_UNSUPPORTED', 'Send the body as application/json'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The body is larger than this route accepts'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'BODY_INCOMPLETE',
    'The length of the body does not match Content-Length',
  ],
  FST_ERR_BAD_URL: ['URI_MALFORMED', 'The URL cannot be decoded'],
  FST_ERR_MAX_PARAM_LENGTH: ['URI_TOO_LONG', 'A segment of the URL is too long'],
}

/**
 * Sends every error response. This is the only place that decides which details of an error a
 * caller may see.
 */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: AnyError, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const allowed = allowedMethods(path)
    if (allowed.length === 0)
      return sendError(new RouteNotFoundError(request.method, path), request, reply)
    reply.header('allow', allowed.join(', '))
    return sendError(
      new MethodNotAllowedError(request.method, path, allowed.join(', ')),
      request,
      reply,
    )
  })
}

/** Sends an error in the format that all errors of its path have. */
export function sendError(
  error: AnyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const body = toErrorBody(withOutcome(error, request), request.id)
  // A read that ended because its caller has gone: nobody gets this response.
  const isOfHangUp = error.name === 'AbortError' && reply.raw.destroyed
  if (isOfHangUp) request.log.info('The caller closed the connection before it had its response')
  else if (isUnforeseen(error)) request.log.error({ err: error }, body.message)
  else if (body.statusCode >= 500) request.log.warn({ err: error }, body.message)
  request.errorCode = body.code
  request.errorMessage = body.message
  for (const [name, value] of Object.entries(error.headers ?? {})) reply.header(name, value)
  const seconds = retryAfterSeconds(error, body.statusCode)
  if (seconds !== undefined) reply.header('retry-after', seconds)
  const refusal = refusalTextOf(body, request.url, timeOfRequestId(request.id))
  return reply
    .code(body.statusCode)
    .type(JSON_TYPE)
    .send(refusal ?? body)
}

/** The errors of requests that were refused before their idempotency key was looked up. */
const KEY_NOT_LOOKED_UP: ReadonlySet<string | undefined> = new Set([
  'STORE_DAMAGED',
  // Of PostgreSQL that cannot be reached. What the order service refuses states its outcome.
  'STORE_UNWRITABLE',
  'HTTPS_REQUIRED',
  'OWNER_UNREACHABLE',
  // Of a request that would have gone to another node. What the lane refuses states its outcome.
  'GATEWAY_STOPPING',
  REQUESTS_EXCEEDED,
])

/**
 * Adds the outcome to an order request that was refused before its idempotency key was looked up.
 * This request sent nothing; an earlier one with the same key may have.
 */
function withOutcome(error: AnyError, request: FastifyRequest): AnyError {
  const isStated = error.sent !== undefined || error.outcome !== undefined
  if (!KEY_NOT_LOOKED_UP.has(error.code) || isStated || !isOrderRequest(request)) return error
  const mayBeRetry = request.headers['idempotency-key'] !== undefined
  return Object.assign(error, { outcome: mayBeRetry ? 'unknown' : 'not-sent' })
}

/** What needs one of these is journaled; the others are reads. */
const WRITING: ReadonlySet<Permission | undefined> = new Set(['trade', 'settings', 'strategies'])

/** Whether a request is journaled: it places or cancels orders, or changes what an account does. */
export function isOrderRequest(request: FastifyRequest): boolean {
  try {
    return WRITING.has(permissionFor(request))
  } catch {
    // The policy allows nobody to call this path, so it is no order.
    return false
  }
}

/**
 * An error as the caller sees it. An error without a status is a bug: the caller gets one sentence
 * and the request id.
 */
export function toErrorBody(error: AnyError, requestId: string): ErrorBody {
  const own = OWN_CODES[error.code ?? '']
  const statusCode = error instanceof ValidationError ? 400 : (error.statusCode ?? 500)
  const isOurs = !isUnforeseen(error)
  const outcome = error.outcome ?? (error.sent === false ? 'not-sent' : undefined)
  return {
    statusCode,
    error: STATUS_CODES[statusCode] ?? (statusCode === 499 ? 'Client Closed Request' : 'Error'),
    code: own?.[0] ?? (isOurs ? stableCode(error, statusCode) : 'INTERNAL_ERROR'),
    message:
      own?.[1] ??
      (isOurs
        ? withoutSecrets(error.message)
        : 'Internal error, logged under this request id. Nothing was sent to the exchange twice'),
    requestId,
    ...(error.fields === undefined ? {} : { fields: error.fields.map(shownField) }),
    ...(error.exchangeCode === undefined ? {} : { exchangeCode: error.exchangeCode }),
    ...(error.exchangeMessage === undefined ? {} : { exchangeMessage: error.exchangeMessage }),
    ...(outcome === undefined ? {} : { outcome, retryable: isRetryable(error, statusCode) }),
    ...(error.clientOrderId === undefined ? {} : { clientOrderId: error.clientOrderId }),
    ...(error.limit === undefined ? {} : { limit: error.limit }),
    ...(error.value == null ? {} : { value: error.value }),
    ...(error.role === undefined ? {} : { role: error.role }),
    ...(error.factors === undefined ? {} : { factors: [...error.factors] }),
    ...(error.signIn === undefined ? {} : { signIn: error.signIn }),
    ...(error.triesLeft === undefined ? {} : { triesLeft: error.triesLeft }),
  }
}

/**
 * The response for an error, as the caller gets it now, or later when it asks for the request
 * again.
 * @param request the endpoint is its path
 */
export function toErrorResponse(
  error: unknown,
  { id, endpoint }: { readonly id: string; readonly endpoint: string },
): StoredResponse {
  const body = toErrorBody(error instanceof Error ? error : new Error(String(error)), id)
  const text = refusalTextOf(body, endpoint, timeOfRequestId(id)) ?? JSON.stringify(body)
  return { statusCode: body.statusCode, contentType: JSON_TYPE, body: text }
}

/** The caller named the field. */
const shownField = ({ field, message }: FieldProblem): FieldProblem => ({
  field: withoutSecrets(field),
  message,
})

/**
 * Whether the same request may succeed later: it was not sent for a temporary reason, or its
 * outcome is still unknown.
 */
function isRetryable({ retryable, outcome }: ErrorDetails, statusCode: number): boolean {
  if (retryable !== undefined) return retryable
  return outcome !== 'not-done' && (MOMENTARY_STATUSES.has(statusCode) || statusCode >= 500)
}

/** Too many requests, and a caller that hung up. */
const MOMENTARY_STATUSES: ReadonlySet<number> = new Set([429, 499])

/** A bug or an internal error of Fastify: its message is not for callers. */
function isUnforeseen({ statusCode, code }: AnyError): boolean {
  return statusCode === undefined || (statusCode >= 500 && code?.startsWith('FST_') === true)
}

function stableCode(error: AnyError, statusCode: number): string {
  if (error.code !== undefined && !error.code.startsWith('FST_')) return error.code
  return (STATUS_CODES[statusCode] ?? 'ERROR').toUpperCase().replaceAll(/[^A-Z]+/g, '_')
}

const patterns = catalogue.map((endpoint) => ({
  method: endpoint.method,
  pattern: new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

function allowedMethods(path: string): string[] {
  const matching = patterns.filter(({ pattern }) => pattern.test(path))
  // `/orders/summary` matches `/orders/{id}` as well.
  const methods = new Set(matching.map(({ method }) => method))
  return methods.has('GET') ? [...methods, 'HEAD'] : [...methods]
}

/** The longest path that is shown to people and logged. Every valid path is shorter. */
const PATH_LENGTH_MAX = 300

/**
 * The URL without its query, which can contain things that must not be repeated or logged, and
 * without secrets in the path.
 */
export function pathOf(url: string): string {
  // The encoded forms count as well: some servers decode them first.
  const end = url.search(/[?#;]|%3f|%23|%3b/i)
  const path = end === -1 ? url : url.slice(0, end)
  // Cut off later: of a secret that is cut off, the rest would not be recognised.
  return withoutSecrets(path).slice(0, PATH_LENGTH_MAX)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code of the response; null when the request succeeded. */
    errorCode: string | null
    /** Its message, without secrets, as the caller got it. */
    errorMessage: string | null
    /** A token was refused although the client's secret was right. */
    hasRightSecret: boolean
  }
}
