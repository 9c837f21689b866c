import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'

/**
 * A name of the table: a folder, a file of a folder's root, or a package, such as `store`,
 * `exchanges/bitget`, `app.ts`.
 */
export type Place = string

/** Which place a path belongs to; the first that matches. */
const PLACES: readonly (readonly [pattern: RegExp, prefix: string])[] = [
  [/^gateway\/src\/(?<place>(?:plugins|exchanges|store)\/[^/]+(?=\/)|[^/]+)/, ''],
  [/^gateway\/(?<place>paper-exchange)\//, ''],
  [/^console\/src\/(?<place>features\/[^/]+|[^/]+)/, 'console/'],
  [/^(?<place>gateway\/test|console\/(?:build|e2e)|schema|scripts|docs\/bots)\//, ''],
]

/** @param path from the project's folder */
export function placeOf(path: string): Place | undefined {
  for (const [pattern, prefix] of PLACES) {
    const place = pattern.exec(path)?.groups?.place
    if (place !== undefined) return prefix + place
  }
  return undefined
}

/** Every source file that is neither a test nor the configuration of a tool. */
export function sourceFiles(): string[] {
  return globSync('{schema,gateway,console,scripts}/**/*.{ts,tsx,js}', {
    exclude: [
      ...['**/{node_modules,dist,public}/**', '**/*.test.ts', '**/*.spec.ts', '**/*.config.ts'],
      'scripts/test/**',
    ],
  })
}

/** What an import names: a place, or undefined for a package from elsewhere. */
export function importedPlace(file: string, name: string): Place | undefined {
  if (name.startsWith('.')) return placeOf(join(dirname(file), name)) ?? name
  if (name.startsWith('gateway/')) return placeOf(name.replace('gateway/', 'gateway/src/'))
  if (name.startsWith('paper-exchange/')) return 'paper-exchange'
  if (name === 'schema') return 'schema'
  return /^(fastify(-.+)?|@fastify\/(?!error$).+)$/.test(name) ? 'fastify' : undefined
}

/** How Vite imports all files of a pattern. */
const GLOB = /import\.meta\.glob[^(]*\(\s*\[(?<patterns>[^\]]+)\]/

/**
 * The names that a source text imports or exports from; what is computed cannot be followed.
 * @param withTypes whether also what it names for types alone, which loads nothing
 */
export function importsIn(
  file: string,
  text = readFileSync(file, 'utf8'),
  withTypes = true,
): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const loads = ({ isType }: { readonly isType: boolean }) => withTypes || !isType
  const names = [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(loads))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports
      .flatMap(({ entries }) => entries)
      .filter(loads)
      .map(({ moduleRequest }) => moduleRequest?.value ?? ''),
    ...dynamicImports
      .map(({ moduleRequest: { start, end } }) => text.slice(start, end))
      .map((written) => /^'(.+)'$/.exec(written)?.[1] ?? ''),
    ...(GLOB.exec(text)?.groups?.patterns ?? '').split("'").filter((part) => part.startsWith('.')),
  ]
  return [...new Set(names)].filter((name) => name !== '')
}

/** The section of ARCHITECTURE.md: for each row's name, the names that it may import. */
export function readTable(): ReadonlyMap<string, readonly string[]> {
  const [, section = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split(
    '\n### Who may import whom\n',
  )
  const rows = (section.split('\n### ')[0] ?? '').split('\n').filter((line) => /^\| `/.test(line))
  return new Map(
    rows.flatMap((row) => {
      const [, names = '', imported = ''] = row.split('|')
      return quoted(names).map((name) => [name, quoted(imported)] as const)
    }),
  )
}

const quoted = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** Whether a name of the table stands for a place: `plugins/*` stands for every plugin. */
export function standsFor(name: string, place: Place): boolean {
  if (name === place) return true
  return name.endsWith('/*') && place.startsWith(name.slice(0, -1))
}

/** The row of a place: the one with its own name, otherwise one that stands for it. */
export function rowOf(
  table: ReadonlyMap<string, readonly string[]>,
  place: Place,
): string | undefined {
  return table.has(place) ? place : [...table.keys()].find((name) => standsFor(name, place))
}
