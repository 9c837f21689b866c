import Database from 'better-sqlite3'
import { MOVED_TABLES } from '../../src/store/sqlite/moved-tables.ts'

/** At the ends of what a column holds, and what another reader takes for something else. */
const INTEGERS = [
  ...[0n, 1n, -1n, 2n ** 31n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)],
]
const TEXTS = [
  ...['', ' ', 'NULL', '{}', '{"a","b"}', '\\', '\\N', "it's", '"quoted"', 'a,b', '\t\r\n\u0001'],
  ...['ä', 'Ω≈ç√', '日本語', '👩‍👩‍👧', '\u{fffd}', '\ufeff', '\u{10ffff}', 'x'.repeat(70_000)],
]
const JSONS = [
  ...['null', '[]', '{}', '{"b":1,"a":2,"b":3}', ' [ 1 , 2 ] ', '1e400', '-0', '"\\u0000\\ud800"'],
  ...['12345678901234567890.123456789', '{"deep":[[[[{"ä":"👍"}]]]]}'],
]
const KEY_LENGTH_MAX = 400

/**
 * Fills every table of a database with rows that no gateway would write but that it could hold.
 * @param random from 0 to 1
 */
export function fillWithRandomRows(path: string, random: () => number, count = 40): void {
  const client = new Database(path)
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T
  client.pragma('foreign_keys = OFF')
  for (const name of client
    .prepare<[], string>(`select name from sqlite_schema where type = 'trigger'`)
    .pluck()
    .all())
    client.exec(`drop trigger "${name}"`)
  for (const table of MOVED_TABLES) {
    const info = client
      .prepare<[string], { name: string; required: number }>(
        `select name, "notnull" as required from pragma_table_info(?)`,
      )
      .all(table.name)
    const references = client
      .prepare<[string], { from: string; table: string; to: string }>(
        `select "from", "table", "to" from pragma_foreign_key_list(?)`,
      )
      .all(table.name)
    const unique = client
      .prepare<[string], string>(
        `select ii.name from pragma_index_list(?) il, pragma_index_info(il.name) ii where il."unique" = 1 and ii.name is not null`,
      )
      .pluck()
      .all(table.name)
    const names = table.columns.map(({ name }) => `"${name}"`)
    const insert = client.prepare(
      `insert or ignore into "${table.name}" (${names}) values (${names.map(() => '?')})`,
    )
    for (let row = 0; row < count; row++) {
      const values = table.columns.map(({ name, kind }) => {
        const isKey = table.key.includes(name) || unique.includes(name)
        const isRequired = isKey || info.find((one) => one.name === name)?.required === 1
        if (!isRequired && random() < 0.3) return null
        const reference = references.find(({ from }) => from === name)
        if (reference !== undefined)
          return client
            .prepare(`select "${reference.to}" from "${reference.table}" order by random() limit 1`)
            .safeIntegers()
            .pluck()
            .get()
        if (kind === 'boolean') return pick([0, 1])
        if (kind === 'integer') {
          if (table.name === 'audit_entries' && name === 'id') return row + 1
          return random() < 0.5 ? pick(INTEGERS) : row
        }
        if (kind === 'json') return pick(JSONS)
        if (name === 'email') return `${row}${pick(TEXTS).slice(0, KEY_LENGTH_MAX)}`
        return isKey ? `${pick(TEXTS).slice(0, KEY_LENGTH_MAX)}${row}` : pick(TEXTS)
      })
      insert.run(values)
    }
  }
  client.close()
}
