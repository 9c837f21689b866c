import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { eventually } from '../../gateway/test/support/eventually.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { httpServer } from '../../gateway/test/support/http-server.ts'
import { IS_LONG } from '../../gateway/test/support/is-long.ts'
import { hasPostgres } from '../../gateway/test/support/postgres.ts'
import { processGroup } from '../../gateway/test/support/process-group.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'

const hasCaddy = spawnSync('caddy', ['version']).status === 0
const HAS = {
  caddy: hasCaddy,
  haproxy: spawnSync('haproxy', ['-v']).status === 0,
  /** In front of a gateway that is alone on its machine. */
  'caddy-of-one': hasCaddy,
}
type Proxy = keyof typeof HAS
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
/** For a busy machine; no try waits for it to pass. */
const TRY_MS = 60_000

const inGroup = IS_LONG ? (['caddy', 'haproxy'] as const) : (['caddy'] as const)
test.skipIf(!hasPostgres || inGroup.some((name) => !HAS[name])).each(inGroup)(
  'behind %s, bots trade while the owner leaves and while it is killed; each order is placed once',
  async (name) => {
    const nodes = await twoProcesses()
    const proxy = await startProxy(name, nodes.ports)
    const bot = startBot(proxy, nodes.headers)
    await eventually(() => expect(bot.answered).toBeGreaterThan(2))

    // A rolling restart. The next owner gets what waits.
    const leaving = nodes.owner()
    await nodes.stop(leaving)
    const afterLeaving = bot.answered
    await eventually(() => expect(bot.answered).toBeGreaterThan(afterLeaving + 2))
    await nodes.start(leaving)
    const { keys } = await bot.stop()
    expect(bot.failed).toEqual([])
    expect([bot.answered, nodes.paper.orders('mx').length]).toEqual([keys, keys])

    const next = startBot(proxy, nodes.headers)
    await eventually(() => expect(next.answered).toBeGreaterThan(2))
    const killed = nodes.owner()
    const killedAtMs = performance.now()
    await nodes.stop(killed, 'SIGKILL')
    const afterKill = next.answered
    await eventually(() => expect(next.answered).toBeGreaterThan(afterKill + 2))
    report('kill -9 until bots had orders again', performance.now() - killedAtMs)
    // An order that the owner had marked as sent when it was killed stays unknown for a minute.
    // Then its bot learns that it was not placed.
    const wanted = (await next.stop()).keys
    expect(next.answered + next.notPlaced).toBe(wanted)
    expect(nodes.paper.orders('mx')).toHaveLength(keys + next.answered)
  },
)

test.skipIf(!HAS.caddy)(
  'GET and POST wait at Caddy while no gateway is ready, and are not sent again once they were sent',
  async () => {
    const upstreams = [await startUpstream(), await startUpstream()]
    // On a busy machine two health checks of each gateway took longer than the 10 s of the file.
    const proxy = await startProxy(
      'caddy',
      upstreams.map(({ port }) => port),
      '60s',
    )
    const askBoth = () => askTwice(proxy)
    const arrived = () => upstreams.flatMap((each) => each.arrived).toSorted()
    for (const each of upstreams) each.isReady = false
    await untilSeen(upstreams)

    const waiting = askBoth()
    await untilSeen(upstreams)
    expect(arrived()).toEqual([])
    for (const each of upstreams) each.isReady = true
    expect(await waiting).toEqual([200, 200])
    expect(arrived()).toEqual(['GET', 'POST'])

    for (const each of upstreams) each.breaks = true
    expect(await askBoth()).toEqual([502, 502])
    expect(arrived()).toEqual(['GET', 'GET', 'POST', 'POST'])
  },
)

test.skipIf(!HAS.haproxy)(
  'HAProxy sends to the node that is ready, with the address of the caller, and repeats nothing that was sent',
  async () => {
    const upstream = await startUpstream()
    const proxy = await startProxy('haproxy', [upstream.port, await freePort()])
    const claimed = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http' }
    expect(await askTwice(proxy, claimed)).toEqual([200, 200])
    expect(upstream.arrived.toSorted()).toEqual(['GET', 'POST'])
    const { 'x-forwarded-for': address, 'x-forwarded-proto': protocol } = upstream.headers
    expect([address, protocol]).toEqual(['127.0.0.1', 'https'])

    upstream.breaks = true
    // On a connection that had a request before, HAProxy closes in place of a 502.
    const broken = await askTwice(proxy)
    expect(broken.filter((status) => status !== 502 && status !== CLOSED)).toEqual([])
    expect(upstream.arrived.toSorted()).toEqual(['GET', 'GET', 'POST', 'POST'])

    upstream.isReady = false
    await untilSeen([upstream])
    await eventually(async () => expect(await askTwice(proxy)).toEqual([503, 503]))
  },
)

