import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'
import { toTable } from './bench/figure.ts'
import { command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run house

Measures the sources as they are in this folder: files, lines, circles of imports, long functions, each beside its target.
Tests are *.test.*, *.spec.* and what is in a folder test or e2e. Migrations and fixtures do not count.`

const FUNCTION_LINES_MAX = 60
const SMALL_LINES = 100
const TINY_LINES = 40

interface Source {
  /** From the project's folder. */
  readonly path: string
  readonly text: string
  readonly lines: number
}

/** What is measured, and the most that it should be. */
interface Measure {
  readonly name: string
  readonly value: number
  readonly target?: number
  readonly unit?: string
}

export const run = command({
  usage: USAGE,
  async run(_values, _positionals, { console }) {
    const rows = measure(readSources()).map(({ name, value, target, unit = '' }) => [
      name,
      `${value.toLocaleString('en')}${unit}`,
      target === undefined ? '' : `≤ ${target.toLocaleString('en')}${unit}`,
      target === undefined ? '' : value <= target ? 'yes' : 'no',
    ])
    console.log(toTable([['', 'now', 'target', 'reached'], ...rows]))
    return 0
  },
})

export function readSources(): Source[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate']
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
    .split('\n')
    .filter((path) => /^(gateway|console|schema|scripts)\/.*\.(ts|tsx|js|mjs)$/.test(path))
    .filter((path) => !/\/(fixtures|drizzle[^/]*)\//.test(path) && existsSync(path))
    .map((path) => toSource(path, readFileSync(path, 'utf8')))
}

export const toSource = (path: string, text: string): Source => ({
  ...{ path, text },
  lines: text.split('\n').length - 1,
})

export const isTest = ({ path }: Source): boolean =>
  /\.(test|spec)\.\w+$|(^|\/)(test|e2e)\//.test(path)

function measure(sources: readonly Source[]): Measure[] {
  const files = sources.filter((source) => !isTest(source))
  const circles = circlesIn(importsOf(files, true))
  return [
    ...sizes(files),
    { name: 'lines of tests', value: linesOf(sources.filter(isTest)), target: 66_000 },
    {
      name: 'import circles at run time',
      ...{ value: circlesIn(importsOf(files, false)).length, target: 0 },
    },
    {
      name: 'largest import circle counting types',
      ...{ value: Math.max(0, ...circles.map((circle) => circle.length)), target: 5 },
    },
    {
      name: `functions over ${FUNCTION_LINES_MAX} lines`,
      ...{ value: longFunctions(files), target: 0 },
    },
    ...['ARCHITECTURE.md', 'README.md'].map((path) => ({
      name: `lines of ${path}`,
      ...{ value: toSource(path, readFileSync(path, 'utf8')).lines, target: 150 },
    })),
  ]
}

/** How much there is, and how finely it is cut. */
export function sizes(files: readonly Source[]): Measure[] {
  const within = (folder: string) => files.filter(({ path }) => path.startsWith(`${folder}/`))
  const gateway = within('gateway/src')
  const console = within('console/src')
  const areas = [
    { name: 'gateway/src', of: gateway, target: 50_000 },
    { name: 'gateway/src/store', of: within('gateway/src/store'), target: 11_000 },
    { name: 'console/src', of: console, target: 17_700 },
    { name: 'scripts', of: within('scripts'), target: 6_000 },
    { name: 'paper-exchange', of: within('gateway/paper-exchange'), target: 10_300 },
  ]
  const small = [
    { name: 'gateway/src', of: gateway, target: 22 },
    { name: 'console/src', of: console, target: 35 },
    { name: 'all', of: files, target: 25 },
  ]
  return [
    { name: 'files without tests', value: files.length, target: 850 },
    ...areas.map(({ name, of }) => ({ name: `  ${name}`, value: of.length })),
    { name: 'lines without tests', value: linesOf(files) },
    ...areas.map(({ name, of, target }) => ({ name: `  ${name}`, value: linesOf(of), target })),
    { name: 'files for each 1,000 lines: gateway/src', value: density(gateway), target: 8.5 },
    { name: 'files for each 1,000 lines: console/src', value: density(console), target: 12.5 },
    ...small.map(({ name, of, target }) => ({
      name: `lines in files under ${SMALL_LINES} lines: ${name}`,
      ...{ value: smallShare(of), target, unit: ' %' },
    })),
    {
      name: `files under ${TINY_LINES} lines`,
      value: files.filter(({ lines }) => lines < TINY_LINES).length,
    },
  ]
}

const linesOf = (files: readonly Source[]): number =>
  files.reduce((sum, { lines }) => sum + lines, 0)

const oneDecimal = (value: number): number => Math.round(value * 10) / 10

const density = (files: readonly Source[]): number =>
  oneDecimal((1_000 * files.length) / linesOf(files))

const smallShare = (files: readonly Source[]): number =>
  oneDecimal((100 * linesOf(files.filter(({ lines }) => lines < SMALL_LINES))) / linesOf(files))

type Graph = ReadonlyMap<string, readonly string[]>

/** The files that each file imports. @param withTypes also for types alone, which load nothing */
export function importsOf(files: readonly Source[], withTypes: boolean): Graph {
  const paths = new Set(files.map(({ path }) => path))
  const isCounted = ({ isType }: { readonly isType: boolean }) => withTypes || !isType
  return new Map(
    files.map(({ path, text }) => {
      const { staticImports, staticExports } = parseSync(path, text).module
      const names = [
        ...staticImports
          .filter(({ entries }) => entries.length === 0 || entries.some(isCounted))
          .map(({ moduleRequest }) => moduleRequest.value),
        ...staticExports
          .flatMap(({ entries }) => entries)
          .filter(isCounted)
          .map(({ moduleRequest }) => moduleRequest?.value ?? ''),
      ]
      return [path, names.map((name) => pathOf(path, name)).filter((to) => paths.has(to))]
    }),
  )
}

function pathOf(from: string, name: string): string {
  if (name.startsWith('.')) return join(dirname(from), name)
  if (name === 'schema') return 'schema/src/index.ts'
  return name
    .replace(/^gateway\//, 'gateway/src/')
    .replace(/^paper-exchange\//, 'gateway/paper-exchange/src/')
}

/** The groups of files that import each other, in Tarjan's way. */
export function circlesIn(graph: Graph): string[][] {
  const order = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (file: string): number => {
    const number = order.size
    order.set(file, number)
    open.push(file)
    let low = number
    for (const to of graph.get(file) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to))
      else if (open.includes(to)) low = Math.min(low, order.get(to) ?? number)
    }
    if (low === number) {
      const circle = open.splice(open.indexOf(file))
      if (circle.length > 1) circles.push(circle)
    }
    return low
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return circles
}

/** By the rule of the linter. */
function longFunctions(files: readonly Source[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-house-'))
  const options = { maxLines: FUNCTION_LINES_MAX, skipBlankLines: false }
  const rule = { noExcessiveLinesPerFunction: { level: 'error', options } }
  const rules = { preset: 'none', complexity: rule }
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ linter: { rules } }))
  try {
    const args = ['lint', `--config-path=${folder}`, '--reporter=json', '--max-diagnostics=none']
    const { stdout } = spawnSync(
      'node_modules/.bin/biome',
      [...args, ...files.map(({ path }) => path)],
      { encoding: 'utf8', maxBuffer: 2 ** 28 },
    )
    const { diagnostics }: { diagnostics: { category: string }[] } = JSON.parse(stdout)
    return diagnostics.filter(({ category }) => category.endsWith('noExcessiveLinesPerFunction'))
      .length
  } finally {
    rmSync(folder, { recursive: true })
  }
}

await runAsProcess(import.meta, run)
