import { CallsInFlight, type CallsInFlightOptions } from './in-flight.ts'
import { type Job, rankOf } from './job.ts'
import type { LaneTime } from './lane-time.ts'
import type { LaneOptions } from './lane-types.ts'
import type { Pace } from './pace.ts'
import { type Entry, lateCheck, toFollowers } from './waiting-room.ts'

// A caller that will not wait at all may still be served within the millisecond in which it came.
const DEADLINE_SLACK_MS = 1

export interface DispatcherOptions<A>
  extends Omit<CallsInFlightOptions<A>, 'dueMs' | 'onProgress'>,
    Pick<LaneOptions<A>, 'concurrency'> {
  readonly pace: Pace
  /** The time that a job may take from being called until it is ready to send. */
  readonly leadMs: number
  /** True: there is work and a free place, but nothing is sent. False: calls are sent again. */
  readonly onStuck: (isStuck: boolean) => void
}

/**
 * Sends queued jobs, one slot at a time. A slot needs three things: the gate has a free place, the
 * slot clock is due, and the calls before are on the socket, except for the few that the slot clock
 * allows. Only then is the next job chosen, so an entry that left the queue earlier costs nothing.
 */
export class Dispatcher<A> {
  readonly calls: CallsInFlight<A>
  readonly #options: DispatcherOptions<A>
  readonly #stuckWatch: StuckWatch
  #checked: Entry<A> | undefined
  #isDispatching = false
  #wake: { atMs: number; cancel: () => void } | undefined

