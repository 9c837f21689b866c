/**
 * How long the owner may send after the moment before its last answered question. The server keeps
 * the lock of a silent connection for longer (`postgres/owner-lock.ts`).
 */
export const OWNER_LEASE_MS = 4_000

/** The owner of the exchanges: the one node of a group that sends to them. */
export interface OwnerRow {
  /** The fencing number: grows with each change of the owner. */
  readonly fence: number
  /** Names one run of a node. Empty while the last owner has left and no other one has come. */
  readonly nodeId: string
  /** The origin of its listener for other nodes: its NODE_URL. */
  readonly nodeUrl: string
}

/** Opens connections on which a node can become the owner. Only a database on a server has it. */
export interface OwnerLock {
  /**
   * @param onEnd called when the connection is over, and the lock with it
   * @throws when the server cannot be reached
   */
  connect(onEnd: () => void): Promise<LockSession>
}

/**
 * A connection that nothing else uses. The server ends it when it is asked nothing for some
 * seconds: so a process that has stopped loses its lock. Every method rejects when the connection
 * is over.
 */
export interface LockSession {
  /** Takes the lock unless another session has it. @returns whether this session has it now */
  tryLock(): Promise<boolean>
  /** The latest owner; undefined when there was none yet. */
  owner(): Promise<OwnerRow | undefined>
  /**
   * Makes a node the owner. Only a session that has the lock may call it.
   * @returns its fencing number: from now on, orders are marked as sent only under this one
   */
  becomeOwner(node: Pick<OwnerRow, 'nodeId' | 'nodeUrl'>): Promise<number>
  /** Gives the lock back, and says that there is no owner. */
  release(): Promise<void>
  /** Ends the connection. Never rejects. */
  end(): Promise<void>
}
