import { getLogHistogram, type LogHistogramStep, type ResponseOf } from 'schema'

const STEP_MS = 30 * 60_000

/**
 * A day of 30-minute steps up to a time: quiet at night, and since noon a bot that floods, so that
 * nearly all of the time is spent in the queue.
 */
export function dayOf(endMs: number): ResponseOf<typeof getLogHistogram> {
  const lastMs = Math.floor(endMs / STEP_MS) * STEP_MS
  const steps = Array.from({ length: 48 }, (_, index): LogHistogramStep => {
    const isFlooded = index >= 44
    const success = isFlooded ? 3400 - index * 7 : 180 + ((index * 37) % 260)
    return {
      at: new Date(lastMs - (47 - index) * STEP_MS).toISOString(),
      success,
      refused: 0,
      failed: isFlooded ? 620 : index % 5,
      other: 0,
      avgResponseMs: isFlooded ? 22_010 : 190,
      avgQueueMs: isFlooded ? 21_480 : 24,
      avgUpstreamMs: isFlooded ? 530 : 166 + (index % 7) * 9,
    }
  })
  // The gateway did not run for two hours.
  return {
    ...getLogHistogram.sample.response,
    stepMs: STEP_MS,
    steps: [...steps.slice(0, 14), ...steps.slice(18)],
  }
}
