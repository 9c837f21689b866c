import { setImmediate as nextTurn } from 'node:timers/promises'

export interface StepsOptions {
  /** Ends the work between two steps. */
  readonly signal?: AbortSignal | undefined
  /**
   * What happens between two steps; one turn of the event loop by default. Gets the time that the
   * step took.
   */
  readonly rest?: ((stepMs: number) => Promise<unknown>) | undefined
}

/**
 * Repeats a bounded step until it finds nothing more to do, with a rest between two
 * steps: SQLite blocks the loop, and a blocked loop disturbs the pace of the lanes.
 * @param step does a bounded piece and returns how many rows it changed; 0 ends the work
 * @returns the sum over all steps
 * @throws the signal's reason when it aborts between two steps; what was done stays done
 */
export async function inSteps(
  step: () => number | Promise<number>,
  { signal, rest = () => nextTurn() }: StepsOptions = {},
): Promise<number> {
  let sum = 0
  while (true) {
    const startMs = performance.now()
    const changed = await step()
    if (changed === 0) return sum
    sum += changed
    await rest(performance.now() - startMs)
    signal?.throwIfAborted()
  }
}

/**
 * Lets others have their turn between two steps of a long read.
 * @throws the signal's reason when nobody waits for the result any more
 */
export async function nextStep(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn()
  signal?.throwIfAborted()
}

/**
 * Reads all rows of a table by their ids, a page at a time.
 * @param readAfter reads the next rows after an id, lowest first; none: there are no more
 */
export async function* inPages<Row extends { readonly id: number }>(
  readAfter: (id: number) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  for (let after = 0; ; ) {
    const rows = await readAfter(after)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.id
  }
}
