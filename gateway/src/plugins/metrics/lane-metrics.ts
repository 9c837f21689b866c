import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { EXCHANGES, type ExchangeCode } from 'schema'
import { JOB_CLASSES } from '../../lane/job.ts'
import type { Dispatch, LaneSnapshot } from '../../lane/lane-types.ts'
import { createWindowWatch } from './window-watch.ts'

/** Seconds, up to the default of the longest allowed wait. */
const WAIT_BUCKETS = [0.005, 0.05, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 90, 120, 180]
const LEAVING_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1]
const STATES = ['running', 'paused', 'broken', 'probing', 'stopped', 'closing', 'stuck'] as const

/** The queues: their length, the waiting times, and each dispatched call. */
export function createLaneMetrics(registry: Registry, ratePerSecond: number) {
  const registers = [registry]
  const byExchange = ['exchange'] as const
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `sluice_${name}`, help, labelNames: byExchange, registers })
  const waits = new Histogram({
    name: 'sluice_queue_wait_seconds',
    help: 'Time in the queue of the calls that were sent',
    labelNames: ['exchange', 'class'] as const,
    buckets: WAIT_BUCKETS,
    registers,
  })
  const leaving = new Histogram({
    name: 'sluice_dispatch_seconds',
    help: 'Time from the slot until the bytes are on the socket',
    labelNames: byExchange,
    buckets: LEAVING_BUCKETS,
    registers,
  })
  const slots = new Counter({
    name: 'sluice_slots_used_total',
    help: 'Calls sent to the exchange',
    labelNames: byExchange,
    registers,
  })
  const violations = new Counter({
    name: 'sluice_slot_violations_total',
    help: 'Calls that exceeded the rate in the 1,000 ms before them; anything but 0 is a bug',
    labelNames: byExchange,
    registers,
  })
  const length = new Gauge({
    name: 'sluice_queue_length',
    help: 'Queued calls, by class',
    labelNames: ['exchange', 'class'] as const,
    registers,
  })
  const states = new Gauge({
    name: 'sluice_exchange_state',
    help: '1 for the current state of the lane to the exchange, 0 for the others',
    labelNames: ['exchange', 'state'] as const,
    registers,
  })
  const longest = gauge('queue_longest_wait_seconds', 'Longest wait among the queued calls')
  const expected = gauge(
    'queue_expected_wait_seconds',
    'Expected wait for an order arriving now from a new client',
  )
  const inFlight = gauge('calls_in_flight', 'Calls sent that have no response yet')
  const rate = gauge('rate_limit_per_second', 'The configured rate')
  const rateNow = gauge(
    'rate_current_per_second',
    'The current rate; lower after rate-limit errors',
  )
  const watches = new Map(EXCHANGES.map((name) => [name, createWindowWatch(ratePerSecond)]))
  for (const exchange of EXCHANGES) {
    slots.inc({ exchange }, 0)
    violations.inc({ exchange }, 0)
  }

  return {
    /** Counts a dispatched call. */
    dispatched(
      exchange: ExchangeCode,
      { jobClass, waitedMs, leavingMs, sentAtMs }: Dispatch,
    ): void {
      waits.observe({ exchange, class: jobClass }, waitedMs / 1000)
      leaving.observe({ exchange }, leavingMs / 1000)
      slots.inc({ exchange })
      if (watches.get(exchange)?.(sentAtMs) === true) violations.inc({ exchange })
    },

    /** Takes over the current state of a lane. */
    refresh(exchange: ExchangeCode, lane: LaneSnapshot): void {
      for (const name of JOB_CLASSES)
        length.set({ exchange, class: name }, lane.queuedByClass[name])
      for (const state of STATES) states.set({ exchange, state }, Number(lane.state === state))
      longest.set({ exchange }, lane.longestWaitMs / 1000)
      expected.set({ exchange }, lane.estimatedWaitMs / 1000)
      inFlight.set({ exchange }, lane.inFlight)
      rate.set({ exchange }, lane.ratePerSecond)
      rateNow.set({ exchange }, lane.currentRatePerSecond)
    },
  }
}
