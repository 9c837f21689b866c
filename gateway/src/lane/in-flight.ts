import type { Health } from './health.ts'
import { isRead, type Job } from './job.ts'
import type { Dispatch, LaneOptions, LaneVerdict, Outcome } from './lane-types.ts'
import { LATE_MS_MAX, NetworkDelay } from './network-delay.ts'
import type { Release } from './pace.ts'
import type { SlotClock, TakenSlot } from './slot-clock.ts'
import type { Entry, Follower, WaitingRoom } from './waiting-room.ts'

/** A call that was started and has not ended. */
interface InFlight<A> {
  readonly entry: Entry<A>
  /** Entries that share its response. */
  readonly followers: readonly Follower<A>[]
  /** When its slot comes: up to `leadMs` after it was called. */
  readonly slotMs: number
  /** Its place at the gate. */
  readonly release: Release
}

interface Started<A> extends InFlight<A> {
  readonly slot: TakenSlot
  /** When the first byte of the response came. */
  respondedMs?: number
  /** When the exchange had the call, by its clock. */
  exchangeTimeMs?: number
}

export interface CallsInFlightOptions<A> extends Pick<LaneOptions<A>, 'judge' | 'time'> {
  readonly slots: SlotClock
  readonly health: Health
  readonly room: WaitingRoom<A>
  /** The earliest moment for the next call. */
  readonly dueMs: () => number
  /**
   * True when a job that the rate limit rejected must not be queued again: the lane is stopped or
   * closing.
   */
  readonly isHalted: (job?: Job<A>) => boolean
  /** The error of jobs for which another process is to make the calls; undefined: none is. */
  readonly leaving: () => undefined | Error
  /** Why a job that was called but not sent must not be sent any more; undefined when it may be. */
  readonly heldBack: (job: Job<A>) => undefined | Error
  /** Rejects an entry whose deadline passed and that has left the room. */
  readonly giveUp: (entry: Entry<A>) => void
  /** A call's bytes are on the socket. It must not throw. */
  readonly onDispatch: (dispatch: Dispatch) => void
  /** A call is on the wire or has ended, so the next one may be due. */
  readonly onProgress: () => void
  /** A callback threw an error that no caller can receive. */
  readonly onFault: (error: unknown) => void
}

/**
 * Runs the calls in flight, learns from how each one ended, and settles every entry that waits for
 * it.
 */
export class CallsInFlight<A> {
  readonly #options: CallsInFlightOptions<A>
  readonly #calls = new Set<Started<A>>()
  readonly #network = new NetworkDelay()
  #started = 0
  #meanMs = 0
  #onIdle: (() => void) | undefined

  constructor(options: CallsInFlightOptions<A>) {
    this.#options = options
  }

