import type { ClientLimits } from 'schema'
import type { NewAuditEntry } from './audit-chain.ts'
import type { clients } from './sqlite/tables.ts'

/**
 * A client credential's row. Of the secret it has only a keyed hash, and a preview of 8 and 4
 * characters.
 */
export type ClientRow = typeof clients.$inferSelect

export type NewClientRow = Pick<
  ClientRow,
  'clientId' | 'description' | 'secretHash' | 'secretPreview' | 'createdAtMs'
> &
  ClientChangesRow

export type ClientChangesRow = Partial<Pick<ClientRow, 'description' | 'permissions'>>

/** Makes the audit entry of a change from the rows before and after it. */
export type ClientEntry = (before: ClientRow, after: ClientRow) => NewAuditEntry

export interface ClientStore {
  /** A page of the clients, newest first: those below an id, or the newest. */
  list(limit?: number, beforeId?: number): Promise<ClientRow[]>

  count(): Promise<number>

  /**
   * @param sinceMs the row may be as it was at this moment (`performance.now()`), or later; absent:
   * as it is now. SQLite always returns the row as it is now.
   */
  find(id: number, sinceMs?: number): Promise<ClientRow | undefined>

  /** The clients with these ids of bots, in any order. */
  findAll(clientIds: readonly string[]): Promise<ClientRow[]>

  /** The client with the id that its bot sends. The id is case-sensitive. */
  findByClientId(clientId: string): Promise<ClientRow | undefined>

  /**
   * Inserts a new, active client.
   * @param toEntry makes its audit entry
   * @throws ClientIdTakenError, StoreUnwritableError
   */
  insert(client: NewClientRow, toEntry?: (row: ClientRow) => NewAuditEntry): Promise<ClientRow>

  /**
   * Changes only the given fields.
   * @returns the new row; undefined when there is none
   * @throws StoreUnwritableError
   */
  update(
    id: number,
    changes: ClientChangesRow,
    updatedAtMs: number,
    toEntry?: ClientEntry,
  ): Promise<ClientRow | undefined>

  /**
   * Switches a client on or off.
   * @returns the new row; undefined when there is none
   * @throws StoreUnwritableError
   */
  setActive(
    id: number,
    active: boolean,
    updatedAtMs: number,
    toEntry?: ClientEntry,
  ): Promise<ClientRow | undefined>

  /**
   * Changes a client's limits.
   * @param toLimits makes the new limits of those that are in force
   * @returns the new row; undefined when there is none
   * @throws StoreUnwritableError
   */
  setLimits(
    id: number,
    toLimits: (limits: ClientLimits) => ClientLimits,
    updatedAtMs: number,
    toEntry?: ClientEntry,
  ): Promise<ClientRow | undefined>

  /**
   * Removes a client with its keys, tokens, orders and logs. It is switched off first, so that
   * nothing new is added. Then its rows are removed in bounded steps, with turns of the event
   * loop between them. The next call removes what a crash left behind.
   * @returns the last state of the row; undefined when there was none
   * @throws StoreUnwritableError
   */
  remove(
    id: number,
    toEntry?: (removed: ClientRow) => NewAuditEntry,
  ): Promise<ClientRow | undefined>
}