  constructor(options: DispatcherOptions<A>) {
    this.#options = options
    this.calls = new CallsInFlight({
      ...options,
      dueMs: () => this.#dueMs,
      onProgress: () => this.schedule(),
    })
    this.#stuckWatch = new StuckWatch({
      time: options.time,
      isOverdue: () => this.#isOverdue,
      onChange: options.onStuck,
    })
    options.pace.onGrant(() => this.schedule())
  }

  /**
   * True when a queued job should have been sent, and nothing outside the lane explains why it was
   * not.
   */
  get isStuck(): boolean {
    return this.#stuckWatch.isStuck
  }

  /** The current time between two calls: slow responses lengthen it. */
  get spacingMs(): number {
    const { slots, health, concurrency } = this.#options
    return Math.max(slots.spacingMs(health.rateFactor), this.calls.meanMs / concurrency)
  }

  /** The time until the next slot is expected. */
  nextSlotMs(nowMs: number): number {
    const { concurrency, health } = this.#options
    const { oldestSlotMs, meanMs, size } = this.calls
    const isFull = oldestSlotMs !== undefined && size >= concurrency
    const placeMs = isFull ? oldestSlotMs + meanMs - nowMs : 0
    return Math.max(0, placeMs, this.#dueMs - nowMs, health.coolDownMs(nowMs))
  }

  /** Whole milliseconds until a job of the account with `ahead` others before it is sent. */
  waitMs(ahead: number, account?: string): number {
    const { health, time } = this.#options
    const nowMs = time.monotonicMs()
    const slotMs = this.nextSlotMs(nowMs) + ahead * this.spacingMs
    return Math.ceil(Math.max(slotMs, health.accountPauses.pausedUntilMs(account) - nowMs))
  }

  /**
   * How many jobs are sent before one that is submitted now. Jobs of accounts that are paused for
   * longer than that are not.
   */
  ahead({ jobClass, clientId }: Pick<Job<A>, 'jobClass' | 'clientId'>): number {
    const { health, room, time } = this.#options
    const { spacingMs } = this
    const nowMs = time.monotonicMs()
    const pauses = health.accountPauses
    const count = (isHeld?: (entry: Entry<A>) => boolean) =>
      room.queue.ahead(rankOf(jobClass), clientId, spacingMs, isHeld)
    if (pauses.nextEndMs(nowMs) === Number.POSITIVE_INFINITY) return count()
    const fewest = count((entry) => this.#isHeld(entry, nowMs))
    const atMs = nowMs + this.nextSlotMs(nowMs) + fewest * spacingMs
    return count((entry) => this.#isHeld(entry, atMs))
  }

  /** The queued jobs in the order in which they are sent, at most `max` of them. */
  inOrder(max: number): Generator<Entry<A>> {
    const { health, room, time } = this.#options
    const nowMs = time.monotonicMs()
    const pauses = health.accountPauses
    return room.queue.inOrder(nowMs + this.nextSlotMs(nowMs), this.spacingMs, max, {
      untilMs: ({ job }) => pauses.pausedUntilMs(job.account),
      nextEndMs: (atMs) => pauses.nextEndMs(atMs),
    })
  }

  /**
   * Sends what is due, and sets the timer for what is not. Call it after every event that may allow
   * a job to be sent.
   */
  schedule(): void {
    this.#sendWhatIsDue()
    this.#stuckWatch.follow(this.#options.room.queue.size > 0)
  }

  #sendWhatIsDue(): void {
    const { time } = this.#options
    while (this.#mayDispatch) {
      const nowMs = time.monotonicMs()
      const entry = this.#next(nowMs)
      if (entry === undefined) {
        this.#wakeAtPauseEnd(nowMs)
        this.#stuckWatch.moved()
        return
      }
      const dueMs = this.#dueMs
      // If the slot comes too late for this entry, it is given up at its deadline, and another one
      // is chosen then.
      const callMs = entry.deadlineMs + DEADLINE_SLACK_MS <= dueMs ? dueMs : this.#callMs
      if (callMs > nowMs) {
        this.#wakeAt(callMs, nowMs)
        return
      }
      if (entry.deadlineMs + DEADLINE_SLACK_MS <= nowMs) this.#expire(entry)
      else this.#check(entry)
    }
  }

  /** The next entry whose account is not paused. */
  #next(nowMs: number): Entry<A> | undefined {
    return this.#options.room.queue.next(nowMs, (entry) => this.#isHeld(entry, nowMs))
  }

  #isHeld({ job }: Entry<A>, nowMs: number): boolean {
    return this.#options.health.accountPauses.isPaused(job.account, nowMs)
  }

  get #dueMs(): number {
    const { slots, health } = this.#options
    return Math.max(slots.dueMs(health.rateFactor), health.pausedUntilMs)
  }

  get #callMs(): number {
    return this.#dueMs - this.#options.leadMs
  }

  // A call on its way to the socket has its own time limit, and waiting for the exchange is not a
  // fault of the lane.
  get #isOverdue(): boolean {
    const { concurrency, health, isHalted, slots, time } = this.#options
    const nowMs = time.monotonicMs()
    const mayGo = !isHalted() && health.breakerState(nowMs) !== 'open' && this.#dueMs <= nowMs
    const isFree = this.calls.size < concurrency && !slots.isBlocked(health.rateFactor)
    return mayGo && isFree && this.#next(nowMs) !== undefined
  }

  get #mayDispatch(): boolean {
    const { health, pace, slots } = this.#options
    const isBusy = this.#isDispatching || this.#isChecking
    return !isBusy && pace.isOpen && !slots.isBlocked(health.rateFactor)
  }

  // An entry stays queued while it is checked, so that its deadline or its caller's hang-up ends
  // even a check that hangs.
  get #isChecking(): boolean {
    return this.#checked !== undefined && this.#options.room.has(this.#checked)
  }

  #wakeAt(atMs: number, nowMs: number): void {
    if (this.#wake?.atMs === atMs) return
    this.#cancelWake()
    const cancel = this.#options.time.setTimer(atMs - nowMs, () => {
      this.#wake = undefined
      this.schedule()
    })
    this.#wake = { atMs, cancel }
  }

  /** What is queued, if anything, waits for the pauses of its accounts. */
  #wakeAtPauseEnd(nowMs: number): void {
    const { health, room } = this.#options
    if (room.queue.size === 0) this.#cancelWake()
    else this.#wakeAt(health.accountPauses.nextEndMs(nowMs), nowMs)
  }

  #cancelWake(): void {
    this.#wake?.cancel()
    this.#wake = undefined
  }

  #expire(entry: Entry<A>): void {
    this.#options.room.leave(entry)
    this.#options.giveUp(entry)
  }

  #check(entry: Entry<A>): void {
    this.#checked = entry
    const check = lateCheck(entry)
    if (check instanceof Promise) {
      check.then((found) => this.#checkedLate(entry, found)).catch(this.#options.onFault)
      return
    }
    this.#checked = undefined
    this.#sendOrReject(entry, check)
  }

  #checkedLate(entry: Entry<A>, found: undefined | Error): void {
    if (this.#checked !== entry) return
    this.#checked = undefined
    const nowMs = this.#options.time.monotonicMs()
    if (this.#callMs <= nowMs && !this.#isHeld(entry, nowMs)) this.#sendOrReject(entry, found)
    this.schedule()
  }

  #sendOrReject(entry: Entry<A>, found: undefined | Error): void {
    const { room } = this.#options
    if (!room.has(entry)) return
    const error = found ?? entry.rejectWith?.() ?? this.#options.heldBack(entry.job)
    if (error === undefined) {
      this.#dispatch(entry)
      return
    }
    room.leave(entry)
    entry.reject(error)
    this.#stuckWatch.moved()
  }

  #dispatch(entry: Entry<A>): void {
    const { pace, room, time } = this.#options
    // The followers' checks and the job may call schedule(), which must not use this slot too.
    this.#isDispatching = true
    const followers = room.serve(entry).flatMap(toFollowers)
    const slotMs = Math.max(time.monotonicMs(), this.#dueMs)
    this.calls.start({ entry, followers, slotMs, release: pace.take() })
    this.#isDispatching = false
    this.#stuckWatch.moved()
  }
}

