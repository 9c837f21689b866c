import pg from 'pg'
import {
  CallsRunningError,
  GatewayOlderError,
  RotationRunningError,
  StandbyCallsError,
} from '../errors.ts'
import { createSharedStores } from '../shared-stores.ts'
import type { CallsLock, GatewayKeys, Stores, StoresBeside } from '../stores.ts'
import { createDatabase } from './database.ts'
import { createJournalStore } from './journal-store.ts'
import { createLogStore } from './log-store.ts'
import { countPending } from './migrations.ts'
import { createNodeStore, listNodes } from './node-store.ts'
import { noteRestore } from './note-restore.ts'
import { connectionTo, openPostgres, type PostgresStore } from './open.ts'
import { createOwnerLock } from './owner-lock.ts'
import { toOpenError } from './postgres-error.ts'
import { isLocked, tryLockFor } from './session.ts'
import { readDatabaseUrl } from './url.ts'

/** Connects to a database and creates all its stores. @throws what openPostgres throws */
export async function createStores(databaseUrl: string): Promise<Stores> {
  const { db, pendingMigrations, close } = await openPostgres(databaseUrl)
  return {
    ...createSharedStores(createDatabase(db)),
    log: createLogStore(db),
    journal: createJournalStore(db),
    nodes: createNodeStore(db),
    ownerLock: createOwnerLock(databaseUrl, db.identity),
    noteRestore: (nowMs) => noteRestore(db, nowMs),
    onReplaced: (listener) => db.identity.onReplaced(listener),
    requireSound() {
      db.identity.requireSame()
      db.damage.requireNone()
    },
    pendingMigrations,
    close,
  }
}

/** Opens a database on a server. @throws GatewayOlderError, and what openPostgres throws */
export async function openStoresBeside(databaseUrl: string): Promise<StoresBeside> {
  const store = await openPostgres(databaseUrl, async (client, name) => {
    if ((await countPending(client)) === 0) return
    const isRunning = ({ missingSinceMs }: GatewayKeys) => missingSinceMs === undefined
    if ((await listNodes(client)).some(isRunning)) throw new GatewayOlderError(name)
  })
  try {
    // Writes of the command would hide the time of the last event before a restore.
    await noteRestore(store.db, Date.now())
  } catch (error) {
    await store.close()
    throw error
  }
  return storesBeside(store)
}

/**
 * Opens a database likewise, and keeps other commands from its master key until it is closed.
 * @throws RotationRunningError, and what openStoresBeside throws
 */
export async function openForMasterKey(databaseUrl: string): Promise<StoresBeside> {
  const { name } = readDatabaseUrl(databaseUrl)
  const client = await lockedClient(databaseUrl, 'rotation', new RotationRunningError(name))
  const unlock = () => client.end()
  try {
    const stores = await openStoresBeside(databaseUrl)
    return { ...stores, close: () => stores.close().finally(unlock) }
  } catch (error) {
    await unlock()
    throw error
  }
}

/** The stores of a database that is open. */
export function storesBeside({ db, name, close }: PostgresStore): StoresBeside {
  return {
    ...createSharedStores(createDatabase(db)),
    ...{ name, path: undefined },
    journal: createJournalStore(db),
    gateways: () => listNodes(db.pool),
    isAuditGuarded: () => isAuditGuarded(db),
    close,
  }
}

/** As `lockCalls` of `store/create-stores.ts`. */
export async function lockCalls(databaseUrl: string): Promise<CallsLock> {
  const { name } = readDatabaseUrl(databaseUrl)
  const client = await lockedClient(databaseUrl, 'calls', new CallsRunningError(name))
  return {
    async isGatewaySending() {
      try {
        const { rows } = await client.query<{ standby: boolean; taken: boolean }>(
          `select pg_is_in_recovery() as standby, ${isLocked('owner')} as taken`,
        )
        if (rows[0]?.standby !== false) throw new StandbyCallsError(name)
        return rows[0].taken
      } catch (error) {
        throw toOpenError(error, name)
      }
    },
    close: () => client.end(),
  }
}

/** A connection that has a lock, which ends with it: so none outlives the command. */
async function lockedClient(
  databaseUrl: string,
  lock: Parameters<typeof tryLockFor>[0],
  taken: Error,
): Promise<pg.Client> {
  const address = readDatabaseUrl(databaseUrl)
  const client = new pg.Client({ ...connectionTo(address), query_timeout: QUESTION_MS })
  // What uses the connection fails as well.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ locked: boolean }>(`${tryLockFor(lock)} as locked`)
    if (rows[0]?.locked !== true) throw taken
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw toOpenError(error, address.name)
  }
}

const QUESTION_MS = 10_000

/** How many triggers protect it. */
const AUDIT_GUARDS = 3

/** Whether the triggers of the audit trail (0001_triggers.sql) are there and switched on. */
async function isAuditGuarded({ pool }: PostgresStore['db']): Promise<boolean> {
  const { rows } = await pool.query<{ guards: number }>(
    `select count(*)::int as guards from pg_trigger
     where tgrelid = to_regclass('audit_entries') and tgenabled in ('O', 'A')
       and tgfoid::regproc::text like any (array['%refuse_audit_change', '%check_audit_entry'])`,
  )
  return (rows[0]?.guards ?? 0) >= AUDIT_GUARDS
}
