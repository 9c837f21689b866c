import { MinuteRing } from './minute-ring.ts'

const CLIENTS_MAX = 10_000
const DAY_MS = 86_400_000

interface ClientIds {
  readonly clientRef: number
  readonly clientId: string
}

export interface SeenClient extends ClientIds {
  readonly lastSeenAtMs: number
  readonly lastAddress: string
}

/** A client's requests of the last minute. */
export interface ActiveClient extends ClientIds {
  lastSeenAtMs: number
  lastAddress: string
  readonly requests: MinuteRing
  readonly failures: MinuteRing
}

/**
 * What each client did in the last minute, and when and from where it was seen last. In memory: a
 * request costs one entry of a map and two counters.
 */
export class ClientActivity {
  readonly #clients = new Map<number, ActiveClient>()

  /** A request of the client came. */
  began({ clientRef, clientId }: ClientIds, address: string, nowMs: number): ActiveClient {
    const client =
      this.#clients.get(clientRef) ??
      this.#add({ clientRef, clientId, lastSeenAtMs: nowMs, lastAddress: address })
    client.requests.add(nowMs)
    client.lastSeenAtMs = nowMs
    client.lastAddress = address
    return client
  }

  /** What was known of a client before the gateway started. */
  restore(seen: SeenClient): void {
    if (!this.#clients.has(seen.clientRef)) this.#add(seen)
  }

  /** Those that were seen in the last 24 hours. */
  ofLastDay(nowMs: number): ActiveClient[] {
    this.#forgetBefore(nowMs - DAY_MS)
    return [...this.#clients.values()]
  }

  #add(seen: SeenClient): ActiveClient {
    if (this.#clients.size >= CLIENTS_MAX) this.#makeRoom(seen.lastSeenAtMs)
    const client = { ...seen, requests: new MinuteRing(), failures: new MinuteRing() }
    this.#clients.set(seen.clientRef, client)
    return client
  }

  #makeRoom(nowMs: number): void {
    this.#forgetBefore(nowMs - DAY_MS)
    const [oldest] = this.#clients.keys()
    if (oldest !== undefined && this.#clients.size >= CLIENTS_MAX) this.#clients.delete(oldest)
  }

  #forgetBefore(beforeMs: number): void {
    for (const [clientRef, { lastSeenAtMs }] of this.#clients)
      if (lastSeenAtMs < beforeMs) this.#clients.delete(clientRef)
  }
}
