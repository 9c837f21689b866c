import { Agent, request } from 'node:http'
import { forkOn, messageOf } from './child.ts'
import { toTable } from './figure.ts'
import { startArrivals } from './lane-jobs.ts'
import { findNginx, startNginx } from './proxies.ts'

type Upstream = Awaited<ReturnType<typeof startArrivals>>

interface Round {
  readonly name: string
  readonly rate: number
  readonly count: number
  readonly concurrency: number
  /** How long the upstream takes to respond. */
  readonly responseMs: number
  readonly stallMs: number
  readonly stallEveryMs: number
  /** Whether the limiters run one after another: at high rates they need the cores. */
  readonly isInTurn: boolean
}

const slow = { concurrency: 1, responseMs: 0, isInTurn: false }
const fast = { concurrency: 100, responseMs: 20, isInTurn: true, stallMs: 0, stallEveryMs: 0 }
const rounds: readonly Round[] = [
  { name: '2/s, quiet', rate: 2, count: 50, ...slow, stallMs: 0, stallEveryMs: 0 },
  { name: '2/s, stalls of 150 ms', rate: 2, count: 50, ...slow, stallMs: 150, stallEveryMs: 700 },
  { name: '20/s, stalls of 30 ms', rate: 20, count: 500, ...slow, stallMs: 30, stallEveryMs: 210 },
  { name: '200/s', rate: 200, count: 1000, ...fast },
  { name: '1,000/s', rate: 1000, count: 5000, ...fast },
]

/**
 * The share of slots is counted after these: until the lane knows how quick the network is, it
 * keeps a reserve of 50 ms.
 */
const FIRST_CALLS = 16

/** How exactly the lane, bare Bottleneck and nginx keep a rate, as the upstream sees it. */
export async function paceBench(print: (text: string) => void): Promise<void> {
  const nginx = findNginx()
  print('Pace: what arrives at the upstream when everything is requested at once.')
  if (nginx === undefined) print('  nginx is not installed; its rows are left out')
  const upstream = await startArrivals()
  const rows: Row[] = []
  for (const round of rounds) {
    print(`  ${round.name}: ${round.count} requests, ${Math.ceil(round.count / round.rate)} s …`)
    rows.push(...(await contend(round, upstream, nginx)))
  }
  const arrivalsMs = await upstream.arrivalsMs()
  await upstream.stop()
  print(
    toTable([
      ['round', 'limiter', 'violations: as sent', 'as arrived', 'slots used', 'tightest (ms)'],
      ...rows.map((row) => toCells(row, arrivalsMs.get(row.path) ?? [])),
    ]),
  )
  print(
    '  Violations are per 1,000 requests: those that make one more than the rate within 1,000 ms.',
  )
  print(`  Slots used: without the first ${FIRST_CALLS} requests, when the network is not known.`)
  print('  Tightest: the shortest time in which one more than the rate arrived.')
  print(
    '  "As arrived" is noted by a process that shares the cores; quiet machines give truer numbers.',
  )
  if (nginx !== undefined) print('  nginx is a process of its own: nothing stalls it.')
}

interface Row {
  readonly limiter: string
  readonly round: Round
  readonly path: string
  /**
   * When each request was on the socket, in ms of the sender's clock; undefined when it does not
   * report it.
   */
  readonly sentMs?: readonly number[]
}

async function contend(
  round: Round,
  upstream: Upstream,
  nginx: string | undefined,
): Promise<Row[]> {
  const rowOf = (limiter: string): Row => ({
    limiter,
    round,
    path: `/${limiter}-${rounds.indexOf(round)}?ms=${round.responseMs}`,
  })
  const runs = ['sluice', 'bottleneck'].map(
    (limiter) => () => runContender(rowOf(limiter), upstream),
  )
  if (nginx !== undefined) runs.push(() => runNginx(rowOf('nginx'), upstream, nginx))
  if (!round.isInTurn) return Promise.all(runs.map((run) => run()))
  const rows: Row[] = []
  for (const run of runs) rows.push(await run())
  return rows
}

async function runNginx(row: Row, upstream: Upstream, nginx: string): Promise<Row> {
  await throughNginx(nginx, { ...row.round, url: new URL(row.path, upstream.url) })
  return row
}

async function runContender(row: Row, upstream: Upstream): Promise<Row> {
  const { limiter, round, path } = row
  const { rate, count, concurrency, stallMs, stallEveryMs } = round
  const load = { rate, count, concurrency, stallMs, stallEveryMs }
  const options = { limiter, url: `${upstream.url}${path}`, ...load }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const child = forkOn(undefined, 'lane-contender.ts', args)
  const { sentMs } = await messageOf<{ sentMs: number[] }>(child)
  return { ...row, sentMs }
}

function toCells({ limiter, round, sentMs }: Row, arrivalsMs: readonly number[]): string[] {
  const { name, rate } = round
  const counted = arrivalsMs.slice(FIRST_CALLS)
  const spentMs = (counted.at(-1) ?? 0) - (counted[0] ?? 0)
  const used = ((counted.length - 1) * 1000) / rate / spentMs
  return [
    name,
    limiter,
    sentMs === undefined ? 'unknown' : violations(sentMs, rate),
    violations(arrivalsMs, rate),
    `${(used * 100).toFixed(2)} %`,
    Math.min(...windowsMs(arrivalsMs, rate)).toFixed(1),
  ]
}

function violations(timesMs: readonly number[], rate: number): string {
  const count = windowsMs(timesMs, rate).filter((ms) => ms < 1000).length
  return ((count * 1000) / timesMs.length).toFixed(0)
}

/** How long each run of one more than the rate took. */
function windowsMs(timesMs: readonly number[], rate: number): number[] {
  return timesMs.slice(rate).map((ms, i) => ms - (timesMs[i] ?? 0))
}

/** Sends `count` requests at once through an nginx that paces them by limit_req, and stops it. */
async function throughNginx(
  nginx: string,
  { url, rate, count }: { url: URL; rate: number; count: number },
): Promise<void> {
  const { url: origin, stop } = await startNginx(nginx, {
    upstream: url.host,
    keepAlive: 8,
    limit: {
      zone: `limit_req_zone $server_port zone=bench:1m rate=${rate}r/s;`,
      use: `limit_req zone=bench burst=${count};`,
    },
  })
  try {
    // What nginx can hold; it always has some that wait.
    const agent = new Agent({ keepAlive: false, maxSockets: 500 })
    const through = new URL(`${url.pathname}${url.search}`, origin)
    await Promise.all(Array.from({ length: count }, () => get(through, agent)))
  } finally {
    await stop()
  }
}

function get(url: URL, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end()
  })
}
