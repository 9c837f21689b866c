import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { command, counted, runAsProcess, UsageError, wholeNumber } from './cli.ts'
import { type Change, changesOf } from './line-changes.ts'

const USAGE = `Usage:
  npm run mutate -- [--seed N] [--count N] [--only FOLDER] [--workers N] [--minutes N] [--list]

Changes one line of the gateway at a time, and looks whether a test fails: < becomes <=, === becomes !==, && becomes ||,
true becomes false, + becomes -, a number is one more, a condition is no longer negated, or a statement is removed. Each
change is made in a temporary copy of the project. Of the tests that can reach the line the nearest run first: unit tests,
then integration tests, until one fails. The exit code is 1 when a change survives all of them and is not in the list of
explained ones in scripts/src/mutate.ts.

  --seed N       the same seed makes the same changes; default 1
  --count N      how many changes; default 40
  --only FOLDER  of this folder or file alone, such as gateway/src/lane
  --workers N    how many are tested at the same time, each in a copy of its own; default 2
  --minutes N    after so much time without a failed test a change counts as undecided; default 15
  --list         prints the changes and tests none`

const FOLDERS = ['orders', 'limits', 'lane', 'plugins/auth', 'store'].map(
  (folder) => `gateway/src/${folder}`,
)
/** Not copied: what is built or installed, and what commands write. */
const NOT_COPIED = /^(?:node_modules|\.git|\.cache|dist|coverage|data|test-results)$|\.(?:db|log)/
const INTEGRATION = ['integration', 'integration-alone', 'integration-nodes'] as const
/** A first batch is small: most changes fail in the nearest tests. */
const BATCHES = [
  { projects: ['unit'], files: 8 },
  { projects: ['unit'], files: Number.POSITIVE_INFINITY },
  { projects: INTEGRATION, files: 10 },
  { projects: INTEGRATION, files: 40 },
  { projects: INTEGRATION, files: Number.POSITIVE_INFINITY },
] as const

/** Changes that no test can find, because the program does the same with them. */
const EXPLAINED: readonly { file: string; change: string; why: string }[] = [
  {
    file: 'gateway/src/orders/own-orders.ts',
    change:
      'for (let read = 0; read < ROWS_MAX; read += ROWS_AT_ONCE) { → for (let read = 0; read <= ROWS_MAX; read += ROWS_AT_ONCE) {',
    why: 'a page looks through one step of rows more; the next page begins after them',
  },
  {
    file: 'gateway/src/lane/admission.ts',
    change:
      'if (nowMs - triedAtMs < TRY_EVERY_MS) return false → if (nowMs - triedAtMs <= TRY_EVERY_MS) return false',
    why: 'a try in the very millisecond of its time comes one millisecond later',
  },
  {
    file: 'gateway/src/lane/pace.ts',
    change: 'stuck.stop({ dropWaitingJobs: true }).catch(this.#options.onFault) → ;',
    why: 'the jobs of a replaced limiter do nothing; to drop them frees their memory earlier',
  },
  {
    file: 'gateway/src/orders/retries.ts',
    change:
      'if (statusCode !== null && contentType !== null && body !== null) → if (statusCode !== null || contentType !== null && body !== null)',
    why: 'the three are written together; asking for all of them is for the compiler',
  },
  {
    file: 'gateway/src/lane/lane-snapshot.ts',
    change:
      'const [cancel = 0, lookup = 0, order = 0, account = 0, market = 0] = queue.sizes → const [cancel = 0, lookup = 0, order = 0, account = 1, market = 0] = queue.sizes',
    why: 'the queue counts all five classes; the defaults are for the compiler',
  },
  {
    file: 'gateway/src/limits/client-book.ts',
    change: 'if (this.#first > 1_000) { → if (this.#first >= 1_000) {',
    why: 'times that have passed are removed one call earlier; they were counted no more before',
  },
  {
    file: 'gateway/src/orders/sync-working-orders.ts',
    change:
      'const old = orders.filter(({ placedAtMs }) => placedAtMs <= beforeMs) → const old = orders.filter(({ placedAtMs }) => placedAtMs < beforeMs)',
    why: 'an order that a list may not have yet stays for one more millisecond of its minute',
  },
]

interface Outcome {
  readonly result: 'killed' | 'survived' | 'explained' | 'invalid' | 'undecided'
  readonly by?: string
}

