import type { NetworkName } from '../../../gateway/test/lane-simulation/networks.ts'
import { endChild, forkOn, messageOf, startServer } from './child.ts'
import { type Bench, type BenchRun, type Figure, toTable } from './figure.ts'

const RATE = 2
const WINDOW_MS = 1000
const BARS = { violations: 0.1, slots: 98 }
const BAR_NETWORK: NetworkName = '1–25 ms'

/** So many lanes send at the same time: at 2 per second, one alone would take 83 minutes. */
const LANES: Readonly<Partial<Record<NetworkName, number>>> = {
  'one machine': 4,
  '1–5 ms': 10,
  [BAR_NETWORK]: 40,
  '5–120 ms': 10,
}
const NETWORKS = Object.keys(LANES) as NetworkName[]
const REQUESTS_PER_LANE = 250

/** What the lanes learn of the network. */
const KNOWLEDGE = ['nothing', 'round trip', 'exchange time'] as const
type Knowledge = (typeof KNOWLEDGE)[number]

interface Result {
  readonly network: NetworkName
  readonly knows: Knowledge
  readonly requests: number
  /** Per 1,000 requests. */
  readonly violations: number
  /** In percent. */
  readonly slots: number
}

/** How the pace arrives at an exchange behind a network with jitter. Over two minutes. */
export const network: Bench = async (run) => {
  const upstream = await startServer('around', 'lane-arrivals.ts')
  const target = `--target=${upstream.url}`
  const names = NETWORKS.map((name) => `--network=${name}`)
  const proxy = forkOn('around', 'network-proxy.ts', [target, ...names])
  try {
    const { urls } = await messageOf<{ urls: string[] }>(proxy)
    run.print(
      'Pace over networks: requests at 2/s through a TCP proxy that delays each direction. 130 s …',
    )
    await Promise.all(KNOWLEDGE.map((knows) => sendAll(run, knows, urls)))
    const report = messageOf<{ arrivalsMs: [string, number[]][] }>(upstream.child)
    upstream.child.send('report')
    const results = resultsOf((await report).arrivalsMs)
    printResults(run, results)
    return figuresOf(results)
  } finally {
    await endChild(proxy)
    await upstream.stop()
  }
}

async function sendAll({ isShort }: BenchRun, knows: Knowledge, urls: string[]): Promise<void> {
  const count = isShort ? 4 : REQUESTS_PER_LANE
  const networks = NETWORKS.flatMap((name, place) => [
    `--url=${urls[place]}/${place}/${KNOWLEDGE.indexOf(knows)}`,
    `--lanes=${isShort ? 1 : LANES[name]}`,
  ])
  const args = [`--knows=${knows}`, `--count=${count}`, ...networks]
  const sender = forkOn('measured', 'network-sender.ts', args)
  await messageOf(sender)
  await endChild(sender)
}

function resultsOf(arrivalsMs: readonly [string, number[]][]): Result[] {
  return NETWORKS.flatMap((name, place) =>
    KNOWLEDGE.map((knows, index) => {
      const isOwn = (path: string) => path.startsWith(`/${place}/${index}/`)
      const lanes = arrivalsMs.filter(([path]) => isOwn(path)).map(([, times]) => times)
      const requests = lanes.reduce((sum, times) => sum + times.length, 0)
      const violations = lanes.reduce((sum, times) => sum + violationsOf(times), 0)
      const slots = lanes.reduce((sum, times) => sum + slotsUsed(times), 0) / lanes.length
      return {
        ...{ network: name, knows, requests },
        violations: (1000 * violations) / requests,
        slots: 100 * slots,
      }
    }),
  )
}

function violationsOf(timesMs: readonly number[]): number {
  const spansMs = timesMs.slice(RATE).map((ms, i) => ms - (timesMs[i] ?? 0))
  return spansMs.filter((ms) => ms < WINDOW_MS).length
}

function slotsUsed(timesMs: readonly number[]): number {
  const tookMs = (timesMs.at(-1) ?? 0) - (timesMs[0] ?? 0)
  return ((timesMs.length - 1) * WINDOW_MS) / RATE / tookMs
}

function printResults({ print }: BenchRun, results: readonly Result[]): void {
  print(
    toTable([
      ['network, each way', 'the lanes know', 'requests', 'violations', 'slots used'],
      ...results.map(({ network: name, knows, requests, violations, slots }) => [
        name,
        knows,
        String(requests),
        violations.toFixed(2),
        `${slots.toFixed(2)} %`,
      ]),
    ]),
  )
  print('  Violations are per 1,000 requests: those that arrive as the third within 1,000 ms.')
  print(`  Each lane sends ${REQUESTS_PER_LANE} requests, the first when its network is unknown.`)
}

function figuresOf(results: readonly Result[]): Figure[] {
  const figures = results.flatMap(({ network: name, knows, violations, slots }): Figure[] => {
    if (name !== BAR_NETWORK || knows === 'nothing') return []
    const nothing = results.find((other) => other.network === name && other.knows === 'nothing')
    const where = `${name}: by the ${knows}`
    return [
      {
        ...{ name: `Too early, ${where}`, unit: 'per 1,000', better: 'lower' },
        value: violations,
        peers: { unaware: nothing?.violations ?? Number.NaN },
        bar: { limit: BARS.violations, reached: violations },
      },
      {
        ...{ name: `Slots used, ${where}`, unit: '%', better: 'higher' },
        value: slots,
        peers: { unaware: nothing?.slots ?? Number.NaN },
        bar: { limit: BARS.slots, reached: slots },
      },
    ]
  })
  return figures
}
