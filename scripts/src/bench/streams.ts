import { randomBytes } from 'node:crypto'
import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as passing } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPostgres } from '../../../gateway/test/support/find-postgres.ts'
import { startCluster, stopCluster } from '../../../gateway/test/support/postgres-cluster.ts'
import { processFacts } from './child.ts'
import { type Bench, type BenchRun, type Figure, plainFigure, quantile, Rounds } from './figure.ts'
import { type LoadMaker, startLoadMaker } from './load.ts'
import { type BenchClient, dataFolder, type Sluice } from './sluice.ts'
import type { StreamKind } from './streams-bots.ts'
import { BOTS, RESTING, type Resting, STREAMS_PER_CLIENT, StreamsWorld } from './streams-world.ts'

interface Size {
  readonly lagMs: number
  /** Streams on which nothing happens. */
  readonly idle: number
  readonly rounds: number
  readonly ordersMs: number
  /** Events a second of one account. */
  readonly rates: readonly number[]
  readonly rateMs: number
}
const WHOLE: Size = {
  ...{ lagMs: 6_000, idle: 1_000, rounds: 4, ordersMs: 1_200 },
  ...{ rates: [400, 800, 1_600], rateMs: 1_200 },
}
const SHORT: Size = {
  ...{ lagMs: 400, idle: BOTS, rounds: 1, ordersMs: 200, rates: [200], rateMs: 200 },
}

const BARS = { lagP99Ms: 5, idleMb: 100, orderTimes: 1.2 }

const EVENTS_PER_SECOND = 100
/** Half of what the accounts may send that place orders, so that a stall brings no refusal. */
const ORDERS_PER_SECOND = 40
/** What is behind by more does not keep up. */
const BEHIND_MS = 50

/** What the streams of bots cost, over the paper exchange. A minute. */
export const streams: Bench = async (run) => {
  const size = run.isShort ? SHORT : WHOLE
  await using closing = new AsyncDisposableStack()
  const load = startLoadMaker()
  closing.defer(() => load.stop())
  const world = await StreamsWorld.start(Math.ceil(size.idle / BOTS))
  closing.defer(() => world.stop())
  const bench = new StreamsBench(run.print, size, world, load)
  await bench.measureSqlite()
  await bench.measurePostgres()
  for (const kind of ['sse', 'ws'] as const) await bench.measureIdle(kind)
  return streamFigures(bench.rounds)
}

type Gateways = Readonly<Record<'on' | 'off', Sluice>>

class StreamsBench {
  readonly rounds = new Rounds()
  readonly #print: BenchRun['print']
  readonly #size: Size
  readonly #world: StreamsWorld
  readonly #load: LoadMaker

  constructor(print: BenchRun['print'], size: Size, world: StreamsWorld, load: LoadMaker) {
    this.#print = print
    this.#size = size
    this.#world = world
    this.#load = load
  }

  /** Lag, orders beside events for many bots, and the highest rate of one account. */
  async measureSqlite(): Promise<void> {
    await using closing = new AsyncDisposableStack()
    const on = await this.#world.gateway()
    closing.defer(() => on.stop())
    const off = await this.#world.gateway({ ACCOUNT_STREAMS: 'off' })
    closing.defer(() => off.stop())
    const clients = await this.#world.clientsOf(on, ['sqlite'])
    const { own, byHand } = await this.#world.rest(on, clients, 'sqlite')
    await this.#lag(on, clients, own, '')
    this.#quantiles('sync', await measureSyncs(1_000))
    await this.#lag(on, clients, byHand, ' by hand')
    await this.#besideOrders({ on, off }, clients)
    await this.#highestRate(on, clients)
  }

