import { canPin, processFacts } from './child.ts'
import { type Bar, type Bench, type Figure, plainFigure, Rounds } from './figure.ts'
import { type LoadMaker, startLoadMaker } from './load.ts'
import { DIRECT, HTTP_PROXY, SLUICE, startWorld, type Target } from './proxies.ts'
import { KINDS, type Kind, type OwnResponse, ownResponses } from './requests.ts'

interface Size {
  readonly rounds: number
  readonly warmMs: number
  /** How long a run at a fixed rate takes, one at full speed, and one of Sluice's own responses. */
  readonly rateMs: number
  readonly fullMs: number
  readonly ownMs: number
}
const WHOLE: Size = { rounds: 5, warmMs: 1000, rateMs: 2000, fullMs: 800, ownMs: 500 }
const SHORT: Size = { rounds: 1, warmMs: 100, rateMs: 200, fullMs: 200, ownMs: 100 }

/** Requests per second of the runs at a fixed rate. */
const PER_SECOND = 100
const CONNECTIONS = 64

/** What the gateway adds to a request and how many it carries, beside peers. Three minutes. */
export const gateway: Bench = async ({ print, isShort }) => {
  const size = isShort ? SHORT : WHOLE
  const world = await startWorld()
  const { targets } = world
  const load = startLoadMaker()
  try {
    print(`${targets.map(({ name }) => name).join(', ')}; ${CONNECTIONS} connections to each.`)
    if (!targets.some(({ name }) => name === 'nginx')) print('nginx is not installed.')
    if (!canPin()) print('All processes share all cores: taskset (util-linux) is not there.')
    const own = ownResponses(world)
    const bench = new GatewayBench(load, size)
    await bench.warmUp(targets, own)
    for (let round = 1; round <= size.rounds; round += 1) {
      print(`  round ${round} of ${size.rounds} …`)
      // Nobody is always the first, or always after the same one.
      const turn = round % targets.length
      await bench.round([...targets.slice(turn), ...targets.slice(0, turn)], own)
    }
    return gatewayFigures(
      bench.rounds,
      targets.map(({ name }) => name),
    )
  } finally {
    await load.stop()
    await world.stop()
  }
}

interface FullSpeed {
  readonly perSecond: number
  /** The CPU time of one request; undefined where the system does not tell it. */
  readonly cpuUs: number | undefined
}

class GatewayBench {
  readonly rounds = new Rounds()
  readonly #load: LoadMaker
  readonly #size: Size

  constructor(load: LoadMaker, size: Size) {
    this.#load = load
    this.#size = size
  }

  async warmUp(targets: readonly Target[], own: readonly OwnResponse[]): Promise<void> {
    for (const kind of KINDS)
      for (const target of targets) await this.#fullSpeed(target, kind, this.#size.warmMs)
    for (const one of own) await this.#own(one)
  }

  /** Everything once. */
  async round(targets: readonly Target[], own: readonly OwnResponse[]): Promise<void> {
    for (const kind of KINDS) {
      await this.#fixedRate(targets, kind)
      for (const target of targets) {
        const { perSecond, cpuUs } = await this.#fullSpeed(target, kind, this.#size.fullMs)
        this.rounds.add(`${kind} full ${target.name}`, perSecond)
        if (cpuUs !== undefined) this.rounds.add(`${kind} cpu ${target.name}`, cpuUs)
      }
    }
    for (const one of own) this.rounds.add(one.name, await this.#own(one))
  }

  async #fixedRate(targets: readonly Target[], kind: Kind): Promise<void> {
    const measured = new Map<string, { readonly p50: number; readonly p99: number }>()
    for (const { name, origin, requests } of targets) {
      const load = { origin, requests: requests[kind], connections: CONNECTIONS, status: 200 }
      const ms = this.#size.rateMs
      measured.set(name, await this.#load.run({ ...load, ms, perSecond: PER_SECOND }))
    }
    const direct = measured.get(DIRECT) ?? { p50: Number.NaN, p99: Number.NaN }
    measured.delete(DIRECT)
    for (const [name, { p50, p99 }] of measured) {
      this.rounds.add(`${kind} p50 ${name}`, p50 - direct.p50)
      this.rounds.add(`${kind} p99 ${name}`, p99 - direct.p99)
    }
  }

  async #fullSpeed({ origin, requests, pid }: Target, kind: Kind, ms: number): Promise<FullSpeed> {
    const load = { origin, requests: requests[kind], connections: CONNECTIONS, status: 200, ms }
    const before = processFacts(pid)
    const { perSecond, sent } = await this.#load.run(load)
    const after = processFacts(pid)
    if (before === undefined || after === undefined) return { perSecond, cpuUs: undefined }
    return { perSecond, cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / sent }
  }

