import {
  EXCHANGES,
  type ExchangeCode,
  type HistoryPoint,
  type HistorySpan,
  type OperationsHistory,
} from 'schema'
import { eachExchange } from '../../exchanges/exchange.ts'
import type { LaneSnapshot } from '../../lane/lane-types.ts'
import type { QueueMinuteRow, QueueMinuteStore } from '../../store/queue-minute-store.ts'

const STEP_MS = 5_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const SPANS = {
  '5m': { spanMs: 5 * MINUTE_MS, stepMs: STEP_MS },
  '1h': { spanMs: 60 * MINUTE_MS, stepMs: MINUTE_MS },
  '24h': { spanMs: DAY_MS, stepMs: 5 * MINUTE_MS },
} as const

interface QueueHistoryDeps {
  readonly lanes: Readonly<
    Record<ExchangeCode, { snapshot(): Pick<LaneSnapshot, 'queuedByClass' | 'slotsUsed'> }>
  >
  readonly store: Pick<QueueMinuteStore, 'since' | 'save'>
  readonly nowMs: () => number
}

/** What is kept of one exchange. */
interface ExchangeHistory {
  /** Of the last 5 minutes, 5 s each, oldest first. */
  steps: QueuePoint[]
  /** Of the last 24 hours, oldest first. */
  minutes: QueuePoint[]
  /** The calls sent since the start, of the last minute, oldest first. */
  used: { readonly atMs: number; readonly slotsUsed: number }[]
}

/**
 * How many requests waited and were sent: 5 minutes in steps of 5 s in memory, 24 hours by minutes
 * in memory and in the store.
 */
export class QueueHistory {
  readonly #deps: QueueHistoryDeps
  readonly #kept: Record<ExchangeCode, ExchangeHistory>
  #sampledAtMs: number
  /** Minutes before this one are in the store. */
  #savedUntilMs = 0
  /** The minute in which minutes were stored last, or could not be. */
  #triedAtMs: number

