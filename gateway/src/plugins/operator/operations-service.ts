import {
  EXCHANGES,
  type ExchangeCode,
  type ExchangeNow,
  NEXT_SLOTS_MAX,
  type OpenAlert,
  type Operations,
  type Stop,
} from 'schema'
import { toPublicState } from '../../lane/lane-snapshot.ts'
import type { Lane } from '../../lane/lane-types.ts'
import type { Stops } from '../../orders/stops.ts'
import type { JournalStore } from '../../store/journal-store.ts'
import type { ExchangeClock } from '../../upstream/clock.ts'
import type { JudgedResponse } from '../../upstream/judged-response.ts'
import { type ClientsNowDeps, readClientsNow } from './clients-now.ts'
import type { QueueHistory } from './queue-history.ts'
import { toTime, toTimeOrNull } from './times.ts'

/** What the alert board says of an alert that is raised. */
export interface RaisedAlert {
  readonly type: string
  readonly subject: string
  readonly raisedAtMs: number
  readonly message: string
}

export interface OperationsDeps extends ClientsNowDeps {
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'list' | 'snapshot'>>>
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs' | 'isMeasured'>>>
  readonly stops: Pick<Stops, 'get'>
  readonly journal: Pick<JournalStore, 'countOpen'>
  readonly openAlerts: () => readonly RaisedAlert[]
  readonly isPaper: (exchange: ExchangeCode) => boolean
}

/** Everything that happens now, in one answer. */
export function createOperationsService(
  deps: OperationsDeps,
  history: Pick<QueueHistory, 'sentLastMinute'>,
) {
  const { lanes, clocks, stops, journal, openAlerts, isPaper, nowMs } = deps

  /** The stop that is in force for the exchange; otherwise the last one. */
  function stopOf(own: Stop | null, ofAll: Stop | null): Stop | null {
    if (own === null || ofAll === null) return own ?? ofAll
    if ((own.resumedAt === null) !== (ofAll.resumedAt === null))
      return own.resumedAt === null ? own : ofAll
    return own.startedAt >= ofAll.startedAt ? own : ofAll
  }

  async function exchangeNow(
    exchange: ExchangeCode,
    stopOfAll: Stop | null,
    now: number,
  ): Promise<ExchangeNow> {
    const lane = lanes[exchange]
    const snapshot = lane.snapshot()
    const stop = stopOf(await stops.get({ exchange }), stopOfAll)
    const { lastError, resumesInMs, stateForMs } = snapshot
    const isStopped = snapshot.state === 'stopped' && stop !== null && stop.resumedAt === null
    const since = stateForMs === null ? null : toTime(now - stateForMs)
    return {
      exchange,
      environment: isPaper(exchange) ? 'paper' : 'real',
      state: toPublicState(snapshot.state),
      reason: snapshot.reason,
      // A stop also holds from before a restart.
      since: isStopped ? stop.startedAt : since,
      nextTryAt: resumesInMs === null ? null : toTime(now + resumesInMs),
      lastError:
        lastError === null
          ? null
          : { at: toTime(now - lastError.agoMs), message: lastError.message },
      rateLimit: snapshot.currentRatePerSecond,
      fullRateLimit: snapshot.ratePerSecond,
      sentLastMinute: history.sentLastMinute(exchange, snapshot.slotsUsed),
      queueSize: snapshot.queued,
      queueByClass: { ...snapshot.queuedByClass },
      inFlight: snapshot.inFlight,
      longestWaitMs: snapshot.longestWaitMs,
      estimatedWaitMs: snapshot.estimatedWaitMs,
      clockOffsetMs: clocks[exchange].isMeasured() ? clocks[exchange].offsetMs() : null,
      stop,
      accounts: snapshot.accountsHeld.map(({ clientId, state, retryInMs }) => ({
        ...{ clientId, state },
        nextTryAt: toTimeOrNull(retryInMs === 0 ? null : now + retryInMs),
      })),
      nextSlots: lane.list(NEXT_SLOTS_MAX).map((entry) => ({
        inMs: Math.max(0, Math.round(entry.expectedWaitMs)),
        id: entry.id,
        clientId: entry.clientId,
        requestClass: entry.jobClass,
        method: entry.method,
        endpoint: entry.endpoint,
      })),
    }
  }

  return {
    async read(): Promise<Operations> {
      const now = nowMs()
      const [stopOfAll, open] = await Promise.all([stops.get('everything'), journal.countOpen()])
      const exchanges = EXCHANGES.map((exchange) => exchangeNow(exchange, stopOfAll, now))
      return {
        at: toTime(now),
        exchanges: await Promise.all(exchanges),
        clients: await readClientsNow(deps, queuedByClient(), now),
        unknownOrders: open.unknown,
        alerts: openAlerts().map(toOpenAlert),
      }
    },
  }

  /** The waiting requests of each client, at all exchanges together. */
  function queuedByClient(): Map<string, number> {
    const sums = new Map<string, number>()
    for (const exchange of EXCHANGES)
      for (const { clientId, queued } of lanes[exchange].snapshot().queuedByClient)
        sums.set(clientId, (sums.get(clientId) ?? 0) + queued)
    return sums
  }
}
export type OperationsService = ReturnType<typeof createOperationsService>

function toOpenAlert({ type, subject, raisedAtMs, message }: RaisedAlert): OpenAlert {
  return { name: type, subject, since: toTime(raisedAtMs), text: message }
}
