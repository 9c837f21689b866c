import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { EXCHANGES, type ExchangeCode } from 'schema'
import { JOB_CLASSES } from '../../lane/job.ts'
import type { Dispatch, LaneSnapshot } from '../../lane/lane-types.ts'

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
