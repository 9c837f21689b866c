import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, totalmem, type } from 'node:os'
import type { Figure } from './figure.ts'
import { drawFigures } from './picture.ts'
import { nginxVersion } from './proxies/nginx.ts'

const FOLDER = 'docs/performance'
const DATA = `${FOLDER}/figures.json`
const PICTURE = `${FOLDER}/figures.svg`
const PACKAGES = ['@fastify/http-proxy', '@fastify/reply-from', 'fastify', 'undici']

/** The figures of one part, and what they were measured on. */
export interface MeasuredPart {
  readonly measuredAt: string
  /** `+` after the commit: the files were changed since. */
  readonly commit: string
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly figures: readonly Figure[]
}

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  /** The load of the minute before, which other programs made. */
  readonly loadBefore: number
}

export type SavedFigures = Readonly<Record<string, MeasuredPart>>

/**
 * Replaces the saved figures of a part, and draws the picture again.
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
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(DATA, `${JSON.stringify(saved, shortNumber, 2)}\n`)
  writeFileSync(PICTURE, drawFigures(saved))
  return [DATA, PICTURE]
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
