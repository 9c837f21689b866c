import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPILE_CACHE } from './compile-cache.ts'
import { tempFolder } from './temp-folder.ts'

const PROJECT = join(import.meta.dirname, '../../..')

export interface Release {
  /** Of the project that it is made from, or of itself. */
  readonly folder: string
  /** What `npm start` runs. */
  readonly entry: string
  /** For its processes: where sources that were compiled once are found by the next start. */
  readonly env: Readonly<Record<string, string>>
}

export interface ReleaseChanges {
  readonly version: string
  /** Its migration of PostgreSQL, after those that are there. */
  readonly migration: { readonly name: string; readonly sql: string }
  /** A field more that its nodes say of a request that they pass. */
  readonly passedField?: string
}

/** The release of these sources. */
export const THIS_RELEASE: Release = { folder: PROJECT, entry: entryIn(PROJECT), env: {} }

/** A release that comes after another one: its sources with some changes, in its own folder. */
export function nextRelease(
  { folder: before }: Release,
  { version, migration, passedField }: ReleaseChanges,
): Release {
  const folder = tempFolder()
  for (const part of ['schema', 'gateway/src', 'gateway/drizzle', 'gateway/drizzle-postgres'])
    cpSync(join(before, part), join(folder, part), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.ts'),
    })
  for (const file of ['package.json', 'gateway/package.json'])
    cpSync(join(before, file), join(folder, file))
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'))
  // Its own, in place of the one that the others' folder has.
  mkdirSync(join(folder, 'gateway/node_modules'))
  symlinkSync(join(folder, 'schema'), join(folder, 'gateway/node_modules/schema'))

  change(join(folder, 'package.json'), /"version": ".*"/, `"version": "${version}"`)
  if (passedField !== undefined)
    change(
      join(folder, 'gateway/src/nodes/hop.ts'),
      '[NAMES.requestId]: requestId,',
      `[NAMES.requestId]: requestId, '${passedField}': 'later',`,
    )
  addMigration(join(folder, 'gateway/drizzle-postgres'), migration)
  const env = { ...COMPILE_CACHE, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  return { folder, entry: entryIn(folder), env }
}

function addMigration(folder: string, { name, sql }: ReleaseChanges['migration']): void {
  writeFileSync(join(folder, `${name}.sql`), sql)
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(path, 'utf8'))
  const last = journal.entries.at(-1)
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: name })
  writeFileSync(path, JSON.stringify(journal))
}

function change(path: string, from: string | RegExp, to: string): void {
  const before = readFileSync(path, 'utf8')
  const after = before.replace(from, to)
  if (after === before) throw new Error(`${path} does not have ${from}`)
  writeFileSync(path, after)
}

function entryIn(folder: string): string {
  return join(folder, 'gateway/src/start.js')
}
