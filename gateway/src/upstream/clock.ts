import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { readTime, timeCall } from '../exchanges/public-data.ts'
import { adapters } from '../exchanges/registry.ts'
import type { Time } from '../time.ts'
import { ExchangeResponseInvalidError } from './errors.ts'
import type { Events } from './events.ts'
import type { JudgedResponse } from './sign-and-send.ts'

/**
 * An exchange's clock is measured again after this time: clocks of virtual machines drift by
 * seconds a day.
 */
const MEASURE_AFTER_MS = 5 * 60_000

export interface ExchangeClock {
  /** The exchange's time in whole Unix ms; this machine's until the first measurement. */
  nowMs(): number
  /** Applies a measurement. The two times are monotonic, at sending and at the response. */
  learn(serverTimeMs: number, sentAtMonotonicMs: number, receivedAtMonotonicMs: number): void
  /** Whether the exchange's time was ever measured. */
  isMeasured(): boolean
  /** How far the exchange's clock is ahead of this machine's wall clock, in whole ms. */
  offsetMs(): number
  /**
   * True when the clock was never measured, was measured more than 5 minutes ago, or is marked
   * stale.
   */
  needsMeasure(): boolean
  /** Call it when the exchange rejected a timestamp. */
  markStale(): void
}

/**
 * Derives an exchange's time from the monotonic clock, so that a step of this machine's wall clock
 * changes no timestamp.
 */
export function createExchangeClock({
  monotonicMs,
  wallMs,
}: {
  monotonicMs: () => number
  wallMs: () => number
}): ExchangeClock {
  let anchor = { exchangeMs: wallMs(), monotonicMs: monotonicMs() }
  let isStale = true
  let isMeasured = false

  const nowMs = () => Math.round(anchor.exchangeMs + monotonicMs() - anchor.monotonicMs)
  return {
    nowMs,
    learn(serverTimeMs, sentAtMonotonicMs, receivedAtMonotonicMs) {
      // The exchange read its clock at some moment between the two. The middle is off by at most
      // half of the time between them.
      anchor = {
        exchangeMs: serverTimeMs,
        monotonicMs: (sentAtMonotonicMs + receivedAtMonotonicMs) / 2,
      }
      isStale = false
      isMeasured = true
    },
    isMeasured: () => isMeasured,
    offsetMs: () => nowMs() - Math.round(wallMs()),
    needsMeasure: () => isStale || monotonicMs() - anchor.monotonicMs > MEASURE_AFTER_MS,
    markStale() {
      isStale = true
    },
  }
}

interface ExchangeTimeDeps {
  readonly exchange: ExchangeCode
  readonly clock: ExchangeClock
  readonly time: Pick<Time, 'monotonic'>
  /**
   * Queues a call for the exchange's time.
   * @param onSent called when the call was sent
   */
  readonly ask: (call: UpstreamCall, onSent: () => void) => Promise<JudgedResponse>
  readonly events: Pick<Events, 'emit'>
}

/** Keeps the measurement of the exchange's clock up to date. */
export class ExchangeTime {
  readonly #deps: ExchangeTimeDeps
  #measuring: Promise<void> | undefined

  constructor(deps: ExchangeTimeDeps) {
    this.#deps = deps
  }

  /**
   * Measures the clock when that is due.
   * @returns true when the clock is measured; otherwise the last known time is used
   */
  async sync(): Promise<boolean> {
    const { clock } = this.#deps
    if (clock.needsMeasure()) await this.probe()
    return !clock.needsMeasure()
  }

  /** The exchange's time in whole Unix ms; undefined when it cannot be measured. */
  async nowMs(): Promise<number | undefined> {
    return (await this.sync()) ? this.#deps.clock.nowMs() : undefined
  }

  /**
   * Call it when the exchange rejected a timestamp.
   * @returns true when its clock was measured again
   */
  async correct(): Promise<boolean> {
    this.#deps.clock.markStale()
    return this.sync()
  }

  /** Asks for the time now, which also shows whether the exchange responds. */
  async probe(): Promise<void> {
    const { exchange, events } = this.#deps
    // One measurement at a time. It waits in the queue like any other call.
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined
    })
    await this.#measuring.catch((error: unknown) =>
      events.emit('clockNotMeasured', { exchange, error }),
    )
  }

  async #measure(): Promise<void> {
    const { exchange, clock, time, ask } = this.#deps
    const [{ family }] = adapters.ofCode(exchange)
    let sentAtMs = time.monotonic()
    const { response } = await ask(timeCall(family), () => {
      sentAtMs = time.monotonic()
    })
    const timeMs = readTime(family, response)
    if (timeMs === undefined)
      throw new ExchangeResponseInvalidError(EXCHANGE_NAMES[exchange], 'its time could not be read')
    clock.learn(timeMs, sentAtMs, sentAtMs + response.upstreamMs)
  }
}
