import assert from 'node:assert/strict'
import type { Endpoint } from 'schema'
import { declaredCodes } from '../declared-codes.ts'
import { isDropIn, validatorOf } from './declared-responses.ts'
import type { Call } from './route-calls.ts'
import type { Received } from './route-sending.ts'

/** Reasons of the gateway, the exchange or the load, which no form of a request makes. */
const DECLARED_5XX = new Set([
  ...['EXCHANGE_STOPPED', 'EXCHANGE_ANSWER_UNCLEAR', 'EXCHANGE_TIMEOUT', 'EXCHANGE_UNREACHABLE'],
  ...['EXCHANGE_CONNECTION_LOST', 'EXCHANGE_TIME_REFUSED', 'EXCHANGE_ACCOUNT_KIND_REFUSED'],
  ...['QUEUE_FULL', 'QUEUE_WAIT_TOO_LONG', 'QUEUE_DEADLINE_PASSED', 'QUEUE_ENTRY_DROPPED'],
  ...['SIGN_IN_BUSY', 'GATEWAY_STOPPING'],
])

/**
 * The response is one that the endpoint declares.
 * @param what describes the request and its response
 */
export function checkResponse(call: Call, received: Received, what: () => string): void {
  if (received.status >= 400) checkError(call, received, what)
  else checkSuccess(call, received, what)
}

function checkError({ endpoint, method }: Call, { status, body }: Received, what: () => string) {
  if (method === 'HEAD') return assert.ok(status < 500, what())
  const parsed = parse(body)
  const { code } = Object(parsed)
  if (typeof code !== 'string' || !('requestId' in Object(parsed))) {
    // An exchange's own response on its own path; readiness says what is not ready.
    const isOther = isDropIn(endpoint) || /^\/(?:mx|bg|health)/.test(endpoint.path)
    return assert.ok(isOther && status < 500, `no error of this API: ${what()}`)
  }
  assert.ok(declaredCodes.has(code), `the code ${code} is not declared: ${what()}`)
  assert.notEqual(code, 'INTERNAL_ERROR', what())
  if (status >= 500) assert.ok(DECLARED_5XX.has(code), `a server error: ${what()}`)
}

function checkSuccess(
  { endpoint, method, url }: Call,
  { status, headers, body }: Received,
  what: () => string,
): void {
  const isOwn = method === endpoint.method && !isDropIn(endpoint)
  const isJson = /^application\/json(?:;|$)/.test(String(headers['content-type']))
  if (!isOwn || status !== (endpoint.status ?? 200) || headers['content-encoding'] !== undefined)
    return
  if (endpoint.response === undefined || !isJson || !isPathOf(endpoint, url)) return
  const value = parse(body)
  assert.ok(validatorOf(endpoint).Check(value), `not as declared: ${what()}`)
}

/** An edited address may be that of another endpoint. */
function isPathOf({ path }: Endpoint, url: string): boolean {
  const [asked = ''] = url.split('?')
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The caller of this says what that means.
  }
}
