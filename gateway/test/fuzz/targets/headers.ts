import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { catalogue, type Endpoint } from 'schema'
import { ownErrorOf } from '../../support/call.ts'
import { sampleCall } from '../../support/sample-call.ts'
import { declaredCodes, isDropIn, validatorOf } from '../declared.ts'
import { jsonValueText, mutatedJson } from '../hostile.ts'
import { orderResponses, readResponses } from '../recorded-responses.ts'
import type { Target } from '../target.ts'
import { createWorld, leakIn, type World } from '../world.ts'

const PER_RUN = 40
/** Marks what a bot sent, and what the exchange sent: neither may reach the other side. */
const [OF_BOT, OF_EXCHANGE] = ['bot-mark', 'exchange-mark']

const proxied = catalogue.filter(({ proxy }) => proxy !== undefined)
const samples = [...orderResponses, ...readResponses].map(({ body }) => body)

/** @param names besides any others; @param mark begins each value */
const headersOf = (names: readonly string[], mark: string) =>
  fc.dictionary(
    fc.oneof(fc.stringMatching(/^[a-z][a-z0-9-]{0,15}$/), fc.constantFrom(...names)),
    fc.stringMatching(/^[\x21-\x7e]{0,20}$/).map((text) => `${mark}${text}`),
    { maxKeys: 5 },
  )
const OF_BOTS = [
  ...['cookie', 'x-forwarded-for', 'x-mexc-apikey', 'access-key', 'access-sign', 'signature'],
  ...['access-passphrase', 'request-time', 'apikey', 'host', 'x-forwarded-host', 'forwarded'],
  ...['x-real-ip', 'te', 'trailer', 'upgrade', 'via', 'accept-encoding', 'user-agent', 'locale'],
  ...['x-http-method-override', 'x-original-url', 'origin', 'referer', 'proxy-authorization'],
]
const OF_EXCHANGES = [
  ...['set-cookie', 'location', 'access-control-allow-origin', 'server', 'x-powered-by', 'link'],
  ...['strict-transport-security', 'content-security-policy', 'x-request-id', 'x-queue-wait-ms'],
  ...['www-authenticate', 'refresh', 'alt-svc', 'clear-site-data', 'idempotency-replayed'],
  ...['ratelimit', 'content-disposition', 'etag', 'cache-control', 'x-accel-redirect'],
]

const input = fc.record({
  endpoint: fc.constantFrom(...proxied),
  isRaw: fc.boolean(),
  botHeaders: headersOf(OF_BOTS, OF_BOT),
  exchangeHeaders: headersOf(OF_EXCHANGES, OF_EXCHANGE),
  status: fc.oneof(
    { weight: 5, arbitrary: fc.constant(200) },
    { weight: 3, arbitrary: fc.constantFrom(201, 302, 400, 403, 404, 500, 503, 520) },
  ),
  contentType: fc.constantFrom('application/json', 'text/html', 'application/json; charset=x', ''),
  retryAfter: fc.option(fc.constantFrom('0', '1', '-1', 'soon'), { nil: undefined }),
  isEcho: fc.boolean(),
  body: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...samples).chain((each) => mutatedJson(each)) },
    { weight: 1, arbitrary: jsonValueText },
  ),
})
type Input = typeof input extends fc.Arbitrary<infer T> ? T : never

