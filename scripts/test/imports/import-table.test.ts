import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../gateway/test/support/temp-folder.ts'
import {
  importedPlace,
  importsIn,
  type Place,
  placeOf,
  readTable,
  rowOf,
  sourceFiles,
  standsFor,
} from './places.ts'

const table = readTable()
const files = sourceFiles()

/** The names of a row that allow an import; undefined when nothing has to. */
function allowedBy(from: Place, to: Place): readonly string[] | undefined {
  if (from === to) return undefined
  const row = rowOf(table, from)
  return (table.get(row ?? '') ?? [])
    .filter((name) => standsFor(name, to))
    .map((name) => `${row} → ${name}`)
}

/** The imports of a file that its row does not name. */
function forbiddenIn(file: string, text?: string): string[] {
  const from = placeOf(file) ?? file
  return importsIn(file, text)
    .filter((name) => allowedBy(from, importedPlace(file, name) ?? from)?.length === 0)
    .map((name) => `${file} imports ${name}`)
}

test('every source file is in a row of the table', () => {
  expect(files.length).toBeGreaterThan(300)
  expect(files.filter((file) => rowOf(table, placeOf(file) ?? file) === undefined)).toEqual([])
})

test('no file imports what its row does not name', () => {
  expect(files.flatMap((file) => forbiddenIn(file))).toEqual([])
})

test.each([
  ['gateway/src/store/x.ts', `import { seal } from '../vault/seal.ts'`],
  ['gateway/src/store/x.ts', `import type { FastifyRequest } from 'fastify'`],
  ['gateway/src/lane/x.ts', `export { pace } from '../../paper-exchange/src/main.ts'`],
  ['gateway/src/plugins/logs/x.ts', `await import('../stats/index.ts')`],
  ['gateway/paper-exchange/src/x.ts', `import { readConfig } from 'gateway/config.ts'`],
  ['console/src/features/logs/x.tsx', `import '../clients/clients-page.tsx'`],
])('%s: %s is found', (file, text) => {
  expect(forbiddenIn(file, text)).toHaveLength(1)
})

test('no row names what its files do not import', () => {
  const used = files.flatMap((file) => {
    const from = placeOf(file) ?? file
    return importsIn(file).flatMap(
      (name) => allowedBy(from, importedPlace(file, name) ?? from) ?? [],
    )
  })
  const named = [...table].flatMap(([row, names]) => names.map((name) => `${row} → ${name}`))
  expect(named.filter((one) => !used.includes(one))).toEqual([])
})

const FASTIFY = ['fastify', 'fastify-plugin', '@fastify/cors', '@fastify/jwt']

/**
 * For each folder with sources, a file that does not exist, and its place. A place that is a file
 * stands for itself.
 */
const planted = new Map(
  files.map((file) => {
    const place = placeOf(file) ?? file
    return [/\.(?:tsx?|js)$/.test(place) ? file : join(dirname(file), 'planted.ts'), place]
  }),
)
const targets = new Map([...planted, ['docs/bots/planted.mjs', 'docs/bots']])

/** Every way to write the import of one file in another. */
function namesOf(from: string, to: string): string[] {
  const path = relative(dirname(from), to)
  return [
    path.startsWith('.') ? path : `./${path}`,
    ...(to.startsWith('gateway/src/') ? [to.replace('gateway/src/', 'gateway/')] : []),
    ...(placeOf(to) === 'paper-exchange' ? ['paper-exchange/planted.ts'] : []),
    ...(placeOf(to) === 'schema' ? ['schema'] : []),
  ]
}

test('biome.json rejects every import that the table does not name, and no other', () => {
  const asked = [...planted].flatMap(([file, from]) => [
    { file, from, to: 'fastify', place: 'fastify', names: FASTIFY },
    ...[...targets]
      .filter(([to]) => to !== file)
      .map(([to, place]) => ({ file, from, to, place, names: namesOf(file, to) })),
  ])
  const rejected = rejectedByBiome(asked)
  const differing = asked.filter(({ file, from, place, names }) => {
    const isAllowed = allowedBy(from, place)?.length !== 0
    const isRejected = names.map((name) => rejected.has(`${file} ${name}`))
    return isAllowed ? isRejected.every(Boolean) : !isRejected.every(Boolean)
  })
  expect(asked.length).toBeGreaterThan(1000)
  expect(differing.map(({ file, to }) => `${file} → ${to}`)).toEqual([])
})

interface Question {
  readonly file: string
  readonly names: readonly string[]
}

/**
 * Lints files that import each of these names, by the rules of biome.json for imports. Returns
 * `file name` for each that is refused.
 */
function rejectedByBiome(questions: readonly Question[]): Set<string> {
  const folder = tempFolder()
  const { overrides } = JSON.parse(readFileSync('biome.json', 'utf8'))
  writeFileSync(
    join(folder, 'biome.json'),
    JSON.stringify({ linter: { rules: { preset: 'none' } }, overrides }),
  )
  const lines = new Map<string, string[]>()
  for (const { file, names } of questions) lines.set(file, [...(lines.get(file) ?? []), ...names])
  for (const [file, names] of lines) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), names.map((name) => `import '${name}'\n`).join(''))
  }
  const found = lint(folder).filter(({ category }) => category === 'lint/style/noRestrictedImports')
  return new Set(
    found.map(({ location: { path, start } }) => `${path} ${lines.get(path)?.[start.line - 1]}`),
  )
}

interface Diagnostic {
  readonly category: string
  readonly location: { readonly path: string; readonly start: { readonly line: number } }
}

function lint(folder: string): Diagnostic[] {
  const biome = join(process.cwd(), 'node_modules/.bin/biome')
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.']
  try {
    execFileSync(biome, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 28 })
    return []
  } catch (error) {
    // It has found something: its exit code is 1.
    return JSON.parse(String((error as { stdout: unknown }).stdout)).diagnostics
  }
}
