import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { relative } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { stripVTControlCharacters } from 'node:util'

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

/** What one runner's report says of its tests. */
interface Report {
  passed: number
  failed: number
  skipped: number
  /** A line or two for each failed test: where it is, its name, and the first line of why. */
  failures: string[]
  /** How long each file ran. */
  files: FileTime[]
}

interface FileTime {
  readonly file: string
  readonly ms: number
}

interface VitestReport {
  numPassedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: {
    name: string
    status: string
    message: string
    startTime: number
    endTime: number
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/**
 * Reads the report of vitest's `json` reporter. A file that could not be loaded counts as one
 * failed test.
 */
export function readVitestReport(report: unknown): Report {
  const { numPassedTests, numPendingTests, numTodoTests, testResults } = report as VitestReport
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0 && status === 'failed') return [describe(file, 'the file', message)]
    return failed.map((test) => describe(file, test.fullName, test.failureMessages[0]))
  })
  return {
    passed: numPassedTests,
    failed: failures.length,
    skipped: numPendingTests + numTodoTests,
    failures,
    files: testResults.map(({ name, startTime, endTime }) => ({
      file: relative(process.cwd(), name),
      ms: endTime - startTime,
    })),
  }
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[]
  specs: {
    title: string
    file: string
    line: number
    tests: {
      projectName: string
      status: string
      results: { duration: number; errors: { message?: string }[] }[]
    }[]
  }[]
}

interface PlaywrightReport {
  suites: PlaywrightSuite[]
  errors: { message?: string }[]
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
}

/**
 * Reads the report of Playwright's `json` reporter. What failed outside any test counts as one
 * failed test each.
 */
export function readPlaywrightReport(report: unknown): Report {
  const { suites, errors, stats } = report as PlaywrightReport
  const specs = (suite: PlaywrightSuite): PlaywrightSuite['specs'] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(specs),
  ]
  const all = suites.flatMap(specs)
  const failures = all.flatMap(({ title, file, line, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ projectName, results }) => {
        const why = results.find((result) => result.errors.length > 0)?.errors[0]?.message
        return describe(`${file}:${line} [${projectName}]`, title, why)
      }),
  )
  failures.push(...errors.map(({ message }) => describe('outside any test', 'the run', message)))
  return {
    passed: stats.expected,
    failed: failures.length,
    skipped: stats.skipped,
    failures,
    files: browserFiles(all),
  }
}

/** Its tests run in several workers at once: a file's time is the sum of theirs. */
function browserFiles(specs: PlaywrightSuite['specs']): FileTime[] {
  const times = new Map<string, number>()
  for (const { file, tests } of specs)
    for (const { duration } of tests.flatMap(({ results }) => results))
      times.set(file, (times.get(file) ?? 0) + duration)
  return [...times].map(([file, ms]) => ({ file: `console/e2e/${file}`, ms }))
}

const WHY_CHARS = 300

function describe(place: string, name: string, why = 'no reason given'): string {
  const text = stripVTControlCharacters(why).trim().split('\n').slice(0, 4).join(' / ')
  return `${place} > ${name}\n  ${text.slice(0, WHY_CHARS)}`
}
