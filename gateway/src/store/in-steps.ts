import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Repeats a bounded step until it finds nothing more to do, with a turn of the event loop between
 * two steps: SQLite blocks the loop, and a blocked loop disturbs the pace of the lanes.
 * @param step does a bounded piece and returns how many rows it changed; 0 ends the work
 * @returns the sum over all steps
 * @throws the signal's reason when it aborts between two steps; what was done stays done
 */
export async function inSteps(
  step: () => number | Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let sum = 0
  for (let changed = await step(); changed > 0; changed = await step()) {
    sum += changed
    await nextTurn()
    signal?.throwIfAborted()
  }
  return sum
}
