import { and, desc, eq, gte, isNull, lte, max, notInArray, sql } from 'drizzle-orm'
import type { NewAuditEntry } from '../audit-chain.ts'
import type { ClientRow } from '../client-store.ts'
import type { OldSecretRow, SecretStore, SecretUseRow } from '../secret-store.ts'
import { recordChange } from './audit-trail.ts'
import type { Db } from './open.ts'
import { clients, clientTokens, oldSecrets, secretUses } from './tables.ts'
import { isOrphan, writing, writingUnsynced } from './write.ts'

export function createSecretStore(db: Db): SecretStore {
  const old = db
    .select({
      hash: oldSecrets.hash,
      preview: oldSecrets.preview,
      expiresAtMs: oldSecrets.expiresAtMs,
    })
    .from(oldSecrets)
    .where(eq(oldSecrets.clientRef, sql.placeholder('clientRef')))
    .orderBy(desc(oldSecrets.id))
    .limit(1)
    .prepare()
  const kept = db.rows.keep<{ row: OldSecretRow | undefined }>()

  return {
    async findOld(clientRef: number, nowMs: number): Promise<OldSecretRow | undefined> {
      const row = kept(`${clientRef}`, () => ({ row: old.get({ clientRef }) }))?.row
      return row !== undefined && row.expiresAtMs > nowMs ? row : undefined
    },

    async rotate(
      clientRef: number,
      next: Pick<ClientRow, 'secretHash' | 'secretPreview'>,
      oldExpiresAtMs: number | null,
      nowMs: number,
      toEntry?: (before: ClientRow) => NewAuditEntry,
    ): Promise<ClientRow | undefined> {
      return writing(db, () => {
        const row = db.select().from(clients).where(eq(clients.id, clientRef)).get()
        if (row === undefined) return undefined
        const { secretHash: hash, secretPreview: preview } = row
        db.delete(oldSecrets).where(eq(oldSecrets.clientRef, clientRef)).run()
        if (oldExpiresAtMs === null) revokeTokens(db, clientRef, nowMs)
        else
          db.insert(oldSecrets)
            .values({ clientRef, hash, preview, expiresAtMs: oldExpiresAtMs })
            .run()
        db.update(clients)
          .set({ ...next, updatedAtMs: nowMs })
          .where(eq(clients.id, clientRef))
          .run()
        forgetUses(db, clientRef, [
          next.secretPreview,
          ...(oldExpiresAtMs === null ? [] : [preview]),
        ])
        recordChange(db, toEntry?.(row))
        return row
      })
    },

    async endOld(
      clientRef: number,
      nowMs: number,
      toEntry?: (row: ClientRow, old: OldSecretRow | undefined) => NewAuditEntry,
    ): Promise<ClientRow | undefined> {
      return writing(db, () => {
        const row = db.select().from(clients).where(eq(clients.id, clientRef)).get()
        if (row === undefined) return undefined
        recordChange(db, toEntry?.(row, old.get({ clientRef })))
        db.delete(oldSecrets).where(eq(oldSecrets.clientRef, clientRef)).run()
        revokeTokens(db, clientRef, nowMs)
        forgetUses(db, clientRef, [row.secretPreview])
        return row
      })
    },

    async uses(clientRef: number): Promise<SecretUseRow[]> {
      return db.select().from(secretUses).where(eq(secretUses.clientRef, clientRef)).all()
    },

    usesSince: (fromMs: number) => usesSince(db, fromMs),

    async noteUse(use: SecretUseRow): Promise<void> {
      const { usedAtMs, address } = use
      try {
        await writingUnsynced(db, () =>
          db
            .insert(secretUses)
            .values(use)
            .onConflictDoUpdate({
              target: [secretUses.clientRef, secretUses.preview],
              set: { usedAtMs, address },
            })
            .run(),
        )
      } catch (error) {
        if (!isOrphan(error)) throw error
      }
    },

    async removeExpired(beforeMs: number): Promise<number> {
      return writingUnsynced(
        db,
        () => db.delete(oldSecrets).where(lte(oldSecrets.expiresAtMs, beforeMs)).run().changes,
      )
    },
  }
}

function revokeTokens(db: Db, clientRef: number, revokedAtMs: number): void {
  db.update(clientTokens)
    .set({ revokedAtMs })
    .where(and(eq(clientTokens.clientRef, clientRef), isNull(clientTokens.revokedAtMs)))
    .run()
}

function forgetUses(db: Db, clientRef: number, kept: readonly string[]): void {
  db.delete(secretUses)
    .where(and(eq(secretUses.clientRef, clientRef), notInArray(secretUses.preview, [...kept])))
    .run()
}

/** When and from where each client used a secret last, of those that did since a moment. */
async function usesSince(
  db: Db,
  fromMs: number,
): Promise<{ clientRef: number; clientId: string; lastSeenAtMs: number; lastAddress: string }[]> {
  return db
    .select({
      clientRef: secretUses.clientRef,
      clientId: clients.clientId,
      // SQLite takes the address from the row with the maximum (sqlite.org/lang_select.html).
      lastSeenAtMs: max(secretUses.usedAtMs).mapWith(Number),
      lastAddress: secretUses.address,
    })
    .from(secretUses)
    .innerJoin(clients, eq(clients.id, secretUses.clientRef))
    .where(gte(secretUses.usedAtMs, fromMs))
    .groupBy(secretUses.clientRef)
    .all()
}
