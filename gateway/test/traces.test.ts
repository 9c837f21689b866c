import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as conventions from '@opentelemetry/semantic-conventions'
import { bgSpotTickers, healthReady, mxSubmitOrder, urlOf } from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../src/config.ts'
import { testApp } from './app.ts'
import { COMPILE_CACHE } from './support/compile-cache.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { type CollectedSpan, traceCollector } from './support/trace-collector.ts'
import { twoNodes } from './support/two-nodes.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

const orderOf = (headers: Record<string, string>) =>
  ({ method: 'POST', url: mxSubmitOrder.path, headers, payload: ORDER }) as const

/**
 * A gateway whose spans come to a collector; `spansAtEnd()` closes it, which sends what is left.
 */
async function traced(env: Record<string, string> = {}) {
  const collector = await traceCollector()
  const gateway = await testApp({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'sluice-test', ...env },
  })
  const spansAtEnd = async () => {
    await gateway.app.close()
    return collector.spans
  }
  return { ...gateway, ...collector, spansAtEnd }
}

const named = (spans: readonly CollectedSpan[], name: string) =>
  spans.filter((span) => span.name === name)

/** The attributes that OpenTelemetry has published as stable. */
const STABLE = new Set<unknown>(
  Object.entries(conventions).flatMap(([name, value]) => (/^ATTR_/.test(name) ? [value] : [])),
)

/** What each span of a gateway at this place has, by the conventions for HTTP. */
const atServer = (path: string) => ({
  ...{ 'http.route': path, 'url.path': path, 'url.scheme': 'http', 'client.address': '127.0.0.1' },
  ...{ 'server.address': 'sluice.test', 'server.port': 8080, 'network.protocol.version': '1.1' },
  'sluice.request_id': expect.any(String),
})
const HOST = { host: 'sluice.test:8080' }

/** What a call to an exchange has. */
const atExchange = (paperUrl: string, path: string) => {
  const { hostname, port } = new URL(paperUrl)
  return {
    'url.full': `${paperUrl}${path}`,
    ...{ 'server.address': hostname, 'server.port': Number(port) },
  }
}

test('a request, its wait and its call are one trace, under the span of the bot', async () => {
  const { app, client, paper, spansAtEnd, resources } = await traced()
  const { headers, clientId } = await client()
  const traceparent = `00-${TRACE}-${SPAN}-01`
  const placed = await app.inject(orderOf({ ...headers, ...HOST, traceparent }))
  expect(placed.statusCode).toBe(200)
  const spans = (await spansAtEnd()).filter(({ traceId }) => traceId === TRACE)
  const [request] = named(spans, `POST ${mxSubmitOrder.path}`)
  expect(request).toMatchObject({
    ...{ kind: 2, parentId: SPAN, status: 0 },
  })
  expect(request?.attributes).toEqual({
    ...atServer(mxSubmitOrder.path),
    ...{ 'http.request.method': 'POST', 'http.response.status_code': 200 },
    'sluice.request_id': placed.headers['x-request-id'],
    ...{ 'sluice.client_id': clientId, 'sluice.queue_ms': expect.any(Number) },
  })
  const [call] = named(spans, 'POST /api/v1/private/order/create')
  expect(call).toMatchObject({ kind: 3, parentId: request?.spanId, status: 0 })
  expect(call?.attributes).toEqual({
    ...atExchange(paper.url, '/api/v1/private/order/create'),
    ...{ 'http.request.method': 'POST', 'http.response.status_code': 200 },
    ...{ 'sluice.exchange': 'mx', 'sluice.family': 'mexc-futures', 'sluice.result': 'ok' },
  })
  const waits = named(spans, 'wait for mx')
  expect(waits.map(({ parentId }) => parentId)).toContain(request?.spanId)
  for (const { startNs, endNs } of [...waits, ...(call === undefined ? [] : [call])]) {
    expect(startNs).toBeGreaterThanOrEqual((request?.startNs ?? 0n) - 2_000_000n)
    expect(endNs).toBeLessThanOrEqual((request?.endNs ?? 0n) + 2_000_000n)
  }
  expect(resources[0]).toMatchObject({ 'service.name': 'sluice-test' })
})

