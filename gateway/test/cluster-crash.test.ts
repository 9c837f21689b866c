import { expect, test } from 'vitest'
import type { Plan } from './cluster-crash/plan.ts'
import { NO_SMALL_DISK, runPlans } from './cluster-crash/run.ts'
import { hasPostgres } from './support/postgres.ts'
import { canMount } from './support/start-small-disk.ts'

const SMALL_DISK = canMount()
if (hasPostgres && !SMALL_DISK) console.warn(NO_SMALL_DISK)
const BOTS = 3
const EVENTS: readonly Plan['events'][] = [
  ['kill', 'halt'],
  ['database-cut', 'kill'],
  ['rolling-restart'],
  ['nodes-cut', 'database-stop'],
  ['halt-at-step', 'clock-jump'],
  ['database-crash', 'kill'],
  SMALL_DISK ? ['full-disk', 'kill'] : ['kill'],
  ['cut-off', 'clock-jump'],
  ['rolling-restart'],
  ['kill-twice', 'database-crash'],
]
const PLANS = EVENTS.map(
  (events, at): Plan => ({
    ...{ seed: 20_261_100 + at, events, bots: BOTS, acceptsDuplicates: at % 2 === 0 },
    isCalm: events.includes('rolling-restart'),
  }),
)

test.skipIf(!hasPostgres)(
  'gateways on one PostgreSQL that are killed, halted, cut off and restarted place no order twice, lose none, keep one pace, and follow each other within 10 s',
  { timeout: 600_000 },
  async () => {
    const report = await runPlans(PLANS, { atOnce: 3 })
    console.info('takeovers, ms:', report.takeovers)
    expect(report.violations).toEqual([])
    // The run was one: orders were placed, other nodes took over, and bots retried.
    expect(report.ordersAtExchange).toBeGreaterThan(50)
    expect(report.takeovers.all?.count).toBeGreaterThan(5)
    expect(report.tries).toBeGreaterThan(report.intents)
  },
)
