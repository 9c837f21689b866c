import { loadavg } from 'node:os'
import { type Bench, figureRows, toTable } from './bench/figure.ts'
import { command, runAsProcess, UsageError } from './cli.ts'

/** The parts, in the order in which they run: what they measure, and how long that takes. */
const PARTS: Readonly<Record<string, { about: string; load: () => Promise<Bench> }>> = {
  gateway: {
    about: 'latency and throughput of the gateway beside other proxies; 3 minutes',
    load: async () => (await import('./bench/gateway.ts')).gateway,
  },
  start: {
    about: 'how long a start takes, and memory; 1 minute',
    load: async () => (await import('./bench/start.ts')).start,
  },
  postgres: {
    about: 'what an order costs on PostgreSQL, beside SQLite; 2 minutes, needs PostgreSQL',
    load: async () => (await import('./bench/postgres.ts')).postgres,
  },
  backup: {
    about: 'what requests notice of a backup and of the removal of old rows; 3 minutes',
    load: async () => (await import('./bench/backup.ts')).backup,
  },
  logs: {
    about: 'how long filters of a log of 10 million rows take, and what others notice; 2 minutes',
    load: async () => (await import('./bench/logs.ts')).logs,
  },
  lane: {
    about:
      'fairness and cost of the queue before an exchange, and what a cancel waits; half a minute',
    load: async () => (await import('./bench/lane.ts')).lane,
  },
  streams: {
    about: 'what the streams of bots cost: lag, memory, and orders beside them; 1 minute',
    load: async () => (await import('./bench/streams.ts')).streams,
  },
  network: {
    about: 'the pace at an exchange behind a network with jitter; 2 minutes',
    load: async () => (await import('./bench/network.ts')).network,
  },
  console: {
    about:
      'scripts of each page of the console, and Lighthouse on a simulated phone; 6 minutes, needs a browser',
    load: async () => (await import('./bench/console.ts')).consoleBench,
  },
}
/** Above it, a core is in use for a good part of the time. */
const BUSY_LOAD = 0.5

const NAMES = Object.keys(PARTS)

const USAGE = `Usage:
  npm run bench -- [NAME …] [--save] [--short]

Measures the parts that decide the speed and prints the results. Without a NAME it runs all parts, in about 20 minutes:
${Object.entries(PARTS)
  .map(([name, { about }]) => `  ${name.padEnd(9)}${about}`)
  .join('\n')}

  --save    writes the figures of these parts to docs/evidence, as data and as a page
  --short   shows in seconds that the parts work; its numbers mean nothing`

export const run = command({
  usage: USAGE,
  allowPositionals: true,
  options: {
    save: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
  },
  async run({ save, short }, asked, { console }) {
    const unknown = asked.filter((name) => !NAMES.includes(name))
    if (unknown.length > 0) throw new UsageError(`There is no benchmark "${unknown.join('", "')}"`)
    if (save && short) throw new UsageError('--save and --short exclude each other')
    const [loadBefore = Number.NaN] = loadavg()
    if (loadBefore > BUSY_LOAD)
      console.log(
        `Other programs keep the machine busy (load ${loadBefore.toFixed(1)}): they disturb this.`,
      )
    for (const [name, { load }] of Object.entries(PARTS)) {
      if (asked.length > 0 && !asked.includes(name)) continue
      console.log(`\n== ${name} ==`)
      const startedMs = performance.now()
      const bench = await load()
      const figures = await bench({ print: console.log, isShort: short })
      console.log(`It took ${Math.round((performance.now() - startedMs) / 1000)} s.`)
      if (figures.length === 0) continue
      console.log(`\n${toTable(figureRows(figures))}`)
      if (!save) continue
      const { saveFigures } = await import('./bench/save.ts')
      for (const file of saveFigures(name, figures, loadBefore)) console.log(`written: ${file}`)
    }
    return 0
  },
})

await runAsProcess(import.meta, run)
