import { notSent } from '../lane/errors.ts'
import { NotOwnerError } from '../store/errors.ts'
import {
  type LockSession,
  OWNER_LEASE_MS,
  type OwnerLock,
  type OwnerRow,
} from '../store/node-store.ts'
import type { Time } from '../time.ts'

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

/**
 * Whether the node to which something was passed still is the owner. While this node knows of none,
 * that one may still be it.
 */
export function isStillOwner(view: OwnerView, owner: RemoteOwner, ownUrl: string): boolean {
  const now = view.owner()
  if (now === undefined) return true
  return now === 'self' ? owner.url === ownUrl : now.fence === owner.fence
}

/** How often a node that is not the owner tries to become it. */
const TRY_EVERY_MS = 500
/** How often the owner asks on its connection whether it still is. */
const ASK_EVERY_MS = 1_000

export interface OwnershipTimes {
  readonly tryEveryMs: number
  readonly askEveryMs: number
  readonly leaseMs: number
}

interface OwnershipDeps {
  readonly lock: OwnerLock
  /** This run of this node. */
  readonly node: Pick<OwnerRow, 'nodeId' | 'nodeUrl'>
  readonly time: Pick<Time, 'monotonic' | 'setTimeout'>
  /** The connection failed, as it had not before; it is opened again. It must not throw. */
  readonly onError: (error: unknown) => void
  /** Other times, for tests. */
  readonly times?: Partial<OwnershipTimes> | undefined
}

interface OwnershipEvents {
  /** This node has become the owner. Requests come once it resolves. */
  readonly onOwner: (fence: number) => Promise<void>
  /**
   * Another node has become the owner, or this one could not begin: end the process. Until then
   * this node sends nothing to the exchanges, and knows who the owner is. It is called once.
   */
  readonly onLost: (reason: Error) => void
}

/**
 * Makes one node of a group the owner, which sends to the exchanges, and knows which node it is
 * (docs/decisions/0009-one-owner.md). A node that was the owner and no longer is never becomes it
 * again: its process ends.
 */
export class Ownership implements OwnerView {
  readonly #deps: OwnershipDeps
  readonly #times: OwnershipTimes
  readonly #closed = new AbortController()
  #events: OwnershipEvents | undefined
  #running: Promise<void> | undefined
  #session: LockSession | undefined
  /** Whether the session has the lock. */
  #isLocked = false
  /** The number under which this node is the owner. */
  #fence: number | undefined
  /** Whether `onOwner` has resolved. */
  #isReady = false
  /** Nothing may be sent from now on, and the lock is not tried. */
  #isLeaving = false
  #leaseSinceMs = Number.NEGATIVE_INFINITY
  #known: OwnerRow | undefined
  /** The look at the database that is under way. */
  #look: Promise<void> | undefined
  #hasFailed = false
  #wake = () => {}

