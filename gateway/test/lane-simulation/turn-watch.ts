import { AGE_STEP_MS } from '../../src/lane/fair-queue.ts'
import { type JobClass, rankOf } from '../../src/lane/job.ts'
import type { QueueEntry } from '../../src/lane/lane-types.ts'

/** A job at the moment it is sent. */
export interface SentJob {
  readonly clientId: string
  readonly jobClass: JobClass
  readonly waitedMs: number
  /** Its late check took time, in which a more urgent job may have come. */
  readonly isCheckedLate: boolean
}

/**
 * Holds the lane to its order: while a client waits, no other client of the class goes twice, and
 * no job goes before a more urgent one unless it is old enough.
 */
export class TurnWatch {
  // By class and waiting client: how often each other client went since that one came or went
  // itself.
  readonly #overtaken = new Map<string, Map<string, number>>()

  /**
   * To be called whenever the queue may have changed, so that who left and came back counts anew.
   */
  see(queue: readonly QueueEntry[]): void {
    const waiting = new Set(queue.map(keyOf))
    for (const key of this.#overtaken.keys()) if (!waiting.has(key)) this.#overtaken.delete(key)
    for (const key of waiting) if (!this.#overtaken.has(key)) this.#overtaken.set(key, new Map())
  }

  /** `queue` is what waits after `sent` was taken. Returns what is wrong with that it went. */
  wentWrong(sent: SentJob, queue: readonly QueueEntry[]): string[] {
    this.#overtaken.delete(keyOf(sent))
    this.see(queue)
    const wrongs: string[] = []
    for (const [key, overtakers] of this.#overtaken) {
      if (!key.startsWith(`${sent.jobClass} `) || key === keyOf(sent)) continue
      const times = (overtakers.get(sent.clientId) ?? 0) + 1
      overtakers.set(sent.clientId, times)
      if (times > 1) wrongs.push(`${sent.clientId} went ${times} times while ${key} waited`)
    }
    for (const { jobClass, requestId } of queue) {
      const steps = rankOf(sent.jobClass) - rankOf(jobClass)
      if (steps > 0 && !sent.isCheckedLate && sent.waitedMs < steps * AGE_STEP_MS) {
        wrongs.push(`a ${sent.jobClass} job went before the ${jobClass} job ${requestId}`)
      }
    }
    return wrongs
  }
}

function keyOf({ jobClass, clientId }: { jobClass: JobClass; clientId: string }): string {
  return `${jobClass} ${clientId}`
}
