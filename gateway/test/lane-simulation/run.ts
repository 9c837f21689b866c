import type { Job, Slot } from '../../src/lane/job.ts'
import { createLane } from '../../src/lane/lane.ts'
import type { Lane } from '../../src/lane/lane-types.ts'
import type { Disturbance, JobPlan, Plan } from './plan.ts'
import { createVirtualPace, createVirtualTime, type VirtualTime } from './virtual-time.ts'
import { RunError, Witness } from './witness.ts'

interface Run {
  readonly plan: Plan
  readonly lane: Lane<number>
  readonly time: VirtualTime
  readonly witness: Witness
  readonly stepWallClock: (ms: number) => void
}

/**
 * Plays a plan to its end on a virtual clock, and returns what went against the lane's promises.
 */
export async function runPlan(
  plan: Plan,
  stepWallClock: (ms: number) => void,
): Promise<readonly string[]> {
  const time = createVirtualTime()
  const witness = new Witness(plan, time)
  const checksHang = plan.jobs.some(({ check }) => check === 'hangs')
  const lane = createLane<number>({
    name: 'MEXC',
    ratePerSecond: plan.ratePerSecond,
    concurrency: plan.concurrency,
    maxQueueWaitMs: plan.maxQueueWaitMs,
    maxQueueLength: 30,
    clientShare: 0.7,
    guardMs: 0,
    leadMs: plan.leadMs,
    judge: (outcome) => witness.verdict(outcome),
    time,
    random: plan.random,
    onEvent: (event) => {
      if (event.type === 'fault') witness.blame(`fault: ${event.error}`)
      if (event.type === 'stuck' && !checksHang) witness.blame('stuck')
    },
    pace: createVirtualPace(plan.concurrency),
  })
  const run = { plan, lane, time, witness, stepWallClock }
  for (const job of plan.jobs) time.setTimer(job.arriveMs, () => submit(run, job))
  for (const item of plan.disturbances) time.setTimer(item.atMs, () => disturb(run, item))
  // Longer than the last arrival, the longest wait and the longest call together.
  await time.advance(23_000 + plan.maxQueueWaitMs + 20_000)
  await lane.close(0)
  await time.advance(0)
  witness.conclude(lane.snapshot(), time.pending)
  return witness.violations
}

function submit(run: Run, plan: JobPlan): void {
  const { lane, time, witness } = run
  const caller = new AbortController()
  if (plan.hangUpMs !== undefined) {
    time.setTimer(plan.hangUpMs - time.monotonicMs(), () => {
      caller.abort()
      witness.see(lane)
    })
  }
  const { index, clientId, jobClass, maxWaitMs, shareKey } = plan
  const lateCheckError = toCheck(plan, time)
  const job: Job<number> = {
    clientId,
    jobClass,
    label: { requestId: String(index), method: 'GET', endpoint: '/' },
    run: (slot) => call(run, plan, slot),
    signal: caller.signal,
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    ...(shareKey === undefined ? {} : { shareKey }),
    ...(lateCheckError === undefined ? {} : { lateCheckError }),
  }
  witness.submitted(plan)
  lane.submit(job).then(
    (response) => {
      witness.responded(plan, response)
      witness.see(lane)
    },
    (error) => {
      witness.rejected(plan, error)
      witness.see(lane)
    },
  )
  witness.see(lane)
}

async function call(run: Run, plan: JobPlan, { opened, onSent }: Slot): Promise<number> {
  const { lane, time, witness } = run
  const { index, sendMs, callMs, throws } = plan
  witness.started(plan, lane)
  await opened()
  if (sendMs !== undefined) {
    await passing(time, sendMs)
    witness.onWire(plan)
    onSent()
  }
  await passing(time, callMs)
  if (sendMs === undefined) witness.onWire(plan)
  if (throws) throw new RunError(index)
  return index
}

function toCheck({ check }: JobPlan, time: VirtualTime): Job<number>['lateCheckError'] {
  const rejection = () => new Error('rejected by its check')
  switch (check) {
    case 'none':
      return undefined
    case 'passes':
      return () => undefined
    case 'rejects':
      return rejection
    case 'passes late':
      return () => passing(time, 30).then(() => undefined)
    case 'rejects late':
      return () => passing(time, 30).then(rejection)
    case 'hangs':
      return () => new Promise(() => {})
  }
}

function disturb({ lane, witness, stepWallClock }: Run, item: Disturbance): void {
  const [first] = lane.list()
  switch (item.kind) {
    case 'switch off':
      lane.dropClient(item.clientId, new Error('switched off'))
      break
    case 'drop':
      if (first !== undefined) lane.drop(first.id, 'by hand')
      break
    case 'stop':
      lane.stop('by hand')
      break
    case 'resume':
      lane.resume()
      break
    case 'step the wall clock':
      stepWallClock(item.stepMs)
  }
  witness.see(lane)
}

async function passing(time: VirtualTime, ms: number): Promise<void> {
  if (ms > 0) await new Promise<void>((resolve) => time.setTimer(ms, resolve))
}
