import { candlesOf, stepOf } from '../candles.ts'
import type { PublicCall } from '../family.ts'
import type { Market } from '../market.ts'
import { bitgetProblems } from './rejection.ts'

const CANDLES_MAX = 1_000
const CANDLES_USUAL = 100

// Spot says 1min and 1h, futures 1m and 1H; "utc" moves only where a day begins, which no price
// here knows.
const units = {
  m: 'min',
  min: 'min',
  h: 'hour',
  H: 'hour',
  D: 'day',
  day: 'day',
  W: 'week',
  week: 'week',
  M: 'month',
} as const

/**
 * Candles by `startTime`, `endTime`, `limit` and their length, which v2 calls `granularity` and v3
 * `interval`; oldest first, all text. @throws BitgetRejection
 */
export function candleRows(
  { venue, params, request }: PublicCall,
  market: Market,
  lengthName: 'granularity' | 'interval' = 'granularity',
): readonly string[][] {
  const span = {
    stepMs: stepMsOf(params.required(lengthName), lengthName),
    fromMs: params.integer('startTime'),
    toMs: params.integer('endTime') ?? request.nowMs,
    limit: Math.min(params.integer('limit') ?? CANDLES_USUAL, CANDLES_MAX),
  }
  return candlesOf(venue.prices, market, span).map(({ openedAtMs, open, high, low, close }) => [
    `${openedAtMs}`,
    open.toFixed(),
    high.toFixed(),
    low.toFixed(),
    close.toFixed(),
    '1',
    close.toFixed(),
    close.toFixed(),
  ])
}

function stepMsOf(length: string, name: string): number {
  const [, count = '', unit = ''] = /^(\d{1,2})([A-Za-z]+?)(?:utc)?$/.exec(length) ?? []
  const known = Object.entries(units).find(([word]) => word === unit)?.[1]
  if (known === undefined) throw bitgetProblems.malformed(name)
  return stepOf(Number(count), known)
}
