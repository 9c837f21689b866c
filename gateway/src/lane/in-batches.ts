import type { LaneTime } from './lane-time.ts'

// A rejection runs its caller's code. A hundred take a few milliseconds; ten thousand would stop
// everything else.
const BATCH_SIZE = 100

/**
 * Calls `fn` for each item, a hundred per turn of the event loop, the first hundred before it
 * returns.
 */
export function inBatches<T>(
  time: LaneTime,
  items: readonly T[],
  fn: (item: T) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const from = (start: number) => {
      for (const item of items.slice(start, start + BATCH_SIZE)) fn(item)
      if (start + BATCH_SIZE >= items.length) resolve()
      else time.setTimer(0, () => from(start + BATCH_SIZE))
    }
    from(0)
  })
}
