import type { Health } from './health.ts'
import { isRead } from './job.ts'
import type { Dispatch, LaneOptions, LaneVerdict, Outcome } from './lane-types.ts'
import { type Rider, refusalOf, toRider } from './late-check.ts'
import type { Pace, Release } from './pace.ts'
import type { SlotClock } from './slot-clock.ts'
import { StuckWatch } from './stuck-watch.ts'
import type { Entry, WaitingRoom } from './waiting-room.ts'

/** Times that one job is sent at most, when the exchange's rate limit refuses it. */
export const attemptsMax = 3

// A caller that will not wait at all may go in the millisecond in which it came.
const deadlineSlackMs = 1

// The late check of one that shares a call gets at least this long after the answer.
const riderCheckMs = 1000

// A gate that failed is asked again after this long.
const gateRetryMs = 1000

interface Flight<A> {
  readonly entry: Entry<A>
  readonly riders: readonly Rider<A>[]
  /** When its slot is there; up to `leadMs` after it was called. */
  readonly slotMs: number
}

export interface DispatcherOptions<A>
  extends Pick<LaneOptions<A>, 'concurrency' | 'judge' | 'time'> {
  readonly pace: Pace
  readonly slots: SlotClock
  /** What a job may take from being called to being ready to send. */
  readonly leadMs: number
  readonly health: Health
  readonly room: WaitingRoom<A>
  /** Rejects an entry that has left the room because its deadline passed. */
  readonly giveUp: (entry: Entry<A>) => void
  /** True when a refused job may not wait for another try: the lane is stopped or closing. */
  readonly isHalted: () => boolean
  /** Why a job that was called and has not left may not go any more; undefined when it may. */
  readonly heldBack: () => undefined | Error
  /** A call's bytes are on the socket. It must not throw. */
  readonly onDispatch: (dispatch: Dispatch) => void
  /** Something that was handed in threw where no caller can be told. */
  readonly onFault: (error: unknown) => void
  /** Work and a free place are there, and nothing goes; or, with false, something goes again. */
  readonly onStuck: (isStuck: boolean) => void
}

/**
 * Sends what waits, one slot at a time. A slot comes together from three sides: the gate grants a place, the slot
 * clock is due, and the call before is on the wire. Only then is it decided who goes, so whoever left meanwhile
 * costs nothing.
 */
export class Dispatcher<A> {
  readonly #options: DispatcherOptions<A>
  readonly #flights = new Set<Flight<A>>()
  readonly #stuckWatch: StuckWatch
  // The place that the gate granted and nobody uses yet.
  #place: Release | undefined
  #unsent: Flight<A> | undefined
  #checked: Entry<A> | undefined
  #wake: { atMs: number; cancel: () => void } | undefined
  #slotsUsed = 0
  #meanCallMs = 0
  #onIdle: (() => void) | undefined

