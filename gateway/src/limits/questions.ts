import { EXCHANGES, type ExchangeCode } from 'schema'
import { NotOwnerError } from '../store/errors.ts'
import type { Events } from '../upstream/events.ts'
import { addQueueMs, type RequestContext } from '../upstream/request-context.ts'
import { MinuteCount } from './client-book.ts'
import type { Refusal } from './errors.ts'
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

/** How often the lists of a client at one exchange are read, and how often in the background. */
const READ_MS = 60_000

export interface OpenListsDeps {
  /** The orders of a client that may be open at an exchange. */
  readonly workingOrders: {
    readonly list: (clientRef: number, exchange: ExchangeCode) => readonly unknown[]
  }
  /**
   * Asks the exchange which orders of a client are open, and forgets those that have ended.
   * @param jobClass its place in the queue
   */
  readonly sync: (
    clientRef: number,
    exchange: ExchangeCode,
    jobClass: 'lookup' | 'market',
  ) => Promise<void>
  /** When `sync` last read them; undefined: not yet. */
  readonly listsReadAtMs: (clientRef: number, exchange: ExchangeCode) => number | undefined
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
}

/**
 * The lists of open orders at the exchanges, by which orders that were filled stop counting: read
 * before an order is refused, and when somebody looks at the count.
 */
export class OpenLists {
  readonly #deps: OpenListsDeps
  readonly #askedAtMs = new Map<string, number>()

  constructor(deps: OpenListsDeps) {
    this.#deps = deps
  }

  /**
   * The exchanges where a client with too many orders has some that count; the one that its new
   * order goes to comes first.
   */
  toRead(
    { clientRef, exchange }: { readonly clientRef: number; readonly exchange: ExchangeCode },
    refusal: Refusal | undefined,
  ): ExchangeCode[] {
    if (refusal?.code !== 'LIMIT_OPEN_ORDERS') return []
    return this.#counted(clientRef).sort((a, b) => Number(b === exchange) - Number(a === exchange))
  }

  /**
   * Reads the lists of a client at an exchange, unless they were asked for within a minute.
   * @returns whether it asked
   * @throws NotOwnerError
   */
  async read(clientRef: number, exchange: ExchangeCode): Promise<boolean> {
    if (!this.#isDue(clientRef, exchange, 'lookup')) return false
    try {
      await this.#deps.sync(clientRef, exchange, 'lookup')
    } catch (error) {
      // Another node can read them.
      if (error instanceof NotOwnerError) throw error
      this.#deps.events.emit('workingOrdersNotRead', { exchange, clientRef, error })
    }
    return true
  }

  /** Reads all lists of a client behind all orders, unless that was done within a minute. */
  readLater(clientRef: number): void {
    for (const exchange of this.#counted(clientRef)) {
      if (!this.#isDue(clientRef, exchange, 'market')) continue
      this.#deps
        .sync(clientRef, exchange, 'market')
        .catch((error: unknown) =>
          this.#deps.events.emit('workingOrdersNotRead', { exchange, clientRef, error }),
        )
    }
  }

  /**
   * When the lists of a client were last read, where that is longest ago, ISO 8601; null: at one of
   * the exchanges not yet, or it has no orders that count.
   */
  readAt(clientRef: number): string | null {
    const readAtMs = this.#readAtMs(clientRef)
    return readAtMs === null ? null : new Date(readAtMs).toISOString()
  }

  /** A refusal because of open orders says how old their count is. */
  withAge(clientRef: number, refusal: Refusal): Refusal {
    if (refusal.code !== 'LIMIT_OPEN_ORDERS') return refusal
    const readAtMs = this.#readAtMs(clientRef)
    const agoMs = this.#deps.nowMs() - (readAtMs ?? 0)
    const age =
      readAtMs === null
        ? 'have not all been read yet'
        : `were read ${Math.max(0, Math.round(agoMs / 1000))} s ago`
    return { ...refusal, message: `${refusal.message}. The lists of open orders ${age}` }
  }

  #readAtMs(clientRef: number): number | null {
    const times = this.#counted(clientRef).map((exchange) =>
      this.#deps.listsReadAtMs(clientRef, exchange),
    )
    const known = times.filter((time) => time !== undefined)
    return known.length === 0 || known.length < times.length ? null : Math.min(...known)
  }

  #counted(clientRef: number): ExchangeCode[] {
    const { workingOrders } = this.#deps
    return EXCHANGES.filter((exchange) => workingOrders.list(clientRef, exchange).length > 0)
  }

  #isDue(clientRef: number, exchange: ExchangeCode, jobClass: 'lookup' | 'market'): boolean {
    const { nowMs, listsReadAtMs } = this.#deps
    const name = `${jobClass} ${clientRef} ${exchange}`
    const lastMs = Math.max(this.#askedAtMs.get(name) ?? 0, listsReadAtMs(clientRef, exchange) ?? 0)
    if (nowMs() - lastMs < READ_MS) return false
    this.#askedAtMs.set(name, nowMs())
    return true
  }
}
