import { and, asc, eq, gt, inArray, lte } from 'drizzle-orm'
import { type ClientRow, lockClient } from './client-store.ts'
import { columns, type Database, hasChanged, run } from './database.ts'
import { ClientGoneError } from './errors.ts'
import type { Tables } from './tables.ts'

type ListenKeyRow = Tables['listenKeys']['$inferSelect']

/** A listen key with the present state of its client. */
export type ListenKeyState = Pick<ClientRow, 'clientId' | 'active' | 'permissions' | 'limits'> &
  Pick<ListenKeyRow, 'clientRef' | 'expiresAtMs'>

/**
 * The gateway's own listen keys, which bots use in place of MEXC's. Only hashes are stored. Writes
 * throw StoreUnwritableError.
 */
export type ListenKeyStore = ReturnType<typeof createListenKeyStore>

export function createListenKeyStore(db: Database) {
  return { ...createReads(db), ...createWrites(db) }
}

function createReads(db: Database) {
  const { clients, listenKeys } = db.tables
  const { hash, clientRef, createdAtMs, expiresAtMs } = listenKeys
  return {
    /** Undefined: unknown key, or its client was deleted. The caller checks the expiry. */
    async find(key: string): Promise<ListenKeyState | undefined> {
      const [row] = await db.queries
        .select({
          ...columns(clients, 'clientId', 'active', 'permissions', 'limits'),
          ...columns(listenKeys, 'clientRef', 'expiresAtMs'),
        })
        .from(listenKeys)
        .innerJoin(clients, eq(clients.id, clientRef))
        .where(eq(hash, key))
      return row
    },

    /** The hashes of a client's keys that have not expired, oldest first. */
    async listOf(client: number, nowMs: number): Promise<string[]> {
      const rows = await db.queries
        .select({ hash })
        .from(listenKeys)
        .where(and(eq(clientRef, client), gt(expiresAtMs, nowMs)))
        .orderBy(asc(createdAtMs))
      return rows.map((row) => row.hash)
    },
  }
}

function createWrites(db: Database) {
  const { listenKeys } = db.tables
  const { hash, clientRef, createdAtMs, expiresAtMs } = listenKeys
  const isOf = (client: number, key: string, nowMs: number) =>
    and(eq(hash, key), eq(clientRef, client), gt(expiresAtMs, nowMs))

  return {
    /**
     * Stores a key. If the client then has more than `max`, removes its oldest keys.
     * @throws ClientGoneError when the client was deleted in the meantime
     */
    async insert(row: ListenKeyRow, max: number): Promise<void> {
      try {
        await db.writing(function* (tx) {
          yield* lockClient(db, tx, row.clientRef)
          const own = yield* run(
            tx
              .select({ hash })
              .from(listenKeys)
              .where(eq(clientRef, row.clientRef))
              .orderBy(asc(createdAtMs)),
          )
          const tooMany = own.slice(0, Math.max(0, own.length + 1 - max))
          if (tooMany.length > 0)
            yield* run(
              tx.delete(listenKeys).where(
                inArray(
                  hash,
                  tooMany.map((each) => each.hash),
                ),
              ),
            )
          yield* run(tx.insert(listenKeys).values(row))
        })
      } catch (cause) {
        throw db.isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    /** @returns whether the client has such a key */
    extend: (client: number, key: string, untilMs: number, nowMs: number): Promise<boolean> =>
      hasChanged(db, (queries) =>
        queries
          .update(listenKeys)
          .set({ expiresAtMs: untilMs })
          .where(isOf(client, key, nowMs)),
      ),

    /** @returns whether the client had such a key */
    remove: (client: number, key: string, nowMs: number): Promise<boolean> =>
      hasChanged(db, (queries) => queries.delete(listenKeys).where(isOf(client, key, nowMs))),

    /** Removes at most `limit` keys that expired before a time. @returns how many */
    removeExpired: (beforeMs: number, limit: number): Promise<number> =>
      db.removeSome(listenKeys, lte(expiresAtMs, beforeMs), { limit }),
  }
}
