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
   * @param fence for a fact of the owner of the exchanges, as for StopStore.begin
   * @throws StoreUnwritableError, NotOwnerError
   */
  set(
    name: string,
    value: string,
    entries?: readonly NewAuditEntry[],
    fence?: number,
  ): Promise<void>

  /** The facts whose names begin with this, by their names. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>

  /** @throws StoreUnwritableError */
  remove(name: string): Promise<void>

  /** Sets several facts, all or none. @throws StoreUnwritableError */
  setAll(values: Readonly<Record<string, string>>, entry?: NewAuditEntry): Promise<void>
}
