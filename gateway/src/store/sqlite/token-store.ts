import { and, count, eq, gt, inArray, isNull, lt, lte, max, sql } from 'drizzle-orm'
import { ClientGoneError } from '../errors.ts'
import type { NewTokenRow, TokenState, TokenStore } from '../token-store.ts'
import type { Db } from './open.ts'
import { clients, clientTokens } from './tables.ts'
import { isOrphan, writing, writingUnsynced } from './write.ts'

export function createTokenStore(db: Db): TokenStore {
  return { ...createReads(db), ...createWrites(db) }
}

/** What is asked of tokens. */
function createReads(db: Db) {
  const { find, countActive } = prepareReads(db)
  const kept = db.rows.keep<TokenState>()

  return {
    async findByJti(jti: string): Promise<TokenState | undefined> {
      return kept(jti, () => find.get({ jti }))
    },

    async countActive(nowMs: number): Promise<number> {
      return countActive.get({ nowMs })?.count ?? 0
    },

    async lastExpiry(issuedUntilMs: number, nowMs: number): Promise<number | undefined> {
      const last = db
        .select({ atMs: max(clientTokens.expiresAtMs) })
        .from(clientTokens)
        .where(
          and(
            gt(clientTokens.expiresAtMs, nowMs),
            lte(clientTokens.issuedAtMs, issuedUntilMs),
            isNull(clientTokens.revokedAtMs),
          ),
        )
        .get()
      return last?.atMs ?? undefined
    },
  }
}

/** The statements that every request and the dashboard run. */
function prepareReads(db: Db) {
  const find = db
    .select({
      clientRef: clients.id,
      clientId: clients.clientId,
      active: clients.active,
      permissions: clients.permissions,
      limits: clients.limits,
      expiresAtMs: clientTokens.expiresAtMs,
      revokedAtMs: clientTokens.revokedAtMs,
    })
    .from(clientTokens)
    .innerJoin(clients, eq(clients.id, clientTokens.clientRef))
    .where(eq(clientTokens.jti, sql.placeholder('jti')))
    .prepare()
  const countActive = db
    .select({ count: count() })
    .from(clientTokens)
    .innerJoin(clients, eq(clients.id, clientTokens.clientRef))
    .where(
      and(
        gt(clientTokens.expiresAtMs, sql.placeholder('nowMs')),
        isNull(clientTokens.revokedAtMs),
        eq(clients.active, true),
      ),
    )
    .prepare()
  return { find, countActive }
}

/** The beginning and the ends of tokens. */
function createWrites(db: Db) {
  const insert = db
    .insert(clientTokens)
    .values({
      jti: sql.placeholder('jti'),
      clientRef: sql.placeholder('clientRef'),
      issuedAtMs: sql.placeholder('issuedAtMs'),
      expiresAtMs: sql.placeholder('expiresAtMs'),
    })
    .prepare()

  return {
    async insert(token: NewTokenRow): Promise<void> {
      try {
        await writingUnsynced(db, () => insert.run({ ...token }))
      } catch (cause) {
        throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    async revokeAll(clientRef: number, revokedAtMs: number): Promise<number> {
      return writing(
        db,
        () =>
          db
            .update(clientTokens)
            .set({ revokedAtMs })
            .where(and(eq(clientTokens.clientRef, clientRef), isNull(clientTokens.revokedAtMs)))
            .run().changes,
      )
    },

    async removeExpired(beforeMs: number, limit: number): Promise<number> {
      const expired = db
        .select({ jti: clientTokens.jti })
        .from(clientTokens)
        .where(lt(clientTokens.expiresAtMs, beforeMs))
        .limit(limit)
      return writingUnsynced(
        db,
        () => db.delete(clientTokens).where(inArray(clientTokens.jti, expired)).run().changes,
      )
    },
  }
}
