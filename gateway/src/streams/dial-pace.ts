import type { ExchangeCode } from 'schema'
import type { Time } from '../time.ts'

export interface GateLimits {
  /** How many may be inside at a time. */
  readonly atOnce: number
  /** How many may enter within `windowMs`. */
  readonly entries?: number
  readonly windowMs?: number
  /** Between two that enter, on average. */
  readonly spacingMs?: number
}

/**
 * Below what Bitget allows one address: 300 dials in 5 minutes and 100 connections, of which some
 * are left for other programs there. MEXC states no limit for dials (docs/exchanges/streams.md, 1).
 */
export const DIAL_LIMITS: Readonly<Record<ExchangeCode, Required<GateLimits>>> = {
  bg: { atOnce: 95, entries: 250, windowMs: 300_000, spacingMs: 200 },
  mx: { atOnce: 500, entries: 250, windowMs: 300_000, spacingMs: 200 },
}

interface Waiting {
  readonly rank: number
  readonly enter: () => void
}

/**
 * Lets through few at a time, and not too fast: the lowest rank first, then who came first. The
 * distances between them vary by half, so that many gateways do not dial in step.
 */
export class Gate {
  readonly #limits: GateLimits
  readonly #time: Pick<Time, 'monotonic' | 'setTimeout'>
  readonly #random: () => number
  readonly #waiting: Waiting[] = []
  /** When each one of the window entered. */
  #enteredMs: number[] = []
  #inside = 0
  #freeAtMs = Number.NEGATIVE_INFINITY
  #isTimed = false

  constructor(
    limits: GateLimits,
    time: Pick<Time, 'monotonic' | 'setTimeout'>,
    random: () => number = Math.random,
  ) {
    this.#limits = limits
    this.#time = time
    this.#random = random
  }

  get inside(): number {
    return this.#inside
  }

  /**
   * Waits for its turn.
   * @param rank the lowest goes first
   * @returns to be called when it is outside again; a second call does nothing
   * @throws the signal's reason
   */
  async enter(rank: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const waiting = { rank, enter: () => resolve(this.#enter()) }
    const after = this.#waiting.findIndex((other) => other.rank > rank)
    this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, waiting)
    const onAbort = () => {
      const at = this.#waiting.indexOf(waiting)
      if (at === -1) return
      this.#waiting.splice(at, 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#next()
    return promise.finally(() => signal.removeEventListener('abort', onAbort))
  }

  #next(): void {
    while (!this.#isTimed && this.#waiting.length > 0 && this.#inside < this.#limits.atOnce) {
      const waitMs = this.#freeAtMs - this.#time.monotonic()
      if (waitMs > 0) {
        this.#isTimed = true
        this.#time
          .setTimeout(() => {
            this.#isTimed = false
            this.#next()
          }, waitMs)
          .unref()
        return
      }
      this.#waiting.shift()?.enter()
    }
  }

  #enter(): () => void {
    const { entries = 0, windowMs = 0, spacingMs = 0 } = this.#limits
    const nowMs = this.#time.monotonic()
    this.#inside += 1
    this.#freeAtMs = nowMs + spacingMs * (0.5 + this.#random())
    if (entries > 0) {
      this.#enteredMs = this.#enteredMs.filter((atMs) => atMs > nowMs - windowMs)
      this.#enteredMs.push(nowMs)
      const oldest = this.#enteredMs[this.#enteredMs.length - entries]
      if (oldest !== undefined) this.#freeAtMs = Math.max(this.#freeAtMs, oldest + windowMs)
    }
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      this.#inside -= 1
      this.#next()
    }
  }
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** The keys are the reason: the exchange must not take the tries for an attack. */
const REFUSED_PAUSES_MS = [60_000, 300_000, 900_000] as const

/** How long to wait before the next try: longer after each failure, and never in step. */
export class Pauses {
  readonly #random: () => number
  #failures = 0
  #refusals = 0

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  succeeded(): void {
    this.#failures = 0
    this.#refusals = 0
  }

  /** After a connection that failed: 1 s, doubling to 60 s. */
  failedMs(): number {
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS)
    this.#failures += 1
    return ms * (0.5 + this.#random() / 2)
  }

  /** After a login that was refused: 1, 5, then 15 minutes at least. */
  refusedMs(): number {
    const ms = REFUSED_PAUSES_MS[Math.min(this.#refusals, REFUSED_PAUSES_MS.length - 1)] ?? 0
    this.#refusals += 1
    return ms * (1 + this.#random() / 10)
  }
}
