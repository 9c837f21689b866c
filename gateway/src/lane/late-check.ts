import { toError } from './to-error.ts'
import type { Entry } from './waiting-room.ts'

/** An entry that shares another one's call, unless its own late check finds a reason against it. */
export interface Follower<A> {
  readonly entry: Entry<A>
  /** The late check, when it is asynchronous. */
  readonly check: undefined | Promise<undefined | Error>
}

/**
 * Why an entry must not be sent now that a slot is there; undefined when it may be. Never rejects.
 */
export function lateCheck<A>({
  rejectWith,
  job,
}: Entry<A>): undefined | Error | Promise<undefined | Error> {
  if (rejectWith !== undefined) return rejectWith()
  try {
    const found = job.mayGo?.()
    return found instanceof Promise ? found.catch(toError) : found
  } catch (error) {
    return toError(error)
  }
}

/**
 * An entry that shares a call, as a list of one; an empty list when its check rejected it right
 * away.
 */
export function toFollowers<A>(entry: Entry<A>): Follower<A>[] {
  const check = lateCheck(entry)
  if (!(check instanceof Error)) return [{ entry, check }]
  entry.reject(check)
  return []
}
