import type { NodeAnnouncement, NodeStore } from '../store/node-store.ts'
import type { OwnerRow } from '../store/owner-lock.ts'

const ANNOUNCE_EVERY_MS = 5_000
/** An answer that took longer does not say what time it is. */
const ROUND_TRIP_MAX_MS = 1_000

export interface AnnouncedNodeDeps {
  /** Undefined for a gateway whose database is a file: it is alone. */
  readonly nodes: Pick<NodeStore, 'announce' | 'remove'> | undefined
  /** This run of this node. */
  readonly node: Pick<OwnerRow, 'nodeId' | 'nodeUrl'>
  readonly version: string
  readonly keyIds: () => readonly string[]
  /** After how long without an announcement an earlier run of this node may be forgotten. */
  readonly staleMs: number
  readonly nowMs: () => number
  /** Called at the first failure after a success. It must not throw. */
  readonly onError: (error: unknown) => void
  /** Another pause between two announcements, for tests. */
  readonly everyMs?: number | undefined
}

/** What this gateway says of itself, to the other nodes and to people. */
export class AnnouncedNode {
  readonly startedAtMs: number
  readonly #deps: AnnouncedNodeDeps
  #isLeaving = false
  #isClosed = false
  #hasFailed = false
  #clockOffsetMs: number | null = null
  #timer: NodeJS.Timeout | undefined
  /** Announcements are made one after another. */
  #last: Promise<void> = Promise.resolve()

  constructor(deps: AnnouncedNodeDeps) {
    this.#deps = deps
    this.startedAtMs = deps.nowMs()
  }

  facts(): NodeAnnouncement {
    const { node, version, keyIds } = this.#deps
    return {
      ...node,
      version,
      isLeaving: this.#isLeaving,
      keyIds: keyIds(),
      clockOffsetMs: this.#clockOffsetMs,
    }
  }

  /** Announces it now and from then on at intervals. It does not keep the process alive. */
  async start(): Promise<void> {
    const { nodes, everyMs = ANNOUNCE_EVERY_MS } = this.#deps
    if (nodes === undefined) return
    await this.#announce()
    if (!this.#isClosed) this.#timer = setInterval(() => void this.#announce(), everyMs).unref()
  }

  /** Says that it is shutting down. */
  leave(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    void this.#announce()
  }

  /** Says that it is gone. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#last
    await this.#deps.nodes?.remove(this.#deps.node.nodeId).catch((error: unknown) => {
      this.#deps.onError(error)
    })
  }

  #announce(): Promise<void> {
    this.#last = this.#last.then(() => this.#announceOnce())
    return this.#last
  }

  async #announceOnce(): Promise<void> {
    const { nodes, staleMs, nowMs, onError } = this.#deps
    if (nodes === undefined || this.#isClosed) return
    const beforeMs = nowMs()
    try {
      const atMs = await nodes.announce(this.facts(), staleMs)
      const afterMs = nowMs()
      if (afterMs - beforeMs < ROUND_TRIP_MAX_MS)
        this.#clockOffsetMs = Math.round((beforeMs + afterMs) / 2 - atMs)
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed) onError(error)
      this.#hasFailed = true
    }
  }
}