  async measurePostgres(): Promise<void> {
    const binaries = findPostgres()
    if (binaries === undefined) return this.#print('PostgreSQL is not installed.')
    await using closing = new AsyncDisposableStack()
    const folder = mkdtempSync('/var/tmp/sluice-bench-')
    closing.defer(() => rmSync(folder, { recursive: true, force: true }))
    closing.defer(() => stopCluster(folder))
    const cluster = await startCluster({ binaries, folder, isDurable: true })
    const on = await this.#world.gateway({
      DATABASE_URL: cluster.url('postgres'),
      MASTER_KEY: randomBytes(32).toString('base64'),
    })
    closing.defer(() => on.stop())
    const clients = await this.#world.clientsOf(on, ['postgres'])
    const { own } = await this.#world.rest(on, clients, 'postgres')
    await this.#lag(on, clients, own, ' postgres')
  }

  /** What streams add to the memory of a gateway that has one. */
  async measureIdle(kind: StreamKind): Promise<void> {
    const { idle } = this.#size
    await using closing = new AsyncDisposableStack()
    const sluice = await this.#world.gateway()
    closing.defer(() => sluice.stop())
    const clients = await this.#world.clientsOf(sluice, this.#world.idle)
    const all = clients.flatMap((client) => Array(STREAMS_PER_CLIENT).fill(client))
    // One of each account: the feed of the account is not a stream's.
    const [few, most] = [all.filter((_, at) => at % BOTS === 0), all.filter((_, at) => at % BOTS)]
    await this.#world.open(sluice, kind, few)
    await passing(500)
    const beforeMb = processFacts(sluice.pid)?.memoryMb ?? Number.NaN
    const startedMs = performance.now()
    await this.#world.open(sluice, kind, most)
    const spentMs = performance.now() - startedMs
    await passing(500)
    const addedMb = (processFacts(sluice.pid)?.memoryMb ?? Number.NaN) - beforeMb
    await this.#world.closeStreams()
    this.rounds.add(`idle ${kind}`, Math.max(0, (addedMb * idle) / most.length))
    this.#print(
      `  ${most.length} ${kind} streams opened in ${Math.round(spentMs)} ms: ${Math.round(addedMb)} MB`,
    )
  }

  /** What a bot on a WebSocket and one with Server-Sent Events wait for the same fills. */
  async #lag(
    sluice: Sluice,
    clients: readonly BenchClient[],
    order: Resting,
    series: string,
  ): Promise<void> {
    for (const kind of ['ws', 'sse'] as const)
      await this.#world.open(sluice, kind, clients.slice(0, 1))
    // The code is compiled as it runs.
    await this.#world.fill(order, 4 * EVENTS_PER_SECOND, this.#size.rateMs)
    const { lags } = await this.#world.fill(order, EVENTS_PER_SECOND, this.#size.lagMs)
    await this.#world.closeStreams()
    for (const kind of ['ws', 'sse'] as const) this.#quantiles(`lag${series} ${kind}`, lags[kind])
  }

  #quantiles(series: string, values: readonly number[]): void {
    const [p50, p99] = [quantile(values, 0.5), quantile(values, 0.99)]
    this.rounds.add(`${series} p50`, p50)
    this.rounds.add(`${series} p99`, p99)
    this.#print(`  ${series}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`)
  }

  /** Orders without streams, with them, and while many bots hear of events. */
  async #besideOrders(gateways: Gateways, clients: readonly BenchClient[]): Promise<void> {
    const { rounds, ordersMs } = this.#size
    const requests = {
      on: await this.#world.orders(gateways.on),
      off: await this.#world.orders(gateways.off),
    }
    const run = (name: keyof Gateways) =>
      this.#load.run({
        ...{ origin: gateways[name].origin, requests: requests[name], connections: 8 },
        ...{ ms: ordersMs, perSecond: ORDERS_PER_SECOND, status: 200 },
      })
    for (const name of ['on', 'off'] as const) await run(name)
    const bots = clients.flatMap((client) => Array(STREAMS_PER_CLIENT).fill(client))
    for (let round = 1; round <= rounds; round += 1) {
      // Each goes first in some rounds.
      const first = round % 2 === 0 ? await run('on') : undefined
      const off = await run('off')
      const on = first ?? (await run('on'))
      await this.#world.open(gateways.on, 'ws', bots.slice(0, BOTS / 2))
      await this.#world.open(gateways.on, 'sse', bots.slice(BOTS / 2))
      const cpuMs = () => processFacts(gateways.on.pid)?.cpuMs ?? Number.NaN
      const beforeMs = cpuMs()
      const filling = this.#world.fill(RESTING.sqlite.byHand, EVENTS_PER_SECOND, ordersMs)
      const beside = await run('on')
      const { events, spentS } = await filling
      const usedMs = cpuMs() - beforeMs
      await this.#world.closeStreams()
      for (const [name, { p50, p99 }] of Object.entries({ off, on, beside })) {
        this.rounds.add(`order ${name} p50`, p50)
        this.rounds.add(`order ${name} p99`, p99)
      }
      this.rounds.add('delivered', events / spentS)
      this.rounds.add('cpu', usedMs / spentS / 1_000)
      this.#print(
        `  orders, round ${round} of ${rounds}: p50 ${off.p50.toFixed(2)} ms without streams, ${on.p50.toFixed(2)} with them, ${beside.p50.toFixed(2)} beside ${Math.round(events / spentS)} events/s`,
      )
    }
  }

  /** The most events of one account that reach a bot without delay. */
  async #highestRate(sluice: Sluice, clients: readonly BenchClient[]): Promise<void> {
    await this.#world.open(sluice, 'ws', clients.slice(0, 1))
    let highest = 0
    for (const rate of this.#size.rates) {
      const filled = await this.#world.fill(RESTING.sqlite.own, rate, this.#size.rateMs)
      const { pushedPerSecond } = filled
      const lags = filled.lags.ws
      const atEnd = quantile(lags.slice(-Math.ceil(lags.length / 4)), 0.5)
      this.#print(
        `  ${Math.round(pushedPerSecond)} events/s of one account: lag p50 ${quantile(lags, 0.5).toFixed(2)} ms, p99 ${quantile(lags, 0.99).toFixed(2)} ms, at the end p50 ${atEnd.toFixed(2)} ms`,
      )
      if (atEnd > BEHIND_MS) break
      highest = Math.max(highest, pushedPerSecond)
      // The paper exchange gives no more.
      if (pushedPerSecond < rate * 0.9) break
    }
    await this.#world.closeStreams()
    this.rounds.add('highest', highest)
  }
}

