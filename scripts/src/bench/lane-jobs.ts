import type { Job, JobClass } from 'gateway/lane/job.ts'
import { createLane } from 'gateway/lane/lane.ts'
import { createLaneTime } from 'gateway/lane/lane-time.ts'
import type { Lane, LaneOptions } from 'gateway/lane/lane-types.ts'

/** A lane as the gateway makes it, with room for what a benchmark queues. */
export function benchLane(
  ratePerSecond: number,
  options: Partial<LaneOptions<void>> = {},
): Lane<void> {
  return createLane<void>({
    name: 'MEXC',
    ratePerSecond,
    concurrency: 1,
    maxQueueWaitMs: 3_600_000,
    maxQueueLength: 20_000,
    clientShare: 1,
    judge: () => ({ kind: 'ok' }),
    time: createLaneTime(),
    random: Math.random,
    ...options,
  })
}

/** A job that takes `callMs` once it is sent. */
export function benchJob(clientId: string, jobClass: JobClass, callMs = 0): Job<void> {
  return {
    clientId,
    jobClass,
    label: { requestId: clientId, method: 'POST', endpoint: '/order' },
    run: async ({ onSent }) => {
      onSent()
      if (callMs > 0) await passing(callMs)
    },
  }
}

export function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
