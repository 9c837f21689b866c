import { admissionError, BrokenGate, orderWaits, placeOf } from './admission.ts'
import { Dispatcher } from './dispatcher.ts'
import {
  CallerGoneError,
  ExchangeAccountUnavailableError,
  ExchangeStoppedError,
  ExchangeUnavailableError,
  GatewayStoppingError,
  inSeconds,
  notSent,
  QueueDeadlinePassedError,
  QueueEntryDroppedError,
} from './errors.ts'
import { Health } from './health.ts'
import { type Job, type JobClass, type LaneResponse, rankOf } from './job.ts'
import {
  createLaneReports,
  type LaneReports,
  toLaneState,
  toLastError,
  toQueueCounts,
  toQueueEntry,
} from './lane-snapshot.ts'
import { inBatches } from './lane-time.ts'
import {
  checkLaneOptions,
  type Lane,
  type LaneOptions,
  type LaneSnapshot,
  type QueueEntry,
} from './lane-types.ts'
import { createPace } from './pace.ts'
import { SlotClock } from './slot-clock.ts'
import { type Entry, WaitingRoom } from './waiting-room.ts'

const GUARD_MS_DEFAULT = 1
const START_DELAY_MS_DEFAULT = 1000

/**
 * Makes the lane of one exchange; close it with close().
 *
 * @throws RangeError when a number among the options cannot be meant
 */
export function createLane<A>(options: LaneOptions<A>): Lane<A> {
  checkLaneOptions(options)
  return new PacedLane(options)
}

class PacedLane<A> implements Lane<A> {
  readonly #options: LaneOptions<A>
  readonly #reports: LaneReports
  readonly #room: WaitingRoom<A>
  readonly #slots: SlotClock
  readonly #health: Health
  readonly #dispatcher: Dispatcher<A>
  readonly #gate: BrokenGate<A>
  #stoppedBy: string | undefined
  #endsOrders = false
  #closed: Promise<void> | undefined
  #whyClosed = (): Error => notSent(new GatewayStoppingError())
  /** Another process takes over what is not sent. */
  #isTakenOver = false
  #seq = 0