  /** Whether a call of such a job is out. */
  has(is: (job: Job<A>) => boolean): boolean {
    for (const { entry } of this.#calls) if (is(entry.job)) return true
    return false
  }

  get size(): number {
    return this.#calls.size
  }

  /** The number of calls since the start. */
  get started(): number {
    return this.#started
  }

  /** How long a call takes from its slot until it ends; recent calls count more. */
  get meanMs(): number {
    return this.#meanMs
  }

  /** The slot of the oldest call in flight; undefined when there is none. */
  get oldestSlotMs(): number | undefined {
    for (const { slotMs } of this.#calls) return slotMs
    return undefined
  }

  /** Resolves when no call is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve
      if (this.#calls.size === 0) resolve()
    })
  }

  start(taken: InFlight<A>): void {
    const { slots, health } = this.#options
    const { slotMs, entry } = taken
    const { rateFactor, pausedUntilMs } = health
    const accountMs = health.accountPauses.pausedUntilMs(entry.job.account)
    const readyMs = Math.max(entry.arrivedMs, pausedUntilMs, accountMs)
    const slot = slots.take({ slotMs, readyMs, rateFactor })
    const call: Started<A> = { ...taken, slot }
    this.#calls.add(call)
    this.#started += 1
    this.#run(call)
      .then((outcome) => this.#finish(call, outcome))
      .catch(this.#options.onFault)
  }

  async #run(call: Started<A>): Promise<Outcome<A>> {
    const { entry, slotMs } = call
    const slot = {
      queueWaitMs: Math.round(slotMs - entry.arrivedMs),
      opened: () => this.#waitForSlot(entry, slotMs),
      heldBack: () => this.#options.heldBack(entry.job),
      onSent: () => this.#sent(call),
      onResponse: () => {
        call.respondedMs ??= this.#options.time.monotonicMs()
      },
      onExchangeTime: (ms: number) => {
        call.exchangeTimeMs = ms
      },
    }
    try {
      return { response: await entry.job.run(slot) }
    } catch (error) {
      return { error }
    }
  }

  async #waitForSlot({ job }: Entry<A>, slotMs: number): Promise<void> {
    const { heldBack, time } = this.#options
    const leftMs = slotMs - time.monotonicMs()
    if (leftMs > 0) await new Promise<void>((resolve) => time.setTimer(leftMs, resolve))
    const reason = heldBack(job)
    if (reason !== undefined) throw reason
  }

  #sent(call: Started<A>): void {
    if (!this.#calls.has(call)) return
    const { onDispatch, onProgress, slots, time } = this.#options
    const sentAtMs = time.monotonicMs()
    const isFirst = !call.slot.isSent
    slots.sent(call.slot, sentAtMs)
    if (isFirst) {
      const { entry, slotMs } = call
      onDispatch({
        jobClass: entry.job.jobClass,
        waitedMs: slotMs - entry.arrivedMs,
        leavingMs: sentAtMs - slotMs,
        sentAtMs,
      })
    }
    onProgress()
  }

  #finish(call: Started<A>, outcome: Outcome<A>): void {
    const { health, onProgress, time, slots } = this.#options
    const nowMs = time.monotonicMs()
    const { slotMs } = call
    const wasSent = call.slot.isSent
    if (!wasSent) slots.sent(call.slot, nowMs)
    slots.arrived(call.slot, wasSent ? this.#lateMs(call, outcome) : 0)
    this.#calls.delete(call)
    this.#meanMs = this.#meanMs === 0 ? nowMs - slotMs : 0.8 * this.#meanMs + 0.2 * (nowMs - slotMs)
    const verdict = this.#verdictOn(outcome)
    // A call that failed before it was sent, without a verdict against the exchange, says nothing
    // about the exchange.
    const isUnsent = !wasSent && 'error' in outcome && verdict.kind === 'ok'
    if (!isUnsent && verdict.kind !== 'unheard')
      health.learn({ outcome, verdict, job: call.entry.job, sentMs: slotMs, nowMs })
    settleCall({ call, outcome, verdict }, this.#options)
    if (this.#calls.size === 0) this.#onIdle?.()
    // What follows from a response goes ahead of what is queued: the stop loss of a placed order.
    // Its caller gets the chance to queue it first.
    time.afterTurn(() => {
      call.release()
      onProgress()
    })
  }

  // Only a run that reports its response can be measured. A sent call without a response may arrive
  // at any time.
  #lateMs({ slot, respondedMs, exchangeTimeMs }: Started<A>, outcome: Outcome<A>): number {
    if (respondedMs === undefined) return 'error' in outcome ? LATE_MS_MAX : 0
    return this.#network.lateMs({ sentMs: slot.sentMs, respondedMs, exchangeTimeMs })
  }

  // A judge that throws is a fault of the gateway. The caller still gets the exchange's response.
  #verdictOn(outcome: Outcome<A>): LaneVerdict {
    try {
      return this.#options.judge(outcome)
    } catch (error) {
      this.#options.onFault(error)
      return { kind: 'ok' }
    }
  }
}

// How many slots one job gets at most when the exchange's rate limit rejects it, or when it is
// ready too late for them.
const ATTEMPTS_MAX = 3

// The late check of a follower gets at least this long after the response.
const FOLLOWER_CHECK_MS = 1000

/** A call that has ended, and what that says about the exchange. */
interface EndedCall<A> {
  readonly call: InFlight<A>
  readonly outcome: Outcome<A>
  readonly verdict: LaneVerdict
}

/** Gives the outcome to every entry that waited for the call, or queues the entry again. */
function settleCall<A>(ended: EndedCall<A>, options: CallsInFlightOptions<A>): void {
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
  if (attempts >= ATTEMPTS_MAX) return false
  const isUnheardRead = verdict.kind === 'unheard' && isRead(job.jobClass) && attempts === 1
  if (!isUnheardRead && !wasNotTaken(job, verdict)) return false
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
