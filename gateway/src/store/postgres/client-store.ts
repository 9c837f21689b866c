import { desc, eq, inArray, lt, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { limitsOf } from '../client-limits.ts'
import type { ClientEntry, ClientRow, ClientStore } from '../client-store.ts'
import { ClientIdTakenError } from '../errors.ts'
import { inSteps } from '../in-steps.ts'
import { recordChange } from './audit-trail.ts'
import { lockClient } from './lock-client.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { clients, clientTokens, logMinutes, orderJournal, requestLogs } from './tables.ts'
import { theRow } from './the-row.ts'
import { changing, isTaken, writingOnce } from './write.ts'

/** Rows of a client that one statement removes, so that none takes long. */
const REMOVED_AT_ONCE = 1_000

export function createClientStore(db: Db): ClientStore {
  return { ...createReads(db), ...createWrites(db) }
}

type Reads = Pick<ClientStore, 'list' | 'count' | 'find' | 'findAll' | 'findByClientId'>

/** One client, or a page of them. */
function createReads(db: Db): Reads {
  const kept = db.rows.keep<ClientRow>()
  const keptByClientId = db.rows.keep<ClientRow>()
  const byId = db
    .select()
    .from(clients)
    .where(eq(clients.id, sql.placeholder('id')))
    .prepare('client_by_id')
  const byClientId = db
    .select()
    .from(clients)
    .where(eq(clients.clientId, sql.placeholder('clientId')))
    .prepare('client_by_client_id')

  return {
    async list(limit = Number.MAX_SAFE_INTEGER, beforeId = Number.MAX_SAFE_INTEGER) {
      return db
        .select()
        .from(clients)
        .where(lt(clients.id, beforeId))
        .orderBy(desc(clients.id))
        .limit(limit)
    },

    async count() {
      return db.$count(clients)
    },

    async find(id, sinceMs) {
      return kept(`${id}`, async () => (await byId.execute({ id }))[0], sinceMs)
    },

    async findAll(clientIds) {
      return db
        .select()
        .from(clients)
        .where(inArray(clients.clientId, [...clientIds]))
    },

    async findByClientId(clientId) {
      return keptByClientId(clientId, async () => (await byClientId.execute({ clientId }))[0])
    },
  }
}

type Writes = Omit<ClientStore, keyof Reads>

/** What administrators do to clients. */
function createWrites(db: Db): Writes {
  return {
    async insert(client, toEntry) {
      const row = { ...client, updatedAtMs: client.createdAtMs }
      try {
        return await changing(db, async (tx) => {
          const inserted = theRow(await tx.insert(clients).values(row).returning())
          await recordChange(tx, toEntry?.(inserted))
          return inserted
        })
      } catch (error) {
        throw isTaken(error) ? new ClientIdTakenError(client.clientId) : error
      }
    },

    async update(id, changes, updatedAtMs, toEntry) {
      return changing(db, (tx) => change(tx, id, () => ({ ...changes, updatedAtMs }), toEntry))
    },

    async setActive(id, active, updatedAtMs, toEntry) {
      return changing(db, (tx) => change(tx, id, () => ({ active, updatedAtMs }), toEntry))
    },

    async setLimits(id, toLimits, updatedAtMs, toEntry) {
      return changing(db, (tx) =>
        change(tx, id, (row) => ({ limits: toLimits(limitsOf(row)), updatedAtMs }), toEntry),
      )
    },

    async remove(id, toEntry) {
      await writingOnce(db, () =>
        db.update(clients).set({ active: false }).where(eq(clients.id, id)),
      ).finally(() => db.rows.changed())
      await removeOf(db, requestLogs, requestLogs.clientRef, id)
      await removeOf(db, logMinutes, logMinutes.clientRef, id)
      await removeOf(db, clientTokens, clientTokens.clientRef, id)
      await removeOf(db, orderJournal, orderJournal.clientRef, id)
      return changing(db, async (tx) => {
        const [removed] = await tx.delete(clients).where(eq(clients.id, id)).returning()
        if (removed !== undefined) await recordChange(tx, toEntry?.(removed))
        return removed
      })
    },
  }
}

/** Changes a row, and records it. */
async function change(
  tx: Queries,
  id: number,
  toColumns: (before: ClientRow) => Partial<ClientRow>,
  toEntry: ClientEntry | undefined,
): Promise<ClientRow | undefined> {
  const before = await lockClient(tx, id)
  if (before === undefined) return undefined
  const columns = toColumns(before)
  const after = theRow(await tx.update(clients).set(columns).where(eq(clients.id, id)).returning())
  await recordChange(tx, toEntry?.(before, after))
  return after
}

async function removeOf(db: Db, table: PgTable, clientRef: PgColumn, id: number): Promise<void> {
  const some = db
    .select({ ctid: sql`ctid` })
    .from(table)
    .where(eq(clientRef, id))
    .limit(REMOVED_AT_ONCE)
  await inSteps(async () => {
    const { rowCount } = await writingOnce(db, () =>
      db.delete(table).where(sql`ctid = any(array(${some}))`),
    )
    return rowCount ?? 0
  })
}
