import { desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type ClientLimits, type LimitsWithUsage, NO_LIMITS } from 'schema'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import { type Database, first, type Queries, run, type Steps, theRow } from './database.ts'
import { ClientIdTakenError } from './errors.ts'
import { inSteps } from './in-steps.ts'
import type { Tables } from './tables.ts'

/**
 * A client credential's row. Of the secret it has only a keyed hash, and a preview of 8 and 4
 * characters.
 */
export type ClientRow = Tables['clients']['$inferSelect']

type NewClientRow = Pick<
  ClientRow,
  'clientId' | 'description' | 'secretHash' | 'secretPreview' | 'createdAtMs'
> &
  ClientChangesRow

export type ClientChangesRow = Partial<Pick<ClientRow, 'description' | 'permissions'>>

/** Makes the audit entry of a change from the rows before and after it. */
export type ClientEntry = (before: ClientRow, after: ClientRow) => NewAuditEntry

export type ClientStore = ReturnType<typeof createClientStore>

export function createClientStore(db: Database) {
  return { ...createReads(db), ...createWrites(db) }
}

/** One client, or a page of them. */
function createReads(db: Database) {
  const { clients } = db.tables
  const kept = db.keep<ClientRow>()
  const keptByClientId = db.keep<ClientRow>()
  const byId = db.prepare(
    db.queries
      .select()
      .from(clients)
      .where(eq(clients.id, sql.placeholder('id'))),
    'client_by_id',
  )
  const byClientId = db.prepare(
    db.queries
      .select()
      .from(clients)
      .where(eq(clients.clientId, sql.placeholder('clientId'))),
    'client_by_client_id',
  )

  return {
    /** A page of the clients, newest first: those below an id, or the newest. */
    async list(
      limit = Number.MAX_SAFE_INTEGER,
      beforeId = Number.MAX_SAFE_INTEGER,
    ): Promise<ClientRow[]> {
      return db.queries
        .select()
        .from(clients)
        .where(lt(clients.id, beforeId))
        .orderBy(desc(clients.id))
        .limit(limit)
    },

    count: async (): Promise<number> => db.queries.$count(clients),

    /**
     * @param sinceMs the row may be as it was at this moment (`performance.now()`), or later;
     * absent: as it is now. SQLite always returns the row as it is now.
     */
    async find(id: number, sinceMs?: number): Promise<ClientRow | undefined> {
      return (await kept(`${id}`, () => byId.execute({ id }), sinceMs))[0]
    },

    /** The clients with these ids of bots, in any order. */
    async findAll(clientIds: readonly string[]): Promise<ClientRow[]> {
      return db.queries
        .select()
        .from(clients)
        .where(inArray(clients.clientId, [...clientIds]))
    },

    /** The client with the id that its bot sends. The id is case-sensitive. */
    async findByClientId(clientId: string): Promise<ClientRow | undefined> {
      return (await keptByClientId(clientId, () => byClientId.execute({ clientId })))[0]
    },
  }
}

