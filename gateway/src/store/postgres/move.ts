import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { MoveSourceError, MoveTargetError } from '../errors.ts'
import type {
  MovedColumn,
  MovedRow,
  MovedTable,
  MoveReader,
  MoveSource,
  MoveTarget,
} from '../move.ts'
import { checkDatabase, countPending } from './migrations.ts'
import { connectionTo, migrate, requireVersion } from './open.ts'
import { reasonOf, toOpenError } from './postgres-error.ts'
import { tryLockFor } from './session.ts'
import { readDatabaseUrl } from './url.ts'

const OLDER =
  'an older version of Sluice wrote it; start this version on it once and stop it again, then run this command again'
const IN_USE =
  'a gateway or a command of Sluice is connected to it; stop it, then run this command again'
const NOT_EMPTY =
  'holds rows. The target must be empty: name a new database (create database NAME), or drop this one and create it again'

/** A session that was just killed may be there for a moment. */
const SESSIONS_END_MS = 3_000
/** How long the target waits for others that read a table. */
const LOCK_WAIT_MS = 10_000

/** What its rows do not count for: the migrations make them. */
const MADE_BY_MIGRATIONS = ['__drizzle_migrations', 'row_changes', 'audit_highest']

/**
 * Connects to a database to move its rows, as they are at one moment. No gateway can become the
 * owner of its exchanges until it is closed. It is only read.
 * @throws MoveSourceError, NotOurDatabaseError, StoreTooNewError, StoreUnopenableError
 */
export async function openSource(databaseUrl: string): Promise<MoveSource> {
  const { client, name } = await connect(databaseUrl, MoveSourceError)
  try {
    if (!(await checkDatabase(client, name)))
      throw new MoveSourceError(name, 'there is nothing of Sluice in it')
    if ((await countPending(client)) > 0) throw new MoveSourceError(name, OLDER)
    const ask = askOf(client, name, MoveSourceError)
    await ask('begin isolation level repeatable read read only')
    return { ...createMoveReader(ask, name), close: () => end(client) }
  } catch (error) {
    await end(client)
    throw toOpenError(error, name)
  }
}

/**
 * Connects to an empty database and makes the tables. All rows are one transaction, which nobody
 * else sees and which keeps everybody else out of the tables.
 * @param tables that rows are moved to
 * @throws MoveTargetError, NotOurDatabaseError, StoreTooNewError, StoreUnopenableError
 */
export async function openTarget(
  databaseUrl: string,
  tables: readonly MovedTable[],
): Promise<MoveTarget> {
  const { client, name } = await connect(databaseUrl, MoveTargetError)
  try {
    const ask = askOf(client, name, MoveTargetError)
    if (await checkDatabase(client, name)) await requireEmpty(ask, name)
    await migrate(connectionTo(readDatabaseUrl(databaseUrl)), name)
    await ask('begin')
    await ask(`set local synchronous_commit to on`)
    await ask(`set local lock_timeout to ${LOCK_WAIT_MS}`)
    await ask(`lock table ${tables.map((table) => `"${table.name}"`).join()}`)
    await requireEmpty(ask, name)
    // It compares each entry with the one before, and updates one row each time.
    await ask('alter table audit_entries disable trigger audit_entries_inserted')
    return new PostgresTarget(client, ask, name)
  } catch (error) {
    await end(client)
    throw toOpenError(error, name)
  }
}

class PostgresTarget implements MoveTarget {
  readonly name: string
  readonly #client: pg.Client
  readonly #ask: Ask
  readonly #reader: MoveReader

  constructor(client: pg.Client, ask: Ask, name: string) {
    this.name = name
    this.#client = client
    this.#ask = ask
    this.#reader = createMoveReader(ask, name)
  }

  count(table: MovedTable) {
    return this.#reader.count(table)
  }

  rows(table: MovedTable, order: readonly string[]) {
    return this.#reader.rows(table, order)
  }

  highestId(table: MovedTable) {
    return this.#reader.highestId(table)
  }