test.each((['caddy', 'haproxy', 'caddy-of-one'] as const).filter((name) => HAS[name]))(
  '%s passes events as they come, and WebSockets in both directions',
  async (name) => {
    const upstream = await startUpstream()
    const proxy = await startProxy(name, [upstream.port, await freePort()])
    const events = await fetch(`${proxy}/api/streams/events`)
    const reader = events.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
    upstream.write('data: 2\n\n')
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 2\n\n')
    await reader?.cancel()

    const socket = new WebSocket(`${proxy.replace('http', 'ws')}/api/streams/ws`)
    await once(socket, 'open')
    socket.send('hello')
    const [{ data }] = await once(socket, 'message')
    expect(data).toBe('hello')
    const closed = once(socket, 'close')
    upstream.close(1012)
    expect((await closed)[0]).toMatchObject({ code: 1012 })
  },
)

test('the Caddyfile of a balancer is the one of the compose file, with other names', () => {
  const rulesOf = (file: string) =>
    readFileSync(file, 'utf8')
      .split(/\nconsole\./)[0]
      ?.split('\n')
      .filter((line) => !/^\s*#/.test(line))
      .join('\n')
      .replace('api.{$DOMAIN}', 'api.example.com')
      .replace('gateway-1:8080 gateway-2:8080', '10.0.0.5:8080 10.0.0.6:8080')
      .trim()
  expect(rulesOf('deploy/balancer/Caddyfile')).toEqual(rulesOf('deploy/Caddyfile.ha'))
})

const CLOSED = 0

/** The statuses of a GET and of a POST that are sent at once; `CLOSED` without a response. */
async function askTwice(proxy: string, headers: Record<string, string> = {}) {
  const ask = (method: string) =>
    fetch(`${proxy}/api/x`, { method, headers, signal: AbortSignal.timeout(TRY_MS) })
  const asked = ['GET', 'POST'].map((method) =>
    ask(method).then(
      ({ status }) => status,
      () => CLOSED,
    ),
  )
  return Promise.all(asked)
}

/** The second look of the proxy comes after it has understood the first. */
async function untilSeen(upstreams: readonly { readonly looks: number }[]): Promise<void> {
  for (const each of upstreams) {
    const seen = each.looks
    await eventually(() => expect(each.looks).toBeGreaterThan(seen + 1))
  }
}

/** In the place of a gateway. It is ready at first, and asked every second. */
async function startUpstream() {
  const arrived: (string | undefined)[] = []
  const headers: IncomingHttpHeaders = {}
  const sockets = new WebSocketServer({ noServer: true })
  const streams = new Set<ServerResponse>()
  const upstream = {
    ...{ port: 0, isReady: true, looks: 0, breaks: false, arrived, headers },
    write(text: string) {
      for (const stream of streams) stream.write(text)
    },
    close(code: number) {
      for (const socket of sockets.clients) socket.close(code)
    },
  }
  const respond: RequestListener = (request, response) => {
    if (request.url === '/api/streams/events') {
      streams.add(response.writeHead(200, { 'content-type': 'text/event-stream' }))
      response.write('data: 1\n\n')
      return
    }
    // On a connection that is used again, the HTTP library of Caddy repeats a GET by itself.
    response.setHeader('connection', 'close')
    if (request.url === '/health/ready') {
      upstream.looks += 1
      response.writeHead(upstream.isReady ? 200 : 503).end()
      return
    }
    arrived.push(request.method)
    upstream.headers = request.headers
    if (upstream.breaks) request.socket.destroy()
    else response.end()
  }
  const url = await httpServer(respond, (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (text) => opened.send(`${text}`))
    }),
  )
  upstream.port = Number(new URL(url).port)
  return upstream
}

