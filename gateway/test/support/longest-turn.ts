/** What a piece of work brought, and the longest that it kept everything else waiting. */
export interface Watched<T> {
  readonly result: T
  /** The longest turn of the event loop in between, ms of this thread's own CPU time. */
  readonly longestTurnMs: number
  /** All turns together. */
  readonly totalMs: number
}

/**
 * Does some work and measures the longest turn of the event loop in it. CPU time, not time on the
 * clock: a machine that is busy with other things does not make it longer.
 */
export async function watchTurns<T>(work: () => Promise<T>): Promise<Watched<T>> {
  let longestTurnMs = 0
  let isOver = false
  await nextTurn()
  const beganMs = cpuMs()
  let startedMs = beganMs
  const endTurn = () => {
    const nowMs = cpuMs()
    longestTurnMs = Math.max(longestTurnMs, nowMs - startedMs)
    startedMs = nowMs
    if (!isOver) setImmediate(endTurn)
  }
  setImmediate(endTurn)
  const result = await work()
  // The turn that brought the result counts too.
  await nextTurn()
  isOver = true
  return { result, longestTurnMs, totalMs: cpuMs() - beganMs }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** What this thread has computed so far. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
