import { and, count, eq, gt, isNull, lt, lte, max, sql } from 'drizzle-orm'
import { type ClientRow, lockClient } from './client-store.ts'
import {
  changedRows,
  columns,
  type Database,
  type Queries,
  run,
  type Steps,
  textIf,
} from './database.ts'
import { ClientGoneError } from './errors.ts'
import type { Tables } from './tables.ts'

type TokenRow = Tables['clientTokens']['$inferSelect']

export type NewTokenRow = Omit<TokenRow, 'revokedAtMs'>

/**
 * A token with everything that decides whether it is valid now: the permissions and limits are the
 * client's current ones, whatever the token says. The caller compares the times.
 */
type TokenState = Pick<ClientRow, 'clientId' | 'active' | 'permissions' | 'limits'> &
  Pick<TokenRow, 'clientRef' | 'expiresAtMs' | 'revokedAtMs'>

/** The tokens of clients. Its writes throw StoreUnwritableError. */
export type TokenStore = ReturnType<typeof createTokenStore>

export function createTokenStore(db: Database) {
  return { ...createReads(db), ...createWrites(db) }
}

function createReads(db: Database) {
  const { clientTokens } = db.tables
  const { find, countActive } = prepareReads(db)
  const kept = db.keep<TokenState>()

  return {
    /**
     * The current state of a token and its client, even of a revoked or expired one; undefined when
     * the token is unknown or its client was deleted.
     */
    async findByJti(jti: string): Promise<TokenState | undefined> {
      return (await kept(jti, () => find.execute({ jti })))[0]
    },

    /** How many tokens are valid: not expired, not revoked, of an active client. */
    async countActive(nowMs: number): Promise<number> {
      return (await countActive.execute({ nowMs }))[0]?.count ?? 0
    },

    /**
     * When the last valid token that was issued before a time expires; undefined when there is
     * none.
     */
    async lastExpiry(issuedUntilMs: number, nowMs: number): Promise<number | undefined> {
      const [last] = await db.queries
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
function prepareReads({ tables: { clients, clientTokens }, ...db }: Database) {
  const state = {
    ...columns(clients, 'clientId', 'active', 'permissions', 'limits'),
    ...columns(clientTokens, 'clientRef', 'expiresAtMs', 'revokedAtMs'),
  }
  const find = db.queries
    .select(state)
    .from(clientTokens)
    .innerJoin(clients, eq(clients.id, clientTokens.clientRef))
    .where(eq(clientTokens.jti, sql.placeholder('jti')))
  const countActive = db.queries
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
  return {
    find: db.prepare(find, 'token_by_jti'),
    countActive: db.prepare(countActive, 'tokens_active'),
  }
}

function createWrites(db: Database) {
  const { clientTokens } = db.tables
  return {
    /**
     * Inserts a token. One that a power cut loses is rejected, and its bot asks for another.
     * @throws ClientGoneError when the client was deleted in the meantime
     */
    async insert(token: NewTokenRow): Promise<void> {
      const { clientRef, issuedAtMs, expiresAtMs } = token
      // It is there already when the connection was lost and the statement is made again.
      const { clientRef: client, issuedAtMs: issued, expiresAtMs: expires } = clientTokens
      const isSame = sql`(${client}, ${issued}, ${expires})
        = (${clientRef}, ${issuedAtMs}, ${expiresAtMs})`
      try {
        const result = await db.onceUnsynced((queries, unsynced) =>
          queries
            .insert(clientTokens)
            .values({ ...token, jti: textIf(unsynced, token.jti) })
            .onConflictDoUpdate({
              target: clientTokens.jti,
              set: { issuedAtMs },
              setWhere: isSame,
            }),
        )
        if (changedRows(result) === 0) throw new Error('Another token has this id')
      } catch (cause) {
        throw db.isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    /** Revokes all tokens of a client. @returns how many */
    revokeAll: (clientRef: number, revokedAtMs: number): Promise<number> =>
      db.changing(function* (tx) {
        yield* lockClient(db, tx, clientRef)
        return yield* revokeTokens(db, tx, clientRef, revokedAtMs)
      }),

    /**
     * Removes at most `limit` tokens that expired before a time.
     * After a power cut the last ones may be there again.
     * @returns how many were removed
     */
    removeExpired: (beforeMs: number, limit: number): Promise<number> =>
      db.removeSome(clientTokens, lt(clientTokens.expiresAtMs, beforeMs), {
        ...{ limit, isSynced: false },
      }),
  }
}

/** Revokes the tokens of a client whose row is locked. @returns how many */
export function* revokeTokens(
  { tables: { clientTokens } }: Database,
  tx: Queries,
  clientRef: number,
  revokedAtMs: number,
): Steps<number> {
  const isValid = and(eq(clientTokens.clientRef, clientRef), isNull(clientTokens.revokedAtMs))
  return changedRows(yield* run(tx.update(clientTokens).set({ revokedAtMs }).where(isValid)))
}
