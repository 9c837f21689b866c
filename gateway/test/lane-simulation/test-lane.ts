import type { Job } from '../../src/lane/job.ts'
import { createLane } from '../../src/lane/lane.ts'
import type { LaneEvent, LaneOptions } from '../../src/lane/lane-types.ts'
import { createVirtualPace, createVirtualTime } from './virtual-time.ts'

/**
 * A lane of 2 per second on a set clock, and a way to submit jobs that note when they are sent. For
 * tests.
 */
export function testLane(options: Partial<LaneOptions<string>> = {}) {
  const time = createVirtualTime()
  const events: LaneEvent[] = []
  const sent: { name: string; atMs: number }[] = []
  const lane = createLane<string>({
    name: 'MEXC',
    ratePerSecond: 2,
    concurrency: 1,
    maxQueueWaitMs: 180_000,
    maxQueueLength: 1000,
    clientShare: 0.5,
    guardMs: 0,
    judge: () => ({ kind: 'ok' }),
    time,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    pace: createVirtualPace(options.concurrency ?? 1),
    ...options,
  })

  /** A job of the client "ann" that gets a response at once. */
  const job = (name: string, more: Partial<Job<string>> = {}): Job<string> => ({
    clientId: 'ann',
    jobClass: 'order',
    label: { requestId: name, method: 'POST', endpoint: '/order' },
    run: async ({ onSent }) => {
      sent.push({ name, atMs: time.monotonicMs() })
      onSent()
      return `response to ${name}`
    },
    ...more,
  })

  return {
    lane,
    time,
    events,
    sent,
    /** The jobs sent so far, in order. */
    names: () => sent.map(({ name }) => name),
    submit: (name: string, more: Partial<Job<string>> = {}) => lane.submit(job(name, more)),
  }
}

/** The code (or message) that a job was rejected with. */
export async function codeOf(submitted: Promise<unknown>): Promise<unknown> {
  const [result] = await Promise.allSettled([submitted])
  if (result.status === 'fulfilled') return 'answered'
  return result.reason.code ?? result.reason.message
}
