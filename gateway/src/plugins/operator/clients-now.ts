import {
  CLIENTS_NOW_MAX,
  type ClientNow,
  effectiveState,
  type LimitUsage,
  limitUse,
  nearestLimit,
  wouldHaveRefused,
} from 'schema'
import { limitsOf } from '../../store/client-limits.ts'
import type { ClientRow, ClientStore } from '../../store/client-store.ts'
import type { ActiveClient, ClientActivity } from './client-activity.ts'
import { toTimeOrNull } from './times.ts'

export interface ClientsNowDeps {
  readonly clients: Pick<ClientStore, 'findAll'>
  readonly activity: Pick<ClientActivity, 'ofLastDay'>
  readonly usageOf: (clientRef: number) => LimitUsage
}

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
  { clients, activity, usageOf }: ClientsNowDeps,
  waiting: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<ClientNow[]> {
  const chosen = candidates(activity.ofLastDay(nowMs), waiting, nowMs)
    .sort(floodersFirst)
    .slice(0, CLIENTS_NOW_MAX)
  const rows = await clients.findAll(chosen.map(({ clientId }) => clientId))
  const rowOf = new Map(rows.map((row) => [row.clientId, row]))
  return chosen.flatMap((candidate) => {
    const row = rowOf.get(candidate.clientId)
    // It was deleted, or deleted and created again.
    if (row === undefined || (candidate.seen?.clientRef ?? row.id) !== row.id) return []
    return toClientNow(candidate, row, usageOf, nowMs)
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
