import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { adapters } from '../exchanges/registry.ts'
import { readTime, timeCall } from '../exchanges/time.ts'
import type { ExchangeClock } from './clock.ts'
import { ExchangeResponseInvalidError } from './errors.ts'
import type { Events } from './events.ts'
import type { JudgedResponse } from './judged-response.ts'

export interface ExchangeTimeDeps {
  readonly exchange: ExchangeCode
  readonly clock: ExchangeClock
  readonly monotonicMs: () => number
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
    const { exchange, clock, monotonicMs, ask } = this.#deps
    const [{ family }] = adapters.ofCode(exchange)
    let sentAtMs = monotonicMs()
    const { response } = await ask(timeCall(family), () => {
      sentAtMs = monotonicMs()
    })
    const timeMs = readTime(family, response)
    if (timeMs === undefined)
      throw new ExchangeResponseInvalidError(EXCHANGE_NAMES[exchange], 'its time could not be read')
    clock.learn(timeMs, sentAtMs, sentAtMs + response.upstreamMs)
  }
}
