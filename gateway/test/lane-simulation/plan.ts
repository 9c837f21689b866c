import { JOB_CLASSES, type JobClass } from '../../src/lane/job.ts'
import type { LaneVerdict } from '../../src/lane/lane-types.ts'
import { createSeededRandom } from './seeded-random.ts'

/** What one job of a simulation does; times in ms of the virtual clock. */
export interface JobPlan {
  readonly index: number
  readonly clientId: string
  readonly jobClass: JobClass
  readonly arriveMs: number
  readonly maxWaitMs: number | undefined
  readonly shareKey: string | undefined
  readonly hangUpMs: number | undefined
  readonly check: 'none' | 'passes' | 'rejects' | 'passes late' | 'rejects late' | 'hangs'
  /** From the start of each run until its bytes are sent; undefined when it fails before. */
  readonly sendMs: number | undefined
  readonly callMs: number
  /** One per run; well after the last. */
  readonly verdicts: readonly LaneVerdict[]
  readonly throws: boolean
}

export interface Disturbance {
  readonly atMs: number
  readonly kind: 'switch off' | 'stop' | 'resume' | 'drop' | 'step the wall clock'
  readonly clientId: string
  readonly stepMs: number
}

export interface Plan {
  readonly ratePerSecond: number
  readonly concurrency: number
  /** How long before its slot a job is called. */
  readonly leadMs: number
  readonly maxQueueWaitMs: number
  /** True when nothing but the pace and the arrivals decides when a slot is used. */
  readonly isPlain: boolean
  /** True when no rate limit hit pauses the lane and no late check hangs. */
  readonly isCalm: boolean
  readonly jobs: readonly JobPlan[]
  readonly disturbances: readonly Disturbance[]
  readonly random: () => number
}

/** Some 30 to 60 events, the same for the same seed. Every third plan is plain. */
export function createPlan(seed: number): Plan {
  const random = createSeededRandom(seed)
  const isPlain = seed % 3 === 0
  const chance = (probability: number) => random() < probability
  const whole = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  const pick = <T>(first: T, ...others: T[]): T => others[whole(0, others.length) - 1] ?? first
  const lastMs = pick(1000, 4000, 20_000)
  const clients = whole(1, 5)
  const clientId = () => `client ${whole(1, clients)}`
  const wild = <T, U>(probability: number, value: () => T, otherwise: U): T | U =>
    !isPlain && chance(probability) ? value() : otherwise

  const troubles = pick(0, 0.2, 0.8)
  const isDownMostly = chance(0.5)
  const verdict = (): LaneVerdict =>
    isDownMostly && chance(0.9)
      ? { kind: 'down' }
      : pick<LaneVerdict>(
          { kind: 'rate-limited', notTaken: chance(0.5) },
          { kind: 'rate-limited', notTaken: chance(0.5), retryAfterMs: whole(0, 3000) },
          { kind: 'ok' },
        )

  const anyCheck = () => pick<JobPlan['check']>('rejects', 'rejects late', 'hangs')
  const jobs = Array.from({ length: whole(20, 40) }, (_, index): JobPlan => {
    const jobClass = pick(...JOB_CLASSES)
    const arriveMs = chance(0.3) ? 0 : whole(0, lastMs)
    return {
      index,
      clientId: clientId(),
      jobClass,
      arriveMs,
      maxWaitMs: chance(0.2) ? whole(0, 8000) : undefined,
      shareKey: wild(0.5, () => `key ${whole(1, 2)}`, undefined),
      hangUpMs: chance(0.15) ? arriveMs + whole(0, 6000) : undefined,
      check: isPlain
        ? pick('none', 'none', 'passes', 'passes', 'rejects')
        : pick('none', 'passes', 'passes late', wild(0.4, anyCheck, 'none')),
      sendMs: wild(0.25, () => undefined, isPlain ? 0 : pick(0, 0, whole(0, 900))),
      callMs: isPlain ? 0 : pick(0, whole(0, 200), whole(0, 2500)),
      verdicts: wild(troubles, () => Array.from({ length: whole(1, 4) }, verdict), []),
      throws: wild(0.1, () => true, false),
    }
  })

  const disturbances = Array.from({ length: whole(0, 4) }, (): Disturbance => {
    const halt = wild(0.4, () => 'stop' as const, 'resume' as const)
    return {
      atMs: whole(0, lastMs + 3000),
      kind: pick<Disturbance['kind']>('switch off', 'drop', 'step the wall clock', halt),
      clientId: clientId(),
      stepMs: pick(-1, 1) * 3_600_000,
    }
  })

  return {
    ...{ ratePerSecond: pick(2, 2, 5, 10, 100), concurrency: isPlain ? 1 : whole(1, 3) },
    ...{ leadMs: isPlain ? 0 : pick(0, 8), maxQueueWaitMs: pick(3000, 15_000, 180_000), isPlain },
    isCalm: jobs.every(({ check, verdicts }) => check !== 'hangs' && verdicts.length === 0),
    ...{ jobs, disturbances, random },
  }
}
