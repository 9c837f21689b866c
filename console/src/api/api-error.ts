import type { ErrorBody, SignInNeeded } from 'schema'
import { parseJson } from '../components/format-json.ts'
import * as texts from './texts.ts'

/**
 * A call that got a response, but no success. Its message is `status: body`, or the status text
 * when the body is empty.
 */
export class ApiError extends Error {
  readonly status: number
  /** The body as received; may be empty. */
  readonly body: string
  /** What the gateway says of it, when the body is its error body or a part of one. */
  readonly problem: Partial<ErrorBody>
  readonly requestId: string | null

  constructor(status: number, statusText: string, body: string, requestId: string | null) {
    super(`${status}: ${body || statusText || reasonPhrase(status)}`)
    this.name = 'ApiError'
    this.status = status
    this.body = body
    this.problem = readProblem(body)
    this.requestId = requestId ?? this.problem.requestId ?? null
  }

  /** The server's sentence, undefined when it sent none. */
  get serverMessage(): string | undefined {
    return this.problem.message
  }
}

/**
 * A success whose body is not what the catalogue says, for example a page of a proxy in between.
 */
export class UnexpectedResponseError extends Error {
  readonly requestId: string | null

  constructor(path: string, requestId: string | null, options?: ErrorOptions) {
    super(texts.unexpected(path), options)
    this.name = 'UnexpectedResponseError'
    this.requestId = requestId
  }
}

/** A call that got no response: the network failed, or the browser kept it back. */
export class UnreachableError extends Error {
  constructor(cause: TypeError) {
    super(texts.unreachable, { cause })
    this.name = 'UnreachableError'
  }
}

/** The change waits until another admin approves it. */
export class WaitsForApprovalError extends Error {
  constructor() {
    super(texts.waitsForApproval)
    this.name = 'WaitsForApprovalError'
  }
}

/** The browser has no network: the change was not sent. */
export class OfflineError extends Error {
  constructor() {
    super(texts.offline)
    this.name = 'OfflineError'
  }
}

/** A failure in one sentence; its whole text, where that says more. */
export function wordsOf(error: unknown): { readonly line: string; readonly whole?: string } {
  if (!(error instanceof Error)) return { line: String(error) }
  const { message, cause } = error
  if (error instanceof UnreachableError && cause instanceof Error)
    return { line: message, whole: cause.message }
  if (!(error instanceof ApiError)) return { line: message }
  const { status, body, serverMessage } = error
  if (serverMessage !== undefined) return { line: `${status}: ${serverMessage}`, whole: message }
  // JSON or HTML, which nobody reads aloud.
  if (/^\s*[[{<]/.test(body)) return { line: `${status}: ${reasonPhrase(status)}`, whole: message }
  return { line: message }
}

/** The same where a status says nothing: beside a form. */
export const sentenceOf = (error: unknown) => wordsOf(error).line.replace(/^\d{3}: /, '')

/** What the gateway says in the body of an error; empty when it is none of its own. */
export function readProblem(body: string): Partial<ErrorBody> {
  const { message, code, requestId, fields, factors, signIn, triesLeft } = ownErrorOf(
    parseJson(body),
  )
  return {
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(code === 'FRESH_FACTOR_NEEDED' && Array.isArray(factors) ? { factors } : {}),
    ...(isWaiting(signIn) ? { signIn } : {}),
    ...(typeof triesLeft === 'number' ? { triesLeft } : {}),
    ...(Array.isArray(fields) ? { fields: fields as ErrorBody['fields'] & object } : {}),
  }
}

/** An error of the gateway; on an exchange's own path it is beside the exchange's form. */
export function ownErrorOf(body: unknown): Readonly<Record<string, unknown>> {
  const { sluice = body } = Object(body)
  return Object(sluice)
}

function isWaiting(signIn: unknown): signIn is SignInNeeded {
  const { id, factors } = (signIn ?? {}) as Partial<SignInNeeded>
  return typeof id === 'string' && Array.isArray(factors)
}

// RFC 9110, section 15, and RFC 6585: the statuses that a gateway or a proxy before it responds
// with.
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** The standard words of a status: HTTP/2 and HTTP/3 carry none. Empty for a status without any. */
export function reasonPhrase(status: number): string {
  return REASONS[status] ?? ''
}