/** What administrators do to clients. All of it throws StoreUnwritableError. */
function createWrites(db: Database) {
  const { clients } = db.tables
  return {
    /**
     * Inserts a new, active client.
     * @param toEntry makes its audit entry
     * @throws ClientIdTakenError
     */
    async insert(
      client: NewClientRow,
      toEntry?: (row: ClientRow) => NewAuditEntry,
    ): Promise<ClientRow> {
      const row = { ...client, updatedAtMs: client.createdAtMs }
      try {
        return await db.changing(function* (tx) {
          const inserted = yield* theRow(tx.insert(clients).values(row).returning())
          yield* recordChange(db, tx, toEntry?.(inserted))
          return inserted
        })
      } catch (error) {
        throw db.isTaken(error) ? new ClientIdTakenError(client.clientId) : error
      }
    },

    /**
     * Changes only the given fields.
     * @returns the new row; undefined when there is none
     */
    update: (
      id: number,
      changes: ClientChangesRow,
      updatedAtMs: number,
      toEntry?: ClientEntry,
    ): Promise<ClientRow | undefined> =>
      db.changing((tx) => change(db, tx, id, () => ({ ...changes, updatedAtMs }), toEntry)),

    /**
     * Switches a client on or off.
     * @returns the new row; undefined when there is none
     */
    setActive: (
      id: number,
      active: boolean,
      updatedAtMs: number,
      toEntry?: ClientEntry,
    ): Promise<ClientRow | undefined> =>
      db.changing((tx) => change(db, tx, id, () => ({ active, updatedAtMs }), toEntry)),

    /**
     * Changes a client's limits.
     * @param toLimits makes the new limits of those that are in force
     * @returns the new row; undefined when there is none
     */
    setLimits: (
      id: number,
      toLimits: (limits: ClientLimits) => ClientLimits,
      updatedAtMs: number,
      toEntry?: ClientEntry,
    ): Promise<ClientRow | undefined> =>
      db.changing((tx) =>
        change(db, tx, id, (row) => ({ limits: toLimits(limitsOf(row)), updatedAtMs }), toEntry),
      ),

    /**
     * Removes a client with its keys, tokens, orders and logs. It is switched off first, so that
     * nothing new is added. Then its rows are removed in bounded steps, with turns of the event
     * loop between them. The next call removes what a crash left behind.
     * @returns the last state of the row; undefined when there was none
     */
    async remove(
      id: number,
      toEntry?: (removed: ClientRow) => NewAuditEntry,
    ): Promise<ClientRow | undefined> {
      const isIt = eq(clients.id, id)
      await db.changing((tx) => run(tx.update(clients).set({ active: false }).where(isIt)))
      await removeRowsOf(db, id)
      return db.changing(function* (tx) {
        const removed = yield* first(tx.delete(clients).where(isIt).returning())
        if (removed !== undefined) yield* recordChange(db, tx, toEntry?.(removed))
        return removed
      })
    },
  }
}

/**
 * Reads the row of a client and locks it. A token that is being stored refers to it: either the
 * next statement sees that token, or it is stored after the commit.
 */
export function lockClient(db: Database, tx: Queries, id: number): Steps<ClientRow | undefined> {
  const { clients } = db.tables
  return first(db.locking(tx.select().from(clients).where(eq(clients.id, id))))
}

/** Changes a row, and records it. */
function* change(
  db: Database,
  tx: Queries,
  id: number,
  toColumns: (before: ClientRow) => Partial<ClientRow>,
  toEntry: ClientEntry | undefined,
): Steps<ClientRow | undefined> {
  const { clients } = db.tables
  const before = yield* lockClient(db, tx, id)
  if (before === undefined) return undefined
  const after = yield* theRow(
    tx.update(clients).set(toColumns(before)).where(eq(clients.id, id)).returning(),
  )
  yield* recordChange(db, tx, toEntry?.(before, after))
  return after
}

/**
 * Removes the rows of which there may be many. The others go with the client's row, also those that
 * somebody else was changing.
 */
async function removeRowsOf(db: Database, id: number): Promise<void> {
  const { requestLogs, logMinutes, clientTokens, orderJournal } = db.tables
  const remove = (table: SQLiteTable, isOf: SQL) => inSteps(() => db.removeSome(table, isOf))
  await remove(requestLogs, eq(requestLogs.clientRef, id))
  await remove(logMinutes, eq(logMinutes.clientRef, id))
  await remove(clientTokens, eq(clientTokens.clientRef, id))
  await remove(orderJournal, eq(orderJournal.clientRef, id))
}

/** The limits of a client; those that were never set are none. */
export function limitsOf({ limits }: Pick<ClientRow, 'limits'>): ClientLimits {
  return { ...NO_LIMITS, ...limits }
}

/** Whether the client's limits say that it has expired. */
export function hasExpired(limits: Pick<ClientLimits, 'expiresAt'> | null, nowMs: number): boolean {
  const expiresAt = limits?.expiresAt ?? null
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs
}

/** The stop of a client that is in force; null when there is none. */
export function stopOf({
  stoppedAtMs,
  stopReason,
}: Pick<ClientRow, 'stoppedAtMs' | 'stopReason'>): LimitsWithUsage['stopped'] {
  if (stoppedAtMs === null) return null
  return { reason: stopReason ?? '', at: new Date(stoppedAtMs).toISOString() }
}

/** What a client may do: its limits, and the reason of a stop that is in force. */
export function mandateOf(client: ClientRow) {
  return { limits: limitsOf(client), stopReason: stopOf(client)?.reason }
}
