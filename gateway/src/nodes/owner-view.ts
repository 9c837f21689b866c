/** Another node that is the owner. */
export interface RemoteOwner {
  /** Names one run of the node. */
  readonly nodeId: string
  /** The origin of its listener for other nodes: its NODE_URL. */
  readonly url: string
  /** Grows with each change of the owner. */
  readonly fence: number
}

/** Which node of the group is the owner, as far as this node knows now. */
export interface OwnerView {
  /** This run of this node; absent where other nodes do not name it. */
  readonly node?: Pick<RemoteOwner, 'nodeId'>
  /** Undefined while no node is known to be. It is asked at each request: it must be fast. */
  owner(): RemoteOwner | 'self' | undefined
  /** Looks now who the owner is. It must not reject. */
  refresh?(): Promise<void>
}
