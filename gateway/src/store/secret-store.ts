import type { NewAuditEntry } from './audit-chain.ts'
import type { ClientRow } from './client-store.ts'
import type { oldSecrets, secretUses } from './sqlite/tables.ts'

/** The secret of a client before its last rotation. */
export type OldSecretRow = Pick<typeof oldSecrets.$inferSelect, 'hash' | 'preview' | 'expiresAtMs'>

export type SecretUseRow = typeof secretUses.$inferSelect

/** The secrets of clients besides their rows: old ones, and when each was used. */
export interface SecretStore {
  /** The old secret that still works; undefined when there is none. */
  findOld(clientRef: number, nowMs: number): Promise<OldSecretRow | undefined>

  /**
   * Gives a client a new secret. The present one becomes the old one, and an earlier old one
   * ends.
   * @param oldExpiresAtMs null: the present one ends at once, and all tokens are revoked
   * @param toEntry makes the audit entry from the client's row before
   * @returns the client's row before; undefined when there is none
   * @throws StoreUnwritableError
   */
  rotate(
    clientRef: number,
    next: Pick<ClientRow, 'secretHash' | 'secretPreview'>,
    oldExpiresAtMs: number | null,
    nowMs: number,
    toEntry?: (before: ClientRow) => NewAuditEntry,
  ): Promise<ClientRow | undefined>

  /**
   * Ends the old secret of a client, and revokes all its tokens.
   * @returns the client's row; undefined when there is none
   * @throws StoreUnwritableError
   */
  endOld(
    clientRef: number,
    nowMs: number,
    toEntry?: (row: ClientRow, old: OldSecretRow | undefined) => NewAuditEntry,
  ): Promise<ClientRow | undefined>

  /** The last use of each secret of a client. */
  uses(clientRef: number): Promise<SecretUseRow[]>

  /** When and from where each client used a secret last, of those that did since a moment. */
  usesSince(
    fromMs: number,
  ): Promise<{ clientRef: number; clientId: string; lastSeenAtMs: number; lastAddress: string }[]>

  /**
   * Records a use without waiting for the disk. Nothing is recorded of a client that was deleted.
   * @throws StoreUnwritableError
   */
  noteUse(use: SecretUseRow): Promise<void>

  /** Removes the old secrets that expired before a time. @throws StoreUnwritableError */
  removeExpired(beforeMs: number): Promise<number>
}