// The spans of both nodes were children of the bot's.
test('at the owner, the span of a passed request is a child of the span of the node that passed it', async () => {
  const { url, spans } = await traceCollector()
  const nodes = await twoNodes({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
  const placed = await fetch(`${nodes.askedUrl}${mxSubmitOrder.path}`, {
    method: 'POST',
    headers: {
      ...nodes.client.headers,
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-${SPAN}-01`,
    },
    body: JSON.stringify(ORDER),
  })
  expect(placed.status).toBe(200)
  await nodes.asked.close()
  await nodes.owner.close()
  const requests = named(spans, `POST ${mxSubmitOrder.path}`)
  expect(requests.map(({ traceId }) => traceId)).toEqual([TRACE, TRACE])
  const atAsked = requests.find(({ parentId }) => parentId === SPAN)
  expect(requests.filter(({ parentId }) => parentId === atAsked?.spanId)).toHaveLength(1)
  const [call] = named(spans, 'POST /api/v1/private/order/create')
  expect(call?.parentId).toBe(requests.find((each) => each !== atAsked)?.spanId)
})

test('no trace header is sent to an exchange', async () => {
  const { app, paper, client } = await traced()
  const { headers } = await client()
  const context = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=b', baggage: 'c=d' }
  await app.inject(orderOf({ ...headers, ...context }))
  await app.inject({ url: '/bg/api/v2/spot/market/tickers', headers: { ...headers, ...context } })
  const arrivals = paper.received({})
  expect(arrivals.length).toBeGreaterThan(2)
  for (const arrival of arrivals)
    for (const text of [TRACE, 'traceparent', 'tracestate', 'baggage'])
      expect(JSON.stringify(arrival)).not.toContain(text)
})

test('names follow the conventions: errors are marked, names have few values, and no query is recorded', async () => {
  const { app, paper, client, spansAtEnd } = await traced()
  const { headers } = await client()
  const path = '/api/v2/spot/market/tickers'
  paper.faults.add({ kind: '5xx', match: { path } })
  const get = (url: string) => app.inject({ url, headers })
  const failed = await get(urlOf(bgSpotTickers, { query: { symbol: 'BTCUSDT' } }))
  expect(failed.statusCode).toBe(502)
  // Its path has the symbol in it, and its caller signed it as for the exchange.
  expect((await get('/mx/api/v1/contract/depth/ETH_USDT?signature=5e2f')).statusCode).toBe(200)
  const refused = await app.inject({ ...orderOf(headers), payload: {} })
  expect(refused.statusCode).toBe(400)

  const spans = await spansAtEnd()
  const [request] = named(spans, `GET ${bgSpotTickers.path}`)
  expect(request).toMatchObject({ status: 2, attributes: { 'error.type': failed.json().code } })
  const [call] = named(spans, `GET ${path}`)
  expect(call).toMatchObject({ status: 2 })
  expect(call?.attributes).toEqual({
    ...atExchange(paper.url, path),
    ...{ 'http.request.method': 'GET', 'http.response.status_code': 500, 'error.type': 'unclear' },
    ...{ 'sluice.exchange': 'bg', 'sluice.family': 'bitget', 'sluice.result': 'unclear' },
  })
  const [depth] = named(spans, 'GET /api/v1/contract/depth/{symbol}')
  expect(depth?.attributes['url.full']).toBe(`${paper.url}/api/v1/contract/depth/ETH_USDT`)
  // To a server, what its callers do wrong is no error.
  const [wrong] = named(spans, `POST ${mxSubmitOrder.path}`)
  expect(wrong).toMatchObject({
    status: 0,
    attributes: { 'sluice.error_code': refused.json().code },
  })
  expect(wrong?.attributes).not.toHaveProperty('error.type')

  const used = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))
  expect([...used].filter((name) => !STABLE.has(name) && !name.startsWith('sluice.'))).toEqual([])
  const text = JSON.stringify(spans.map(({ name, attributes }) => [name, attributes]))
  for (const secret of ['BTCUSDT', 'signature', '5e2f']) expect(text).not.toContain(secret)
})

test('requests of the operator are not traced', async () => {
  const { app, spansAtEnd } = await traced()
  await app.inject(healthReady.path)
  await app.inject('/no/such/route')
  const names = (await spansAtEnd()).map(({ name }) => name)
  expect(new Set(names)).toEqual(new Set(['POST /auth/login']))
})

test.each([
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, '01', 0],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, '01', 1],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' }, '00', 0],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, '00', 1],
])('with %j a request with the trace flags %s is traced %i times', async (env, flags, times) => {
  const { app, spansAtEnd } = await traced(env)
  const url = '/auth/token'
  const headers = { traceparent: `00-${TRACE}-${SPAN}-${flags}` }
  const payload = { clientId: 'nobody', clientSecret: 'x' }
  await app.inject({ method: 'POST', url, headers, payload })
  expect(named(await spansAtEnd(), 'POST /auth/token')).toHaveLength(times)
})

test('the collector gets its headers, those for traces first, and what the gateway is', async () => {
  const { posts, resources, spansAtEnd } = await traced({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20general, x-tenant=a%2Cb',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Basic dHJhY2Vz==',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=not-this,deployment.environment.name=a%3Dtest',
  })
  await spansAtEnd()
  expect(posts[0]?.headers).toMatchObject({
    authorization: 'Basic dHJhY2Vz==',
    'x-tenant': 'a,b',
    'content-type': 'application/x-protobuf',
  })
  expect(resources[0]).toMatchObject({
    'service.name': 'sluice-test',
    'deployment.environment.name': 'a=test',
  })
})

// The stop failed with the collector's response, and what comes after it in the order was left out.
test('an endpoint for traces alone is used unchanged, and a collector that rejects spans delays nothing', async () => {
  const { url, posts } = await traceCollector()
  const lines: string[] = []
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/not/here?exactly` }
  const { app } = await testApp({ env, logLines: lines })
  await app.close()
  expect(posts.map(({ path }) => path)).toEqual(['/not/here?exactly'])
  expect(lines.join()).toContain('the last spans could not be delivered')
})

test.each([
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=by-attribute' }, 'by-attribute'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=x', OTEL_SERVICE_NAME: 'by-name' }, 'by-name'],
  [{}, 'sluice'],
])('with %j the traces have the service name %s', (env, name) => {
  const { tracing } = readConfig({ OTEL_TRACES_EXPORTER: 'otlp', ...env })
  expect(tracing?.attributes['service.name']).toBe(name)
})

const ON = { OTEL_TRACES_EXPORTER: 'otlp' }

test.each([
  [{ ...ON, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTLP_PROTOCOL is "grpc".*http\/protobuf/],
  [{ ...ON, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, /OTLP_PROTOCOL is "http\/json"/],
  [{ ...ON, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' }, /OTLP_TRACES_PROTOCOL is "grpc"/],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER is "zipkin".*one of otlp, none/],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /OTEL_TRACES_SAMPLER is "jaeger_remote"/],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, /OTEL_TRACES_SAMPLER_ARG is "1.5"/],
  [{ OTEL_SDK_DISABLED: 'yes' }, /OTEL_SDK_DISABLED is "yes"/],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'name' }, /OTEL_RESOURCE_ATTRIBUTES is "name"/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' }, /OTEL_EXPORTER_OTLP_HEADERS is a text of 5 char/],
])('a setting that would be ignored stops the start: %j', (env, problem) => {
  expect(() => readConfig(env)).toThrow(problem)
})

test.each([
  {},
  { ...ON, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
  { ...ON, OTEL_SDK_DISABLED: 'True' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.test', OTEL_TRACES_EXPORTER: 'none' },
])('an unsupported protocol is no error when it is not used: %j', (env) => {
  expect(() => readConfig({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', ...env })).not.toThrow()
})

test('a collector that does not respond delays no request, and does not hold up a stop', async () => {
  const network = await startHoldingProxy(() => 9)
  onTestFinished(() => {
    // `close` does not know connections that wait at the proxy: `heal` opens them first.
    network.heal(true)
    return network.close()
  })
  network.cut()
  // Without a bound of its own, the stop would wait for these ten minutes.
  for (const name of ['OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_BSP_EXPORT_TIMEOUT'])
    vi.stubEnv(name, '600000')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { app, client } = await testApp({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${network.port}` },
  })
  const { headers } = await client()
  expect((await app.inject(orderOf(headers))).statusCode).toBe(200)
  const before = performance.now()
  await app.close()
  expect(performance.now() - before).toBeLessThan(60_000)
})

test.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.test:4318/' }, 'http://c.test:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c.test/x' }, 'https://c.test/x'],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.test', OTEL_TRACES_EXPORTER: 'none' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c.test', OTEL_SDK_DISABLED: 'true' }, undefined],
])('%j sends spans to %s', (env, url) => {
  expect(readConfig(env).tracing?.url).toBe(url)
})

/** How many modules that trace a gateway of its own process loads. */
function tracingModulesLoadedWith(env: Record<string, string>): number {
  const source = (path: string) => JSON.stringify(new URL(`../src/${path}`, import.meta.url).href)
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { buildApp } = await import(${source('app.ts')})
    const { readConfig } = await import(${source('config.ts')})
    const app = await buildApp(readConfig(process.env))
    await app.close()
    console.log(loaded.filter((url) => /opentelemetry.(sdk|exporter|otlp)|src.tracing/.test(url)).length)
  `
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      DATABASE_URL: ':memory:',
      MASTER_KEY: randomBytes(32).toString('base64'),
      ...env,
    },
  })
  return Number(output.toString())
}

test('without a collector no tracing module is loaded', () => {
  expect(tracingModulesLoadedWith({})).toBe(0)
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
  expect(tracingModulesLoadedWith(collector)).toBeGreaterThan(10)
})