const LOOK_EVERY_MS = 1000

/** This many checks in a row found work that should have been sent. */
const LOOKS_UNTIL_STUCK = 5

export interface StuckWatchOptions {
  readonly time: LaneTime
  /** True when a call should have been sent by now: nothing outside the lane delays it. */
  readonly isOverdue: () => boolean
  /** Called once when the lane gets stuck, and once when it sends again. */
  readonly onChange: (isStuck: boolean) => void
}

/**
 * Detects a lane that has work, a free place and a slot that is due, but sends nothing for five
 * seconds. It counts checks, not time: a blocked event loop runs fewer checks, so that a stall
 * alone does not count.
 */
export class StuckWatch {
  readonly #options: StuckWatchOptions
  #cancelLook: (() => void) | undefined
  #looks = 0
  #isStuck = false

  constructor(options: StuckWatchOptions) {
    this.#options = options
  }

  get isStuck(): boolean {
    return this.#isStuck
  }

  /** Checks every second while there is work. */
  follow(hasWork: boolean): void {
    if (!hasWork) {
      this.#cancelLook?.()
      this.#cancelLook = undefined
      this.#looks = 0
    } else if (this.#cancelLook === undefined) {
      this.#cancelLook = this.#options.time.setTimer(LOOK_EVERY_MS, () => this.#look())
    }
  }

  /** The lane sent a call, or could send one if any were queued. */
  moved(): void {
    this.#looks = 0
    if (!this.#isStuck) return
    this.#isStuck = false
    this.#options.onChange(false)
  }

  #look(): void {
    this.#looks = this.#options.isOverdue() ? this.#looks + 1 : 0
    this.#cancelLook = undefined
    this.follow(true)
    if (this.#looks < LOOKS_UNTIL_STUCK || this.#isStuck) return
    this.#isStuck = true
    this.#options.onChange(true)
  }
}
