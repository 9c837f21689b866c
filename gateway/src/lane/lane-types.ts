import type { Job, JobClass, JobLabel, LaneResponse } from './job.ts'
import type { LaneTime } from './lane-time.ts'
import type { Pace } from './pace.ts'

/** How a call ended. */
export type Outcome<A> = { readonly response: A } | { readonly error: unknown }

/** What an outcome says about the exchange, not about the request: a rejected order is `ok`. */
export type LaneVerdict =
  /**
   * It responded. `goesAgain`: the call was not sent, because it was ready too late after its slot;
   * it gets another one.
   */
  | { readonly kind: 'ok'; readonly goesAgain?: boolean }
  /**
   * It says nothing about the exchange: a connection was closed as the call was written. A read
   * gets another slot, once.
   */
  | { readonly kind: 'unheard' }
  /**
   * Its rate limit rejected the call. `notTaken`: the response proves that an order was not taken.
   * `isCertain`: it would have rejected any call.
   */
  | {
      readonly kind: 'rate-limited'
      readonly retryAfterMs?: number
      readonly notTaken: boolean
      readonly isCertain?: boolean
    }
  /**
   * It cannot be reached, does not respond in time, or responds with 5xx. `isCertain`: whatever the
   * call was, it would have failed. `why`: what was wrong with its response.
   */
  | { readonly kind: 'down'; readonly isCertain?: boolean; readonly why?: string | undefined }

/**
 * A change of the lane's state, or a fault in one of its options; one per change, not one per
 * request.
 */
export type LaneEvent =
  | { readonly type: 'paused'; readonly lane: string; readonly forMs: number }
  /** The rate limit rejected a call: the lane pauses, then runs slower until `recovered`. */
  | { readonly type: 'throttled'; readonly lane: string; readonly forMs: number }
  /** The whole rate is used again. */
  | { readonly type: 'recovered'; readonly lane: string }
  | { readonly type: 'broken'; readonly lane: string; readonly forMs: number }
  | { readonly type: 'mended'; readonly lane: string }
  /** Only the calls of one account fail; those of others are sent. */
  | {
      readonly type: 'account-broken'
      readonly lane: string
      readonly clientId: string
      /** Its signed calls; otherwise its public ones. */
      readonly isSigned: boolean
      readonly forMs: number
    }
  | {
      readonly type: 'account-mended'
      readonly lane: string
      readonly clientId: string
      readonly isSigned: boolean
    }
  /** The rate limit rejected only calls of one account: those of others are sent. */
  | {
      readonly type: 'account-paused'
      readonly lane: string
      readonly clientId: string
      readonly forMs: number
    }
  | { readonly type: 'stopped'; readonly lane: string; readonly reason: string }
  | { readonly type: 'resumed'; readonly lane: string }
  /**
   * There is work and a free place, but nothing is sent: a fault of the gateway that only a restart
   * reliably ends.
   */
  | { readonly type: 'stuck'; readonly lane: string }
  | { readonly type: 'unstuck'; readonly lane: string }
  | { readonly type: 'fault'; readonly lane: string; readonly error: unknown }

/** A call that was sent to the exchange. */
export interface Dispatch {
  readonly jobClass: JobClass
  /** The time in the queue, until its slot. */
  readonly waitedMs: number
  /**
   * The time from its slot until its bytes were on the socket: what the lane and the signature
   * took.
   */
  readonly leavingMs: number
  /** When its bytes were on the socket, on the monotonic clock. */
  readonly sentAtMs: number
}

export interface LaneOptions<A> {
  /** The exchange's name in messages to callers. */
  readonly name: string
  /** Calls per second; any 1,000 ms hold no more (rounded up, when it is a fraction). */
  readonly ratePerSecond: number
  /** Calls out at the same time; 1 sends one after another. */
  readonly concurrency: number
  readonly maxQueueWaitMs: number
  /** Jobs queued; cancels and lookups may go a tenth beyond, to end a flood of orders. */
  readonly maxQueueLength: number
  /** The part of maxQueueLength, over 0 and up to 1, that one client may hold. */
  readonly clientShare: number
  /** A margin for each window, beyond what is known of the network; 1 ms by default. */
  readonly guardMs?: number
  /**
   * A job is called this long before its slot, so its keys are open and its journal is written when
   * the slot is there; 0 by default. It waits for `Slot.opened` before it sends.
   */
  readonly leadMs?: number
  /**
   * Pause before the first call; 1,000 ms by default, because the previous process may have sent a
   * call just now.
   */
  readonly startDelayMs?: number
  /**
   * Why nothing may be sent now, whatever the job; undefined when it may. It is asked when a job
   * comes, when its slot comes, and right before its first byte. Absent: it always may.
   */
  readonly heldBack?: () => undefined | Error
  readonly judge: (outcome: Outcome<A>) => LaneVerdict
  readonly time: LaneTime
  /** From 0 up to 1. */
  readonly random: () => number
  /**
   * Calls fail, but only those of one client. It should submit a job without an account, whose
   * outcome says whether the exchange is down.
   */
  readonly probe?: () => void
  readonly onEvent?: (event: LaneEvent) => void
  readonly onDispatch?: (dispatch: Dispatch) => void
  /** Bottleneck's gate by default. */
  readonly pace?: Pace
}

