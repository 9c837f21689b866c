import { spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testApp } from '../../gateway/test/app.ts'
import { type Gateway, MAIN, spawnGateway } from '../../gateway/test/campaign/gateway.ts'
import { eventually } from '../../gateway/test/support/eventually.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { createDatabase, hasPostgres } from '../../gateway/test/support/postgres.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'

// Gateways start several times, on machines that do other things as well.
vi.setConfig({ testTimeout: 180_000 })

const hasCaddy = spawnSync('caddy', ['version']).error === undefined
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
/** A bot gives up a try after this long, and tries again. */
const TRY_MS = 15_000

test.skipIf(!hasPostgres || !hasCaddy)(
  'behind the proxy of compose.ha.yaml, bots trade while the owner leaves and while it is killed; each order is placed once',
  async () => {
    const nodes = await twoProcesses()
    const proxy = await startProxy(nodes.ports)
    const bot = startBot(proxy, nodes.headers)
    await eventually(() => expect(bot.answered).toBeGreaterThan(2))

    // A rolling restart. The next owner gets what waits.
    const leaving = nodes.owner()
    await nodes.stop(leaving, 'SIGTERM')
    await eventually(() => expect(nodes.owner()).not.toBe(leaving))
    const afterLeaving = bot.answered
    await eventually(() => expect(bot.answered).toBeGreaterThan(afterLeaving + 2))
    await nodes.start(leaving)
    await untilReady(nodes.ports[leaving] ?? 0)
    const { keys } = await bot.stop()
    expect(bot.failed).toEqual([])
    expect([bot.answered, nodes.paper.orders('mx').length]).toEqual([keys, keys])

    const next = startBot(proxy, nodes.headers)
    await eventually(() => expect(next.answered).toBeGreaterThan(2))
    const killed = nodes.owner()
    const killedAtMs = performance.now()
    await nodes.stop(killed, 'SIGKILL')
    await eventually(() => expect(nodes.owner()).not.toBe(killed))
    const afterKill = next.answered
    await eventually(() => expect(next.answered).toBeGreaterThan(afterKill + 2))
    report('kill -9 until bots had orders again', performance.now() - killedAtMs)
    // An order that the owner had marked as sent when it was killed stays unknown for a minute.
    // Then
    // its bot learns that it was not placed.
    const wanted = (await next.stop()).keys
    expect(next.answered + next.notPlaced).toBe(wanted)
    expect(nodes.paper.orders('mx')).toHaveLength(keys + next.answered)
  },
)

test.skipIf(!hasCaddy).each(['GET', 'POST'])(
  'a %s waits at the proxy while no gateway is ready, and is not sent again once it was sent',
  async (method) => {
    const upstreams = [await startUpstream(), await startUpstream()]
    const proxy = await startProxy(upstreams.map(({ port }) => port))
    const ask = () => fetch(`${proxy}/api/x`, { method, signal: AbortSignal.timeout(TRY_MS) })
    for (const each of upstreams) each.isReady = false
    // The second look of the proxy comes after it has understood the first.
    for (const each of upstreams) await eventually(() => expect(each.looks).toBeGreaterThan(1))

    const waiting = ask()
    await sleep(1_000)
    expect(upstreams.map(({ arrived }) => arrived)).toEqual([0, 0])
    for (const each of upstreams) each.isReady = true
    expect((await waiting).status).toBe(200)
    expect(upstreams.reduce((sum, { arrived }) => sum + arrived, 0)).toBe(1)

    for (const each of upstreams) each.breaks = true
    expect((await ask()).status).toBe(502)
    expect(upstreams.reduce((sum, { arrived }) => sum + arrived, 0)).toBe(2)
  },
)

/** In the place of a gateway. It is ready at first, and asked every second. */
async function startUpstream() {
  const upstream = { port: 0, isReady: true, looks: 0, breaks: false, arrived: 0 }
  const server = createServer((request, response) => {
    // On a connection that is used again, the HTTP library of Caddy repeats a GET by itself.
    response.setHeader('connection', 'close')
    if (request.url === '/health/ready') {
      if (!upstream.isReady) upstream.looks += 1
      response.writeHead(upstream.isReady ? 200 : 503).end()
      return
    }
    upstream.arrived += 1
    if (upstream.breaks) request.socket.destroy()
    else response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  upstream.port = (server.address() as AddressInfo).port
  return upstream
}

/** Two gateways as processes, on one database. */
async function twoProcesses() {
  const env = {
    DATABASE_URL: await createDatabase(),
    MASTER_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '10',
  }
  const ends: (() => Promise<unknown>)[] = []
  const { paper, client } = await testApp({ env, onEnd: (end) => ends.push(end) })
  const { headers } = await client()
  const [closePaper, closeApp] = ends
  onTestFinished(async () => void (await closePaper?.()))
  await closeApp?.()

  const ports = [await freePort(), await freePort()]
  const nodePorts = [await freePort(), await freePort()]
  const running: (Gateway | undefined)[] = []
  let owner = -1
  async function start(at: number): Promise<void> {
    const gateway = spawnGateway({
      entry: MAIN,
      env: {
        ...{ PATH: process.env.PATH ?? '', ...env, PORT: `${ports[at]}`, DRAIN_SECONDS: '3' },
        ...{ MEXC_SPOT_URL: paper.url, MEXC_FUTURES_URL: paper.url, BITGET_URL: paper.url },
        ...{ TRUST_PROXY: 'loopback', NODE_URL: `https://127.0.0.1:${nodePorts[at]}` },
      },
      onLine(line) {
        if (line.includes('is the owner of the exchanges now')) owner = at
      },
    })
    running[at] = gateway
    await gateway.url
  }
  onTestFinished(async () => {
    for (const gateway of running) gateway?.signal('SIGKILL')
    await Promise.all(running.map((gateway) => gateway?.ended))
  })
  await start(0)
  await eventually(() => expect(owner).toBe(0))
  await start(1)
  await untilReady(ports[1] ?? 0)
  return {
    ...{ ports, headers, paper, start },
    /** Which of the two became the owner last. */
    owner: () => owner,
    async stop(at: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      running[at]?.signal(signal)
      const exit = await running[at]?.ended
      if (signal === 'SIGTERM') expect(exit?.code).toBe(0)
    },
  }
}

/** Caddy with the file that compose.ha.yaml mounts, without TLS and in front of these ports. */
async function startProxy(ports: readonly number[]): Promise<string> {
  const port = await freePort()
  const [gateways = ''] = readFileSync('deploy/Caddyfile.ha', 'utf8').split('\nconsole.{')
  const local = gateways
    .replace('{\n\tservers', '{\n\tadmin off\n\tservers')
    .replace('api.{$DOMAIN}', `http://127.0.0.1:${port}`)
    .replace('gateway-1:8080', `127.0.0.1:${ports[0]}`)
    .replace('gateway-2:8080', `127.0.0.1:${ports[1]}`)
  expect(local).not.toContain('gateway-')
  const folder = tempFolder()
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, local)
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
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