  constructor(deps: OwnershipDeps) {
    this.#deps = deps
    this.#times = {
      ...{ tryEveryMs: TRY_EVERY_MS, askEveryMs: ASK_EVERY_MS, leaseMs: OWNER_LEASE_MS },
      ...deps.times,
    }
  }

  /** This run of this node. */
  get node(): OwnershipDeps['node'] {
    return this.#deps.node
  }

  /** Begins to try to become the owner. Call it once, when the node can take requests. */
  start(events: OwnershipEvents): void {
    this.#events = events
    this.#running = this.#run()
  }

  /** Whether this node may send to the exchanges at this moment. It is fast. */
  maySend(): boolean {
    if (this.#fence === undefined || this.#isLeaving) return false
    return this.#deps.time.monotonic() - this.#leaseSinceMs < this.#times.leaseMs
  }

  /** The number under which this node is the owner. @throws NotOwnerError when it is not */
  fence(): number {
    if (this.#fence === undefined || !this.maySend()) throw notSent(new NotOwnerError())
    return this.#fence
  }

  owner(): RemoteOwner | 'self' | undefined {
    if (this.#fence !== undefined && !this.#isLeaving)
      return this.#isReady && this.maySend() ? 'self' : undefined
    const { fence, nodeId, nodeUrl: url = '' } = this.#known ?? {}
    if (fence === undefined || nodeId === undefined || url === '') return undefined
    // An earlier run of this node, or this one, which leaves.
    if (url === this.#deps.node.nodeUrl) return undefined
    return { fence, nodeId, url }
  }

  /** Asks the database now who the owner is. Never rejects. */
  async refresh(): Promise<void> {
    await this.#look
    await this.#lookOnce()
  }

  /**
   * Gives the exchanges to the next owner. Call it once nothing is sent any more and the journal
   * has every end. From then on the node only learns who the owner is.
   */
  async leave(): Promise<void> {
    this.#isLeaving = true
    await this.#look
    const session = this.#session
    this.#fence = undefined
    if (!this.#isLocked || session === undefined) return
    this.#isLocked = false
    try {
      await session.release()
    } catch (error) {
      // The end of the connection gives the lock back too.
      this.#drop(session)
      this.#deps.onError(error)
    }
  }

  /** Ends the connection, and the lock with it. */
  async close(): Promise<void> {
    this.#isLeaving = true
    this.#closed.abort()
    this.#wake()
    await this.#running
    await this.#session?.end()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    const { askEveryMs, tryEveryMs } = this.#times
    while (!signal.aborted) {
      const sinceMs = this.#deps.time.monotonic()
      await this.#lookOnce()
      // After a late response of the database, the lease has to be renewed at once.
      const tookMs = this.#deps.time.monotonic() - sinceMs
      const everyMs = this.#isLocked ? askEveryMs : tryEveryMs
      if (!signal.aborted) await this.#pause(Math.max(0, everyMs - tookMs))
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#deps.time.setTimeout(resolve, ms).unref()
      this.#wake = () => {
        timer.cancel()
        resolve()
      }
    })
  }

  #lookOnce(): Promise<void> {
    this.#look ??= this.#lookAndDecide()
      .then(
        () => {
          this.#hasFailed = false
        },
        (error: unknown) => {
          if (this.#session !== undefined) this.#drop(this.#session)
          if (!this.#hasFailed && !this.#closed.signal.aborted) this.#deps.onError(error)
          this.#hasFailed = true
        },
      )
      .finally(() => {
        this.#look = undefined
      })
    return this.#look
  }

  /** Tries the lock, reads who the owner is, and becomes it where nobody else is. */
  async #lookAndDecide(): Promise<void> {
    const session = await this.#connected()
    const askedAtMs = this.#deps.time.monotonic()
    if (!this.#isLocked && !this.#isLeaving) this.#isLocked = await session.tryLock()
    // Read after the lock was taken: no other node can have become the owner since.
    const owner = await session.owner()
    this.#known = owner
    if (this.#fence !== undefined && owner?.fence !== this.#fence) {
      this.#lose(new Error(`Node ${owner?.nodeUrl} is the owner of the exchanges now`))
      return
    }
    if (session !== this.#session || !this.#isLocked || this.#isLeaving) return
    if (this.#fence === undefined) await this.#becomeOwner(session, askedAtMs)
    else this.#leaseSinceMs = askedAtMs
  }

  async #becomeOwner(session: LockSession, askedAtMs: number): Promise<void> {
    const fence = await session.becomeOwner(this.#deps.node)
    // Without the session there is no lock. The next owner gets a higher number.
    if (session !== this.#session) return
    this.#fence = fence
    this.#leaseSinceMs = askedAtMs
    this.#known = { fence, ...this.#deps.node }
    // The lease has to be kept up while it begins.
    void this.#events?.onOwner(fence).then(
      () => {
        this.#isReady = true
      },
      (cause: unknown) => this.#lose(new Error('The owner could not begin', { cause })),
    )
  }

  async #connected(): Promise<LockSession> {
    if (this.#session !== undefined) return this.#session
    let session: LockSession | undefined
    const onEnd = () => {
      if (session !== undefined && this.#session === session) this.#drop(session)
    }
    session = await this.#deps.lock.connect(onEnd)
    this.#session = session
    return session
  }

  /** Without the connection there is no lock: nothing is sent until there is one again. */
  #drop(session: LockSession): void {
    this.#session = undefined
    this.#isLocked = false
    this.#leaseSinceMs = Number.NEGATIVE_INFINITY
    void session.end()
    this.#wake()
  }

  #lose(reason: Error): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#fence = undefined
    // The lock goes with the session: another node may need it before this process has ended.
    if (this.#session !== undefined) this.#drop(this.#session)
    this.#events?.onLost(reason)
  }
}