export const run = command({
  usage: USAGE,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '40' },
    only: { type: 'string' },
    workers: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '15' },
    list: { type: 'boolean', default: false },
  },
  async run({ only, list, ...values }, _positionals, { console }) {
    const count = wholeNumber('count', values.count, 1, 100_000)
    const workers = wholeNumber('workers', values.workers, 1, 64)
    const limitMs = wholeNumber('minutes', values.minutes, 1, 1_000) * 60_000
    const changes = choose(wholeNumber('seed', values.seed, 0, 2 ** 31 - 1), only)
    if (list) {
      for (const change of changes.slice(0, count)) console.log(textOf(change))
      return 0
    }
    const importers = readImporters()
    const open: string[] = []
    const waiting = changes[Symbol.iterator]()
    let taken = 0
    let decided = 0
    let killed = 0

    async function work(): Promise<void> {
      const copy = copyProject()
      try {
        while (taken < count) {
          taken += 1
          const change = waiting.next().value
          if (change === undefined) return
          const startedMs = performance.now()
          const { result, by } = await decide(change, copy, importers, limitMs)
          const seconds = Math.round((performance.now() - startedMs) / 1_000)
          const after = by === undefined ? '' : `\n    by ${by}`
          // Another one takes its place.
          if (result === 'invalid') taken -= 1
          else decided += 1
          console.log(`${decided}/${count} ${result} in ${seconds} s: ${textOf(change)}${after}`)
          if (result === 'killed') killed += 1
          if (result === 'survived' || result === 'undecided')
            open.push(`${result}: ${textOf(change)}`)
        }
      } finally {
        rmSync(copy, { recursive: true, force: true })
      }
    }

    await Promise.all(Array.from({ length: workers }, work))
    const explained = decided - killed - open.length
    console.log(
      `\n${counted(decided, 'change')}: ${killed} killed, ${explained} explained, ${open.length} open`,
    )
    for (const line of open) console.log(line)
    return open.length === 0 ? 0 : 1
  },
})

function textOf({ file, line, kind, shown }: Change): string {
  return `${file}:${line} (${kind})\n    ${shown}`
}

/**
 * The changes in the order in which they are tested. A change keeps its place among others when the
 * files around it change. Kinds and folders take turns: of 40, each kind comes once in each folder.
 */
