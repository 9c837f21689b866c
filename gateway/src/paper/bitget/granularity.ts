import { candlesOf, stepOf } from '../candles.ts'
import type { Json } from '../exact-json.ts'
import type { PublicCall } from '../family.ts'
import type { Market } from '../market.ts'
import { bitgetProblems } from './refusal.ts'

const CANDLES_MAX = 1_000
const CANDLES_USUAL = 100

// Spot says 1min and 1h, futures 1m and 1H; "utc" moves only where a day begins, which no price here knows.
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

/** Candles by `granularity`, `startTime`, `endTime`, `limit`; oldest first, all text. @throws BitgetRefusal */
export function candleRows({ venue, params, request }: PublicCall, market: Market): Json {
  const span = {
    stepMs: stepMsOf(params.required('granularity')),
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

function stepMsOf(granularity: string): number {
  const [, count = '', unit = ''] = /^(\d{1,2})([A-Za-z]+?)(?:utc)?$/.exec(granularity) ?? []
  const known = Object.entries(units).find(([word]) => word === unit)?.[1]
  if (known === undefined) throw bitgetProblems.malformed('granularity')
  return stepOf(Number(count), known)
}
