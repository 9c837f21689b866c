import type { ExchangeCode } from 'schema'

/** Another node that has the lane of an exchange. */
export interface RemoteOwner {
  readonly nodeId: string
  /** The origin of its listener for other nodes: its NODE_URL. */
  readonly url: string
  /** Grows with each change of the owner. */
  readonly fence: number
}

/** Which node has the lane of each exchange, as far as this node knows now. */
export interface Owners {
  /** Undefined while no node is known to have it. It is asked at each request: it must be fast. */
  ownerOf(exchange: ExchangeCode): RemoteOwner | 'self' | undefined
}
