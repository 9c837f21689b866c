import type { ErrorBody } from 'schema'
import { reasonPhrase } from './reason-phrase.ts'

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
    super(`The response to ${path} does not have the form that the gateway sends`, options)
    this.name = 'UnexpectedResponseError'
    this.requestId = requestId
  }
}

function readProblem(body: string): Partial<ErrorBody> {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return {} // Plain text or HTML: the body itself is all there is to tell.
  }
  if (typeof value !== 'object' || value === null) return {}
  const { message, code, requestId, fields } = value as Record<string, unknown>
  return {
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(Array.isArray(fields) ? { fields: fields as ErrorBody['fields'] & object } : {}),
  }
}
