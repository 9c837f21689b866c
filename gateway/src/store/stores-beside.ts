import type { Stores } from './stores.ts'

/** Which master keys a gateway has loaded. */
export interface GatewayKeys {
  /** Where it runs, for messages. */
  readonly node: string
  readonly keyIds: readonly string[]
  /**
   * Since when it has not been seen, in Unix ms: it was killed, or it runs and is cut off from the
   * database. Absent for one that runs.
   */
  readonly missingSinceMs?: number | undefined
}

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
  /** The gateways that run on the database, or may still run, and their master keys. */
  gateways(): Promise<readonly GatewayKeys[]>
  /**
   * Overwrites what was deleted. Absent: a server does that in its own time.
   * @returns false while another process reads the write-ahead log, which still has it
   */
  eraseFreed?(patienceMs: number): Promise<boolean>
  /** Whether the database still refuses to change the audit trail. */
  isAuditGuarded(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Keeps a command that calls the exchanges apart from other such commands, and lets it see the
 * gateways that send.
 */
export interface CallsLock {
  /**
   * Whether a gateway may send now. One that gets the right to send later waits a second before its
   * first call.
   */
  isGatewaySending(): Promise<boolean>
  close(): Promise<void>
}
