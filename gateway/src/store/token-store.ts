import { and, count, eq, gt, inArray, isNull, lt, lte, max, sql } from 'drizzle-orm'
import type { ClientLimits, Permission } from 'schema'
import { ClientGoneError } from './errors.ts'
import type { Db } from './open.ts'
import { clients, clientTokens } from './tables.ts'
import { isOrphan, writing, writingUnsynced } from './write.ts'

export type NewTokenRow = Omit<typeof clientTokens.$inferSelect, 'revokedAtMs'>

/** A token with everything that decides whether it is valid now. The caller compares the times. */
export interface TokenState {
  /** The client's row id. */
  clientRef: number
  clientId: string
  active: boolean
  /** The client's current permissions, whatever the token says. */
  permissions: readonly Permission[]
  /** The client's current limits; null when none were ever set. */
  limits: ClientLimits | null
  expiresAtMs: number
  /** Null until the token is revoked. */
  revokedAtMs: number | null
}

export function createTokenStore(db: Db) {
  return { ...createReads(db), ...createWrites(db) }
}
export type TokenStore = ReturnType<typeof createTokenStore>

/** What is asked of tokens. */
function createReads(db: Db) {
  const { find, countActive } = prepareReads(db)
  const kept = db.rows.keep<TokenState>()

  return {
    /**
     * The current state of a token and its client, even of a revoked or expired one; undefined when
     * the token is unknown or its client was deleted.
     */
    async findByJti(jti: string): Promise<TokenState | undefined> {
      return kept(jti, () => find.get({ jti }))
    },

    /** How many tokens are valid: not expired, not revoked, of an active client. */
    async countActive(nowMs: number): Promise<number> {
      return countActive.get({ nowMs })?.count ?? 0
    },

    /**
     * When the last valid token that was issued before a time expires; undefined when there is
     * none.
     */
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
    /**
     * Inserts a token. One that a power cut loses is rejected, and its bot asks for another.
     * @throws ClientGoneError when the client was deleted in the meantime, StoreUnwritableError
     */
    async insert(token: NewTokenRow): Promise<void> {
      try {
        await writingUnsynced(db, () => insert.run({ ...token }))
      } catch (cause) {
        throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    /**
     * Revokes all tokens of a client.
     * @returns how many
     * @throws StoreUnwritableError
     */
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

    /**
     * Removes at most `limit` tokens that expired before a time.
     * After a power cut the last ones may be there again.
     * @returns how many were removed
     * @throws StoreUnwritableError
     */
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