/** Two gateways as processes, on ports that the proxy knows before they start. */
async function twoProcesses() {
  const group = await processGroup({
    ...{ RATE_LIMIT_PER_SECOND: '10', DRAIN_SECONDS: '3', TRUST_PROXY: 'loopback' },
  })
  const ports = { a: await freePort(), b: await freePort() }
  const start = (name: string) =>
    group.start(name, { env: { PORT: `${name === 'a' ? ports.a : ports.b}` } })
  await start('a')
  await start('b')
  return { ...group, start, ports: Object.values(ports) }
}

/** A proxy with its file in `deploy`, without TLS and in front of these ports. */
async function startProxy(name: Proxy, ports: readonly number[], waits = '10s'): Promise<string> {
  const port = await freePort()
  const folder = tempFolder()
  const file = join(folder, 'balancer')
  const local = textOf(name, port, waits)
    .replace('127.0.0.1:8080', `127.0.0.1:${ports[0]}`)
    .replace('10.0.0.5:8080', `127.0.0.1:${ports[0]}`)
    .replace('10.0.0.6:8080', `127.0.0.1:${ports[1]}`)
  expect(local).not.toContain('10.0.0.')
  writeFileSync(file, local)
  const program = name === 'haproxy' ? 'haproxy' : 'caddy'
  const args =
    program === 'haproxy'
      ? ['-db', '-f', file]
      : ['run', '--config', file, '--adapter', 'caddyfile']
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH ?? '', ...home },
    stdio: 'ignore',
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  await untilReady(port)
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404)
  return `http://127.0.0.1:${port}`
}

function textOf(name: Proxy, port: number, waits: string): string {
  if (name === 'haproxy') return haproxyFile(port)
  if (name === 'caddy') return caddyfile(port, waits)
  const [ofGateway = ''] = readFileSync('deploy/systemd/Caddyfile', 'utf8').split('\nconsole.')
  return ofGateway
    .replace(/admin unix.*/, 'admin off')
    .replace('api.example.com {', `http://127.0.0.1:${port} {`)
}

function caddyfile(port: number, waits: string): string {
  return readFileSync('deploy/balancer/Caddyfile', 'utf8')
    .replace('{\n\tservers', '{\n\tadmin off\n\tservers')
    .replace('lb_try_duration 10s', `lb_try_duration ${waits}`)
    .replace('api.example.com', `http://127.0.0.1:${port}`)
}

function haproxyFile(port: number): string {
  return readFileSync('deploy/balancer/haproxy.cfg', 'utf8').replace(
    /bind :443 .*/,
    `bind 127.0.0.1:${port}`,
  )
}

function untilReady(port: number): Promise<void> {
  return eventually(async () =>
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200),
  )
}

/**
 * Places an order every 700 ms, each with a key of its own, and tries again until it has it, or
 * knows that it was not placed. MEXC takes two per second from one account: what has waited for the
 * next owner is placed meanwhile, and some of it turned away at first.
 */
function startBot(url: string, headers: Record<string, string>) {
  const failed: string[] = []
  const orders: Promise<void>[] = []
  const name = randomUUID()
  let answered = 0
  let notPlaced = 0
  let isStopped = false
  async function place(key: string): Promise<void> {
    for (;;) {
      const why = await tryOnce(key)
      if (why === undefined) break
      failed.push(`${key}: ${why}`)
      if (why.includes('"outcome":"not-done"')) {
        notPlaced += 1
        return
      }
      await sleep(200)
    }
    answered += 1
  }
  async function tryOnce(key: string): Promise<string | undefined> {
    try {
      const response = await fetch(`${url}/api/mx/v1/submitOrder`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(ORDER),
        signal: AbortSignal.timeout(TRY_MS),
      })
      const text = await response.text()
      return response.status === 200 ? undefined : `${response.status} ${text}`
    } catch (error) {
      return String(error)
    }
  }
  const running = (async () => {
    while (!isStopped) {
      orders.push(place(`${name}-${orders.length}`))
      await sleep(700)
    }
  })()
  return {
    failed,
    /** How many orders it has. */
    get answered() {
      return answered
    },
    get notPlaced() {
      return notPlaced
    },
    /** Waits until it knows of each order. @returns how many it wanted */
    async stop() {
      isStopped = true
      await running
      await Promise.all(orders)
      return { keys: orders.length }
    },
  }
}

function report(what: string, value: number): void {
  console.log(`${what}: ${Math.round(value)}`)
}
