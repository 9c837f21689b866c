import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, totalmem, type } from 'node:os'
import { type Figure, figureRows } from './figure.ts'
import { nginxVersion } from './proxies.ts'

const DATA = 'docs/evidence/figures.json'
const PAGE = 'docs/evidence/figures.md'
const FOR_WHOM =
  'For those who ask how fast Sluice is: what `npm run bench -- --save` measured, which writes this page.'
const PACKAGES = ['@fastify/http-proxy', '@fastify/reply-from', 'fastify', 'undici']

/** The figures of one part, and what they were measured on. */
interface MeasuredPart {
  readonly measuredAt: string
  /** `+` after the commit: the files were changed since. */
  readonly commit: string
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly figures: readonly Figure[]
}

interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  /** The load of the minute before, which other programs made. */
  readonly loadBefore: number
}

type SavedFigures = Readonly<Record<string, MeasuredPart>>

/**
 * Replaces the saved figures of a part, and writes the page again.
 * @param loadBefore the load average before the benchmark
 * @returns the files that were written
 */
export function saveFigures(
  part: string,
  figures: readonly Figure[],
  loadBefore: number,
): readonly string[] {
  const known: SavedFigures = existsSync(DATA) ? JSON.parse(readFileSync(DATA, 'utf8')) : {}
  const saved = { ...known, [part]: { ...circumstances(loadBefore), figures } }
  writeFileSync(DATA, `${JSON.stringify(saved, shortNumber, 2)}\n`)
  writeFileSync(PAGE, figuresPage(saved))
  return [DATA, PAGE]
}

/** The figures of all parts as a page, each part with what it was measured on. */
export function figuresPage(saved: SavedFigures): string {
  const parts = Object.entries(saved).map(([name, part]) => {
    const { measuredAt, commit, machine, versions, figures } = part
    const { cpu, cores, memoryGb, system, loadBefore } = machine
    const [head = '', ...rows] = figureRows(figures).map((row) => `| ${row.join(' | ')} |`)
    return [
      `## ${name}\n`,
      `${measuredAt.slice(0, 10)}, commit ${commit}; ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${versions.node}, load ${loadBefore} before.\n`,
      ...[head, '|---|---|---|---|---|---|', ...rows],
    ].join('\n')
  })
  return `# Figures\n\n${FOR_WHOM}\n\n${parts.join('\n\n')}\n`
}

function circumstances(loadBefore: number): Omit<MeasuredPart, 'figures'> {
  const nginx = nginxVersion()
  return {
    measuredAt: new Date().toISOString(),
    commit: commit(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 1e9),
      system: systemName(),
      loadBefore,
    },
    versions: {
      node: process.versions.node,
      ...Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
      nginx: nginx ?? 'not installed',
    },
  }
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':!docs')
  return `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '+'}`
}

/** The name of a Linux distribution; elsewhere that of the system. */
function systemName(): string {
  const file = '/etc/os-release'
  if (!existsSync(file)) return type()
  return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? type()
}

function versionOf(name: string): string {
  const path = createRequire(import.meta.url).resolve(`${name}/package.json`)
  return JSON.parse(readFileSync(path, 'utf8')).version
}

/** Four digits that count: more would be noise. */
function shortNumber(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}