  constructor(deps: QueueHistoryDeps) {
    this.#deps = deps
    this.#sampledAtMs = deps.nowMs()
    this.#triedAtMs = minuteOf(this.#sampledAtMs)
    const first = { atMs: this.#sampledAtMs, slotsUsed: 0 }
    this.#kept = eachExchange(() => ({ steps: [], minutes: [], used: [first] }))
  }

  /** Reads the minutes that previous processes stored. */
  async restore(): Promise<void> {
    const { store, nowMs } = this.#deps
    for (const { exchange, ...point } of await store.since(nowMs() - DAY_MS))
      this.#kept[exchange].minutes.push(point)
    this.#savedUntilMs = minuteOf(nowMs())
  }

  /**
   * Looks at the queues; stores a minute when it is over. What cannot be stored is tried again a
   * minute later.
   * @throws StoreUnwritableError, StoreDamagedError
   */
  async sample(): Promise<void> {
    const { lanes, nowMs } = this.#deps
    const now = nowMs()
    for (const exchange of EXCHANGES) {
      const kept = this.#kept[exchange]
      if (now < this.#sampledAtMs) forgetAfter(kept, now)
      add(kept, lanes[exchange].snapshot(), now)
    }
    this.#sampledAtMs = now
    if (this.#triedAtMs === minuteOf(now)) return
    this.#triedAtMs = minuteOf(now)
    await this.#saveBefore(minuteOf(now))
  }

  /** Stores the minute that has begun. @throws StoreUnwritableError, StoreDamagedError */
  async close(): Promise<void> {
    await this.sample()
    await this.#saveBefore(minuteOf(this.#sampledAtMs) + MINUTE_MS)
  }

  /** The calls sent in the last 60 s. */
  sentLastMinute(exchange: ExchangeCode, slotsUsed: number): number {
    const [oldest] = usedOfMinute(this.#kept[exchange], this.#deps.nowMs())
    return slotsUsed - (oldest?.slotsUsed ?? 0)
  }

  read(span: HistorySpan): OperationsHistory {
    const { spanMs, stepMs } = SPANS[span]
    const fromMs = this.#deps.nowMs() - spanMs
    const exchanges = EXCHANGES.map((exchange) => {
      const { steps, minutes } = this.#kept[exchange]
      const points = mergePoints(span === '5m' ? steps : minutes, stepMs)
      return {
        exchange,
        points: points.filter(({ atMs }) => atMs > fromMs - stepMs).map(toHistoryPoint),
      }
    })
    return { stepMs, exchanges }
  }

  async #saveBefore(untilMs: number): Promise<void> {
    if (untilMs <= this.#savedUntilMs) return
    const rows = EXCHANGES.flatMap((exchange) =>
      this.#kept[exchange].minutes
        .filter(({ atMs }) => atMs >= this.#savedUntilMs && atMs < untilMs)
        .map((point) => ({ exchange, ...point })),
    )
    await this.#deps.store.save(rows)
    this.#savedUntilMs = untilMs
  }
}

function add(
  kept: ExchangeHistory,
  { queuedByClass, slotsUsed }: ReturnType<Snapshot>,
  nowMs: number,
): void {
  const sent = slotsUsed - (kept.used.at(-1)?.slotsUsed ?? 0)
  const point = { ...queuedByClass, atMs: nowMs, sent }
  kept.steps = added(kept.steps, point, SPANS['5m'])
  kept.minutes = added(kept.minutes, point, { spanMs: DAY_MS, stepMs: MINUTE_MS })
  kept.used = [...usedOfMinute(kept, nowMs), { atMs: nowMs, slotsUsed }]
}

type Snapshot = QueueHistoryDeps['lanes'][ExchangeCode]['snapshot']

/** The points with one more, without those that are too old. */
function added(
  points: QueuePoint[],
  point: QueuePoint,
  { spanMs, stepMs }: { readonly spanMs: number; readonly stepMs: number },
): QueuePoint[] {
  const last = points.at(-1)
  const merged = mergePoints(last === undefined ? [point] : [last, point], stepMs)
  points.splice(-1, 1, ...merged)
  const [first] = points
  if (first !== undefined && first.atMs <= point.atMs - spanMs - stepMs) points.shift()
  return points
}

/** The last count from before the minute, and those of the minute. */
function usedOfMinute({ used }: ExchangeHistory, nowMs: number): ExchangeHistory['used'] {
  const inMinute = used.findIndex(({ atMs }) => atMs > nowMs - MINUTE_MS)
  return used.slice(inMinute === -1 ? -1 : Math.max(0, inMinute - 1))
}

/** The clock was set back. */
function forgetAfter(kept: ExchangeHistory, nowMs: number): void {
  kept.steps = kept.steps.filter(({ atMs }) => atMs <= nowMs)
  kept.minutes = kept.minutes.filter(({ atMs }) => atMs <= nowMs)
  kept.used = kept.used.slice(-1).map(({ slotsUsed }) => ({ atMs: nowMs, slotsUsed }))
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS
}

/** What waited at most, by class, and what was sent, from a moment on. */
type QueuePoint = Omit<QueueMinuteRow, 'exchange'>

/** One point for each step that has points, oldest first. */
function mergePoints(points: readonly QueuePoint[], stepMs: number): QueuePoint[] {
  const merged: QueuePoint[] = []
  for (const point of points) {
    const atMs = Math.floor(point.atMs / stepMs) * stepMs
    const last = merged.at(-1)
    if (last?.atMs === atMs) merged[merged.length - 1] = merge(last, point)
    else merged.push({ ...point, atMs })
  }
  return merged
}

function toHistoryPoint({ atMs, ...counts }: QueuePoint): HistoryPoint {
  return { at: new Date(atMs).toISOString(), ...counts }
}

function merge(one: QueuePoint, other: QueuePoint): QueuePoint {
  return {
    atMs: one.atMs,
    cancel: Math.max(one.cancel, other.cancel),
    lookup: Math.max(one.lookup, other.lookup),
    order: Math.max(one.order, other.order),
    account: Math.max(one.account, other.account),
    market: Math.max(one.market, other.market),
    sent: one.sent + other.sent,
  }
}
