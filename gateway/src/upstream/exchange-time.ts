import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { adapters } from '../exchanges/registry.ts'
import { readTime, timeCall } from '../exchanges/time.ts'
import { ExchangeAnswerInvalidError } from '../orders/errors.ts'
import type { ExchangeClock } from './clock.ts'
import type { Delivery } from './delivery.ts'

export interface ExchangeTimeDeps {
  readonly exchange: ExchangeCode
  readonly clock: ExchangeClock
  readonly monotonicMs: () => number
  /** Asks the exchange in its turn. @param onSent called when the question is out */
  readonly ask: (call: UpstreamCall, onSent: () => void) => Promise<Delivery>
  /** The exchange's clock could not be read; what waits for it goes on with the time that was known. */
  readonly onUnmeasured: (error: unknown) => void
}

/** Keeps the exchange's clock measured, by asking it when that is due. */
export function createExchangeTime(deps: ExchangeTimeDeps) {
  const { exchange, clock, monotonicMs, ask, onUnmeasured } = deps
  let measuring: Promise<void> | undefined

  /** Learns the exchange's time, in its turn like any other call. One measurement at a time. */
  function measureClock(): Promise<void> {
    measuring ??= measure().finally(() => {
      measuring = undefined
    })
    return measuring
  }

  async function measure(): Promise<void> {
    const [{ family }] = adapters.ofCode(exchange)
    let sentAtMs = monotonicMs()
    const { answer } = await ask(timeCall(family), () => {
      sentAtMs = monotonicMs()
    })
    const timeMs = readTime(family, answer)
    if (timeMs === undefined)
      throw new ExchangeAnswerInvalidError(EXCHANGE_NAMES[exchange], 'its time could not be read')
    clock.learn(timeMs, sentAtMs, sentAtMs + answer.upstreamMs)
  }

  /** Measures the exchange's clock when it is due. True when it is measured. */
  async function syncClock(): Promise<boolean> {
    if (clock.needsMeasure()) await measureClock().catch(onUnmeasured)
    return !clock.needsMeasure()
  }

  return {
    measureClock,
    syncClock,

    /** The exchange's time, whole Unix ms; undefined when it cannot be measured. */
    async timeMs(): Promise<number | undefined> {
      return (await syncClock()) ? clock.nowMs() : undefined
    },

    /** The exchange refused a call for its time: true when its clock is measured anew. */
    async correct(): Promise<boolean> {
      clock.markStale()
      return syncClock()
    },
  }
}
