import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { POSTGRES_MIGRATIONS_FOLDER } from '../migrations-folder.ts'

/** A migration that this program has. */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
  readonly hash: string
  readonly madeAtMs: number
  /**
   * The migration that a gateway must know to run on the tables as this one leaves them. Null: any
   * gateway that ran on them before can go on, because this one only adds.
   */
  readonly needs: string | null
}

/**
 * The line of a migration that takes something away: `-- contract: needs 0005_name`. The gateways
 * that know the migration that it names no longer use what goes (CONTRIBUTING.md).
 */
const CONTRACT = /^-- contract: needs (\w+)$/m

let files: readonly Migration[] | undefined

/** This program's migrations, oldest first; read once. */
export function knownMigrations(): readonly Migration[] {
  files ??= readMigrations(POSTGRES_MIGRATIONS_FOLDER)
  return files
}

/** The migrations in a folder that drizzle-kit made, oldest first. */
export function readMigrations(folder: string): readonly Migration[] {
  const journal: { readonly entries: readonly { readonly tag: string }[] } = JSON.parse(
    readFileSync(join(folder, 'meta', '_journal.json'), 'utf8'),
  )
  return readMigrationFiles({ migrationsFolder: folder }).map(
    ({ sql, hash, folderMillis }, index) => ({
      ...{ name: journal.entries[index]?.tag ?? '', statements: sql, hash, madeAtMs: folderMillis },
      needs: CONTRACT.exec(sql.join('\n'))?.[1] ?? null,
    }),
  )
}
