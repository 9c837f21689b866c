import type { Heartbeat } from 'schema'
import { gatewayAuthor } from '../store/audit-chain.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { HeartbeatStore } from '../store/heartbeat-store.ts'
import type { Time, Timer } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import type { Stops } from './stops.ts'

const CHECK_EVERY_MS = 1_000
/** After a start, a client has at least this long for its next heartbeat. */
const GRACE_MS = 10_000

export interface HeartbeatsDeps {
  readonly store: HeartbeatStore
  readonly clients: Pick<ClientStore, 'find'>
  readonly stops: Pick<Stops, 'stop'>
  readonly events: Pick<Events, 'emit'>
  /** Whether this process sends to the exchanges. Another one may have heard the client since. */
  readonly isOwner: () => boolean
  /**
   * The wall clock counts across a restart. While the process runs the monotonic one does: a step
   * of the wall clock must not stop a client.
   */
  readonly time: Time
  readonly checkEveryMs?: number | undefined
}

interface Armed {
  readonly ttlMs: number
  /** On the monotonic clock. */
  readonly dueMs: number
}

/**
 * The dead man's switches of clients: one that promised heartbeats and is silent for too long is
 * stopped, and its working orders are cancelled. A switch that has fired is disarmed until the next
 * heartbeat.
 */
export class Heartbeats {
  readonly #deps: HeartbeatsDeps
  readonly #armed = new Map<number, Armed>()
  /** Whose stop is being written. */
  readonly #firing = new Set<number>()
  #fence: number | undefined
  #timer: Timer | undefined

  constructor(deps: HeartbeatsDeps) {
    this.#deps = deps
  }

  /**
   * Reads the switches of the previous process, and begins to check.
   * @param fence the number under which this node is the owner; undefined where there is no group
   */
  async start(fence?: number): Promise<void> {
    this.#fence = fence
    const { store, time, checkEveryMs = CHECK_EVERY_MS } = this.#deps
    for (const { clientRef, ttlMs, lastAtMs } of await store.list()) {
      // A wall clock that was put back must not make it wait longer than promised.
      const leftMs = Math.min(lastAtMs + ttlMs - time.now(), ttlMs)
      const dueMs = time.monotonic() + Math.max(leftMs, GRACE_MS)
      this.#armed.set(clientRef, { ttlMs, dueMs })
    }
    this.#timer = time.setInterval(() => this.#check(), checkEveryMs).unref()
  }

  /**
   * A client's heartbeat; 0 disarms its switch.
   * @throws StoreUnwritableError, NotOwnerError: the next owner would not know of it
   */
  async beat(clientRef: number, ttlSeconds: number): Promise<Heartbeat> {
    const { store, clients, time, events } = this.#deps
    const ttlMs = ttlSeconds * 1_000
    const dueMs = time.monotonic() + ttlMs
    if (ttlMs === 0) await store.remove(clientRef, this.#fence)
    else await store.put({ clientRef, ttlMs, lastAtMs: time.now() }, this.#fence)
    if (ttlMs === 0) this.#armed.delete(clientRef)
    else this.#armed.set(clientRef, { ttlMs, dueMs })
    const client = await clients.find(clientRef)
    if (client !== undefined) events.emit('clientHeard', { clientId: client.clientId })
    return this.stateOf(clientRef)
  }

  stateOf(clientRef: number): Heartbeat {
    const { time } = this.#deps
    const armed = this.#armed.get(clientRef)
    if (armed === undefined) return { ttlSeconds: 0, expiresAt: null }
    const expiresAtMs = Math.round(time.now() + armed.dueMs - time.monotonic())
    return { ttlSeconds: armed.ttlMs / 1_000, expiresAt: new Date(expiresAtMs).toISOString() }
  }

  close(): void {
    this.#timer?.cancel()
  }

  #check(): void {
    if (!this.#deps.isOwner()) return
    const nowMs = this.#deps.time.monotonic()
    for (const [clientRef, { ttlMs, dueMs }] of this.#armed) {
      if (dueMs > nowMs || this.#firing.has(clientRef)) continue
      this.#firing.add(clientRef)
      this.#fire(clientRef, ttlMs)
        .catch((error: unknown) =>
          // It stays armed, and is tried again at the next check.
          this.#deps.events.emit('stopFailed', { scope: `client:${clientRef}`, error }),
        )
        .finally(() => this.#firing.delete(clientRef))
    }
  }

  /**
   * Stops the client first, and disarms its switch once the stop is stored: whatever ends the
   * process in between, the next start stops it.
   */
  async #fire(clientRef: number, ttlMs: number): Promise<void> {
    const { store, clients, stops, events } = this.#deps
    const armed = this.#armed.get(clientRef)
    const client = await clients.find(clientRef)
    if (client !== undefined) {
      const { clientId } = client
      events.emit('clientSilent', { clientId, ttlSeconds: ttlMs / 1_000 })
      const reason = `no heartbeat for ${ttlMs / 1_000} s`
      await stops.stop(
        { clientRef },
        {
          ...{ reason, cancelOrders: true },
          author: gatewayAuthor(this.#deps.time.now()),
        },
      )
    }
    // A heartbeat that came in between armed it again.
    if (this.#armed.get(clientRef) !== armed) return
    this.#armed.delete(clientRef)
    await store.remove(clientRef, this.#fence)
  }
}
