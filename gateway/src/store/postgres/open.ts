import pg from 'pg'
import { StoreUnopenableError } from '../errors.ts'
import { applyMigrations, countPending } from './migrations.ts'
import { Identity } from './note-restore.ts'
import { Damage, toOpenError, toStoreError } from './postgres-error.ts'
import { RowCache } from './rows.ts'
import { type Queries, queriesOn } from './session.ts'
import { type DatabaseAddress, readDatabaseUrl } from './url.ts'
import { repeating } from './write.ts'

const CONNECTIONS = 10
/** For what may take long (`reading`). */
const SLOW_CONNECTIONS = 2
const OLDEST_VERSION = 15

const CONNECT_MS = 3_000
/**
 * The server ends a statement first, and then nothing of it was done. The client gives up a server
 * that does not respond.
 */
const LIMITS = { statement_timeout: 4_000, query_timeout: 5_000 }
const SLOW_LIMITS = { statement_timeout: 60_000, query_timeout: 65_000 }
/** A process that was halted inside a transaction does not keep its locks. */
const IDLE_IN_TRANSACTION_MS = 10_000

/** What all stores share. */
export type Db = Queries & {
  readonly pool: pg.Pool
  readonly slowPool: pg.Pool
  readonly rows: RowCache
  readonly damage: Damage
  /** For what is written about one order. */
  readonly inOrder: InOrder
  readonly identity: Identity
  /** Since when the server cannot be reached. */
  readonly outage: { sinceMs: number | undefined }
}

type MayMigrate = (client: pg.Client, name: string) => Promise<void>

export interface PostgresStore {
  readonly db: Db
  /** The URL, without the password: for messages. */
  readonly name: string
  /**
   * How many migrations the database lacks; above 0 only when it was replaced while it was open.
   */
  pendingMigrations(): Promise<number>
  /** Closes the connections. Call it once nothing writes any more. */
  close(): Promise<void>
}

/**
 * Connects to a database and migrates it.
 * @param mayMigrate is asked before, and throws what keeps it from being migrated
 * @throws StoreUnopenableError, NotOurDatabaseError, StoreTooNewError: no message has the password
 */
export async function openPostgres(
  databaseUrl: string,
  mayMigrate?: MayMigrate,
): Promise<PostgresStore> {
  const address = readDatabaseUrl(databaseUrl)
  const connection = connectionTo(address)
  await migrate(connection, address.name, mayMigrate)
  return connectPostgres(address)
}

/** Connects to a database that has the tables of this version, when it is first used. */
export function connectPostgres(address: DatabaseAddress): PostgresStore {
  const connection = connectionTo(address)
  const identity = new Identity()
  const [pool, slowPool] = [
    createPool({ ...connection, ...LIMITS, max: CONNECTIONS }, identity),
    createPool({ ...connection, ...SLOW_LIMITS, max: SLOW_CONNECTIONS }, identity),
  ]
  const damage = new Damage()
  const outage = { sinceMs: undefined }
  const rows = new RowCache(() => repeating({ outage }, () => readVersion(pool, damage)))
  return {
    db: Object.assign(queriesOn(pool, damage), {
      ...{ pool, slowPool, rows, damage, identity, outage },
      inOrder: new InOrder(),
    }),
    name: address.name,
    async pendingMigrations() {
      try {
        return await countPending(pool)
      } catch (error) {
        throw toStoreError(error)
      }
    },
    async close() {
      await Promise.all([pool.end(), slowPool.end()])
    },
  }
}

/** How to connect, without limits for statements. */
export function connectionTo({ name: _name, ...address }: DatabaseAddress): pg.ClientConfig {
  return {
    ...address,
    application_name: 'sluice',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  }
}

function createPool(config: pg.PoolConfig, identity: Identity): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    idleTimeoutMillis: 60_000,
    // After a failover behind one name, connections move to the new server.
    maxLifetimeSeconds: 1_800,
    async onConnect(client) {
      await prepareSession(client)
      await identity.check(client)
    },
  })
  // A connection that breaks while nothing uses it: the pool makes another one.
  pool.on('error', () => {})
  // While it is used, its statement fails as well.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Whatever the defaults are: a commit waits for the disk, and a statement sees all commits. To
 * compile a statement takes longer than to run the longest of them, a search of the log.
 */
async function prepareSession(client: pg.ClientBase): Promise<void> {
  await client.query(
    `set default_transaction_isolation to 'read committed';
     set client_min_messages to error;
     set jit to off;
     select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  )
}

/** @throws what openPostgres throws */
export async function migrate(
  connection: pg.ClientConfig,
  name: string,
  mayMigrate?: MayMigrate,
): Promise<void> {
  const client = new pg.Client(connection)
  // What uses the connection fails as well.
  client.on('error', () => {})
  try {
    await client.connect()
    await requireVersion(client, name)
    await mayMigrate?.(client, name)
    await applyMigrations(client, name)
  } catch (error) {
    throw toOpenError(error, name)
  } finally {
    await client.end().catch(() => {})
  }
}

export async function requireVersion(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version_num') as version`,
  )
  const version = Math.floor(Number(rows[0]?.version) / 10_000)
  if (version >= OLDEST_VERSION) return
  throw new StoreUnopenableError(
    name,
    `it is PostgreSQL ${version}; version ${OLDEST_VERSION} or a newer one is needed`,
  )
}

async function readVersion(pool: pg.Pool, damage: Damage): Promise<number> {
  try {
    const { rows } = await pool.query<{ version: number }>({
      name: 'row_version',
      text: 'select version from row_changes',
    })
    const [row] = rows
    if (row === undefined) throw new Error('The table row_changes has lost its row')
    return row.version
  } catch (error) {
    throw damage.watch(toStoreError(error))
  }
}

/**
 * Makes the writes that concern the same thing in the order in which they were asked for. In SQLite
 * all writes are in one order; here each one may have a connection of its own, and an order that is
 * `sent` could arrive before the order itself.
 */
class InOrder {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs a write when the earlier ones with any of these names have ended, however they ended. */
  run<T>(names: readonly string[], write: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#last.get(name) ?? [])
    const written = before.length === 0 ? write() : Promise.all(before).then(write)
    const last: Promise<void> = written.then(
      () => this.#forget(names, last),
      () => this.#forget(names, last),
    )
    for (const name of names) this.#last.set(name, last)
    return written
  }

  #forget(names: readonly string[], last: Promise<unknown>): void {
    for (const name of names) if (this.#last.get(name) === last) this.#last.delete(name)
  }
}
