import type pg from 'pg'
import type { MovedColumn, MovedRow, MovedTable, MoveReader } from '../move.ts'

const ROWS_AT_ONCE = 500

/** Runs a statement, and returns its rows as texts. */
export type Ask = (text: string, values?: readonly unknown[]) => Promise<MovedRow[]>

/** A statement whose values all come back as the texts that the server sent. */
export const asTexts = (text: string, values: readonly unknown[] = []): pg.QueryArrayConfig => ({
  ...{ text, values: [...values], rowMode: 'array' },
  types: { getTypeParser: () => (value: string) => value },
})

/** Reads all rows over a connection, which must be in a transaction. */
export function createMoveReader(ask: Ask, name: string): MoveReader {
  return {
    name,
    count: async (table) => Number(await one(ask, `select count(*) from "${table.name}"`)),
    async *rows(table, order) {
      const columns = table.columns.map(selected).join()
      const by = order.map((column) => `"${column}"`).join()
      await ask(
        `declare moved no scroll cursor for select ${columns} from "${table.name}" order by ${by}`,
      )
      for (;;) {
        const some = await ask(`fetch ${ROWS_AT_ONCE} from moved`)
        if (some.length === 0) break
        yield some
      }
      await ask('close moved')
    },
    async highestId({ name: table }) {
      const highest = await one(
        ask,
        `select greatest((select max(id) from "${table}"), (select case when is_called then last_value else 0 end from "${table}_id_seq")
           ${table === 'audit_entries' ? ', (select highest from audit_highest)' : ''}, 0)`,
      )
      return highest ?? '0'
    },
  }
}

const selected = ({ name, kind }: MovedColumn): string =>
  kind === 'boolean' ? `"${name}"::int` : `"${name}"`

const TYPES: Readonly<Record<MovedColumn['kind'], string>> = {
  integer: 'bigint',
  boolean: 'boolean',
  text: 'text',
  json: 'json',
}

/** Inserts rows with one statement. */
export async function insertRows(
  ask: Ask,
  { name, columns }: MovedTable,
  rows: readonly MovedRow[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map((column) => `"${column.name}"`).join()
  const arrays = columns.map(({ kind }, index) => `$${index + 1}::${TYPES[kind]}[]`).join()
  await ask(
    `insert into "${name}" (${names}) select * from unnest(${arrays})`,
    columns.map((_column, index) => rows.map((row) => row[index])),
  )
}

/** The next row gets the id after this one. */
export async function setHighestId(ask: Ask, { name }: MovedTable, id: string): Promise<void> {
  await ask(`select setval('"${name}_id_seq"', greatest($1::bigint, 1), $1::bigint > 0)`, [id])
  if (name === 'audit_entries') await ask('update audit_highest set highest = $1', [id])
}

/** The first value of the first row. */
export async function one(ask: Ask, text: string): Promise<string | undefined> {
  const [row] = await ask(text)
  return row?.[0] ?? undefined
}