/** What a bot sends beside its call does not reach an exchange, nor the other way round. */
export const headers: Target = {
  name: 'headers',
  about: 'headers both ways, and odd responses, through a whole gateway to an odd exchange',
  weight: 16,
  open: async () => {
    let current: Input | undefined
    const arrived: IncomingMessage[] = []
    const server = createServer((request, response) => {
      const time = timeAt(request.url ?? '') ?? rulesAt(request.url ?? '')
      if (time !== undefined || current === undefined) return response.end(time ?? '{}')
      arrived.push(request)
      for (const [name, value] of Object.entries(current.exchangeHeaders))
        if (!FRAMING.has(name)) response.setHeader(name, value)
      if (current.retryAfter !== undefined) response.setHeader('retry-after', current.retryAfter)
      if (current.contentType !== '') response.setHeader('content-type', current.contentType)
      response.statusCode = current.status
      const echo = JSON.stringify({ headers: request.headers, url: request.url })
      return response.end(current.isEcho ? echo : current.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return {
      inputsPerRun: PER_RUN,
      isSlow: true,
      property: fc.asyncProperty(
        fc.array(input, { minLength: PER_RUN, maxLength: PER_RUN }),
        async (inputs) => {
          const world = await createWorld({ between: async () => `http://127.0.0.1:${port}` })
          try {
            for (const each of inputs) {
              current = each
              arrived.length = 0
              await check(world, each, arrived)
            }
          } finally {
            current = undefined
            await world.close()
          }
        },
      ),
      async close() {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  },
}

/** Headers about the connection: Node rejects wrong ones before they are sent. */
const FRAMING = new Set(['connection', 'content-length', 'transfer-encoding', 'trailer', 'date'])
/** Of the exchange, what a caller may get; all else about the gateway is its own. */
const PASSED = new Set(['content-type', 'retry-after'])
/** What the gateway itself sends to an exchange. */
const SENT = new Set([
  ...['host', 'connection', 'content-type', 'content-length', 'x-mexc-apikey', 'apikey'],
  ...['request-time', 'signature', 'recv-window', 'locale', 'paptrading', 'source'],
  ...['access-key', 'access-sign', 'access-timestamp', 'access-passphrase'],
])

async function check(world: World, given: Input, arrived: IncomingMessage[]): Promise<void> {
  const { endpoint } = given
  const isRaw = given.isRaw || isDropIn(endpoint)
  const call = isRaw ? rawCall(endpoint) : sampleCall(endpoint)
  const response = await world.app.inject({
    ...call,
    method: call.method,
    headers: { ...given.botHeaders, ...call.headers, prefer: 'wait=5', ...world.bot.headers },
  })
  const { statusCode, body } = response
  const what = `${call.method} ${call.url} brought ${statusCode} ${body.slice(0, 500)}`
  if (!isRaw) assert.notEqual(statusCode, 500, what)
  const text = JSON.stringify(response.headers) + body
  assert.equal(leakIn(world.secrets, text), undefined, `a secret is in the response: ${what}`)
  for (const [name, value] of Object.entries(response.headers))
    assert.ok(
      PASSED.has(name) || !`${value}`.includes(OF_EXCHANGE),
      `the exchange's header ${name} reaches the bot: ${what}`,
    )
  for (const { headers } of arrived)
    for (const [name, value] of Object.entries(headers)) {
      assert.ok(SENT.has(name), `the header ${name} reaches the exchange`)
      assert.ok(name === 'locale' || !`${value}`.includes(OF_BOT), `${name} has what the bot sent`)
    }
  if (isRaw) return
  if (statusCode >= 400) {
    const { code } = ownErrorOf(JSON.parse(body))
    assert.ok(declaredCodes.has(code), `the code ${code} is not declared: ${what}`)
  } else if (endpoint.response !== undefined && statusCode === (endpoint.status ?? 200))
    assert.ok(validatorOf(endpoint).Check(JSON.parse(body)), `not as declared: ${what}`)
}

/** An account read on the exchange's own path. */
function rawCall({ proxy }: Endpoint): ReturnType<typeof sampleCall> {
  const url = proxy?.exchange === 'bg' ? '/bg/api/v2/spot/account/info' : '/mx/api/v3/account'
  return { method: 'GET', url }
}

/** The rules of symbols, without which no order would be sent. */
function rulesAt(url: string): string | undefined {
  const found = readResponses.find(({ call }) => RULES.test(call.path) && url.startsWith(call.path))
  return found === undefined ? undefined : JSON.stringify(found.body)
}

const RULES = /exchangeInfo|contract\/detail|public\/symbols|market\/contracts/

function timeAt(url: string): string | undefined {
  if (!url.endsWith('/time')) return undefined
  const now = Date.now()
  return JSON.stringify({ serverTime: now, code: '00000', data: { serverTime: `${now}` } })
}