  constructor(options: LaneOptions<A>) {
    this.#options = options
    this.#reports = createLaneReports(options, () => this.#health)
    const { ratePerSecond, guardMs = GUARD_MS_DEFAULT } = options
    this.#slots = new SlotClock({ ratePerSecond, guardMs, startMs: this.#startMs() })
    this.#room = this.#createRoom()
    this.#health = new Health({
      name: options.name,
      random: options.random,
      report: this.#reports.event,
      onBroken: () => void this.#rejectAll([...this.#room.entries], () => this.#unavailable()),
      onAccountBroken: (account) =>
        void this.#rejectAll(this.#room.entriesOf(account), () =>
          this.#accountUnavailable(account),
        ),
      onSuspected: () => this.#options.probe?.(),
    })
    this.#dispatcher = this.#createDispatcher()
    const { calls } = this.#dispatcher
    this.#gate = new BrokenGate({ health: this.#health, room: this.#room, calls })
  }

  submit(job: Job<A>): Promise<LaneResponse<A>> {
    const { maxQueueWaitMs, time } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<LaneResponse<A>>()
    // The holder of the promise gets the rejection. Without this, a promise that nobody awaits
    // would end the process.
    promise.catch(() => {})
    const limitMs = Math.max(0, Math.min(job.maxWaitMs ?? maxQueueWaitMs, maxQueueWaitMs))
    const error = this.#admissionError(job, limitMs)
    if (error !== undefined) {
      reject(error)
      return promise
    }
    if (job.onQueued !== undefined) {
      const place = placeOf(job, { room: this.#room, dispatcher: this.#dispatcher })
      job.onQueued(place, this.#dispatcher.waitMs(place.ahead, job.account) > 0)
    }
    this.#seq += 1
    const arrivedMs = time.monotonicMs()
    this.#room.enter({
      seq: this.#seq,
      job,
      clientId: job.clientId,
      rank: rankOf(job.jobClass),
      arrivedMs,
      limitMs,
      deadlineMs: arrivedMs + limitMs,
      attempts: 0,
      rejectWith: undefined,
      resolve,
      reject,
      stopListening: null,
    })
    this.#dispatcher.schedule()
    return promise
  }

  quota(): { remaining: number; resetMs: number } {
    const resetMs = this.#dispatcher.waitMs(this.#room.queue.size)
    return { remaining: resetMs === 0 ? 1 : 0, resetMs }
  }

  dropClient(clientId: string, reason: Error, jobClass?: JobClass): number {
    const entries = [...this.#room.entries].filter(
      ({ job, rejectWith }) =>
        job.clientId === clientId &&
        (jobClass === undefined || job.jobClass === jobClass) &&
        rejectWith === undefined,
    )
    void this.#rejectAll(entries, () => reason)
    return entries.length
  }

  list(max = Number.POSITIVE_INFINITY): QueueEntry[] {
    const nowMs = this.#options.time.monotonicMs()
    return Array.from(this.#dispatcher.inOrder(max), (entry, ahead) =>
      toQueueEntry(entry, nowMs, this.#dispatcher.waitMs(ahead, entry.job.account)),
    )
  }

  drop(entryId: string, reason: string): boolean {
    const entry = [...this.#room.entries].find(({ seq }) => String(seq) === entryId)
    if (entry === undefined) return false
    const { name } = this.#options
    void this.#rejectAll([entry], () => notSent(new QueueEntryDroppedError(name, reason)))
    return true
  }

  stop(reason: string): void {
    this.#stoppedBy = reason
    this.#rejectStopped(reason)
    this.#reports.event({ type: 'stopped', lane: this.#options.name, reason })
  }

  resume(): void {
    if (this.#stoppedBy === undefined) return
    this.#stoppedBy = undefined
    this.#reports.event({ type: 'resumed', lane: this.#options.name })
  }

  restart(): void {
    this.#slots.restart(this.#startMs())
    this.#dispatcher.schedule()
  }

  endOrders(isOn: boolean): void {
    this.#endsOrders = isOn
    if (this.#stoppedBy !== undefined) this.#rejectStopped(this.#stoppedBy)
  }

  snapshot(): LaneSnapshot {
    const { name, ratePerSecond, time } = this.#options
    const nowMs = time.monotonicMs()
    const room = this.#room
    const health = this.#health
    const dispatcher = this.#dispatcher
    const { calls, isStuck } = dispatcher
    const isClosing = this.#closed !== undefined
    const stoppedBy = this.#stoppedBy
    const state = toLaneState({ name, isClosing, stoppedBy, health, isStuck, nowMs })
    return {
      name,
      ...state,
      isBroken: health.breakerState(nowMs) !== 'closed',
      isFailing: health.isFailing(nowMs),
      stateForMs: this.#reports.times.forMs(state.state, health.pausedUntilMs, nowMs),
      ratePerSecond,
      currentRatePerSecond: ratePerSecond * health.rateFactor,
      ...toQueueCounts(room, nowMs),
      ...orderWaits({ room, dispatcher }),
      inFlight: calls.size,
      accountsBroken: health.accounts.brokenCount(nowMs),
      accountsHeld: health.heldAccounts(nowMs),
      slotsUsed: calls.started,
      lastError: toLastError(health, nowMs),
    }
  }

  close(graceMs: number, toError?: () => Error): Promise<void> {
    this.#isTakenOver = toError !== undefined
    this.#whyClosed = toError ?? this.#whyClosed
    this.#closed ??= this.#closeWithin(graceMs)
    return this.#closed
  }

  #createRoom(): WaitingRoom<A> {
    return new WaitingRoom<A>({
      time: this.#options.time,
      onDue: (entry) => this.#giveUp(entry),
      onHangUp: (entry) => {
        entry.reject(notSent(new CallerGoneError()))
        this.#dispatcher.schedule()
      },
    })
  }

  #createDispatcher(): Dispatcher<A> {
    const { name, concurrency, judge, leadMs, pace, time } = this.#options
    const onFault = (error: unknown) => this.#reports.event({ type: 'fault', lane: name, error })
    return new Dispatcher<A>({
      concurrency,
      judge,
      time,
      pace: pace ?? createPace({ concurrency, time, onFault }),
      slots: this.#slots,
      leadMs: leadMs ?? 0,
      health: this.#health,
      room: this.#room,
      giveUp: (entry) => this.#giveUp(entry),
      isHalted: (job) => this.#closed !== undefined || this.#heldBack(job) !== undefined,
      leaving: () => (this.#isTakenOver ? this.#whyClosed() : undefined),
      heldBack: (job) => this.#heldBack(job),
      onDispatch: this.#reports.dispatch,
      onFault,
      onStuck: (isStuck) =>
        this.#reports.event({ type: isStuck ? 'stuck' : 'unstuck', lane: name }),
    })
  }

  /** Why a job may not join the queue; undefined when it may. */
  #admissionError(job: Job<A>, limitMs: number): Error | undefined {
    if (this.#closed !== undefined) return this.#whyClosed()
    const stopped = this.#heldBack(job)
    if (stopped !== undefined) return stopped
    const { time } = this.#options
    const room = this.#room
    const dispatcher = this.#dispatcher
    if (job.signal?.aborted) return notSent(new CallerGoneError())
    const gate = this.#gate.gateOf(job, time.monotonicMs())
    if (gate === 'exchange') return this.#unavailable()
    if (gate === 'account') return this.#accountUnavailable(job.account)
    if (gate === 'try') return undefined
    return admissionError(job, { ...this.#options, room, dispatcher, limitMs })
  }

  #giveUp(entry: Entry<A>): void {
    const { name } = this.#options
    entry.reject(notSent(new QueueDeadlinePassedError(name, inSeconds(entry.limitMs))))
    this.#dispatcher.schedule()
  }

  // When this returns, none of the entries can be sent; they leave and are rejected in batches of a
  // hundred.
  #rejectAll(entries: readonly Entry<A>[], errorOf: () => Error): Promise<void> {
    for (const entry of entries) entry.rejectWith = errorOf
    return inBatches(this.#options.time, entries, (entry) => {
      if (!this.#room.has(entry)) return
      this.#room.leave(entry)
      entry.reject(errorOf())
      this.#dispatcher.schedule()
    })
  }

  #rejectStopped(reason: string): void {
    const entries = [...this.#room.entries].filter(({ job }) => this.#heldBack(job) !== undefined)
    void this.#rejectAll(entries, () => this.#stopped(reason))
  }

  /** The first moment of a call, counted from now. */
  #startMs(): number {
    const { time, startDelayMs = START_DELAY_MS_DEFAULT } = this.#options
    return time.monotonicMs() + startDelayMs
  }

  /** The error of a job that may not be sent now; undefined when it may. */
  #heldBack(job?: Pick<Job<A>, 'endsOrders'>): Error | undefined {
    const reason = this.#options.heldBack?.()
    if (reason !== undefined || this.#stoppedBy === undefined) return reason
    const mayPass = this.#endsOrders && job?.endsOrders === true
    return mayPass ? undefined : this.#stopped(this.#stoppedBy)
  }

  #stopped(reason: string): Error {
    return notSent(new ExchangeStoppedError(this.#options.name, reason))
  }

  #unavailable(): Error {
    const { name, time } = this.#options
    const coolDownMs = this.#health.coolDownMs(time.monotonicMs())
    return notSent(new ExchangeUnavailableError(name), coolDownMs)
  }

  #accountUnavailable(account: string | undefined): Error {
    const { name, time } = this.#options
    const coolDownMs = this.#health.accounts.coolDownMs(account, time.monotonicMs())
    return notSent(new ExchangeAccountUnavailableError(name), coolDownMs)
  }

  async #closeWithin(graceMs: number): Promise<void> {
    const entries = [...this.#room.entries]
    const rejected = this.#rejectAll(entries, this.#whyClosed)
    const { promise: graceOver, resolve } = Promise.withResolvers<void>()
    const cancel = this.#options.time.setTimer(graceMs, resolve)
    await Promise.race([this.#dispatcher.calls.idle(), graceOver])
    cancel()
    await rejected
  }
}
