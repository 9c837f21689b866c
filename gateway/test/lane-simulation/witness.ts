import { isNotSent } from '../../src/lane/errors.ts'
import type { LaneResponse } from '../../src/lane/job.ts'
import type { LaneTime } from '../../src/lane/lane-time.ts'
import type { Lane, LaneSnapshot, LaneVerdict, Outcome } from '../../src/lane/lane-types.ts'
import { type JobRecord, newRecord, verdictOn, wrongsOf } from './job-record.ts'
import type { JobPlan, Plan } from './plan.ts'
import { TurnWatch } from './turn-watch.ts'

const roundingMs = 1e-6

/** A run's failure, which says whose it was. */
export class RunError extends Error {
  readonly index: number
  constructor(index: number) {
    super(`run of job ${index} failed`)
    this.index = index
  }
}

/** Watches one simulation and collects what goes against the lane's promises. */
export class Witness {
  readonly violations: string[] = []
  readonly #plan: Plan
  readonly #time: LaneTime
  readonly #records: JobRecord[]
  readonly #wireMs: number[] = []
  readonly #dispatches: { readonly atMs: number; readonly arrivedMs: number }[] = []
  readonly #turns = new TurnWatch()
  #submitted = 0

  constructor(plan: Plan, time: LaneTime) {
    this.#plan = plan
    this.#time = time
    this.#records = plan.jobs.map((job) => newRecord(job, plan.maxQueueWaitMs))
  }

  blame(violation: string): void {
    this.violations.push(`${this.#time.monotonicMs()} ms: ${violation}`)
  }

  see(lane: Lane<number>): void {
    this.#turns.see(lane.list())
  }

  submitted(job: JobPlan): void {
    const record = this.#recordOf(job)
    this.#submitted += 1
    record.order = this.#submitted
    record.submittedMs = this.#time.monotonicMs()
  }

  started(job: JobPlan, lane: Lane<number>): void {
    const record = this.#recordOf(job)
    const atMs = this.#time.monotonicMs()
    const { clientId, jobClass, check } = job
    const waitedMs = atMs - record.submittedMs
    const sent = { clientId, jobClass, waitedMs, isCheckedLate: check === 'passes late' }
    for (const wrong of this.#turns.wentWrong(sent, lane.list())) this.blame(wrong)
    this.#dispatches.push({ atMs, arrivedMs: record.submittedMs })
    this.#checkOrder(record, lane)
    record.runsMs.push(atMs)
  }

  onWire(job: JobPlan): void {
    this.#recordOf(job).wired += 1
    this.#wireMs.push(this.#time.monotonicMs())
  }

  verdict(outcome: Outcome<number>): LaneVerdict {
    const index = 'response' in outcome ? outcome.response : toIndex(outcome.error)
    const record = this.#records[index]
    return record === undefined ? { kind: 'ok' } : verdictOn(record.plan, record.runsMs.length)
  }

  responded(job: JobPlan, { response, shared }: LaneResponse<number>): void {
    const record = this.#settled(job)
    record.respondedBy = response
    record.shared = shared
  }

  rejected(job: JobPlan, error: unknown): void {
    const record = this.#settled(job)
    if (error instanceof RunError) {
      record.respondedBy = error.index
      return
    }
    record.saysNotSent = isNotSent(error)
    record.rejection = error instanceof Error ? codeOf(error) : String(error)
  }

  conclude({ slotsUsed, inFlight, queued }: LaneSnapshot, pendingTimers: number): void {
    const runs = this.#records.reduce((sum, { runsMs }) => sum + runsMs.length, 0)
    if (slotsUsed !== runs) this.blame(`${slotsUsed} slots were used for ${runs} calls`)
    if (inFlight + queued + pendingTimers > 0) this.blame('something is left over')
    for (const record of this.#records) {
      for (const wrong of wrongsOf(record, this.#records)) {
        this.blame(`job ${record.plan.index} ${wrong}`)
      }
    }
    this.#checkRate()
    if (this.#plan.isPlain) this.#checkUse()
    if (this.#plan.isCalm) this.#checkProgress()
  }

  #checkOrder({ plan, order }: JobRecord, lane: Lane<number>): void {
    for (const { clientId, jobClass, requestId } of lane.list()) {
      if (clientId !== plan.clientId || jobClass !== plan.jobClass) continue
      const waiting = this.#records[Number(requestId)]
      if (waiting === undefined || waiting.order > order) continue
      this.blame(`job ${plan.index} went before job ${requestId} of its client`)
    }
  }

  #checkRate(): void {
    const { ratePerSecond } = this.#plan
    const wireMs = this.#wireMs.toSorted((a, b) => a - b)
    if ((wireMs[0] ?? 1000) < 1000) this.blame(`a call went ${wireMs[0]} ms after the start`)
    wireMs.forEach((firstMs, i) => {
      const overMs = wireMs[i + ratePerSecond] ?? Number.POSITIVE_INFINITY
      if (overMs - firstMs < 1000 - roundingMs) {
        this.blame(`${ratePerSecond + 1} calls within ${overMs - firstMs} ms from ${firstMs}`)
      }
    })
  }

  // A job that waited goes exactly one interval after the one before it: no slot is left out, none
  // is spent on a job that left.
  #checkUse(): void {
    const intervalMs = 1000 / this.#plan.ratePerSecond
    let dueMs = 1000
    for (const { atMs, arrivedMs } of this.#dispatches) {
      const expectedMs = Math.max(dueMs, arrivedMs)
      if (Math.abs(atMs - expectedMs) > roundingMs) {
        this.blame(`a call went at ${atMs} although its slot was at ${expectedMs}`)
      }
      dueMs = atMs + intervalMs
    }
  }

  // Calls take 3.4 s at most: a lane that sends nothing for longer while a job waits has missed its
  // wake.
  #checkProgress(): void {
    for (const { rejection, settledMs, submittedMs, plan } of this.#records) {
      if (rejection !== 'QUEUE_DEADLINE_PASSED') continue
      const before = this.#dispatches.filter(({ atMs }) => atMs < settledMs)
      const idleMs = settledMs - Math.max(submittedMs, before.at(-1)?.atMs ?? 1000)
      if (idleMs > 4500) this.blame(`job ${plan.index} waited in vain for ${idleMs} ms`)
    }
  }

  #settled(job: JobPlan): JobRecord {
    const record = this.#recordOf(job)
    record.settlements += 1
    record.settledMs = this.#time.monotonicMs()
    return record
  }

  #recordOf({ index }: JobPlan): JobRecord {
    const record = this.#records[index]
    if (record === undefined) throw new RangeError(`There is no job ${index}`)
    return record
  }
}

function toIndex(error: unknown): number {
  return error instanceof RunError ? error.index : -1
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}
