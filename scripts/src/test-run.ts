import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { stripVTControlCharacters } from 'node:util'
import type { FileTime, Report } from './test-reports.ts'

/** Where the parts write what they print, their reports and their times. */
export const FOLDER = '.cache/test'

/** How often a line says how far it has come. */
const PROGRESS_EVERY_MS = 15_000
const SLOWEST_FILES = 10

export interface Part {
  /** What people call it: `unit tests`. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /**
   * A runner's report, by its path in `FOLDER`; a part without one passes or fails as one check.
   */
  readonly report?: { readonly path: string; readonly read: (report: unknown) => Report }
  /** Matches a line that the runner prints when another of its files or tests has ended. */
  readonly step?: RegExp
  /** Matches a line that is worth reading at once. */
  readonly failure?: RegExp
  /** How many steps it has, as far as known. */
  readonly steps?: number
}

export interface PartResult extends Report {
  readonly name: string
  readonly wallMs: number
  /**
   * Of the part's process and all that it waited for, so without the processes that a browser
   * starts; 0 when the shell did not say.
   */
  readonly cpuMs: number
}

/** Runs parts, says how far they are, and in the end what failed and where the time went. */
export class TestRun {
  readonly #startedMs = performance.now()
  readonly #busyBeforeMs = busyMs()
  readonly #results: PartResult[] = []

  add(result: PartResult): void {
    this.#results.push(result)
  }

  /**
   * Runs all of them at once; what is in one list one after the other, in that order.
   */
  async together(lists: readonly (Part | readonly Part[])[]): Promise<void> {
    const running = new Set<RunningPart>()
    const timer = setInterval(
      () => this.#say([...running].map(({ progress }) => progress).join(' · ')),
      PROGRESS_EVERY_MS,
    )
    await Promise.all(
      lists.map(async (list) => {
        for (const part of [list].flat()) await this.#run(part, running)
      }),
    )
    clearInterval(timer)
  }

  async #run(of: Part, running: Set<RunningPart>): Promise<void> {
    const part = new RunningPart(of, (line) => this.#say(line))
    running.add(part)
    const result = await part.done
    running.delete(part)
    this.add(result)
    const verdict = result.failed === 0 ? 'passed' : 'FAILED'
    this.#say(`${result.name} ${verdict} after ${seconds(result.wallMs).trim()}`)
    if (result.failed > 0) console.log(detailsOf(part.output()))
  }

  /** @returns the exit code */
  conclude(): number {
    const failing = this.#results.filter((part) => part.failed > 0)
    const names = failing.map(({ name }) => name).join(', ')
    const sum = (of: (part: PartResult) => number) =>
      this.#results.reduce((sum, part) => sum + of(part), 0)
    if (failing.length > 0) console.log(`\nFAILED: ${names}`)
    console.log('\nWhere the time went (wall and CPU)')
    for (const part of this.#results) if (part.wallMs > 0) console.log(`  ${timesOf(part)}`)
    // The processes that a browser starts end without being waited for, so no part counts them.
    const name = 'together, with all that this machine computed'
    const all = { name, cpuMs: busyMs() - this.#busyBeforeMs }
    console.log(`  ${timesOf({ ...all, wallMs: performance.now() - this.#startedMs })}`)
    const files = this.#results.flatMap((part) => part.files)
    console.log(`The ${SLOWEST_FILES} slowest files`)
    for (const file of slowest(files)) console.log(`  ${seconds(file.ms)}  ${file.file}`)
    for (const { name, failures } of failing)
      for (const failure of failures) console.log(`FAILED: ${name}: ${failure}`)
    if (failing.length > 0) console.log(`FAILED: ${names}`)
    const counts = [`${sum((part) => part.passed)} passed`, `${sum((part) => part.failed)} failed`]
    console.log([...counts, `${sum((part) => part.skipped)} skipped`].join(', '))
    return failing.length === 0 ? 0 : 1
  }

  #say(text: string): void {
    const atSeconds = Math.floor((performance.now() - this.#startedMs) / 1_000)
    const minutes = `${Math.floor(atSeconds / 60)}`.padStart(2)
    console.log(`${minutes}:${`${atSeconds % 60}`.padStart(2, '0')}  ${text}`)
  }
}

function timesOf({ wallMs, cpuMs, name }: Pick<PartResult, 'wallMs' | 'cpuMs' | 'name'>): string {
  return `${seconds(wallMs)}  ${seconds(cpuMs)}  ${name}`
}

/** For how long the processors of this machine have computed since it started, added up. */
function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(9)
}

function slowest(files: readonly FileTime[]): FileTime[] {
  return files.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST_FILES)
}

/** Of a part that failed: a runner prints the reasons last. */
function detailsOf(output: string): string {
  const start = output.indexOf('Failed Tests')
  return start === -1 ? output.slice(-20_000) : output.slice(start - 50)
}

/** Notes the time that the command and its children computed, once it has ended (POSIX `times`). */
const WITH_TIMES = `times="$1"; shift; "$@"; code=$?; times > "$times"; exit $code`

/** A part of the tests: one process, whose output goes to a file. */
class RunningPart {
  readonly #part: Part
  readonly #startedMs = performance.now()
  readonly #child: ChildProcess
  readonly #slug: string
  readonly done: Promise<PartResult>
  /** How many of its files or tests have ended. */
  stepsDone = 0