function choose(seed: number, only: string | undefined): Change[] {
  const files = globSync(`${only ?? '{orders,limits,lane,plugins/auth,store}'}{,/**/*.ts}`, {
    cwd: only === undefined ? 'gateway/src' : '.',
  })
    .map((file) => (only === undefined ? `gateway/src/${file}` : file))
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(file))
  if (files.length === 0) throw new UsageError(`There is no source at "${only}"`)
  const place = ({ file, shown, start }: Change) =>
    createHash('sha256').update(`${seed} ${file} ${shown} ${start}`).digest('hex')
  const shuffled = files
    .flatMap((file) => changesOf(file, readFileSync(file, 'utf8')))
    .map((change) => ({ change, at: place(change) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
  const queues = Map.groupBy(
    shuffled.map(({ change }) => change),
    ({ kind, file }) => `${kind} ${FOLDERS.find((folder) => file.startsWith(`${folder}/`)) ?? ''}`,
  )
  const kinds = [...new Set([...queues.keys()].map((key) => key.split(' ')[0]))].sort()
  const folders = [...new Set([...queues.keys()].map((key) => key.split(' ')[1]))].sort()
  const turns = folders.flatMap((_, round) =>
    kinds.map((kind, at) => `${kind} ${folders[(at + round) % folders.length]}`),
  )
  const ordered: Change[] = []
  while (ordered.length < shuffled.length)
    ordered.push(...turns.flatMap((key) => queues.get(key)?.splice(0, 1) ?? []))
  return ordered
}

/** For each source the files that name it: by an import, or by the address of a worker. */
function readImporters(): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  const files = globSync('{gateway,schema,scripts}/**/*.{ts,js}', {
    exclude: (path) => NOT_COPIED.test(basename(path)),
  })
  for (const file of files) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/'([\w./-]+)'/g)) {
      const target = name.startsWith('.')
        ? relative('.', resolve(dirname(file), name))
        : name === 'schema'
          ? 'schema/src/index.ts'
          : name.replace(/^gateway\//, 'gateway/src/')
      if (/\.[jt]s$/.test(target)) importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  return importers
}

/**
 * The tests that can reach a file. Unit tests: the nearest first. Integration tests mostly reach
 * the whole gateway: first those whose names share most words with the file's.
 */
function testsOf(file: string, importers: ReadonlyMap<string, readonly string[]>) {
  const wordsOf = (path: string) => path.split(/[/.-]/).map((word) => word.replace(/s$/, ''))
  const words = new Set(wordsOf(file))
  const shared = (test: string) => wordsOf(test).filter((word) => words.has(word)).length
  const byName = (a: string, b: string) => shared(b) - shared(a)
  const found = new Set([file])
  const tests: string[] = []
  for (let ring = [file]; ring.length > 0; ) {
    const next = [...new Set(ring.flatMap((each) => importers.get(each) ?? []))]
    ring = next.filter((each) => !found.has(each))
    for (const each of ring) found.add(each)
    tests.push(...ring.filter((each) => each.endsWith('.test.ts')).sort(byName))
  }
  return {
    unit: tests.filter((test) => test.includes('/src/')),
    integration: tests.filter((test) => !test.includes('/src/')).sort(byName),
  }
}

async function decide(
  change: Change,
  copy: string,
  importers: ReadonlyMap<string, readonly string[]>,
  limitMs: number,
): Promise<Outcome> {
  const { file, start, end, text, shown } = change
  const why = EXPLAINED.find((known) => known.file === file && known.change === shown)?.why
  if (why !== undefined) return { result: 'explained', by: `nothing: ${why}` }
  const source = readFileSync(file, 'utf8')
  const ofProject = testsOf(file, importers)
  const endMs = performance.now() + limitMs
  writeFileSync(join(copy, file), source.slice(0, start) + text + source.slice(end))
  try {
    for (const { projects, files } of BATCHES) {
      const batch = ofProject[projects[0]].splice(0, files)
      if (batch.length === 0) continue
      const outcome = await runTests(copy, projects, batch, endMs - performance.now())
      if (outcome.result !== 'survived') return outcome
    }
    return { result: 'survived' }
  } finally {
    writeFileSync(join(copy, file), source)
  }
}

/** Runs tests in a copy until one fails. */
async function runTests(
  copy: string,
  projects: readonly string[],
  files: readonly string[],
  limitMs: number,
): Promise<Outcome> {
  const report = join(copy, '.cache/mutate.json')
  rmSync(report, { force: true })
  const options = projects.map((project) => `--project=${project}`)
  const reporter = ['--reporter=json', `--outputFile=${report}`, '--bail=1']
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...options, ...reporter, ...files],
    { cwd: copy, stdio: 'ignore', detached: true },
  )
  let isOver = false
  let force: NodeJS.Timeout | undefined
  const limit = setTimeout(
    () => {
      isOver = true
      child.kill()
      // Vitest waits for a worker that never ends; the processes of its tests are in the group.
      force = setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), 20_000)
    },
    Math.max(limitMs, 0),
  )
  const code = await new Promise<number>((done) => child.once('exit', (exit) => done(exit ?? 1)))
  clearTimeout(limit)
  clearTimeout(force)
  if (isOver) return { result: 'undecided' }
  if (code === 0) return { result: 'survived' }
  return readOutcome(report, copy)
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[]
  }[]
}

/** A run that failed without a failed test could not load the change. */
function readOutcome(report: string, copy: string): Outcome {
  if (!existsSync(report)) return { result: 'invalid' }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed !== undefined)
      return { result: 'killed', by: `${relative(copy, name)}: ${failed.title}` }
  }
  return { result: 'invalid' }
}

/** The project's sources, with links to the packages that are installed here. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-mutate-'))
  for (const entry of readdirSync('.').filter((name) => !NOT_COPIED.test(name)))
    cpSync(entry, join(copy, entry), {
      recursive: true,
      filter: (path) => !path.split('/').some((name) => NOT_COPIED.test(name)),
    })
  for (const folder of globSync('{.,gateway,gateway/paper-exchange,schema,scripts}/node_modules'))
    linkPackages(folder, join(copy, folder))
  mkdirSync(join(copy, '.cache'))
  if (existsSync('.cache/tools')) symlinkSync(resolve('.cache/tools'), join(copy, '.cache/tools'))
  return copy
}

/** A link of a workspace has to lead to the copy's own folder. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    // Caches of Vite and Vitest are of this project.
    if (entry.name.startsWith('.') && entry.name !== '.bin') continue
    const path = join(from, entry.name)
    symlinkSync(entry.isSymbolicLink() ? readlinkSync(path) : resolve(path), join(to, entry.name))
  }
}

await runAsProcess(import.meta, run)
