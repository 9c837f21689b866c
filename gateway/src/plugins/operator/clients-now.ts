import {
  CLIENTS_NOW_MAX,
  type ClientNow,
  effectiveState,
  type LimitUsage,
  limitUse,
  nearestLimit,
  wouldHaveRefused,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import type { ClientRow } from '../../store/client-store.ts'
import { limitsOf } from '../../store/client-store.ts'
import { MinuteRing } from '../../time.ts'

/** A client of which something waits, or that asked for something in the last day. */
interface Candidate {
  readonly clientId: string
  readonly waiting: number
  readonly requests: number
  /** Undefined when only something waits: an administrator cancels its orders. */
  readonly seen: ActiveClient | undefined
}

/**
 * The clients that matter now, those that flood first. One statement reads all of their rows.
 * @param waiting the waiting requests of each client
 */
export async function readClientsNow(
  { limits, stores }: Pick<Parts, 'limits' | 'stores'>,
  activity: ClientActivity,
  waiting: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<ClientNow[]> {
  const chosen = candidates(activity.ofLastDay(nowMs), waiting, nowMs)
    .sort(floodersFirst)
    .slice(0, CLIENTS_NOW_MAX)
  const rows = await stores.clients.findAll(chosen.map(({ clientId }) => clientId))
  const rowOf = new Map(rows.map((row) => [row.clientId, row]))
  return chosen.flatMap((candidate) => {
    const row = rowOf.get(candidate.clientId)
    // It was deleted, or deleted and created again.
    if (row === undefined || (candidate.seen?.clientRef ?? row.id) !== row.id) return []
    return toClientNow(candidate, row, (clientRef) => limits.usageOf(clientRef), nowMs)
  })
}

function candidates(
  seen: readonly ActiveClient[],
  waiting: ReadonlyMap<string, number>,
  nowMs: number,
): Candidate[] {
  const known = new Set(seen.map(({ clientId }) => clientId))
  const unseen = [...waiting].filter(([clientId]) => !known.has(clientId))
  return [
    ...seen.map((client) => ({
      clientId: client.clientId,
      waiting: waiting.get(client.clientId) ?? 0,
      requests: client.requests.total(nowMs),
      seen: client,
    })),
    ...unseen.map(([clientId, count]) => ({
      ...{ clientId, waiting: count, requests: 0 },
      seen: undefined,
    })),
  ]
}

function floodersFirst(a: Candidate, b: Candidate): number {
  return (
    b.waiting - a.waiting ||
    b.requests - a.requests ||
    (b.seen?.lastSeenAtMs ?? 0) - (a.seen?.lastSeenAtMs ?? 0)
  )
}

function toClientNow(
  { clientId, waiting, requests, seen }: Candidate,
  row: ClientRow,
  usageOf: (clientRef: number) => LimitUsage,
  nowMs: number,
): ClientNow {
  return {
    ...{ id: row.id, clientId, active: row.active },
    state: effectiveState(limitsOf(row), row.stoppedAtMs !== null, nowMs),
    stoppedAt: toTimeOrNull(row.stoppedAtMs),
    stopReason: row.stopReason,
    waiting,
    requestsLastMinute: requests,
    failedLastMinute: seen?.failures.total(nowMs) ?? 0,
    nearestLimit: row.limits === null ? null : nearestOf(row, usageOf),
    wouldHaveRefused: row.limits === null ? null : wouldHaveRefused(limitsOf(row), usageOf(row.id)),
    lastSeenAt: toTimeOrNull(seen?.lastSeenAtMs ?? null),
    lastAddress: seen?.lastAddress ?? null,
  }
}

function nearestOf(
  row: ClientRow,
  usageOf: (clientRef: number) => LimitUsage,
): ClientNow['nearestLimit'] {
  const limits = limitsOf(row)
  const usage = usageOf(row.id)
  const nearest = nearestLimit(limits, usage)?.limit
  const use = limitUse(limits, usage).find(({ limit }) => limit === nearest)
  if (use === undefined || use.allowed === null) return null
  return { limit: use.limit, used: use.used, max: use.allowed }
}

const CLIENTS_MAX = 10_000
const DAY_MS = 86_400_000

interface ClientIds {
  readonly clientRef: number
  readonly clientId: string
}

interface SeenClient extends ClientIds {
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

export function toTime(ms: number): string {
  return new Date(ms).toISOString()
}

export function toTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : toTime(ms)
}