  /** @param onFailure gets each line that says that a test has failed, when it is printed */
  constructor(part: Part, onFailure: (line: string) => void) {
    this.#part = part
    this.#slug = part.name.replaceAll(' ', '-')
    mkdirSync(FOLDER, { recursive: true })
    this.#child = spawn(
      'sh',
      ['-c', WITH_TIMES, 'sh', this.#path('times'), part.command, ...part.args],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...part.env } },
    )
    this.done = this.#run(onFailure)
  }

  /** `integration tests 45 of 200`. */
  get progress(): string {
    const { name, steps, step } = this.#part
    if (step === undefined) return name
    return `${name} ${this.stepsDone}${steps === undefined ? '' : ` of ${steps}`}`
  }

  async #run(onFailure: (line: string) => void): Promise<PartResult> {
    const { name, report, step, failure } = this.#part
    const log = createWriteStream(this.#path('log'))
    const read = async (stream: NodeJS.ReadableStream | null) => {
      if (stream === null) return
      for await (const line of createInterface({ input: stream })) {
        log.write(`${line}\n`)
        const text = stripVTControlCharacters(line)
        if (step?.test(text)) this.stepsDone += 1
        if (failure?.test(text)) onFailure(`${name}: ${text.trim()}`)
      }
    }
    const code = new Promise<number>((resolve, reject) => {
      this.#child.on('error', reject)
      this.#child.on('exit', (code) => resolve(code ?? 1))
    })
    await Promise.all([code, read(this.#child.stdout), read(this.#child.stderr)])
    log.end()
    await finished(log)
    const counted = report === undefined ? undefined : this.#readReport(report)
    return {
      name,
      wallMs: performance.now() - this.#startedMs,
      cpuMs: this.#cpuMs(),
      ...this.#judge(await code, counted),
    }
  }

  /** A runner that ends badly without a failed test, or that ran none, has failed too. */
  #judge(code: number, counted: Report | undefined): Report {
    const { name } = this.#part
    const output = `its output is in ${this.#path('log')}`
    if (counted !== undefined && (counted.failed > 0 || (code === 0 && counted.passed > 0)))
      return counted
    if (code === 0 && this.#part.report === undefined)
      return { passed: 1, failed: 0, skipped: 0, failures: [], files: [] }
    const failures = [`${name} ended with exit code ${code}; ${output}`]
    return { passed: counted?.passed ?? 0, failed: 1, skipped: 0, files: [], failures }
  }

  #readReport({ path, read }: NonNullable<Part['report']>): Report | undefined {
    try {
      return read(JSON.parse(readFileSync(path, 'utf8')))
    } catch {
      return undefined
    }
  }

  #cpuMs(): number {
    try {
      return readTimes(readFileSync(this.#path('times'), 'utf8'))
    } catch {
      return 0
    }
  }

  /** What it printed, for those who look for the reason of a failure. */
  output(): string {
    return readFileSync(this.#path('log'), 'utf8')
  }

  #path(kind: 'log' | 'times'): string {
    return `${FOLDER}/${this.#slug}.${kind}`
  }
}

/**
 * The milliseconds of CPU in what POSIX `times` prints: user and system time of the shell, then
 * those of its children, as `0m1.250s`.
 */
export function readTimes(text: string): number {
  let seconds = 0
  for (const [, minutes, rest] of text.matchAll(/(\d+)m([\d.,]+)s/g))
    seconds += Number(minutes) * 60 + Number(rest?.replace(',', '.'))
  return seconds * 1_000
}
