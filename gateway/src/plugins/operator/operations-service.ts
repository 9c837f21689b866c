import {
  EXCHANGES,
  type ExchangeCode,
  NEXT_SLOTS_MAX,
  type OpenAlert,
  type Operations,
  type Stop,
} from 'schema'
import type { Lane, LaneSnapshot } from '../../lane/lane-types.ts'
import type { Stops } from '../../orders/stops.ts'
import { isOfGateway, type UnknownCancels } from '../../orders/unknown-cancels.ts'
import type { JournalStore } from '../../store/journal-store.ts'
import type { ExchangeClock } from '../../upstream/clock.ts'
import type { JudgedResponse } from '../../upstream/judged-response.ts'
import { type ClientsNowDeps, readClientsNow } from './clients-now.ts'
import { stopInForce, toExchangeNow } from './exchange-now.ts'
import type { QueueHistory } from './queue-history.ts'
import { toTime } from './times.ts'

/** What the alert board says of an alert that is raised. */
export interface RaisedAlert {
  readonly type: string
  readonly subject: string
  readonly raisedAtMs: number
  readonly message: string
  readonly count: number
}

export interface OperationsDeps extends ClientsNowDeps {
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'list' | 'snapshot'>>>
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs' | 'isMeasured'>>>
  readonly stops: Pick<Stops, 'get'>
  readonly journal: Pick<JournalStore, 'countUnknown'>
  readonly unknownCancels: Pick<UnknownCancels, 'size'>
  readonly openAlerts: () => readonly RaisedAlert[]
  readonly isPaper: (exchange: ExchangeCode) => boolean
  /** Whether other gateways can share the database. */
  readonly hasNodes: boolean
  readonly nowMs: () => number
}

/** The state of an exchange's lane. */
interface LaneNow {
  readonly exchange: ExchangeCode
  readonly snapshot: LaneSnapshot
}

/** Everything that happens now, in one answer. */
export function createOperationsService(
  deps: OperationsDeps,
  history: Pick<QueueHistory, 'sentLastMinute'>,
) {
  const { lanes, clocks, stops, journal, openAlerts, isPaper } = deps

  async function exchangeNow(
    { exchange, snapshot }: LaneNow,
    stopOfAll: Stop | null,
    nowMs: number,
  ) {
    const clock = clocks[exchange]
    return toExchangeNow({
      ...{ exchange, snapshot, nowMs },
      isPaper: isPaper(exchange),
      next: lanes[exchange].list(NEXT_SLOTS_MAX),
      sentLastMinute: history.sentLastMinute(exchange, snapshot.slotsUsed),
      clockOffsetMs: clock.isMeasured() ? clock.offsetMs() : null,
      stop: stopInForce(await stops.get({ exchange }), stopOfAll),
    })
  }

  return {
    async read(): Promise<Operations> {
      const nowMs = deps.nowMs()
      const [stopOfAll, unknown] = await Promise.all([
        stops.get('everything'),
        journal.countUnknown(),
      ])
      const all = EXCHANGES.map((exchange) => ({ exchange, snapshot: lanes[exchange].snapshot() }))
      return {
        at: toTime(nowMs),
        exchanges: await Promise.all(all.map((lane) => exchangeNow(lane, stopOfAll, nowMs))),
        clients: await readClientsNow(deps, queuedByClient(all), nowMs),
        // All tries of a cancel are one, also the last while it is still looked up.
        unknownOrders: sumOf(unknown.filter((each) => !isOfGateway(each))),
        unknownCancels: deps.unknownCancels.size,
        alerts: openAlerts().map(toOpenAlert),
        hasNodes: deps.hasNodes,
      }
    },
  }
}
export type OperationsService = ReturnType<typeof createOperationsService>

const sumOf = (counts: readonly { readonly count: number }[]) =>
  counts.reduce((sum, { count }) => sum + count, 0)

function toOpenAlert({ type, subject, raisedAtMs, message, count }: RaisedAlert): OpenAlert {
  return { name: type, subject, since: toTime(raisedAtMs), text: message, count }
}

/** The waiting requests of each client, at all exchanges together. */
function queuedByClient(all: readonly LaneNow[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { clientId, queued } of all.flatMap(({ snapshot }) => snapshot.queuedByClient))
    sums.set(clientId, (sums.get(clientId) ?? 0) + queued)
  return sums
}
