import Database from 'better-sqlite3'
import type { Row } from './btree-page.ts'
import { readRecord } from './record.ts'
import { fits, type Shape } from './shapes.ts'

/** Rows of one transaction. */
const ROWS_AT_ONCE = 5_000
/** better-sqlite3 binds larger numbers as floating point. */
const INT32 = 2 ** 31

/** Writes rows into a new database, with the row ids that they had. */
export class RowWriter {
  readonly #client: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  #rows = 0

  constructor(client: Database.Database) {
    this.#client = client
    client.exec('begin')
  }

  /** @returns false when the row does not fit the table, or contradicts one that is there */
  write(shape: Shape, { rowid, record }: Row): boolean {
    const values = readRecord(record)
    if (values === undefined || !fits(shape, values)) return false
    const bound = values.map((value, i) => {
      const one = i === shape.rowidColumn ? rowid : value
      return Number.isInteger(one) && Math.abs(Number(one)) >= INT32 ? BigInt(Number(one)) : one
    })
    try {
      this.#statement(shape, values.length).run(rowid, ...bound)
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT'))
        return false
      throw error
    }
    this.#rows += 1
    if (this.#rows % ROWS_AT_ONCE === 0) this.#client.exec('commit; begin')
    return true
  }

  /** Call it once, after the last row. */
  end(): void {
    this.#client.exec('commit')
  }

  #statement({ name, columns }: Shape, count: number): Database.Statement {
    const known = this.#statements.get(`${name} ${count}`)
    if (known !== undefined) return known
    const names = columns.slice(0, count).map((column) => `"${column.name}"`)
    const made = this.#client.prepare(
      `insert into "${name}" (rowid, ${names}) values (?${', ?'.repeat(count)})`,
    )
    this.#statements.set(`${name} ${count}`, made)
    return made
  }
}