/** One waiting job, as an admin sees it. */
export interface QueueEntry {
  readonly id: string
  readonly clientId: string
  readonly jobClass: JobClass
  readonly requestId: string
  readonly method: string
  readonly endpoint: string
  readonly order: JobLabel['order']
  readonly waitedMs: number
  /** Until it is sent, if no jobs come or leave. */
  readonly expectedWaitMs: number
  /** Until its deadline. */
  readonly remainingMs: number
  /** Times it was sent and rejected by the rate limit. */
  readonly attempts: number
}

/** An account whose calls alone are held back, because they fail or hit the rate limit. */
export interface HeldAccount {
  readonly clientId: string
  readonly state: 'broken' | 'paused'
  /** 0: its next call is the try. */
  readonly retryInMs: number
}

export interface LaneSnapshot {
  readonly name: string
  readonly state: 'running' | 'paused' | 'broken' | 'probing' | 'stopped' | 'closing' | 'stuck'
  /** Why it is not running; null when it is. */
  readonly reason: string | null
  /** For how long this has been the state; null: it runs since it was created. */
  readonly stateForMs: number | null
  /** Until the pause or the cool-down ends; null when the end is not known or it runs. */
  readonly resumesInMs: number | null
  /** Call after call failed: also of one that is stopped. */
  readonly isBroken: boolean
  /** The last call failed: also of one that is stopped. */
  readonly isFailing: boolean
  readonly ratePerSecond: number
  /** The rate that is used now; lower after the rate limit was hit. */
  readonly currentRatePerSecond: number
  readonly queued: number
  readonly queuedByClass: Readonly<Record<JobClass, number>>
  /** The longest queue first. */
  readonly queuedByClient: readonly { readonly clientId: string; readonly queued: number }[]
  readonly longestWaitMs: number
  /** For an order of a client that has none waiting. */
  readonly estimatedWaitMs: number
  /** For another order of the client that has the most waiting. */
  readonly busiestWaitMs: number
  readonly inFlight: number
  /** Accounts whose calls alone are rejected, because they fail. */
  readonly accountsBroken: number
  /** Accounts whose calls alone are rejected or wait. */
  readonly accountsHeld: readonly HeldAccount[]
  /** Calls sent since the start. */
  readonly slotsUsed: number
  readonly lastError: { readonly message: string; readonly agoMs: number } | null
}

/** The way to one exchange: it keeps the pace, is fair to clients, and says how long they wait. */
export interface Lane<A> {
  /**
   * Queues a job.
   * @throws the errors of errors.ts, what `lateCheckError` returned, what `run` threw
   */
  submit(job: Job<A>): Promise<LaneResponse<A>>
  /**
   * How many calls would be sent immediately (0 or 1, as slots are spaced evenly), and milliseconds
   * until one would be.
   */
  quota(): { readonly remaining: number; readonly resetMs: number }
  /**
   * Rejects what this client has queued, with `reason`. Returns how much.
   * @param jobClass absent: of all classes
   */
  dropClient(clientId: string, reason: Error, jobClass?: JobClass): number
  /**
   * The queued jobs, in the order in which they are sent if no jobs come or leave
   * (FairQueue.inOrder).
   * @param max the first of them; absent: all
   */
  list(max?: number): QueueEntry[]
  /** Rejects one waiting job. False when it no longer waits. */
  drop(entryId: string, reason: string): boolean
  /** Rejects everything, waiting or new, until resume(). What was sent is not touched. */
  stop(reason: string): void
  /** Whether jobs that end orders are sent although the lane is stopped; at first they are not. */
  endOrders(isOn: boolean): void
  resume(): void
  /** Begins the pause before the first call anew: another process may have sent a call just now. */
  restart(): void
  snapshot(): LaneSnapshot
  /**
   * Rejects everything, waiting or new, permanently; resolves when every sent call has ended, or
   * after `graceMs`.
   * @param toError why, for a lane whose jobs another process takes over; absent:
   * GatewayStoppingError
   */
  close(graceMs: number, toError?: () => Error): Promise<void>
}

/** @throws RangeError naming the option that cannot be meant, with its value */
export function checkLaneOptions<A>(options: LaneOptions<A>): void {
  const { ratePerSecond, concurrency, maxQueueWaitMs, maxQueueLength, clientShare } = options
  const { guardMs = 0, leadMs = 0, startDelayMs = 0 } = options
  demand(ratePerSecond > 0 && Number.isFinite(ratePerSecond), 'ratePerSecond', ratePerSecond)
  demand(Number.isInteger(concurrency) && concurrency > 0, 'concurrency', concurrency)
  demand(maxQueueWaitMs >= 0, 'maxQueueWaitMs', maxQueueWaitMs)
  demand(Number.isInteger(maxQueueLength) && maxQueueLength > 0, 'maxQueueLength', maxQueueLength)
  demand(clientShare > 0 && clientShare <= 1, 'clientShare', clientShare)
  demand(guardMs >= 0 && Number.isFinite(guardMs), 'guardMs', guardMs)
  demand(leadMs >= 0 && Number.isFinite(leadMs), 'leadMs', leadMs)
  demand(startDelayMs >= 0 && Number.isFinite(startDelayMs), 'startDelayMs', startDelayMs)
}

function demand(isMeant: boolean, option: string, value: number): void {
  if (!isMeant) throw new RangeError(`A lane cannot have ${option} ${value}`)
}
