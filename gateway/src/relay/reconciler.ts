import { setTimeout as sleep } from 'node:timers/promises'
import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { ExchangeClock } from '../exchanges/clock.ts'
import type { OrderTrace } from '../exchanges/order-trace.ts'
import {
  answerFor,
  type FoundOrder,
  type Lookup,
  lookupsOf,
  outcomeOf,
} from '../exchanges/order-trace.ts'
import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { StoredAnswer } from './answer.ts'
import type { Errand } from './errand.ts'
import { NotCarriedOutError } from './errors.ts'
import { toFoundAnswer } from './found-answer.ts'
import type { Relay } from './relay.ts'
import type { FoundAnswer } from './ticket.ts'

/** Before each question while the caller waits: an order can become visible late (exchanges/*.md). */
const CALLER_PAUSES_MS = [500, 1000, 2000] as const
/** Between questions in the background; the last one repeats. */
const BACKGROUND_PAUSES_MS = [4_000, 8_000, 16_000, 32_000, 60_000, 300_000] as const
/** An order that is nowhere after this time was not placed. */
const VISIBLE_AFTER_MS = 60_000

export interface ReconcilerDeps {
  readonly journal: JournalStore
  readonly relays: Readonly<Record<ExchangeCode, Pick<Relay, 'lookUp' | 'syncClock' | 'keysIdOf'>>>
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'nowMs'>>>
  readonly toAnswer: (error: unknown, requestId: string) => StoredAnswer
  readonly nowMs: () => number
  /** An order got its final state in the background. */
  readonly onResolved: (row: JournalRow, outcome: 'done' | 'not-done') => void
  /** A question could not be asked or its result not be written; it is asked again. */
  readonly onError: (
    error: unknown,
    about: { readonly id: string; readonly exchange?: ExchangeCode },
  ) => void
  readonly callerPausesMs?: readonly number[]
  readonly backgroundPausesMs?: readonly number[]
}

type Finding = { readonly found: FoundOrder } | 'absent' | 'unclear'

