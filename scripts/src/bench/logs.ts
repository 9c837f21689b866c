import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as passing } from 'node:timers/promises'
import { createRequestId } from 'gateway/http/request-origin.ts'
import { type Endpoint, getLogHistogram, healthLive, listLogs, urlOf } from 'schema'
import { type Bench, type Figure, plainFigure, quantile, Rounds, toTable } from './figure.ts'
import { copySeededLog, RARE_ENDPOINT, seedClientId } from './seed-log.ts'
import { dataFolder, type Sluice, startSluice } from './sluice.ts'

interface Size {
  readonly rows: number
  readonly rounds: number
  /** How often each filter is asked for in a round. */
  readonly times: number
}
const WHOLE: Size = { rows: 10_000_000, rounds: 5, times: 10 }
const SHORT: Size = { rows: 20_000, rounds: 1, times: 2 }

const CONSOLES = 5
/** Between two requests of somebody else, whose latency shows how busy the event loop is. */
const OTHERS_EVERY_MS = 10
const BARS = { one: 100, five: 300 }

const client = seedClientId(7)
/** What the console can ask for: common and rare, alone and together. */
const FILTERS: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  'no filter': {},
  success: { status: 'success' },
  error: { status: 'error' },
  'one code': { code: 502 },
  'a method': { method: 'POST' },
  'a method without rows': { method: 'DELETE' },
  'a client': { clientId: client },
  'a common search': { search: 'SUBMITORDER' },
  'a search of one letter': { search: '1' },
  'a search that finds one row': { search: RARE_ENDPOINT.slice(-12) },
  'a search that finds none': { search: 'no such thing' },
  'a code of an error': { search: 'RATE_LIMITED' },
  'a note': { search: 'would have refused' },
  'a note that finds none': { search: 'would not have' },
  'a request id': { search: createRequestId(Date.now() - 6 * 3_600_000) },
  'the beginning of a request id': {
    search: createRequestId(Date.now() - 6 * 3_600_000).slice(0, 8),
  },
  'all at once': { clientId: client, status: 'error', method: 'GET', search: 'get/' },
}

/**
 * How long a filtered page of the log takes, for one console and for five, and what others notice.
 */
export const logs: Bench = async ({ print, isShort }) => {
  const size = isShort ? SHORT : WHOLE
  const folder = dataFolder()
  const path = join(folder, 'sluice.db')
  try {
    await copySeededLog(size.rows, path)
    print(`${size.rows.toLocaleString('en')} rows; those of the last day are indexed.`)
    // Nothing is sent to an exchange.
    const sluice = await startSluice({ upstream: 'http://127.0.0.1:9', folder, isFree: true })
    try {
      return await measure(sluice, size, print)
    } finally {
      await sluice.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(sluice: Sluice, size: Size, print: (text: string) => void) {
  const token = await sluice.signIn()
  const read = async (filter: string, endpoint: Endpoint = listLogs) => {
    const startedMs = performance.now()
    const url = `${sluice.origin}${urlOf(endpoint, { query: FILTERS[filter] ?? {} })}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${filter}: ${response.status}`)
    return performance.now() - startedMs
  }
  const rounds = new Rounds()
  const ofFilter = new Rounds()
  // The worker starts, and the file comes into memory.
  for (const filter of Object.keys(FILTERS)) await read(filter)
  for (let round = 0; round < size.rounds; round += 1) {
    await asking(rounds, 'nothing', sluice, () => passing(200 * size.times))
    for (const [phase, consoles] of [
      ['one', 1],
      ['five', CONSOLES],
    ] as const) {
      const all: number[] = []
      const histograms: number[] = []
      const console = async () => {
        for (let time = 0; time < size.times; time += 1)
          for (const filter of Object.keys(FILTERS)) {
            const ms = await read(filter)
            all.push(ms)
            ofFilter.add(`${phase} ${filter}`, ms)
            histograms.push(await read(filter, getLogHistogram))
          }
      }
      await asking(rounds, phase, sluice, async () => {
        await Promise.all(Array.from({ length: consoles }, console))
      })
      rounds.add(`${phase} p50`, quantile(all, 0.5))
      rounds.add(`${phase} p99`, quantile(all, 0.99))
      rounds.add(`${phase} histogram`, quantile(histograms, 0.99))
    }
  }
  print(`\n${filterTable(ofFilter)}`)
  return toFigures(rounds)
}

/** Runs a task and measures the requests of somebody else beside it. */
async function asking(
  rounds: Rounds,
  phase: string,
  { origin }: Sluice,
  task: () => Promise<void>,
): Promise<void> {
  let isOver = false
  const others: number[] = []
  const ask = async () => {
    while (!isOver) {
      const startedMs = performance.now()
      await (await fetch(`${origin}${healthLive.path}`)).arrayBuffer()
      others.push(performance.now() - startedMs)
      await passing(OTHERS_EVERY_MS)
    }
  }
  const asked = ask()
  await task()
  isOver = true
  await asked
  rounds.add(`${phase} others`, quantile(others, 0.99))
}

function filterTable(ofFilter: Rounds): string {
  const ms = (values: readonly number[], part: number) => quantile(values, part).toFixed(1)
  return toTable([
    ['filter, ms', 'p50', 'p99', 'five consoles p50', 'p99'],
    ...Object.keys(FILTERS).map((filter) => [
      filter,
      ...(['one', 'five'] as const).flatMap((phase) => {
        const values = ofFilter.of(`${phase} ${filter}`)
        return [ms(values, 0.5), ms(values, 0.99)]
      }),
    ]),
  ])
}

function toFigures(rounds: Rounds): Figure[] {
  const figure = (series: string, name: string) =>
    plainFigure(rounds, series, { name, unit: 'ms', better: 'lower' })
  const barred = (series: string, name: string, limit: number) => ({
    ...figure(series, name),
    bar: { limit, reached: rounds.median(series) },
  })
  return [
    figure('one p50', 'Log filters: p50'),
    barred('one p99', 'Log filters: p99', BARS.one),
    figure('five p50', 'Log filters of five consoles: p50'),
    barred('five p99', 'Log filters of five consoles: p99', BARS.five),
    figure('one histogram', 'Requests over time with a filter: p99'),
    figure('five histogram', 'Requests over time for five consoles: p99'),
    figure('nothing others', 'Other requests without them: p99'),
    figure('one others', 'Other requests beside one console: p99'),
    figure('five others', 'Other requests beside five consoles: p99'),
  ]
}
