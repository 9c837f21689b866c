import type { ExchangeCode } from 'schema'
import type { NewAuditEntry } from './audit-chain.ts'

/** The fact that keeps why an exchange is stopped; an empty text means that it is not. */
export const stoppedFact = (exchange: ExchangeCode) => `stopped.${exchange}`

/**
 * The fact in which a gateway on a database file lists the ids of its loaded master keys, separated
 * by commas.
 */
export const HELD_KEYS_NAME = 'gateway_key_ids'

/** Facts about the database itself: names and texts. */
export interface FactStore {
  /** The value of a fact; undefined when it is not set. */
  get(name: string): Promise<string | undefined>

  /**
   * Sets a fact, replacing an older value.
   * @param entries of the audit trail that belong to it
   * @throws StoreUnwritableError
   */
  set(name: string, value: string, entries?: readonly NewAuditEntry[]): Promise<void>

  /**
   * Sets a fact of the owner of the exchanges. A takeover waits for it, and what a former owner
   * writes later is not written.
   * @param fence the number under which this node is the owner; undefined where there is no group
   * @returns false when another node has become the owner
   * @throws StoreUnwritableError
   */
  setAsOwner(name: string, value: string, fence: number | undefined): Promise<boolean>

  /** The facts whose names begin with this, by their names. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>

  /** @throws StoreUnwritableError */
  remove(name: string): Promise<void>

  /** Sets several facts, all or none. @throws StoreUnwritableError */
  setAll(values: Readonly<Record<string, string>>, entry?: NewAuditEntry): Promise<void>
}
