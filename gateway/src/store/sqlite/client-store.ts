import { desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ClientLimits } from 'schema'
import type { NewAuditEntry } from '../audit-chain.ts'
import { limitsOf } from '../client-limits.ts'
import type {
  ClientChangesRow,
  ClientEntry,
  ClientRow,
  ClientStore,
  NewClientRow,
} from '../client-store.ts'
import { ClientIdTakenError } from '../errors.ts'
import { inSteps } from '../in-steps.ts'
import { recordChange } from './audit-trail.ts'
import type { Db } from './open.ts'
import { clients, clientTokens, logMinutes, orderJournal, requestLogs } from './tables.ts'
import { isTaken, writing } from './write.ts'

// Rows of a client that one statement removes: about 10 ms, indexes included.
const REMOVED_AT_ONCE = 250

export function createClientStore(db: Db): ClientStore {
  const byId = db
    .select()
    .from(clients)
    .where(eq(clients.id, sql.placeholder('id')))
    .prepare()
  const find = (id: number): ClientRow | undefined => byId.get({ id })
  return { ...createReads(db, find), ...createWrites(db, find) }
}

type Find = (id: number) => ClientRow | undefined

/** One client, or a page of them. */
function createReads(db: Db, findNow: Find) {
  const kept = db.rows.keep<ClientRow>()
  const keptByClientId = db.rows.keep<ClientRow>()
  const byClientId = db
    .select()
    .from(clients)
    .where(eq(clients.clientId, sql.placeholder('clientId')))
    .prepare()

  return {
    async list(
      limit = Number.MAX_SAFE_INTEGER,
      beforeId = Number.MAX_SAFE_INTEGER,
    ): Promise<ClientRow[]> {
      return db
        .select()
        .from(clients)
        .where(lt(clients.id, beforeId))
        .orderBy(desc(clients.id))
        .limit(limit)
        .all()
    },

    async count(): Promise<number> {
      return db.$count(clients)
    },

    async find(id: number): Promise<ClientRow | undefined> {
      return kept(`${id}`, () => findNow(id))
    },

    async findAll(clientIds: readonly string[]): Promise<ClientRow[]> {
      return db
        .select()
        .from(clients)
        .where(inArray(clients.clientId, [...clientIds]))
        .all()
    },

    async findByClientId(clientId: string): Promise<ClientRow | undefined> {
      return keptByClientId(clientId, () => byClientId.get({ clientId }))
    },
  }
}

/** What administrators do to clients. */
function createWrites(db: Db, find: Find) {
  return {
    async insert(
      client: NewClientRow,
      toEntry?: (row: ClientRow) => NewAuditEntry,
    ): Promise<ClientRow> {
      const row = { ...client, updatedAtMs: client.createdAtMs }
      try {
        return await writing(db, () => {
          const inserted = db.insert(clients).values(row).returning().get()
          recordChange(db, toEntry?.(inserted))
          return inserted
        })
      } catch (error) {
        throw isTaken(error) ? new ClientIdTakenError(client.clientId) : error
      }
    },

    async update(
      id: number,
      changes: ClientChangesRow,
      updatedAtMs: number,
      toEntry?: ClientEntry,
    ): Promise<ClientRow | undefined> {
      return writing(db, () => change(id, { ...changes, updatedAtMs }, toEntry))
    },

    async setActive(
      id: number,
      active: boolean,
      updatedAtMs: number,
      toEntry?: ClientEntry,
    ): Promise<ClientRow | undefined> {
      return writing(db, () => change(id, { active, updatedAtMs }, toEntry))
    },

    async setLimits(
      id: number,
      toLimits: (limits: ClientLimits) => ClientLimits,
      updatedAtMs: number,
      toEntry?: ClientEntry,
    ): Promise<ClientRow | undefined> {
      return writing(db, () => {
        const row = find(id)
        if (row === undefined) return undefined
        return change(id, { limits: toLimits(limitsOf(row)), updatedAtMs }, toEntry)
      })
    },

    async remove(
      id: number,
      toEntry?: (removed: ClientRow) => NewAuditEntry,
    ): Promise<ClientRow | undefined> {
      await writing(db, () =>
        db.update(clients).set({ active: false }).where(eq(clients.id, id)).run(),
      )
      await removeOf(requestLogs, requestLogs.clientRef, id)
      await removeOf(logMinutes, logMinutes.clientRef, id)
      await removeOf(clientTokens, clientTokens.clientRef, id)
      await removeOf(orderJournal, orderJournal.clientRef, id)
      return writing(db, () => {
        const removed = db.delete(clients).where(eq(clients.id, id)).returning().get()
        if (removed !== undefined) recordChange(db, toEntry?.(removed))
        return removed
      })
    },
  }

  function change(
    id: number,
    columns: Partial<ClientRow>,
    toEntry: ClientEntry | undefined,
  ): ClientRow | undefined {
    const before = find(id)
    const after = db.update(clients).set(columns).where(eq(clients.id, id)).returning().get()
    if (before !== undefined && after !== undefined) recordChange(db, toEntry?.(before, after))
    return after
  }

  async function removeOf(table: SQLiteTable, clientRef: SQLiteColumn, id: number): Promise<void> {
    const rowid: SQL<number> = sql`rowid`
    const some = db.select({ rowid }).from(table).where(eq(clientRef, id)).limit(REMOVED_AT_ONCE)
    await inSteps(() =>
      writing(db, () => db.delete(table).where(inArray(rowid, some)).run().changes),
    )
  }
}