/** How long this disk takes at this moment for what each event waits for: a page and its sync. */
async function measureSyncs(ms: number): Promise<number[]> {
  const folder = dataFolder()
  const file = openSync(join(folder, 'pages'), 'w')
  const found: number[] = []
  try {
    for (const endMs = performance.now() + ms; performance.now() < endMs; ) {
      writeSync(file, Buffer.alloc(4096, 1))
      const startedMs = performance.now()
      await promisify(fdatasync)(file)
      found.push(performance.now() - startedMs)
      await passing(25)
    }
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true, force: true })
  }
  return found
}

function streamFigures(rounds: Rounds): Figure[] {
  const figure = (series: string, name: string, unit: string, bar?: number): Figure[] => {
    if (!rounds.has(series)) return []
    const plain = plainFigure(rounds, series, { name, unit, better: 'lower' })
    if (bar === undefined) return [plain]
    return [{ ...plain, bar: { limit: bar, reached: rounds.median(series) } }]
  }
  const beside = (part: 'p50' | 'p99'): Figure => ({
    ...plainFigure(rounds, `order beside ${part}`, {
      ...{ name: `Order beside 5,000 events/s for ${BOTS} bots: ${part}`, unit: 'ms' },
      better: 'lower',
    }),
    peers: { 'with streams': rounds.median(`order on ${part}`) },
    bar: {
      ...{ limit: BARS.orderTimes, of: 'with streams' },
      reached: rounds.ratio(`order beside ${part}`, `order on ${part}`),
    },
  })
  const idleOn = (part: 'p50' | 'p99'): Figure => ({
    ...plainFigure(rounds, `order on ${part}`, {
      ...{ name: `Order with streams: ${part}`, unit: 'ms', better: 'lower' },
    }),
    peers: { 'without streams': rounds.median(`order off ${part}`) },
  })
  const lag = (series: string, name: string, bar?: number) => [
    ...figure(`${series} p50`, `${name}: p50`, 'ms'),
    ...figure(`${series} p99`, `${name}: p99`, 'ms', bar),
  ]
  return [
    ...lag('lag ws', 'Lag of a fill, WebSocket', BARS.lagP99Ms),
    ...lag('lag sse', 'Lag of a fill, Server-Sent Events', BARS.lagP99Ms),
    ...lag('lag by hand ws', 'Lag of a fill of an order placed by hand', BARS.lagP99Ms),
    ...lag('sync', 'A page and its sync, on the same disk'),
    ...lag('lag postgres ws', 'PostgreSQL: lag of a fill', BARS.lagP99Ms),
    ...(['p50', 'p99'] as const).map(idleOn),
    ...(['p50', 'p99'] as const).map(beside),
    plainFigure(rounds, 'delivered', { name: 'Delivered then', unit: '/s', better: 'higher' }),
    ...figure('cpu', 'Cores used then, with 40 orders/s', ''),
    plainFigure(rounds, 'highest', {
      ...{ name: 'Events of one account without delay', unit: '/s', better: 'higher' },
    }),
    ...figure('idle sse', '1,000 idle streams, Server-Sent Events', 'MB', BARS.idleMb),
    ...figure('idle ws', '1,000 idle streams, WebSocket', 'MB', BARS.idleMb),
  ]
}
