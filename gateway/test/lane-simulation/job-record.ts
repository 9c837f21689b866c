import { isRead } from '../../src/lane/job.ts'
import type { LaneVerdict } from '../../src/lane/lane-types.ts'
import type { JobPlan } from './plan.ts'

/** The record of one job, filled in while the simulation runs. */
export interface JobRecord {
  readonly plan: JobPlan
  readonly limitMs: number
  submittedMs: number
  /** Counts up with every job submitted. */
  order: number
  readonly runsMs: number[]
  /** Runs that got to the wire. */
  wired: number
  settlements: number
  settledMs: number
  /** The error's code or message; undefined when it got a response. */
  rejection: string | undefined
  saysNotSent: boolean
  /** The index of the job whose call brought the response. */
  respondedBy: number | undefined
  shared: boolean
}

export function newRecord(plan: JobPlan, maxQueueWaitMs: number): JobRecord {
  return {
    ...{ plan, limitMs: Math.min(plan.maxWaitMs ?? maxQueueWaitMs, maxQueueWaitMs) },
    ...{ submittedMs: Number.NaN, order: 0, runsMs: [], wired: 0, settlements: 0 },
    ...{ settledMs: Number.NaN, rejection: undefined, saysNotSent: false, respondedBy: undefined },
    shared: false,
  }
}

/** The verdict on the nth run of a job, counted from 1. */
export function verdictOn({ verdicts }: JobPlan, run: number): LaneVerdict {
  return verdicts[run - 1] ?? { kind: 'ok' }
}

const slackMs = 1.001
const rejections = new Set(['rejected by its check', 'switched off'])

/** What went against the lane's promises with one job. */
export function wrongsOf(record: JobRecord, records: readonly JobRecord[]): string[] {
  const { plan, settlements, settledMs, submittedMs, limitMs, runsMs, rejection } = record
  const wrongs: string[] = []
  const deadlineMs = submittedMs + limitMs
  if (settlements !== 1) wrongs.push(`settled ${settlements} times`)
  if (runsMs.length > 3) wrongs.push('was sent more than three times')
  if (runsMs.some((ms) => ms > deadlineMs + slackMs)) wrongs.push('was sent after its deadline')
  if (runsMs.slice(1).some((_, i) => !mayGoAgain(plan, verdictOn(plan, i + 1)))) {
    wrongs.push('was sent again although that was not allowed')
  }
  if (rejection === 'QUEUE_DEADLINE_PASSED' && !isGivenUpInTime(record)) {
    wrongs.push(`was given up at ${settledMs}, not at ${deadlineMs}`)
  }
  const last = verdictOn(plan, runsMs.length)
  const wasHeard = runsMs.length > 0 && last.kind !== 'rate-limited' && !isHeldBack(record)
  if (wasHeard && record.respondedBy !== plan.index) wrongs.push('did not get its own response')
  if (runsMs.length === 0 && record.respondedBy === undefined && !isHonest(record)) {
    wrongs.push(`was rejected by "${rejection}" without saying that it was not sent`)
  }
  return [...wrongs, ...wrongsOfSharing(record, records)]
}

function wrongsOfSharing(record: JobRecord, records: readonly JobRecord[]): string[] {
  const { plan, respondedBy, shared } = record
  if (respondedBy === undefined || respondedBy === plan.index)
    return shared ? ['shared with itself'] : []
  const leader = records[respondedBy]
  if (leader === undefined || leader.plan.shareKey !== plan.shareKey || !isRead(plan.jobClass)) {
    return ['got a response that is not its own']
  }
  const calledMs = leader.runsMs.at(-1) ?? Number.NEGATIVE_INFINITY
  return calledMs < record.submittedMs ? ['got a response older than itself'] : []
}

// One that rides on the call of another, with a check that hangs, is given up when that call is
// back.
function isGivenUpInTime({ plan, settledMs, submittedMs, limitMs }: JobRecord): boolean {
  const lateMs = settledMs - submittedMs - limitMs
  const mayRide = plan.check === 'hangs' && plan.shareKey !== undefined
  return mayRide ? lateMs >= -slackMs : Math.abs(lateMs) <= slackMs
}

// The lane was stopped between the call of the job and its slot.
function isHeldBack({ rejection, saysNotSent, runsMs, wired }: JobRecord): boolean {
  return rejection === 'EXCHANGE_STOPPED' && saysNotSent && wired < runsMs.length
}

function mayGoAgain({ jobClass }: JobPlan, verdict: LaneVerdict): boolean {
  return verdict.kind === 'rate-limited' && (isRead(jobClass) || verdict.notTaken)
}

function isHonest({ saysNotSent, rejection }: JobRecord): boolean {
  return saysNotSent || (rejection !== undefined && rejections.has(rejection))
}
