import type { NodeAnnouncement, NodeStore, OwnerRow } from '../store/node-store.ts'
import type { Time, Timer } from '../time.ts'

const ANNOUNCE_EVERY_MS = 5_000
/** A slower response of the database does not show how far the clocks are apart. */
const ROUND_TRIP_MAX_MS = 1_000

interface AnnouncedNodeDeps {
  /** Undefined for a gateway whose database is a file: it is alone. */
  readonly nodes: Pick<NodeStore, 'announce' | 'remove'> | undefined
  /** This run of this node. */
  readonly node: Pick<OwnerRow, 'nodeId' | 'nodeUrl'>
  readonly version: string
  readonly keyIds: () => readonly string[]
  /** After how long without an announcement an earlier run of this node may be forgotten. */
  readonly staleMs: number
  readonly time: Pick<Time, 'now' | 'setInterval'>
  /** Called at the first failure after a success. It must not throw. */
  readonly onError: (error: unknown) => void
  /** Called when other versions run on the database than the last time. It must not throw. */
  readonly onOtherVersions: (versions: readonly string[]) => void
  /** Called once, when another node has the same URL. It must not throw. */
  readonly onTwin: () => void
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
  #hasTwin = false
  #otherVersions = ''
  #clockOffsetMs: number | null = null
  #timer: Timer | undefined
  /** Announcements are made one after another. */
  #last: Promise<void> = Promise.resolve()

  constructor(deps: AnnouncedNodeDeps) {
    this.#deps = deps
    this.startedAtMs = deps.time.now()
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

  /** Announces it from now on at intervals. It does not keep the process alive. */
  start(): void {
    const { nodes, time, everyMs = ANNOUNCE_EVERY_MS } = this.#deps
    if (nodes === undefined || this.#isClosed) return
    this.#timer = time.setInterval(() => this.#announceAgain(), everyMs).unref()
  }

  /** Says how it is now. @throws StoreUnwritableError */
  announce(): Promise<void> {
    const announced = this.#last.then(() => this.#announce())
    // The caller gets the error; the next one only waits.
    this.#last = announced.catch(() => {})
    return announced
  }

  /** Says that it is shutting down. */
  leave(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#announceAgain()
  }

  /** Says that it is gone. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#last
    await this.#deps.nodes?.remove(this.#deps.node.nodeId).catch((error: unknown) => {
      this.#deps.onError(error)
    })
  }

  #announceAgain(): void {
    this.announce().then(
      () => {
        this.#hasFailed = false
      },
      (error) => {
        if (!this.#hasFailed) this.#deps.onError(error)
        this.#hasFailed = true
      },
    )
  }

  async #announce(): Promise<void> {
    const { nodes, version, staleMs, time, onTwin, onOtherVersions } = this.#deps
    if (nodes === undefined || this.#isClosed) return
    const beforeMs = time.now()
    const { atMs, hasTwin, versions } = await nodes.announce(this.facts(), staleMs)
    const afterMs = time.now()
    if (afterMs - beforeMs < ROUND_TRIP_MAX_MS)
      this.#clockOffsetMs = Math.round((beforeMs + afterMs) / 2 - atMs)
    if (hasTwin && !this.#hasTwin) onTwin()
    this.#hasTwin ||= hasTwin
    const others = versions.filter((each) => each !== version)
    if (others.length > 0 && others.join() !== this.#otherVersions) onOtherVersions(others)
    this.#otherVersions = others.join()
  }
}
