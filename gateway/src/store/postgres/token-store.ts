import { and, count, eq, gt, inArray, isNull, lt, lte, max, sql } from 'drizzle-orm'
import { ClientGoneError } from '../errors.ts'
import type { TokenState, TokenStore } from '../token-store.ts'
import { lockClient } from './lock-client.ts'
import type { Db } from './open.ts'
import { revokeTokens } from './revoke-tokens.ts'
import { clients, clientTokens } from './tables.ts'
import { changing, isOrphan, unsynced, unsyncedValue, writingOnce } from './write.ts'

export function createTokenStore(db: Db): TokenStore {
  return { ...createReads(db), ...createWrites(db) }
}

type Reads = Pick<TokenStore, 'findByJti' | 'countActive' | 'lastExpiry'>

/** What is asked of tokens. */
function createReads(db: Db): Reads {
  const { find, countActive } = prepareReads(db)
  const kept = db.rows.keep<TokenState>()

  return {
    async findByJti(jti) {
      return kept(jti, async () => (await find.execute({ jti }))[0])
    },

    async countActive(nowMs) {
      const [found] = await countActive.execute({ nowMs })
      return found?.count ?? 0
    },

    async lastExpiry(issuedUntilMs, nowMs) {
      const [last] = await db
        .select({ atMs: max(clientTokens.expiresAtMs) })
        .from(clientTokens)
        .where(
          and(
            gt(clientTokens.expiresAtMs, nowMs),
            lte(clientTokens.issuedAtMs, issuedUntilMs),
            isNull(clientTokens.revokedAtMs),
          ),
        )
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
    .prepare('token_by_jti')
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
    .prepare('tokens_active')
  return { find, countActive }
}

/** The beginning and the ends of tokens. */
function createWrites(db: Db): Omit<TokenStore, keyof Reads> {
  const { jti } = clientTokens
  const insert = db
    .insert(clientTokens)
    .values({
      jti: unsyncedValue(sql.param(sql.placeholder('jti'), jti)),
      clientRef: sql.placeholder('clientRef'),
      issuedAtMs: sql.placeholder('issuedAtMs'),
      expiresAtMs: sql.placeholder('expiresAtMs'),
    })
    .prepare('token_insert')

  return {
    async insert(token) {
      try {
        await writingOnce(db, () => insert.execute({ ...token }))
      } catch (cause) {
        throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    async revokeAll(clientRef, revokedAtMs) {
      return changing(db, async (tx) => {
        await lockClient(tx, clientRef)
        return revokeTokens(tx, clientRef, revokedAtMs)
      })
    },

    async removeExpired(beforeMs, limit) {
      const expired = db
        .select({ jti })
        .from(clientTokens)
        .where(lt(clientTokens.expiresAtMs, beforeMs))
        .limit(limit)
        // Another node may be removing them.
        .for('update', { skipLocked: true })
      const { rowCount } = await writingOnce(db, () =>
        db.delete(clientTokens).where(and(inArray(jti, expired), unsynced)),
      )
      return rowCount ?? 0
    },
  }
}
