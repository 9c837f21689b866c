import { toError } from './to-error.ts'
import type { Entry } from './waiting-room.ts'

/** An entry that shares the call of another, unless its own late check refuses it. */
export interface Rider<A> {
  readonly entry: Entry<A>
  /** Of a check that takes its time. */
  readonly refusal: undefined | Promise<undefined | Error>
}

/** Why an entry may not go now that a slot is there: it is to be rejected, or its own late check says so. Never rejects. */
export function refusalOf<A>({
  rejectWith,
  job,
}: Entry<A>): undefined | Error | Promise<undefined | Error> {
  if (rejectWith !== undefined) return rejectWith()
  try {
    const refusal = job.mayGo?.()
    return refusal instanceof Promise ? refusal.catch(toError) : refusal
  } catch (error) {
    return toError(error)
  }
}

/** An entry that was taken along, as a list of one; of none when it was refused right away, and rejected. */
export function toRider<A>(entry: Entry<A>): Rider<A>[] {
  const refusal = refusalOf(entry)
  if (!(refusal instanceof Error)) return [{ entry, refusal }]
  entry.reject(refusal)
  return []
}
