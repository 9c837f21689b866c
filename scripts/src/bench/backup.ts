import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as passing } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openReadOnly } from 'gateway/store/sqlite/open.ts'
import { getMetrics } from 'schema'
import { endChild, forkOn, messageOf, onCore } from './child.ts'
import type { Bench, Figure } from './figure.ts'
import { type Load, type LoadMaker, startLoadMaker } from './load/load.ts'
import { sluiceRequests } from './proxies/requests.ts'
import { dataFolder, type Sluice, startSluice } from './proxies/sluice.ts'
import { plainFigure, Rounds } from './rounds.ts'
import { copySeededLog } from './seeded-log.ts'

interface Size {
  readonly rows: number
  /** A phase is measured in slices: each has a p50, a p99 and a greatest latency of its own. */
  readonly slices: number
  readonly sliceMs: number
}
const WHOLE: Size = { rows: 10_000_000, slices: 4, sliceMs: 4_000 }
const SHORT: Size = { rows: 20_000, slices: 1, sliceMs: 200 }

/** Requests per second, every second one an order. */
const PER_SECOND = 100
const CONNECTIONS = 64
const P99_MS_MAX = 20
/** Of the 30 days that the seeded rows are spread over, so that a tenth of them is too old. */
const RETENTION_DAYS = '27'
const KEEP_ALL_DAYS = '3650'
/** So many rows are indexed in a tenth of a second. */
const UNINDEXED_MAX = 1_000

const PHASES = {
  nothing: 'nothing else',
  backup: 'a backup',
  retention: 'removal of old rows',
  both: 'a backup and old rows to remove',
} as const
type Phase = keyof typeof PHASES

/** What requests notice of a backup and of the removal of old rows. Two to three minutes. */
export const backup: Bench = async ({ print, isShort }) => {
  const size = isShort ? SHORT : WHOLE
  const folder = dataFolder()
  const stub = forkOn('around', 'stub-exchange.ts')
  const load = startLoadMaker()
  try {
    print(`${size.rows.toLocaleString('en')} rows in the log, ${PER_SECOND} requests a second.`)
    await copySeededLog(size.rows, join(folder, 'sluice.db'))
    const { address } = await messageOf<{ address: { port: number } }>(stub)
    const bench = new BackupBench(load, size, folder, `http://127.0.0.1:${address.port}`)
    await bench.whileBackingUp()
    print(`Removed rows a second: ${await bench.whileRemoving()}`)
    return bench.figures()
  } finally {
    await load.stop()
    await endChild(stub)
    rmSync(folder, { recursive: true, force: true })
  }
}

class BackupBench {
  readonly #rounds = new Rounds()
  readonly #load: LoadMaker
  readonly #size: Size
  readonly #folder: string
  readonly #upstream: string

  constructor(load: LoadMaker, size: Size, folder: string, upstream: string) {
    this.#load = load
    this.#size = size
    this.#folder = folder
    this.#upstream = upstream
  }

  /** Half of the quiet slices come after the backup: the machine is not the same all the time. */
  async whileBackingUp(): Promise<void> {
    const { sluice, measure } = await this.#start(KEEP_ALL_DAYS)
    try {
      await this.#slices(() => measure('nothing'), this.#size.slices / 2)
      const startedMs = performance.now()
      const running = this.#startBackup()
      while (running.isRunning()) await measure('backup')
      const [code] = await running.ended
      if (code !== 0) throw new Error(`The backup ended with ${code}`)
      this.#rounds.add('seconds', (performance.now() - startedMs) / 1000)
      await this.#slices(() => measure('nothing'), this.#size.slices / 2)
    } finally {
      await sluice.stop()
    }
  }

  /** @returns how many old rows went in a second while there was no backup */
  async whileRemoving(): Promise<number> {
    const { sluice, measure } = await this.#start(RETENTION_DAYS)
    try {
      const rowsBefore = this.#oldestRow()
      const startedMs = performance.now()
      await this.#slices(() => measure('retention'))
      const removed = this.#oldestRow() - rowsBefore
      const perSecond = (removed * 1000) / (performance.now() - startedMs)
      const running = this.#startBackup('ignore')
      await this.#slices(() => measure('both'))
      running.stop()
      await running.ended
      return Math.round(perSecond)
    } finally {
      await sluice.stop()
    }
  }

