import type Database from 'better-sqlite3'

/**
 * Removes all triggers: they would reject rows of an audit trail with gaps.
 * @returns their SQL, which makes them again
 */
export function removeTriggers(client: Database.Database): string[] {
  const triggers = client
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from sqlite_schema where type = 'trigger'`,
    )
    .all()
  for (const { name } of triggers) client.exec(`drop trigger "${name}"`)
  return triggers.map(({ sql }) => sql)
}
