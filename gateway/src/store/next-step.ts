import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Lets others have their turn between two steps of a long read.
 * @throws the signal's reason when nobody waits for the result any more
 */
export async function nextStep(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn()
  signal?.throwIfAborted()
}
