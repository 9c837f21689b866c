import type { Decimal } from './decimal.ts'
import type { Market } from './market.ts'
import type { Prices } from './prices.ts'

export interface Candle {
  /** Wall clock, a multiple of the step, ms. */
  readonly openedAtMs: number
  readonly open: Decimal
  readonly high: Decimal
  readonly low: Decimal
  readonly close: Decimal
}

export interface CandleSpan {
  readonly stepMs: number
  /** Absent: as far back as `limit` reaches. */
  readonly fromMs?: number | undefined
  readonly toMs: number
  readonly limit: number
}

/**
 * The newest candles of a span, oldest first. The paper exchange keeps no history: every candle but
 * the running one is flat at the first price.
 */
export function candlesOf(prices: Prices, market: Market, span: CandleSpan): readonly Candle[] {
  const { stepMs, fromMs = 0, toMs, limit } = span
  const last = floorToStep(toMs, stepMs)
  const first = Math.max(last - (limit - 1) * stepMs, Math.ceil(fromMs / stepMs) * stepMs)
  const { open, high, low, last: close } = prices.of(market)
  const count = Math.max(0, Math.floor((last - first) / stepMs) + 1)
  return Array.from({ length: count }, (_, index) => {
    const openedAtMs = first + index * stepMs
    return openedAtMs === last
      ? { openedAtMs, open, high, low, close }
      : { openedAtMs, open, high: open, low: open, close: open }
  })
}

const floorToStep = (atMs: number, stepMs: number): number => Math.floor(atMs / stepMs) * stepMs

const unitMs = { min: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const

/**
 * Length of so many units; a month is thirty days, which is near enough for prices that are not
 * real.
 */
export function stepOf(count: number, unit: keyof typeof unitMs | 'month'): number {
  return count * (unit === 'month' ? 30 * unitMs.day : unitMs[unit])
}
