/** A node of the group, as it was when it last announced itself. All times are the database's. */
export interface NodeRow {
  /** Names one run of the node. */
  readonly nodeId: string
  /** Its NODE_URL; empty for a gateway without one. */
  readonly nodeUrl: string
  readonly version: string
  readonly startedAtMs: number
  readonly seenAtMs: number
  /** Whether it is shutting down. */
  readonly isLeaving: boolean
  /** The ids of its loaded master keys, oldest first. */
  readonly keyIds: readonly string[]
  /** How far its clock is ahead of the database's; null until it was measured. */
  readonly clockOffsetMs: number | null
}

/** What a node says of itself. */
export type NodeAnnouncement = Omit<NodeRow, 'startedAtMs' | 'seenAtMs'>

/**
 * A PostgreSQL server that has a copy of the database and can take its place. What the gateway's
 * role may not read is null.
 */
export interface StandbyRow {
  readonly name: string
  readonly state: string | null
  readonly lagBytes: number | null
  /** Null also when nothing was written for a while. */
  readonly lagMs: number | null
}

interface Announced {
  /** The time of the database. */
  readonly atMs: number
  /** Whether another node with the same URL has announced itself since this one started. */
  readonly hasTwin: boolean
  /** The versions of the other nodes that run, each once, in order. */
  readonly versions: readonly string[]
}

export interface GroupRows {
  /** The time of the database. */
  readonly atMs: number
  /** Those that started first come first. */
  readonly nodes: readonly NodeRow[]
  /** The latest owner; undefined when there was none yet. */
  readonly owner: (OwnerRow & { readonly sinceMs: number }) | undefined
  readonly standbys: readonly StandbyRow[]
}

/** The nodes that announce themselves. Only a database on a server has them. */
export interface NodeStore {
  /**
   * Enters the node, or says that it still runs. Also removes the row of an earlier run with the
   * same URL, or likewise without one, that has not been seen for `staleMs`. A power cut may lose
   * it.
   */
  announce(node: NodeAnnouncement, staleMs: number): Promise<Announced>
  /** Removes a node that has ended in order. */
  remove(nodeId: string): Promise<void>
  read(): Promise<GroupRows>
  /** Removes the nodes that have not been seen for this long. */
  removeUnseen(forMs: number): Promise<void>
}

/**
 * How long the owner may send, counted from just before its last query that got a response. The
 * server keeps the lock of a silent connection for longer (`postgres/owner-lock.ts`).
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
