import type { Time } from '../time.ts'

const FIRST_AFTER_MS = 60_000
const EVERY_MS = 3_600_000

export interface RunRegularlyOptions {
  readonly onError: (error: unknown) => void
  readonly time: Pick<Time, 'setTimeout'>
  /** A minute by default. */
  readonly firstAfterMs?: number | undefined
  /** From the end of a run to the next one; an hour by default. */
  readonly everyMs?: number | undefined
}

/**
 * Runs a task again and again, never twice at a time. It does not keep the process alive.
 * @param run gets a signal that is aborted at the stop
 * @returns a function that stops it
 */
export function runRegularly(
  run: (signal: AbortSignal) => Promise<void>,
  { onError, time, firstAfterMs = FIRST_AFTER_MS, everyMs = EVERY_MS }: RunRegularlyOptions,
): () => void {
  const stop = new AbortController()
  let timer = time.setTimeout(tick, firstAfterMs).unref()
  function tick(): void {
    run(stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error)
      })
      .finally(() => {
        if (!stop.signal.aborted) timer = time.setTimeout(tick, everyMs).unref()
      })
  }
  return () => {
    stop.abort()
    timer.cancel()
  }
}
