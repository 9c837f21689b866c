import { beforeAll, expect, test } from 'vitest'
import { findPostgres } from '../../gateway/test/support/find-postgres.ts'
import { IS_LONG } from '../../gateway/test/support/is-long.ts'
import { backup } from '../src/bench/backup.ts'
import type { Bench, Figure } from '../src/bench/figure.ts'
import { gateway } from '../src/bench/gateway.ts'
import { network } from '../src/bench/network.ts'
import { postgres } from '../src/bench/postgres.ts'
import { start } from '../src/bench/start.ts'
import { streams } from '../src/bench/streams.ts'

// The benchmarks in their short form: a request that fails, ends them with an error. What the
// numbers are is no matter here, so they run at the same time. Without `LONG=1` only two of them,
// which start the gateway, its load and a proxy: each of the others starts many processes more.
const few: Readonly<Record<string, Bench>> = { start, network }
const parts = IS_LONG ? { ...few, gateway, postgres, backup, streams } : few
const hasPostgres = findPostgres() !== undefined
const figures: Record<string, readonly Figure[]> = {}

beforeAll(async () => {
  const ends = await Promise.allSettled(
    Object.entries(parts).map(async ([name, bench]) => {
      figures[name] = await bench({ print: () => {}, isShort: true })
    }),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
})

const named = (part: string, name: string) => figures[part]?.find((figure) => figure.name === name)

test.runIf(IS_LONG)('the gateway is measured beside the exchange itself and other proxies', () => {
  const throughput = named('gateway', 'Reads at full speed')
  expect(Object.keys(throughput?.peers ?? {})).toEqual(
    expect.arrayContaining(['direct', 'http-proxy', 'reply-from']),
  )
})

const BARS = [
  ['gateway', 'Read: added latency, p50'],
  ['gateway', 'Read: added latency, p99'],
  ['gateway', 'Reads at full speed'],
  ['gateway', 'Order: added latency, p50'],
  ['gateway', 'Order: added latency, p99'],
  ['gateway', 'Orders at full speed'],
  ['gateway', 'Tokens issued'],
  ['gateway', '401: not a token'],
  ['gateway', '429: too many wrong secrets'],
  ['start', 'Start to ready'],
  ['network', 'Too early, 1–25 ms: by the round trip'],
  ['network', 'Slots used, 1–25 ms: by the exchange time'],
  ['backup', 'p99 during a backup'],
  ['backup', 'p99 during removal of old rows'],
  ['backup', 'p99 during a backup and old rows to remove'],
  ['streams', 'Lag of a fill, WebSocket: p99'],
  ['streams', 'Order beside 5,000 events/s for 50 bots: p50'],
  ['streams', '1,000 idle streams, Server-Sent Events'],
] as const

test.each(BARS.filter(([part]) => part in parts))(
  '%s: "%s" is a number with a bar',
  (part, name) => {
    const figure = named(part, name)
    expect(figure?.value).toBeTypeOf('number')
    expect(Number.isFinite(figure?.value)).toBe(true)
    expect(Number.isFinite(figure?.bar?.reached)).toBe(true)
  },
)

test.runIf(IS_LONG && hasPostgres)(
  'an order on PostgreSQL is measured beside one on SQLite',
  () => {
    const added = named('postgres', 'PostgreSQL: added latency, p50')
    expect(Number.isFinite(added?.bar?.reached)).toBe(true)
    expect(named('postgres', 'Order on SQLite, p50')?.value).toBeGreaterThan(0)
  },
)

test('only differences of two latencies can be less than nothing', () => {
  const others = Object.values(figures)
    .flat()
    .filter(({ name }) => !name.includes('added latency'))
  expect(others.filter(({ value }) => value < 0)).toEqual([])
})
