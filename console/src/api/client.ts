import { type Endpoint, type ResponseOf, urlOf } from 'schema'
import {
  ApiError,
  readProblem,
  UnexpectedResponseError,
  UnreachableError,
  WaitsForApprovalError,
} from './api-error.ts'
import { showFreshFactor } from './fresh-factor.tsx'
import { gatewayUrl, loadGatewayUrl } from './gateway-url.ts'
import { expireSession, storedToken } from './session.ts'

/** The parts of a request, for code that does not know which endpoint it calls. */
export interface CallInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export interface SendOptions {
  /** Bearer token; none is sent when null or absent. The stored token is never used here. */
  readonly token?: string | null
  readonly signal?: AbortSignal
  /** For a call that trades: a retry with the same one is carried out once. */
  readonly idempotencyKey?: string | undefined
}

/** Whatever came back, success or not. */
export interface ApiResponse {
  readonly status: number
  readonly statusText: string
  /** The body as received, not parsed: numbers keep their digits. */
  readonly text: string
  readonly headers: Headers
}

/** @throws TypeError when the gateway cannot be reached or its address cannot be read */
export async function request(endpoint: Endpoint, input: CallInput, options: SendOptions) {
  const { token = null, signal = null, idempotencyKey } = options
  const body = input.body === undefined ? null : JSON.stringify(input.body)
  await loadGatewayUrl()
  return fetch(`${gatewayUrl()}${urlOf(endpoint, input)}`, {
    method: endpoint.method,
    credentials: 'include',
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    body,
    signal,
  })
}

/**
 * Makes one call and gives back any response, also 401. Sign-in, token and try-it calls use it:
 * they are not made for the administrator, so their rejection says nothing about the session.
 * @throws TypeError when the gateway cannot be reached or its address cannot be read, DOMException
 * when aborted
 */
export async function send(
  endpoint: Endpoint,
  input: CallInput = {},
  options: SendOptions = {},
): Promise<ApiResponse> {
  const response = await request(endpoint, input, options)
  const { status, statusText, headers } = response
  return { status, statusText, headers, text: await response.text() }
}

/** The body of a success. @throws ApiError, UnexpectedResponseError */
export function readResponse<E extends Endpoint>(
  endpoint: E,
  response: ApiResponse,
): ResponseOf<E> {
  const requestId = response.headers.get('x-request-id')
  if (response.status < 200 || response.status > 299) {
    throw new ApiError(response.status, response.statusText, response.text, requestId)
  }
  // The one place where bytes become types; the shape inside is the gateway's promise, tested
  // there.
  return readBody(endpoint, response.text, requestId) as ResponseOf<E>
}

/** What a call answers after a 401; `null` may be the body of a success. */
export const SESSION_ENDED = Symbol('session ended')
export type Ended = typeof SESSION_ENDED

/**
 * A call on behalf of the signed-in administrator. `SESSION_ENDED` after a 401: as a rule the page
 * is about to load anew, and there is neither a result nor an error to show. What must be confirmed
 * is sent again, once, when the person has shown a factor.
 * @param onHeaders gets the headers of a success
 * @throws ApiError, UnexpectedResponseError, UnreachableError, WaitsForApprovalError
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: CallInput,
  onHeaders?: (headers: Headers) => void,
): Promise<ResponseOf<E> | Ended> {
  const token = storedToken()
  const sendOnce = () => send(endpoint, input, { token }).catch(throwUnreachable)
  let response = await sendOnce()
  const { factors } = response.status === 403 ? readProblem(response.text) : {}
  if (factors !== undefined && (await showFreshFactor(factors))) response = await sendOnce()
  if (endsSession(response, token)) return SESSION_ENDED
  // The status of nothing else that an administrator calls.
  if (response.status === 202) throw new WaitsForApprovalError()
  const body = readResponse(endpoint, response)
  onHeaders?.(response.headers)
  return body
}

/**
 * Whether it was refused for its token. The person may have ended or replaced the session since the
 * call: its 401 says nothing about the present one.
 */
export function endsSession(
  { status }: Pick<ApiResponse, 'status'>,
  token: string | null,
): boolean {
  if (status === 401 && token !== null && token === storedToken()) expireSession()
  return status === 401
}

/** What the build leaves of the schema of a response (`build/bake-schema.ts`). */
interface Outline {
  readonly type?: unknown
  readonly required?: readonly string[]
  readonly anyOf?: readonly Outline[]
  readonly items?: Outline
}

function readBody(endpoint: Endpoint, text: string, requestId: string | null): unknown {
  const outline: Outline | undefined = endpoint.response
  if (outline === undefined) return undefined
  // A change that was carried out stays carried out, also when its response says nothing.
  if (text === '' && endpoint.method !== 'GET') return undefined
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new UnexpectedResponseError(endpoint.path, requestId, { cause })
  }
  const { type, required = [], anyOf = [], items } = outline
  if (body === null && anyOf.some((each) => each.type === 'null')) return null
  // An entry that is none must not hide the others.
  if (type === 'array' && Array.isArray(body))
    return body.filter(
      (entry) => entry !== null && (items?.type !== 'object' || typeof entry === 'object'),
    )
  const wanted = [...required, ...anyOf.flatMap((each) => each.required ?? [])]
  // A page can do without some fields, but not without all. A change stays carried out.
  const isWhole = (object: object) =>
    endpoint.method !== 'GET' || wanted.length === 0 || wanted.some((field) => field in object)
  const isObject = typeof body === 'object' && !Array.isArray(body)
  if (type !== 'array' && isObject && body !== null && isWhole(body as object)) return body
  throw new UnexpectedResponseError(endpoint.path, requestId)
}

/** How `fetch` reports a missing response is the browser's affair; here it has a type. */
function throwUnreachable(error: unknown): never {
  throw error instanceof TypeError ? new UnreachableError(error) : error
}
