import type { LoadedKeys, Stores } from './stores.ts'

/** What commands use of a database, also while gateways run on it. */
export interface StoresBeside
  extends Pick<
    Stores,
    | 'facts'
    | 'admins'
    | 'adminSessions'
    | 'secondFactors'
    | 'approvals'
    | 'tokens'
    | 'apiKeys'
    | 'journal'
    | 'audit'
  > {
  /** The database, for messages: a path, or a URL without the password. */
  readonly name: string
  /** The database file; undefined when a server has the database. */
  readonly path: string | undefined
  /**
   * The gateways that run on the database, and their master keys.
   * @param keyIds the keys that are to be recognised
   */
  runningGateways(keyIds: readonly string[]): Promise<readonly LoadedKeys[]>
  /**
   * Overwrites what was deleted. Absent: a server does that in its own time.
   * @returns false while another process reads the write-ahead log, which still has it
   */
  eraseFreed?(patienceMs: number): Promise<boolean>
  /** Whether the database still refuses to change the audit trail. */
  isAuditGuarded(): Promise<boolean>
  close(): Promise<void>
}
