import { setTimeout as sleep } from 'node:timers/promises'
import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { answerFor } from '../exchanges/order-lookup/found-response.ts'
import {
  type OrderEnd,
  type OrderKey,
  ordersOf,
  outcomeOf,
} from '../exchanges/order-lookup/order-key.ts'
import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { StoredAnswer } from '../upstream/stored-response.ts'
import { NotCarriedOutError } from './errors.ts'
import { toFoundAnswer } from './found-response.ts'
import { type AskerDeps, createAsker } from './look-up.ts'
import type { FoundAnswer } from './ticket.ts'

/**
 * Before each question while the caller waits: an order can become visible late
 * (docs/exchanges/mexc.md, 5; docs/exchanges/bitget.md, 7).
 */
const CALLER_PAUSES_MS = [500, 1000, 2000] as const
/** Between questions in the background; the last one repeats. */
const BACKGROUND_PAUSES_MS = [4_000, 8_000, 16_000, 32_000, 60_000, 300_000] as const

export interface ReconcilerDeps extends AskerDeps {
  readonly journal: JournalStore
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

/** Finds out what became of orders of unknown outcome, by asking the exchange. Nothing is ever sent again. */
export function createReconciler(deps: ReconcilerDeps) {
  const { journal, clocks, toAnswer, nowMs, onResolved, onError } = deps
  const callerPausesMs = deps.callerPausesMs ?? CALLER_PAUSES_MS
  const backgroundPausesMs = deps.backgroundPausesMs ?? BACKGROUND_PAUSES_MS
  const { ask } = createAsker(deps)
  const stop = new AbortController()
  const watched = new Map<string, Promise<void>>()

  /** One round in the background. True when there is nothing more to ask. */
  async function resolve(row: JournalRow, trace: OrderKey): Promise<boolean> {
    const ends = await ask(row, trace)
    // Nothing can be asked about it: it stays unknown, and a person has to look.
    if (ends === 'never') return true
    if (ends === 'unclear') return false
    const isDone = isAnyDone(trace, ends)
    const answer = isDone
      ? toFoundAnswer(row, trace, ends, nowMs())
      : toAnswer(new NotCarriedOutError(EXCHANGE_NAMES[row.exchange], whyNot(trace, ends)), row.id)
    await journal.settle(row.id, {
      state: 'resolved',
      ...answer,
      settledAtMs: nowMs(),
      releasesKey: false,
    })
    onResolved(row, isDone ? 'done' : 'not-done')
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
      row = await journal.find(id)
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
      row = await journal.find(id)
      const trace = row === undefined ? undefined : readTrace(row)
      if (row === undefined || trace === undefined) return undefined
      const ends = await ask(row, trace, isLast ? undefined : 1)
      return typeof ends === 'object' && isAnyDone(trace, ends)
        ? answerFor(trace, ends, clocks[row.exchange].nowMs())
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

/** A call about several orders is carried out when one of them is. */
function isAnyDone(trace: OrderKey, ends: readonly OrderEnd[]): boolean {
  return ordersOf(trace).some((order, at) => outcomeOf(order, ends[at] ?? 'absent') === 'done')
}

function whyNot({ several }: OrderKey, ends: readonly OrderEnd[]): string {
  const [end = 'absent'] = ends
  if (several !== undefined) return 'a minute later none of its orders was as requested'
  if (end === 'absent')
    return 'a minute later the order is neither open nor in the history, so it was most probably never placed'
  return `the order is ${end.state}`
}

function readTrace({ trace }: JournalRow): OrderKey | undefined {
  return trace === null ? undefined : JSON.parse(trace)
}
