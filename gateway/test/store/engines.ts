import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { beforeEach, describe, onTestFinished } from 'vitest'
import { createStores as createPostgresStores } from '../../src/store/postgres/create-stores.ts'
import { createStores as createSqliteStores } from '../../src/store/sqlite/create-stores.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'
import { putDatabase } from '../support/put-database.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** What both databases implement. */
export type TestStores = Awaited<ReturnType<typeof createPostgresStores>>

export interface OpenStores {
  readonly stores: TestStores
  /**
   * Runs one or more statements beside the stores, over a connection of its own, and returns the
   * rows of the last one. Write what both databases understand, with names in quotes where needed.
   */
  sql(text: string): Promise<readonly Record<string, unknown>[]>
  /**
   * The stores of another node on the same database. A database in a file has one gateway, so there
   * they are the same stores.
   */
  beside(): Promise<TestStores>
}

export interface Engine {
  readonly name: 'sqlite' | 'postgres'
  /** Stores on an empty database of their own. All goes with the test. */
  open(): Promise<OpenStores>
}

const sqlite: Engine = {
  name: 'sqlite',
  async open() {
    const path = join(tempFolder(), 'sluice.db')
    putDatabase(path)
    const stores = createSqliteStores(path)
    const client = new Database(path)
    onTestFinished(async () => {
      client.close()
      await stores.close()
    })
    return {
      stores,
      async sql(text) {
        const statements = text.split(';').filter((statement) => statement.trim() !== '')
        const last = statements.pop() ?? ''
        for (const statement of statements) client.exec(statement)
        const prepared = client.prepare<[], Record<string, unknown>>(last)
        if (prepared.reader) return prepared.all()
        prepared.run()
        return []
      },
      beside: async () => stores,
    }
  },
}

const postgres: Engine = {
  name: 'postgres',
  async open() {
    const url = await createDatabase()
    const stores = await createPostgresStores(url)
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(async () => {
      await client.end()
      await stores.close()
    })
    return {
      stores,
      async sql(text) {
        const result: pg.QueryResult | pg.QueryResult[] = await client.query(text)
        return [result].flat().at(-1)?.rows ?? []
      },
      async beside() {
        const others = await createPostgresStores(url)
        onTestFinished(() => others.close())
        return others
      },
    }
  },
}

/** PostgreSQL is missing where it is not installed; the run of the tests says so once. */
export const engines: readonly Engine[] = hasPostgres ? [sqlite, postgres] : [sqlite]

/** What a test finds: the stores on the database that was made for it. */
export type StoreTest = OpenStores & Pick<Engine, 'name'>

/** Tests that hold on each database. Each of them has an empty database of its own. */
export function onEachDatabase(subject: string, declare: (t: StoreTest) => void): void {
  describe.each(engines)(`${subject} in $name`, ({ name, open }) => {
    let opened: OpenStores
    beforeEach(async () => {
      opened = await open()
    })
    declare({
      name,
      get stores() {
        return opened.stores
      },
      sql: (text) => opened.sql(text),
      beside: () => opened.beside(),
    })
  })
}