  async #own({ origin, request, status, prepare }: OwnResponse): Promise<number> {
    await prepare?.()
    const load = { origin, requests: [request], connections: CONNECTIONS, status }
    return (await this.#load.run({ ...load, ms: this.#size.ownMs })).perSecond
  }
}

/** The bars of each kind: multiples of what http-proxy has, and ms. */
const BARS: Readonly<Record<Kind, { p50: number; p99Ms: number; full: number }>> = {
  read: { p50: 1.2, p99Ms: 2, full: 0.4 },
  order: { p50: 2, p99Ms: 4, full: 0.25 },
}
const TOKENS_PER_SECOND = 3000
const REJECTIONS = 2

/** The figures of everything that was measured, in the order of the page. */
function gatewayFigures(rounds: Rounds, targets: readonly string[]): Figure[] {
  return [
    ...KINDS.flatMap((kind) => kindFigures(rounds, kind, targets)),
    {
      ...perSecond(rounds, 'token', 'Tokens issued'),
      bar: { limit: TOKENS_PER_SECOND, reached: rounds.median('token') },
    },
    perSecond(rounds, '401 forged', '401: a token with a forged signature'),
    rejections(rounds, '401', '401: not a token'),
    rejections(rounds, '429', '429: too many wrong secrets'),
  ]
}

function kindFigures(rounds: Rounds, kind: Kind, targets: readonly string[]): Figure[] {
  const title = kind === 'read' ? 'Read' : 'Order'
  const bars = BARS[kind]
  const figure = (what: string, words: Pick<Figure, 'name' | 'unit' | 'better'>) => ({
    ...plainFigure(rounds, `${kind} ${what} ${SLUICE}`, words),
    peers: Object.fromEntries(
      targets
        .filter((name) => name !== SLUICE && rounds.has(`${kind} ${what} ${name}`))
        .map((name) => [name, rounds.median(`${kind} ${what} ${name}`)]),
    ),
  })
  const times = (what: string, limit: number): Bar => ({
    limit,
    reached: rounds.ratio(`${kind} ${what} ${SLUICE}`, `${kind} ${what} ${HTTP_PROXY}`),
    of: HTTP_PROXY,
  })
  const p99 = { limit: bars.p99Ms, reached: rounds.median(`${kind} p99 ${SLUICE}`) }
  const figures = [
    {
      ...figure('p50', { name: `${title}: added latency, p50`, unit: 'ms', better: 'lower' }),
      bar: times('p50', bars.p50),
    },
    {
      ...figure('p99', { name: `${title}: added latency, p99`, unit: 'ms', better: 'lower' }),
      bar: p99,
    },
    {
      ...figure('full', { name: `${title}s at full speed`, unit: '/s', better: 'higher' }),
      bar: times('full', bars.full),
    },
  ]
  if (!rounds.has(`${kind} cpu ${SLUICE}`)) return figures
  const words = {
    name: `${title}s at full speed: CPU time of one`,
    unit: 'µs',
    better: 'lower',
  } as const
  // A core carries as many as its time allows: the bar of full speed, turned over.
  return [...figures, { ...figure('cpu', words), bar: times('cpu', 1 / bars.full) }]
}

function perSecond(rounds: Rounds, series: string, name: string): Figure {
  return plainFigure(rounds, series, { name, unit: '/s', better: 'higher' })
}

/** Responses that cost the exchange nothing, beside reads that http-proxy passes on. */
function rejections(rounds: Rounds, status: string, name: string): Figure {
  const successes = `read full ${HTTP_PROXY}`
  return {
    ...perSecond(rounds, status, name),
    peers: { [HTTP_PROXY]: rounds.median(successes) },
    bar: { limit: REJECTIONS, reached: rounds.ratio(status, successes), of: HTTP_PROXY },
  }
}