  figures(): Figure[] {
    const rounds = this.#rounds
    const words = (phase: Phase, what: string) =>
      ({ name: `${what} during ${PHASES[phase]}`, unit: 'ms', better: 'lower' }) as const
    return [
      ...(Object.keys(PHASES) as Phase[]).flatMap((phase) => [
        plainFigure(rounds, `${phase} p50`, words(phase, 'p50')),
        {
          ...plainFigure(rounds, `${phase} p99`, words(phase, 'p99')),
          bar: { limit: P99_MS_MAX, reached: rounds.median(`${phase} p99`) },
        },
        plainFigure(rounds, `${phase} max`, words(phase, 'Greatest')),
      ]),
      plainFigure(rounds, 'seconds', { name: 'Backup', unit: 's', better: 'lower' }),
    ]
  }

  async #start(retentionDays: string) {
    const sluice: Sluice = await startSluice({
      upstream: this.#upstream,
      folder: this.#folder,
      entry: fileURLToPath(new URL('retention-gateway.ts', import.meta.url)),
      env: { LOG_RETENTION_DAYS: retentionDays },
    })
    await logIsIndexed(sluice)
    const { read, order } = sluiceRequests(await sluice.createClients())
    const requests = read.flatMap((one, index) => [one, order[index] ?? one])
    const run = (ms: number) => {
      const { origin } = sluice
      const load: Omit<Load, 'prefix'> = {
        origin,
        requests,
        ms,
        connections: CONNECTIONS,
        status: 200,
        perSecond: PER_SECOND,
      }
      return this.#load.run(load)
    }
    await run(this.#size.sliceMs)
    const measure = async (phase: Phase) => {
      const { p50, p99, max } = await run(this.#size.sliceMs)
      for (const [name, value] of Object.entries({ p50, p99, max }))
        this.#rounds.add(`${phase} ${name}`, value)
    }
    return { sluice, measure }
  }

  async #slices(measure: () => Promise<void>, slices = this.#size.slices): Promise<void> {
    for (let slice = 0; slice < slices; slice += 1) await measure()
  }

  /** On the gateway's core, as on a machine that has only one. */
  #startBackup(stderr: 'inherit' | 'ignore' = 'inherit') {
    const command = fileURLToPath(new URL('../backup.ts', import.meta.url))
    const target = join(this.#folder, 'backup.db')
    rmSync(target, { force: true })
    const [program = process.execPath, ...args] = [
      ...onCore('measured'),
      process.execPath,
      command,
      target,
    ]
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH, DATABASE_URL: `file:${join(this.#folder, 'sluice.db')}` },
      stdio: ['ignore', 'ignore', stderr],
    })
    const ended = once(child, 'exit')
    return {
      ended,
      isRunning: () => child.exitCode === null && child.signalCode === null,
      stop: () => void child.kill('SIGTERM'),
    }
  }

  /** The id of the oldest row: rows go in the order of their ids. */
  #oldestRow(): number {
    const { db, close } = openReadOnly(join(this.#folder, 'sluice.db'))
    try {
      return Number(db.$client.prepare('select min(id) from request_logs').pluck().get())
    } finally {
      close()
    }
  }
}

/** Waits until the gateway has no part of the log left to index: that takes half of a core. */
async function logIsIndexed({ origin }: Sluice): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${origin}${getMetrics.path}`)).text()
    const rows = Number(/^sluice_log_unindexed_rows (\d+)$/m.exec(text)?.[1])
    if (Number.isNaN(rows)) throw new Error(`${getMetrics.path} has no sluice_log_unindexed_rows`)
    if (rows <= UNINDEXED_MAX) return
    await passing(1_000)
  }
}