  insert(table: MovedTable, rows: readonly MovedRow[]) {
    return insertRows(this.#ask, table, rows)
  }

  setHighestId(table: MovedTable, id: string) {
    return setHighestId(this.#ask, table, id)
  }

  async finish(): Promise<void> {
    // Constraints that wait for the end of the transaction are checked now: they forbid the next.
    await this.#ask('set constraints all immediate')
    await this.#ask('alter table audit_entries enable trigger audit_entries_inserted')
    await this.#ask('analyze')
    await this.#ask('commit')
  }

  close() {
    return end(this.#client)
  }
}

type MoveError = typeof MoveSourceError | typeof MoveTargetError

async function connect(databaseUrl: string, Failed: MoveError) {
  const address = readDatabaseUrl(databaseUrl)
  const { name } = address
  const client = new pg.Client({
    ...connectionTo(address),
    application_name: 'sluice move',
    // One side waits while the other one works.
    idle_in_transaction_session_timeout: 0,
  })
  // What uses the connection fails as well.
  client.on('error', () => {})
  try {
    await client.connect()
    await requireVersion(client, name)
    await client.query('set statement_timeout to 0; set client_min_messages to error')
    await requireUnused(askOf(client, name, Failed), name, Failed)
    return { client, name }
  } catch (error) {
    await end(client)
    throw toOpenError(error, name)
  }
}

/** The owner of the exchanges has the lock; standby gateways and commands are sessions. */
async function requireUnused(ask: Ask, name: string, Failed: MoveError): Promise<void> {
  for (const untilMs = performance.now() + SESSIONS_END_MS; ; await setTimeout(100)) {
    const others = await one(
      ask,
      `select count(*) from pg_stat_activity where datname = current_database()
         and application_name ~ '^sluice' and pid <> pg_backend_pid()`,
    )
    if (others === '0' && (await one(ask, tryLockFor('owner'))) === 't') return
    if (performance.now() > untilMs) throw new Failed(name, IN_USE)
  }
}

async function requireEmpty(ask: Ask, name: string): Promise<void> {
  const tables = await ask(
    `select relname from pg_class where relkind in ('r', 'p')
       and relnamespace = (select oid from pg_namespace where nspname = current_schema())
       and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
     order by relname`,
  )
  for (const [table] of tables)
    if (
      !MADE_BY_MIGRATIONS.includes(table ?? '') &&
      (await one(ask, `select exists (select 1 from "${table}")`)) === 't'
    )
      throw new MoveTargetError(name, `its table ${table} ${NOT_EMPTY}`)
}

function askOf(client: pg.Client, name: string, Failed: MoveError): Ask {
  return async (text, values) => {
    try {
      return (await client.query<string[]>(asTexts(text, values))).rows
    } catch (error) {
      const found = reasonOf(error)
      throw found === undefined ? error : new Failed(name, found.reason, { cause: found.cause })
    }
  }
}

/** A connection that is over cannot be ended in order. */
async function end(client: pg.Client): Promise<void> {
  await client.end().catch(() => {})
}

const ROWS_AT_ONCE = 500

/** Runs a statement, and returns its rows as texts. */
type Ask = (text: string, values?: readonly unknown[]) => Promise<MovedRow[]>

/** A statement whose values all come back as the texts that the server sent. */
const asTexts = (text: string, values: readonly unknown[] = []): pg.QueryArrayConfig => ({
  ...{ text, values: [...values], rowMode: 'array' },
  types: { getTypeParser: () => (value: string) => value },
})

/** Reads all rows over a connection, which must be in a transaction. */
function createMoveReader(ask: Ask, name: string): MoveReader {
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
async function insertRows(
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
async function setHighestId(ask: Ask, { name }: MovedTable, id: string): Promise<void> {
  await ask(`select setval('"${name}_id_seq"', greatest($1::bigint, 1), $1::bigint > 0)`, [id])
  if (name === 'audit_entries') await ask('update audit_highest set highest = $1', [id])
}

/** The first value of the first row. */
async function one(ask: Ask, text: string): Promise<string | undefined> {
  const [row] = await ask(text)
  return row?.[0] ?? undefined
}
