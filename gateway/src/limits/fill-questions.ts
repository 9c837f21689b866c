import type { ExchangeCode } from 'schema'
import { NotOwnerError } from '../store/errors.ts'
import type { Events } from '../upstream/events.ts'
import { addQueueMs, type RequestContext } from '../upstream/request-context.ts'
import { MinuteCount } from './client-book.ts'
import type { LearnWithin, OwnQuantities } from './exits.ts'

/** How often a client can make the gateway ask for fills, a minute: look-ups come first. */
const TIMES_PER_MINUTE = 30

interface FillQuestionsDeps {
  readonly own: Pick<OwnQuantities, 'learn'>
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
}

/** Whose fills are asked for. */
interface AtPlace {
  readonly clientRef: number
  readonly exchange: ExchangeCode
  /** By `placeNameOf`; undefined: in all places. */
  readonly place: string | undefined
}

/** The request that waits for it. */
export type WaitingRequest = Pick<RequestContext, 'maxWaitMs' | 'signal' | 'timings'>

/**
 * Asks the exchanges for fills before a call is refused, up to some times a minute for each client
 * whose call it is. Each purpose has its own times: a client that repeats a refused entry can still
 * close.
 */
export class FillQuestions {
  readonly #deps: FillQuestionsDeps
  readonly #times = new Map<number, MinuteCount>()

  constructor(deps: FillQuestionsDeps) {
    this.#deps = deps
  }

  /**
   * @param caller whose call it is
   * @param request absent: none waits for it. Its wait here shortens its longest wait in the queue.
   * @returns whether the exchange was asked for fills, and whether it reported all of them
   * @throws NotOwnerError
   */
  async ask(
    caller: number,
    positions: readonly AtPlace[],
    request?: WaitingRequest,
  ): Promise<{ readonly hasAsked: boolean; readonly isKnown: boolean }> {
    const { own, events, nowMs } = this.#deps
    const places = new Map(
      positions.map((each) => [`${each.clientRef} ${each.exchange} ${each.place}`, each]),
    )
    const times = this.#times.get(caller) ?? new MinuteCount()
    this.#times.set(caller, times)
    let hasAsked = false
    let isKnown = true
    for (const { clientRef, exchange, place } of places.values()) {
      if (times.count(nowMs()) >= TIMES_PER_MINUTE) return { hasAsked, isKnown: false }
      times.add(1, nowMs())
      hasAsked = true
      const startedMs = nowMs()
      const within = withinOf(request)
      try {
        isKnown = (await own.learn(clientRef, exchange, 'lookup', place, within)) && isKnown
      } catch (error) {
        // Another node can ask.
        if (error instanceof NotOwnerError) throw error
        events.emit('fillsNotRead', { exchange, clientRef, error })
        isKnown = false
      } finally {
        if (request !== undefined) addQueueMs(request.timings, Math.max(0, nowMs() - startedMs))
      }
    }
    return { hasAsked, isKnown }
  }
}

/** How long a request may still wait, and until when its caller does. */
function withinOf(request: WaitingRequest | undefined): LearnWithin | undefined {
  if (request === undefined) return undefined
  const { maxWaitMs = Number.POSITIVE_INFINITY, signal, timings } = request
  const leftMs = Math.max(0, maxWaitMs - (timings.queueMs ?? 0))
  return { signal, ...(Number.isFinite(leftMs) ? { maxWaitMs: leftMs } : {}) }
}
