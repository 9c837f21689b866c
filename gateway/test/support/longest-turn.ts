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

const TEXT = JSON.stringify(
  Array.from({ length: 3_000 }, (_, index) => ({ name: `n${index}`, value: `${index * 7_919}` })),
)
const REPEATS = 8
/** What the fixed piece of work takes on a quiet machine, on which the bounds in ms were set. */
const QUIET_MS = 20

/**
 * How many times as long as on a quiet machine a fixed piece of work takes now; 1 at least. What
 * else runs on the machine evicts this thread from the caches, and so takes CPU time too.
 */
export function slowness(): number {
  const beganMs = cpuMs()
  for (let times = 0; times < REPEATS; times += 1) {
    const rows: { readonly name: string; readonly value: string }[] = JSON.parse(TEXT)
    const values = new Map(rows.map(({ name, value }) => [name, value]))
    JSON.stringify([...values]).replaceAll(/\d+/g, (digits) => `${digits.length}`)
  }
  return Math.max(1, (cpuMs() - beganMs) / QUIET_MS)
}
