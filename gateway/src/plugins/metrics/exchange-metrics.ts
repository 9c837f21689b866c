import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { EXCHANGES, type ExchangeCode } from 'schema'
import { JOB_CLASSES } from '../../lane/job.ts'
import type { Dispatch, LaneSnapshot } from '../../lane/lane-types.ts'
import type { CallReport, GatewayEvents } from '../../upstream/events.ts'

/** Seconds, up to the default of the longest allowed wait. */
const WAIT_BUCKETS = [0.005, 0.05, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 90, 120, 180]
const LEAVING_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1]
const STATES = ['running', 'paused', 'broken', 'probing', 'stopped', 'closing', 'stuck'] as const

/** The queues: their length, the waiting times, and each dispatched call. */
export function createLaneMetrics(registry: Registry) {
  const calls = registerCallMetrics(registry)
  const queues = registerQueueMetrics(registry)
  for (const exchange of EXCHANGES) {
    calls.slots.inc({ exchange }, 0)
    calls.violations.inc({ exchange }, 0)
  }

  return {
    /** Counts a dispatched call. */
    dispatched(exchange: ExchangeCode, { jobClass, waitedMs, leavingMs }: Dispatch): void {
      calls.waits.observe({ exchange, class: jobClass }, waitedMs / 1000)
      calls.leaving.observe({ exchange }, leavingMs / 1000)
      calls.slots.inc({ exchange })
    },

    violated: ({ exchange }: { exchange: ExchangeCode }) => calls.violations.inc({ exchange }),

    /** Takes over the current state of a lane. */
    refresh(exchange: ExchangeCode, lane: LaneSnapshot): void {
      for (const name of JOB_CLASSES)
        queues.length.set({ exchange, class: name }, lane.queuedByClass[name])
      for (const state of STATES)
        queues.states.set({ exchange, state }, Number(lane.state === state))
      queues.longest.set({ exchange }, lane.longestWaitMs / 1000)
      queues.expected.set({ exchange }, lane.estimatedWaitMs / 1000)
      queues.inFlight.set({ exchange }, lane.inFlight)
      queues.accountsBroken.set({ exchange }, lane.accountsBroken)
      queues.rate.set({ exchange }, lane.ratePerSecond)
      queues.rateNow.set({ exchange }, lane.currentRatePerSecond)
    },
  }
}

function registerCallMetrics(registry: Registry) {
  const registers = [registry]
  return {
    waits: new Histogram({
      name: 'sluice_queue_wait_seconds',
      help: 'Time in the queue of the calls that were sent',
      labelNames: ['exchange', 'class'] as const,
      buckets: WAIT_BUCKETS,
      registers,
    }),
    leaving: new Histogram({
      name: 'sluice_dispatch_seconds',
      help: 'Time from the slot until the bytes are on the socket',
      labelNames: ['exchange'] as const,
      buckets: LEAVING_BUCKETS,
      registers,
    }),
    slots: new Counter({
      name: 'sluice_slots_used_total',
      help: 'Calls sent to the exchange',
      labelNames: ['exchange'] as const,
      registers,
    }),
    violations: new Counter({
      name: 'sluice_slot_violations_total',
      help: 'Calls that exceeded the rate in the 1,000 ms before them; anything but 0 is a bug',
      labelNames: ['exchange'] as const,
      registers,
    }),
  }
}

function registerQueueMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `sluice_${name}`, help, labelNames: ['exchange'] as const, registers })
  return {
    length: new Gauge({
      name: 'sluice_queue_length',
      help: 'Queued calls, by class',
      labelNames: ['exchange', 'class'] as const,
      registers,
    }),
    states: new Gauge({
      name: 'sluice_exchange_state',
      help: '1 for the current state of the lane to the exchange, 0 for the others',
      labelNames: ['exchange', 'state'] as const,
      registers,
    }),
    longest: gauge('queue_longest_wait_seconds', 'Longest wait among the queued calls'),
    expected: gauge(
      'queue_expected_wait_seconds',
      'Expected wait for an order arriving now from a new client',
    ),
    inFlight: gauge('calls_in_flight', 'Calls sent that have no response yet'),
    accountsBroken: gauge(
      'accounts_broken',
      'Accounts whose calls alone are rejected, because the exchange fails at them',
    ),
    rate: gauge('rate_limit_per_second', 'The configured rate'),
    rateNow: gauge('rate_current_per_second', 'The current rate; lower after rate-limit errors'),
  }
}

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
  const kept = new Counter({
    name: 'sluice_kept_responses_total',
    help: 'Reads that take kept responses: hit for a read that one served, miss for a call',
    labelNames: ['exchange', 'result'] as const,
    registers,
  })
  for (const exchange of EXCHANGES)
    for (const result of ['hit', 'miss'] as const) kept.inc({ exchange, result }, 0)
  const remaining = createRemainingGauge(registry)

  return {
    called({ exchange, call, durationMs, result, remaining: left }: CallReport): void {
      const { family } = call
      seconds.observe({ exchange, family }, durationMs / 1000)
      calls.inc({ exchange, family, result })
      if (left !== undefined) remaining.note(exchange, left)
    },

    keptLookedFor({ exchange, isFound }: GatewayEvents['keptLookedFor']): void {
      kept.inc({ exchange, result: isFound ? 'hit' : 'miss' })
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
