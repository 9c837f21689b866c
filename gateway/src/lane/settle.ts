import type { CallsInFlightOptions, InFlight } from './in-flight.ts'
import { isRead, type Job } from './job.ts'
import type { LaneVerdict, Outcome } from './lane-types.ts'
import type { Follower } from './late-check.ts'
import type { Entry } from './waiting-room.ts'

// How many slots one job gets at most when the exchange's rate limit rejects it, or when it is
// ready too late for them.
const ATTEMPTS_MAX = 3

// The late check of a follower gets at least this long after the response.
const FOLLOWER_CHECK_MS = 1000

/** A call that has ended, and what that says about the exchange. */
export interface EndedCall<A> {
  readonly call: InFlight<A>
  readonly outcome: Outcome<A>
  readonly verdict: LaneVerdict
}

/** Gives the outcome to every entry that waited for the call, or queues the entry again. */
export function settleCall<A>(ended: EndedCall<A>, options: CallsInFlightOptions<A>): void {
  settle(ended.call.entry, ended, options)
  for (const follower of ended.call.followers) settleFollower(follower, ended, options)
}

function settleFollower<A>(
  { entry, check }: Follower<A>,
  ended: EndedCall<A>,
  options: CallsInFlightOptions<A>,
): void {
  if (check === undefined) {
    settle(entry, ended, options)
    return
  }
  const { giveUp, onFault, time } = options
  const leftMs = Math.max(FOLLOWER_CHECK_MS, entry.deadlineMs - time.monotonicMs())
  const cancel = time.setTimer(leftMs, () => giveUp(entry))
  check
    .finally(cancel)
    .then((error) => {
      if (error === undefined) settle(entry, ended, options)
      else entry.reject(error)
    })
    .catch(onFault)
}

function settle<A>(
  entry: Entry<A>,
  { call, outcome, verdict }: EndedCall<A>,
  options: CallsInFlightOptions<A>,
): void {
  entry.attempts += 1
  if (mayGoAgain(entry, verdict, options)) {
    const leaving = options.leaving()
    if (leaving !== undefined) {
      entry.reject(leaving)
      return
    }
    if (!options.isHalted(entry.job)) {
      options.room.enter(entry)
      options.onProgress()
      return
    }
  }
  if ('error' in outcome) {
    entry.reject(outcome.error)
    return
  }
  entry.resolve({
    response: outcome.response,
    queueWaitMs: Math.max(0, Math.round(call.slotMs - entry.arrivedMs)),
    shared: entry !== call.entry,
  })
}

function mayGoAgain<A>(
  { attempts, deadlineMs, job }: Entry<A>,
  verdict: LaneVerdict,
  { dueMs, health, time }: CallsInFlightOptions<A>,
): boolean {
  if (attempts >= ATTEMPTS_MAX || !wasNotTaken(job, verdict)) return false
  if (health.breakerState(time.monotonicMs()) !== 'closed') return false
  const accountMs = health.accountPauses.pausedUntilMs(job.account)
  return !job.signal?.aborted && Math.max(dueMs(), accountMs) < deadlineMs
}

/**
 * Only what the rate limit rejected or what was not sent may be sent again, and an order or cancel
 * only if it was certainly not taken.
 */
function wasNotTaken<A>({ jobClass }: Job<A>, verdict: LaneVerdict): boolean {
  if (verdict.kind === 'rate-limited') return isRead(jobClass) || verdict.notTaken
  return verdict.kind === 'ok' && verdict.goesAgain === true
}