/** Finds out what became of orders of unknown outcome, by asking the exchange. Nothing is ever sent again. */
export function createReconciler(deps: ReconcilerDeps) {
  const { journal, relays, clocks, toAnswer, nowMs, onResolved, onError } = deps
  const callerPausesMs = deps.callerPausesMs ?? CALLER_PAUSES_MS
  const backgroundPausesMs = deps.backgroundPausesMs ?? BACKGROUND_PAUSES_MS
  const stop = new AbortController()
  const watched = new Map<string, Promise<void>>()

  /** Keys that were replaced may be of another account, where nothing can be proven: before, or in the middle. */
  async function ask(row: JournalRow, trace: OrderTrace, lookups: Lookup[]): Promise<Finding> {
    const finding = (await hasItsKeys(row)) ? await askAround(row, trace, lookups) : 'unclear'
    return (await hasItsKeys(row)) ? finding : 'unclear'
  }

  const hasItsKeys = async (row: JournalRow) =>
    row.keysRef === null || (await relays[row.exchange].keysIdOf(errandOf(row))) === row.keysRef

  /** Asks at the places in turn until one knows the order. */
  async function askAround(
    row: JournalRow,
    trace: OrderTrace,
    lookups: Lookup[],
  ): Promise<Finding> {
    await journal.countLookup(row.id)
    let isClear = lookups.length > 0
    for (const { call, read } of lookups) {
      const result = read(await relays[row.exchange].lookUp(errandOf(row), call))
      if (typeof result === 'object') {
        // Two like orders under one client order id: the one that stands is the first one's.
        const isPlaced = trace.action === 'place'
        if (isPlaced && (await journal.isToldOfAnother(row, result.orderId))) return 'unclear'
        // A cancel that was sent a moment ago may still be on its way through the exchange.
        const isEarly = outcomeOf(trace, result) === 'not-done' && !isOldEnough(row)
        return isEarly ? 'unclear' : { found: result }
      }
      isClear &&= result === 'absent'
    }
    return isClear ? 'absent' : 'unclear'
  }

  /** Histories are searched by the exchange's time, which a gateway that has just started must learn first. */
  async function lookupsFor(row: JournalRow, trace: OrderTrace): Promise<Lookup[]> {
    await relays[row.exchange].syncClock()
    return lookupsOf(trace, sentAtMsOf(row), clocks[row.exchange].nowMs())
  }

  const isOldEnough = (row: JournalRow) =>
    clocks[row.exchange].nowMs() - sentAtMsOf(row) >= VISIBLE_AFTER_MS

  /** One round in the background. True when there is nothing more to ask. */
  async function resolve(row: JournalRow, trace: OrderTrace): Promise<boolean> {
    const lookups = await lookupsFor(row, trace)
    // Nothing can be asked about it: it stays unknown, and a person has to look.
    if (lookups.length === 0) return true
    const finding = await ask(row, trace, lookups)
    if (finding === 'unclear' || (finding === 'absent' && !isOldEnough(row))) return false
    const outcome = finding === 'absent' ? 'not-done' : outcomeOf(trace, finding.found)
    const answer =
      finding !== 'absent' && outcome === 'done'
        ? toFoundAnswer(row, trace, finding.found, nowMs())
        : toAnswer(new NotCarriedOutError(EXCHANGE_NAMES[row.exchange], whyNot(finding)), row.id)
    await journal.settle(row.id, {
      state: 'resolved',
      ...answer,
      settledAtMs: nowMs(),
      releasesKey: false,
    })
    onResolved(row, outcome)
    return true
  }

  async function keepAsking(id: string, firstPauseMs: number): Promise<void> {
    let pauseMs = firstPauseMs
    for (let round = 0; await pause(pauseMs, false); round += 1) {
      if (await isOver(id)) return
      pauseMs = backgroundPausesMs[Math.min(round, backgroundPausesMs.length - 1)] ?? 0
    }
  }

  /** One round in the background; true when there is nothing more to ask. */
  async function isOver(id: string): Promise<boolean> {
    let row: JournalRow | undefined
    try {
      row = await journal.byId(id)
      const trace = row === undefined ? undefined : readTrace(row)
      // Gone with its client, or nothing to look it up by: it stays unknown, and a person has to look.
      if (row === undefined || trace === undefined || row.settledAtMs !== null) return true
      return await resolve(row, trace)
    } catch (error) {
      onError(error, row ?? { id })
      return false
    }
  }

  /** False when the asking was ended meanwhile: the next start goes on. */
  async function pause(pauseMs: number, ref: boolean): Promise<boolean> {
    // Rejects only when the asking is ended, which the next line tells.
    await sleep(pauseMs, undefined, { signal: stop.signal, ref }).catch(() => undefined)
    return !stop.signal.aborted
  }

  /** One round while the caller waits: the surest place first, everywhere only when that did not help. */
  async function askForCaller(id: string, isLast: boolean): Promise<FoundAnswer | undefined> {
    let row: JournalRow | undefined
    try {
      row = await journal.byId(id)
      const trace = row === undefined ? undefined : readTrace(row)
      if (row === undefined || trace === undefined) return undefined
      const all = await lookupsFor(row, trace)
      const finding = await ask(row, trace, isLast ? all : all.slice(0, 1))
      return typeof finding === 'object' && outcomeOf(trace, finding.found) === 'done'
        ? answerFor(trace, finding.found, clocks[row.exchange].nowMs())
        : undefined
    } catch (error) {
      onError(error, row ?? { id })
      return undefined
    }
  }

  function watch(id: string, firstPauseMs = backgroundPausesMs[0] ?? 0): void {
    if (watched.has(id) || stop.signal.aborted) return
    watched.set(
      id,
      keepAsking(id, firstPauseMs).finally(() => watched.delete(id)),
    )
  }

  return {
    /** Asks a few times while the caller waits. Undefined when it is still not known. */
    async findOut(id: string): Promise<FoundAnswer | undefined> {
      await journal.markUnknown(id).catch((error: unknown) => onError(error, { id }))
      for (const [round, pauseMs] of callerPausesMs.entries()) {
        if (!(await pause(pauseMs, true))) return undefined
        const found = await askForCaller(id, round === callerPausesMs.length - 1)
        if (found !== undefined) return found
      }
      return undefined
    },

    /** Goes on asking in the background, with growing pauses, until it is known. */
    watch,

    /** Ends the asking; what is unknown stays so in the journal. */
    async close(): Promise<void> {
      stop.abort()
      await Promise.allSettled(watched.values())
    },
  }
}
export type Reconciler = ReturnType<typeof createReconciler>

function whyNot(finding: Exclude<Finding, 'unclear'>): string {
  if (finding === 'absent')
    return 'a minute later the order is neither open nor in the history, so it was most probably never placed'
  return `the order is ${finding.found.state}`
}

/** By the exchange's clock, which no step of this machine's moves. */
function sentAtMsOf({ sentAtMs, createdAtMs }: JournalRow): number {
  return sentAtMs ?? createdAtMs
}

/** In the name of the client, whether it is switched on or not: the order is out there. */
function errandOf(row: JournalRow): Errand {
  return {
    requestId: row.id,
    method: row.method,
    endpoint: row.endpoint,
    clientRef: row.clientRef,
    clientId: row.clientId,
    byAdmin: true,
    trip: { queueMs: null, upstreamMs: null, shared: false },
  }
}

function readTrace({ trace }: JournalRow): OrderTrace | undefined {
  return trace === null ? undefined : JSON.parse(trace)
}
