import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { type Endpoint, rawErrors } from 'schema'
import { isRawUrl, ownErrorOf } from '../../support/call.ts'
import { declaredCodes, isDropIn, validatorOf } from '../declared.ts'
import type { World } from '../world.ts'
import type { Call } from './route-calls.ts'

const rawCodes: ReadonlySet<string> = new Set(rawErrors.map(({ code }) => code))

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Sends a request over a socket, or hands it to the app as if it had come over one. */
export function send(
  world: World,
  call: Call,
  headers: Readonly<Record<string, string>>,
  isReal: boolean,
): Promise<Received> {
  return isReal ? overHttp(world, call, headers) : handed(world, call, headers)
}

async function handed(
  { app }: World,
  { method, url, payload }: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Received> {
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...headers },
    ...(payload === undefined || method === 'GET' || method === 'HEAD' ? {} : { payload }),
    payloadAsStream: true,
  })
  const body = await textOf(response.stream(), response.headers)
  return { status: response.statusCode, headers: response.headers, body }
}

/** The whole of a body; of a stream of events, which does not end, its beginning. */
async function textOf(body: Readable, headers: Received['headers']): Promise<string> {
  let text = ''
  for await (const chunk of body.setEncoding('utf8')) {
    text += chunk
    // Leaving the loop ends the connection.
    if (`${headers['content-type']}`.startsWith('text/event-stream')) break
  }
  return text
}

function overHttp(
  { app }: World,
  { method, url: path, payload }: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Received> {
  const { port } = app.server.address() as AddressInfo
  const body = method === 'GET' || method === 'HEAD' ? '' : (payload ?? '')
  const length = body === '' ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
  return new Promise((resolve, reject) => {
    const options = { port, method, path, headers: { ...headers, ...length } }
    const sent = request(options, (response) => {
      const { statusCode: status = 0, headers: received } = response
      textOf(response, received).then(
        (text) => resolve({ status, headers: received, body: text }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

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

function checkError(
  { endpoint, method, url }: Call,
  { status, body }: Received,
  what: () => string,
) {
  if (method === 'HEAD') return assert.ok(status < 500, what())
  const whole = parse(body)
  const parsed = ownErrorOf(whole)
  const { code } = Object(parsed)
  if (typeof code !== 'string' || !('requestId' in Object(parsed))) {
    // An exchange's own response on its own path; readiness says what is not ready.
    const isOther = isDropIn(endpoint) || /^\/(?:mx|bg|health)/.test(endpoint.path)
    return assert.ok(isOther && status < 500, `no error of this API: ${what()}`)
  }
  // What is no HTTP request has no path.
  const isRaw = isRawUrl(url) && !/^(?:REQUEST_|HEADERS_)/.test(code)
  assert.equal('sluice' in Object(whole), isRaw, `in another form: ${what()}`)
  assert.ok(
    (isRaw ? rawCodes : declaredCodes).has(code),
    `the code ${code} is not declared: ${what()}`,
  )
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
