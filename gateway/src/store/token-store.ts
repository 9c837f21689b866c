import type { ClientLimits, Permission } from 'schema'
import type { clientTokens } from './sqlite/tables.ts'

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

export interface TokenStore {
  /**
   * The current state of a token and its client, even of a revoked or expired one; undefined when
   * the token is unknown or its client was deleted.
   */
  findByJti(jti: string): Promise<TokenState | undefined>

  /** How many tokens are valid: not expired, not revoked, of an active client. */
  countActive(nowMs: number): Promise<number>

  /**
   * When the last valid token that was issued before a time expires; undefined when there is
   * none.
   */
  lastExpiry(issuedUntilMs: number, nowMs: number): Promise<number | undefined>

  /**
   * Inserts a token. One that a power cut loses is rejected, and its bot asks for another.
   * @throws ClientGoneError when the client was deleted in the meantime, StoreUnwritableError
   */
  insert(token: NewTokenRow): Promise<void>

  /**
   * Revokes all tokens of a client.
   * @returns how many
   * @throws StoreUnwritableError
   */
  revokeAll(clientRef: number, revokedAtMs: number): Promise<number>

  /**
   * Removes at most `limit` tokens that expired before a time.
   * After a power cut the last ones may be there again.
   * @returns how many were removed
   * @throws StoreUnwritableError
   */
  removeExpired(beforeMs: number, limit: number): Promise<number>
}
