import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ExchangeCode } from 'schema'
import type { CallReport } from '../../upstream/events.ts'

const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30]

/** The exchanges: response times and results. */
export function createUpstreamMetrics(registry: Registry) {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'sluice_upstream_duration_seconds',
    help: 'Time from handing a call to the connection until its response is complete or has failed',
    labelNames: ['exchange', 'family'] as const,
    buckets: BUCKETS,
    registers,
  })
  const calls = new Counter({
    name: 'sluice_upstream_calls_total',
    help: 'Calls by result: ok, the class of a rejection, unclear, or why no response arrived',
    labelNames: ['exchange', 'family', 'result'] as const,
    registers,
  })
  const offset = new Gauge({
    name: 'sluice_exchange_clock_offset_seconds',
    help: 'How far the clock of the exchange is ahead of this machine',
    labelNames: ['exchange'] as const,
    registers,
  })
  const remaining = createRemainingGauge(registry)

  return {
    called({ exchange, call, durationMs, result, remaining: left }: CallReport): void {
      const { family } = call
      seconds.observe({ exchange, family }, durationMs / 1000)
      calls.inc({ exchange, family, result })
      if (left !== undefined) remaining.note(exchange, left)
    },

    /**
     * Shows the lowest value since the last call of this function; no value when there was none.
     */
    refreshRemaining: remaining.refresh,

    clock: (exchange: ExchangeCode, offsetMs: number) => offset.set({ exchange }, offsetMs / 1000),
  }
}

/**
 * The lowest value since the last scrape: a value holds for one second, so the last one before a
 * scrape would say nothing.
 */
function createRemainingGauge(registry: Registry) {
  const gauge = new Gauge({
    name: 'sluice_exchange_remaining_limit',
    help: 'Fewest calls that the exchange said were left, in a response since the last scrape',
    labelNames: ['exchange'] as const,
    registers: [registry],
  })
  const lowest = new Map<ExchangeCode, number>()
  return {
    note(exchange: ExchangeCode, left: number): void {
      lowest.set(exchange, Math.min(left, lowest.get(exchange) ?? left))
    },
    refresh(): void {
      gauge.reset()
      for (const [exchange, left] of lowest) gauge.set({ exchange }, left)
      lowest.clear()
    },
  }
}