  constructor(options: DispatcherOptions<A>) {
    this.#options = options
    this.#stuckWatch = new StuckWatch({
      time: options.time,
      isOverdue: () => this.#isOverdue,
      onChange: options.onStuck,
    })
    this.#askForPlace()
  }

  /** Calls that are out. */
  get inFlight(): number {
    return this.#flights.size
  }

  /** Calls sent since the start. */
  get slotsUsed(): number {
    return this.#slotsUsed
  }

  /** True when work waits that should have been sent, and nothing outside the lane explains that it was not. */
  get isStuck(): boolean {
    return this.#stuckWatch.isStuck
  }

  /** Between two calls, as it goes now: slow answers stretch it. */
  get spacingMs(): number {
    const { slots, health, concurrency } = this.#options
    return Math.max(slots.spacingMs(health.rateFactor), this.#meanCallMs / concurrency)
  }

  /** Until the next slot is expected. */
  nextSlotMs(nowMs: number): number {
    const { concurrency, health } = this.#options
    const [oldest] = this.#flights
    const isFull = oldest !== undefined && this.#flights.size >= concurrency
    const placeMs = isFull ? oldest.slotMs + this.#meanCallMs - nowMs : 0
    return Math.max(0, placeMs, this.#dueMs - nowMs, health.coolDownMs(nowMs))
  }

  /** Resolves when no call is out. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve
      if (this.#flights.size === 0) resolve()
    })
  }

  /** To be called after everything that may let a job go: sends it, or sees to being called again in time. */
  pump(): void {
    this.#sendWhatIsDue()
    this.#stuckWatch.follow(this.#options.room.queue.size > 0)
  }

  #sendWhatIsDue(): void {
    const { room, time } = this.#options
    while (this.#place !== undefined && this.#unsent === undefined && !this.#isChecking) {
      const nowMs = time.monotonicMs()
      const entry = room.queue.next(nowMs)
      if (entry === undefined) {
        this.#callOff()
        this.#stuckWatch.moved()
        return
      }
      const dueMs = this.#dueMs
      // One that the slot would come too late for is given up at its deadline, and another is looked for then.
      const callMs = entry.deadlineMs + deadlineSlackMs <= dueMs ? dueMs : this.#callMs
      if (callMs > nowMs) {
        this.#wakeAt(callMs, nowMs)
        return
      }
      if (entry.deadlineMs + deadlineSlackMs <= nowMs) this.#expire(entry)
      else this.#check(entry, this.#place)
    }
  }

  get #dueMs(): number {
    const { slots, health } = this.#options
    return Math.max(slots.dueMs(health.rateFactor), health.pausedUntilMs)
  }

  // A call that is on its way to the socket has its own time limit, and what waits for the exchange is no fault here.
  get #isOverdue(): boolean {
    const { concurrency, health, isHalted, time } = this.#options
    const nowMs = time.monotonicMs()
    const mayGo = !isHalted() && health.breakerState(nowMs) !== 'open' && this.#dueMs <= nowMs
    return mayGo && this.#flights.size < concurrency && this.#unsent === undefined
  }

  get #callMs(): number {
    return this.#dueMs - this.#options.leadMs
  }

  // An entry under check stays queued, so its deadline or its caller's hang-up end even a check that hangs.
  get #isChecking(): boolean {
    return this.#checked !== undefined && this.#options.room.has(this.#checked)
  }

  #askForPlace(): void {
    const { pace, time, onFault } = this.#options
    pace.grant().then(
      (place) => {
        this.#place = place
        this.pump()
      },
      (error) => {
        onFault(error)
        time.setTimer(gateRetryMs, () => this.#askForPlace())
      },
    )
  }

  #wakeAt(atMs: number, nowMs: number): void {
    if (this.#wake?.atMs === atMs) return
    this.#callOff()
    const cancel = this.#options.time.setTimer(atMs - nowMs, () => {
      this.#wake = undefined
      this.pump()
    })
    this.#wake = { atMs, cancel }
  }

  #callOff(): void {
    this.#wake?.cancel()
    this.#wake = undefined
  }

  #expire(entry: Entry<A>): void {
    this.#options.room.leave(entry)
    this.#options.giveUp(entry)
  }

  #check(entry: Entry<A>, place: Release): void {
    this.#checked = entry
    const refusal = refusalOf(entry)
    if (refusal instanceof Promise) {
      refusal.then((late) => this.#checkedLate(entry, late)).catch(this.#options.onFault)
      return
    }
    this.#checked = undefined
    this.#go(entry, refusal, place)
  }

  #checkedLate(entry: Entry<A>, refusal: undefined | Error): void {
    if (this.#checked !== entry) return
    this.#checked = undefined
    const isTime = this.#callMs <= this.#options.time.monotonicMs()
    if (this.#place !== undefined && isTime) this.#go(entry, refusal, this.#place)
    this.pump()
  }

  #go(entry: Entry<A>, checked: undefined | Error, place: Release): void {
    if (!this.#options.room.has(entry)) return
    const refusal = checked ?? entry.rejectWith?.()
    if (refusal === undefined) {
      this.#dispatch(entry, place)
      return
    }
    this.#options.room.leave(entry)
    entry.reject(refusal)
    this.#stuckWatch.moved()
  }

  #dispatch(entry: Entry<A>, place: Release): void {
    const { onFault, room, slots, time } = this.#options
    // First of all: what the checks of the riders call into must not find this place free.
    this.#place = undefined
    const riders = room.serve(entry).flatMap(toRider)
    const slotMs = Math.max(time.monotonicMs(), this.#dueMs)
    const flight = { entry, riders, slotMs }
    this.#flights.add(flight)
    this.#unsent = flight
    this.#slotsUsed += 1
    this.#stuckWatch.moved()
    slots.went(slotMs)
    this.#fly(flight)
      .then((outcome) => this.#land(flight, outcome, place))
      .catch(onFault)
    this.#askForPlace()
  }

  async #fly(flight: Flight<A>): Promise<Outcome<A>> {
    const { entry, slotMs } = flight
    const slot = {
      queueWaitMs: Math.round(slotMs - entry.arrivedMs),
      opened: () => this.#open(slotMs),
      heldBack: this.#options.heldBack,
      onSent: () => this.#sent(flight),
    }
    try {
      return { answer: await entry.job.run(slot) }
    } catch (error) {
      return { error }
    }
  }

  async #open(slotMs: number): Promise<void> {
    const { heldBack, time } = this.#options
    const leftMs = slotMs - time.monotonicMs()
    if (leftMs > 0) await new Promise<void>((resolve) => time.setTimer(leftMs, resolve))
    const refusal = heldBack()
    if (refusal !== undefined) throw refusal
  }

  #sent(flight: Flight<A>): void {
    if (!this.#flights.has(flight)) return
    const { onDispatch, slots, time } = this.#options
    const sentAtMs = time.monotonicMs()
    slots.went(sentAtMs)
    if (this.#unsent === flight) {
      this.#unsent = undefined
      const { entry, slotMs } = flight
      onDispatch({
        jobClass: entry.job.jobClass,
        waitedMs: slotMs - entry.arrivedMs,
        leavingMs: sentAtMs - slotMs,
        sentAtMs,
      })
    }
    this.pump()
  }

  #land(flight: Flight<A>, outcome: Outcome<A>, place: Release): void {
    const { health, time, slots } = this.#options
    const nowMs = time.monotonicMs()
    const { slotMs } = flight
    const wasSent = this.#unsent !== flight
    if (!wasSent) {
      this.#unsent = undefined
      slots.went(nowMs)
    }
    this.#flights.delete(flight)
    place()
    this.#observe(nowMs - slotMs)
    const verdict = this.#verdictOn(outcome)
    // What failed before it was sent, without a verdict against the exchange, says nothing about the exchange.
    const saysNothing = !wasSent && 'error' in outcome && verdict.kind === 'ok'
    if (!saysNothing) health.learn({ outcome, verdict, sentMs: slotMs, nowMs })
    this.#settle(flight, flight.entry, outcome, verdict)
    for (const rider of flight.riders) this.#settleRider(flight, rider, outcome, verdict)
    if (this.#flights.size === 0) this.#onIdle?.()
    this.pump()
  }

  // A judge that throws is a fault of the gateway, and no reason to keep the exchange's answer from its caller.
  #verdictOn(outcome: Outcome<A>): LaneVerdict {
    try {
      return this.#options.judge(outcome)
    } catch (error) {
      this.#options.onFault(error)
      return { kind: 'ok' }
    }
  }

  #settleRider(
    flight: Flight<A>,
    rider: Rider<A>,
    outcome: Outcome<A>,
    verdict: LaneVerdict,
  ): void {
    const { entry, refusal } = rider
    const settle = (late: undefined | Error) => {
      if (late === undefined) this.#settle(flight, entry, outcome, verdict)
      else entry.reject(late)
    }
    if (refusal === undefined) {
      settle(refusal)
      return
    }
    const { giveUp, onFault, time } = this.#options
    const leftMs = Math.max(riderCheckMs, entry.deadlineMs - time.monotonicMs())
    const cancel = time.setTimer(leftMs, () => giveUp(entry))
    refusal.finally(cancel).then(settle).catch(onFault)
  }

  #settle(flight: Flight<A>, entry: Entry<A>, outcome: Outcome<A>, verdict: LaneVerdict): void {
    entry.attempts += 1
    if (this.#goesAgain(entry, verdict)) {
      this.#options.room.enter(entry)
      this.pump()
      return
    }
    if ('error' in outcome) {
      entry.reject(outcome.error)
      return
    }
    entry.resolve({
      answer: outcome.answer,
      queueWaitMs: Math.max(0, Math.round(flight.slotMs - entry.arrivedMs)),
      shared: entry !== flight.entry,
    })
  }

  #goesAgain(entry: Entry<A>, verdict: LaneVerdict): boolean {
    const { health, isHalted, time } = this.#options
    if (verdict.kind !== 'rate-limited' || entry.attempts >= attemptsMax) return false
    if (!isRead(entry.job.jobClass) && !verdict.notTaken) return false
    if (isHalted() || health.breakerState(time.monotonicMs()) !== 'closed') return false
    return !entry.job.signal?.aborted && this.#dueMs < entry.deadlineMs
  }

  #observe(callMs: number): void {
    this.#meanCallMs = this.#meanCallMs === 0 ? callMs : 0.8 * this.#meanCallMs + 0.2 * callMs
  }
}
