import { and, desc, eq, gte, lte, notInArray, sql } from 'drizzle-orm'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import { type ClientRow, lockClient } from './client-store.ts'
import {
  changedRows,
  type Database,
  first,
  type Queries,
  run,
  type Steps,
  textIf,
} from './database.ts'
import type { Tables } from './tables.ts'
import { revokeTokens } from './token-store.ts'

/** The secret of a client before its last rotation. */
type OldSecretRow = Pick<Tables['oldSecrets']['$inferSelect'], 'hash' | 'preview' | 'expiresAtMs'>

type NextSecret = Pick<ClientRow, 'secretHash' | 'secretPreview'>

export type SecretUseRow = Tables['secretUses']['$inferSelect']

/** When and from where a client used a secret last. */
interface LastSeen {
  readonly clientRef: number
  readonly clientId: string
  readonly lastSeenAtMs: number
  readonly lastAddress: string
}

/**
 * The secrets of clients besides their rows: old ones, and when each was used. Its writes throw
 * StoreUnwritableError.
 */
export type SecretStore = ReturnType<typeof createSecretStore>

export function createSecretStore(db: Database) {
  return { ...createSecrets(db), ...createUses(db) }
}

function createSecrets(db: Database) {
  const { oldSecrets } = db.tables
  const { hash, preview, expiresAtMs } = oldSecrets
  const old = db.prepare(
    db.queries
      .select({ hash, preview, expiresAtMs })
      .from(oldSecrets)
      .where(eq(oldSecrets.clientRef, sql.placeholder('clientRef')))
      .orderBy(desc(oldSecrets.id))
      .limit(1),
    'old_secret',
  )
  const kept = db.keepAll<OldSecretRow>()

  return {
    /** The old secret that still works; undefined when there is none. */
    async findOld(clientRef: number, nowMs: number): Promise<OldSecretRow | undefined> {
      const [row] = await kept(`${clientRef}`, () => old.execute({ clientRef }))
      return row !== undefined && row.expiresAtMs > nowMs ? row : undefined
    },

    /**
     * Gives a client a new secret. The present one becomes the old one, and an earlier old one
     * ends.
     * @param oldExpiresAtMs null: the present one ends at once, and all tokens are revoked
     * @param toEntry makes the audit entry from the client's row before
     * @returns the client's row before; undefined when there is none
     */
    rotate: (
      clientRef: number,
      next: NextSecret,
      oldExpiresAtMs: number | null,
      nowMs: number,
      toEntry?: (before: ClientRow) => NewAuditEntry,
    ): Promise<ClientRow | undefined> =>
      db.changing((tx) => rotate(db, tx, clientRef, next, oldExpiresAtMs, nowMs, toEntry)),

    /**
     * Ends the old secret of a client, and revokes all its tokens.
     * @returns the client's row; undefined when there is none
     */
    endOld: (
      clientRef: number,
      nowMs: number,
      toEntry?: (row: ClientRow, old: OldSecretRow | undefined) => NewAuditEntry,
    ): Promise<ClientRow | undefined> =>
      db.changing(function* (tx) {
        const row = yield* lockClient(db, tx, clientRef)
        if (row === undefined) return undefined
        const isOld = eq(oldSecrets.clientRef, clientRef)
        const ended = yield* first(
          tx.select().from(oldSecrets).where(isOld).orderBy(desc(oldSecrets.id)).limit(1),
        )
        yield* recordChange(db, tx, toEntry?.(row, ended))
        yield* run(tx.delete(oldSecrets).where(isOld))
        yield* revokeTokens(db, tx, clientRef, nowMs)
        yield* forgetUses(db, tx, clientRef, [row.secretPreview])
        return row
      }),

    /** Removes the old secrets that expired before a time. */
    async removeExpired(beforeMs: number): Promise<number> {
      const isOver = lte(expiresAtMs, beforeMs)
      return changedRows(await db.writingUnsynced((tx) => run(tx.delete(oldSecrets).where(isOver))))
    },
  }
}

function* rotate(
  db: Database,
  tx: Queries,
  clientRef: number,
  next: NextSecret,
  oldExpiresAtMs: number | null,
  nowMs: number,
  toEntry?: (before: ClientRow) => NewAuditEntry,
): Steps<ClientRow | undefined> {
  const { clients, oldSecrets } = db.tables
  const row = yield* lockClient(db, tx, clientRef)
  if (row === undefined) return undefined
  yield* run(tx.delete(oldSecrets).where(eq(oldSecrets.clientRef, clientRef)))
  const last = { clientRef, hash: row.secretHash, preview: row.secretPreview }
  if (oldExpiresAtMs === null) yield* revokeTokens(db, tx, clientRef, nowMs)
  else yield* run(tx.insert(oldSecrets).values({ ...last, expiresAtMs: oldExpiresAtMs }))
  const values = { ...next, updatedAtMs: nowMs }
  yield* run(tx.update(clients).set(values).where(eq(clients.id, clientRef)))
  const left = oldExpiresAtMs === null ? [] : [last.preview]
  yield* forgetUses(db, tx, clientRef, [next.secretPreview, ...left])
  yield* recordChange(db, tx, toEntry?.(row))
  return row
}

function* forgetUses(
  { tables: { secretUses } }: Database,
  tx: Queries,
  clientRef: number,
  kept: readonly string[],
): Steps<void> {
  const isOther = notInArray(secretUses.preview, [...kept])
  yield* run(tx.delete(secretUses).where(and(eq(secretUses.clientRef, clientRef), isOther)))
}

/** When and from where secrets were used. */
function createUses(db: Database) {
  const { clients, secretUses } = db.tables
  const { clientRef, preview, usedAtMs, address } = secretUses

  return {
    /** The last use of each secret of a client. */
    uses: async (id: number): Promise<SecretUseRow[]> =>
      db.queries.select().from(secretUses).where(eq(clientRef, id)).orderBy(preview),

    /** When and from where each client used a secret last, of those that did since a moment. */
    async usesSince(fromMs: number): Promise<LastSeen[]> {
      const uses = await db.queries
        .select({
          ...{ clientRef, clientId: clients.clientId },
          ...{ lastSeenAtMs: usedAtMs, lastAddress: address },
        })
        .from(secretUses)
        .innerJoin(clients, eq(clients.id, clientRef))
        .where(gte(usedAtMs, fromMs))
        .orderBy(clientRef, usedAtMs)
      // A client has a row for each of its secrets, at most two.
      return [...new Map(uses.map((use) => [use.clientRef, use])).values()]
    },

    /**
     * Records a use without waiting for the disk. Nothing is recorded of a client that was deleted.
     */
    async noteUse(use: SecretUseRow): Promise<void> {
      const set = { usedAtMs: use.usedAtMs, address: use.address }
      try {
        await db.onceUnsynced((queries, unsynced) =>
          queries
            .insert(secretUses)
            .values({ ...use, preview: textIf(unsynced, use.preview) })
            .onConflictDoUpdate({ target: [clientRef, preview], set }),
        )
      } catch (error) {
        if (!db.isOrphan(error)) throw error
      }
    },
  }
}
