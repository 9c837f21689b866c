import { and, desc, eq, gte, lte, notInArray, sql } from 'drizzle-orm'
import type { OldSecretRow, SecretStore } from '../secret-store.ts'
import { recordChange } from './audit-trail.ts'
import { lockClient } from './lock-client.ts'
import type { Db } from './open.ts'
import { revokeTokens } from './revoke-tokens.ts'
import type { Queries } from './session.ts'
import { clients, oldSecrets, secretUses } from './tables.ts'
import { changing, isOrphan, unsynced, unsyncedValue, writingOnce } from './write.ts'

export function createSecretStore(db: Db): SecretStore {
  return { ...createSecrets(db), ...createUses(db) }
}

type Secrets = Pick<SecretStore, 'findOld' | 'rotate' | 'endOld' | 'removeExpired'>

function createSecrets(db: Db): Secrets {
  const old = oldSecret(db, sql.placeholder('clientRef')).prepare('old_secret')
  const kept = db.rows.keep<{ row: OldSecretRow | undefined }>()

  return {
    async findOld(clientRef, nowMs) {
      const found = await kept(`${clientRef}`, async () => {
        const [row] = await old.execute({ clientRef })
        return { row }
      })
      const row = found?.row
      return row !== undefined && row.expiresAtMs > nowMs ? row : undefined
    },

    async rotate(clientRef, next, oldExpiresAtMs, nowMs, toEntry) {
      return changing(db, async (tx) => {
        const row = await lockClient(tx, clientRef)
        if (row === undefined) return undefined
        const { secretHash: hash, secretPreview: preview } = row
        await tx.delete(oldSecrets).where(eq(oldSecrets.clientRef, clientRef))
        if (oldExpiresAtMs === null) await revokeTokens(tx, clientRef, nowMs)
        else
          await tx
            .insert(oldSecrets)
            .values({ clientRef, hash, preview, expiresAtMs: oldExpiresAtMs })
        await tx
          .update(clients)
          .set({ ...next, updatedAtMs: nowMs })
          .where(eq(clients.id, clientRef))
        const left = oldExpiresAtMs === null ? [] : [preview]
        await forgetUses(tx, clientRef, [next.secretPreview, ...left])
        await recordChange(tx, toEntry?.(row))
        return row
      })
    },

    async endOld(clientRef, nowMs, toEntry) {
      return changing(db, async (tx) => {
        const row = await lockClient(tx, clientRef)
        if (row === undefined) return undefined
        const [ended] = await oldSecret(tx, clientRef)
        await recordChange(tx, toEntry?.(row, ended))
        await tx.delete(oldSecrets).where(eq(oldSecrets.clientRef, clientRef))
        await revokeTokens(tx, clientRef, nowMs)
        await forgetUses(tx, clientRef, [row.secretPreview])
        return row
      })
    },

    async removeExpired(beforeMs) {
      const { rowCount } = await writingOnce(db, () =>
        db.delete(oldSecrets).where(and(lte(oldSecrets.expiresAtMs, beforeMs), unsynced)),
      )
      return rowCount ?? 0
    },
  }
}

/** The newest old secret of a client. */
function oldSecret(tx: Queries, clientRef: Parameters<typeof sql.param>[0]) {
  return tx
    .select({
      hash: oldSecrets.hash,
      preview: oldSecrets.preview,
      expiresAtMs: oldSecrets.expiresAtMs,
    })
    .from(oldSecrets)
    .where(sql`${oldSecrets.clientRef} = ${clientRef}`)
    .orderBy(desc(oldSecrets.id))
    .limit(1)
}

async function forgetUses(tx: Queries, clientRef: number, kept: readonly string[]): Promise<void> {
  await tx
    .delete(secretUses)
    .where(and(eq(secretUses.clientRef, clientRef), notInArray(secretUses.preview, [...kept])))
}

/** When and from where secrets were used. */
function createUses(db: Db): Omit<SecretStore, keyof Secrets> {
  const { clientRef, preview, usedAtMs, address } = secretUses
  const note = db
    .insert(secretUses)
    .values({
      clientRef: sql.placeholder('clientRef'),
      preview: sql.placeholder('preview'),
      usedAtMs: sql.placeholder('usedAtMs'),
      address: unsyncedValue(sql.param(sql.placeholder('address'), address)),
    })
    .onConflictDoUpdate({
      target: [clientRef, preview],
      set: { usedAtMs: sql`excluded.used_at_ms`, address: sql`excluded.address` },
    })
    .prepare('secret_use')

  return {
    async uses(id) {
      return db.select().from(secretUses).where(eq(clientRef, id)).orderBy(preview)
    },

    async usesSince(fromMs) {
      return db
        .selectDistinctOn([clientRef], {
          ...{ clientRef, clientId: clients.clientId },
          ...{ lastSeenAtMs: usedAtMs, lastAddress: address },
        })
        .from(secretUses)
        .innerJoin(clients, eq(clients.id, clientRef))
        .where(gte(usedAtMs, fromMs))
        .orderBy(clientRef, desc(usedAtMs), preview)
    },

    async noteUse(use) {
      try {
        await writingOnce(db, () => note.execute({ ...use }))
      } catch (error) {
        if (!isOrphan(error)) throw error
      }
    },
  }
}
