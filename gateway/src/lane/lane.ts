import { queueRefusal } from './admission.ts'
import { checkLaneOptions } from './check-lane-options.ts'
import { Dispatcher } from './dispatcher.ts'
import {
  CallerGoneError,
  ExchangeStoppedError,
  ExchangeUnavailableError,
  GatewayStoppingError,
  inSeconds,
  notSent,
  QueueDeadlinePassedError,
  QueueEntryDroppedError,
} from './errors.ts'
import { Health } from './health.ts'
import { inBatches } from './in-batches.ts'
import { type Job, type LaneAnswer, rankOf } from './job.ts'
import { toQueueCounts, toQueueEntry, toStanding } from './lane-snapshot.ts'
import type { Dispatch, Lane, LaneEvent, LaneOptions } from './lane-types.ts'
import { createPace } from './pace.ts'
import { SlotClock } from './slot-clock.ts'
import { toError } from './to-error.ts'
import { type Entry, WaitingRoom } from './waiting-room.ts'

const guardMsDefault = 2
const startDelayMsDefault = 1000

/**
 * Makes the lane of one exchange; close it with close().
 *
 * @throws RangeError when a number among the options cannot be meant
 */
export function createLane<A>(options: LaneOptions<A>): Lane<A> {
  checkLaneOptions(options)
  const { name, time, maxQueueWaitMs, ratePerSecond, concurrency } = options
  let stoppedBy: string | undefined
  let closed: Promise<void> | undefined
  let seq = 0

  const room = new WaitingRoom<A>({
    time,
    onDue: giveUp,
    onHangUp(entry) {
      entry.reject(notSent(new CallerGoneError()))
      dispatcher.pump()
    },
  })
  const health = new Health({
    name,
    random: options.random,
    report,
    onBroken: () => void rejectAll([...room.entries], unavailable),
  })
  const dispatcher = new Dispatcher<A>({
    ...options,
    pace: options.pace ?? createPace({ concurrency, time }),
    slots: new SlotClock({
      ratePerSecond,
      guardMs: options.guardMs ?? guardMsDefault,
      startMs: time.monotonicMs() + (options.startDelayMs ?? startDelayMsDefault),
    }),
    leadMs: options.leadMs ?? 0,
    health,
    room,
    giveUp,
    isHalted: () => closed !== undefined || stoppedBy !== undefined,
    heldBack: () => (stoppedBy === undefined ? undefined : stopped(stoppedBy)),
    onDispatch: reportDispatch,
    onFault: (error) => report({ type: 'fault', lane: name, error }),
    onStuck: (isStuck) => report({ type: isStuck ? 'stuck' : 'unstuck', lane: name }),
  })

  function giveUp(entry: Entry<A>): void {
    entry.reject(notSent(new QueueDeadlinePassedError(name, inSeconds(entry.limitMs))))
    dispatcher.pump()
  }

  function report(event: LaneEvent): void {
    if (event.type === 'fault') health.note(toError(event.error).message, time.monotonicMs())
    try {
      options.onEvent?.(event)
    } catch (error) {
      health.note(toError(error).message, time.monotonicMs())
    }
  }

  // It runs between the bytes of one call and the start of the next: no fault of the one told may stop that.
  function reportDispatch(dispatch: Dispatch): void {
    try {
      options.onDispatch?.(dispatch)
    } catch (error) {
      report({ type: 'fault', lane: name, error })
    }
  }

  // Nothing of it can go any more when this returns; it leaves and the callers hear of it a hundred at a time.
  function rejectAll(entries: readonly Entry<A>[], errorOf: () => Error): Promise<void> {
    for (const entry of entries) entry.rejectWith = errorOf
    return inBatches(time, entries, (entry) => {
      if (!room.has(entry)) return
      room.leave(entry)
      entry.reject(errorOf())
      dispatcher.pump()
    })
  }

  function stopped(reason: string): Error {
    return notSent(new ExchangeStoppedError(name, reason))
  }

  function unavailable(): Error {
    return notSent(new ExchangeUnavailableError(name), health.coolDownMs(time.monotonicMs()))
  }

  /** Whole milliseconds until the job goes that has `ahead` others before it. */
  function waitMs(ahead: number): number {
    return Math.ceil(dispatcher.nextSlotMs(time.monotonicMs()) + ahead * dispatcher.spacingMs)
  }

  /** Of a job submitted now. More urgent jobs that come later are not foreseen. */
  function expectedWaitMs(job: Pick<Job<A>, 'jobClass' | 'clientId'>): number {
    return waitMs(room.queue.ahead(rankOf(job.jobClass), job.clientId, dispatcher.spacingMs))
  }

  function refusalOf(job: Job<A>, limitMs: number): Error | undefined {
    if (closed !== undefined) return notSent(new GatewayStoppingError())
    if (stoppedBy !== undefined) return stopped(stoppedBy)
    const breakerState = health.breakerState(time.monotonicMs())
    const isProbed = room.queue.size + dispatcher.inFlight > 0
    if (breakerState === 'open' || (breakerState === 'probing' && isProbed)) return unavailable()
    if (job.signal?.aborted) return notSent(new CallerGoneError())
    return queueRefusal(job, {
      ...options,
      queued: room.queue.size,
      queuedByClient: room.queue.sizeOf(job.clientId),
      clients: room.queue.sizeByClient.size,
      spacingMs: dispatcher.spacingMs,
      // Joining a queued call costs no slot; how soon that one goes is its own client's business.
      expectedWaitMs: room.sharing(job).length > 0 ? 0 : expectedWaitMs(job),
      limitMs,
    })
  }

  return {
    submit(job) {
      const { promise, resolve, reject } = Promise.withResolvers<LaneAnswer<A>>()
      // Whoever holds the promise gets the rejection. Without this, holding it unread would end the process.
      promise.catch(() => {})
      const limitMs = Math.max(0, Math.min(job.maxWaitMs ?? maxQueueWaitMs, maxQueueWaitMs))
      const refusal = refusalOf(job, limitMs)
      if (refusal !== undefined) {
        reject(refusal)
        return promise
      }
      seq += 1
      const arrivedMs = time.monotonicMs()
      room.enter({
        seq,
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
      dispatcher.pump()
      return promise
    },

    quota() {
      const resetMs = Math.ceil(
        dispatcher.nextSlotMs(time.monotonicMs()) + room.queue.size * dispatcher.spacingMs,
      )
      return { remaining: resetMs === 0 ? 1 : 0, resetMs }
    },

    dropClient(clientId, reason) {
      const entries = [...room.entries].filter((entry) => entry.clientId === clientId)
      void rejectAll(entries, () => reason)
      return entries.length
    },

    list() {
      const nowMs = time.monotonicMs()
      const { spacingMs } = dispatcher
      const inOrder = room.queue.inOrder(nowMs + dispatcher.nextSlotMs(nowMs), spacingMs)
      return Array.from(inOrder, (entry, ahead) => toQueueEntry(entry, nowMs, waitMs(ahead)))
    },

    drop(entryId, reason) {
      const entry = [...room.entries].find((queued) => String(queued.seq) === entryId)
      if (entry === undefined) return false
      void rejectAll([entry], () => notSent(new QueueEntryDroppedError(name, reason)))
      return true
    },

    stop(reason) {
      stoppedBy = reason
      void rejectAll([...room.entries], () => stopped(reason))
      report({ type: 'stopped', lane: name, reason })
    },

    resume() {
      if (stoppedBy === undefined) return
      stoppedBy = undefined
      report({ type: 'resumed', lane: name })
    },

    snapshot() {
      const nowMs = time.monotonicMs()
      const { lastError } = health
      const standing = toStanding({
        name,
        isClosing: closed !== undefined,
        stoppedBy,
        breakerState: health.breakerState(nowMs),
        coolDownMs: health.coolDownMs(nowMs),
        pausedMs: health.pausedUntilMs - nowMs,
        isStuck: dispatcher.isStuck,
        lastError: lastError?.message,
      })
      return {
        name,
        ...standing,
        ratePerSecond,
        currentRatePerSecond: ratePerSecond * health.rateFactor,
        ...toQueueCounts(room, nowMs),
        estimatedWaitMs: expectedWaitMs({ jobClass: 'order', clientId: '' }),
        inFlight: dispatcher.inFlight,
        slotsUsed: dispatcher.slotsUsed,
        lastError:
          lastError === undefined
            ? null
            : { message: lastError.message, agoMs: Math.round(nowMs - lastError.atMs) },
      }
    },

    close(graceMs) {
      closed ??= closeWithin(graceMs)
      return closed
    },
  }

  async function closeWithin(graceMs: number): Promise<void> {
    const rejected = rejectAll([...room.entries], () => notSent(new GatewayStoppingError()))
    const { promise: graceOver, resolve } = Promise.withResolvers<void>()
    const cancel = time.setTimer(graceMs, resolve)
    await Promise.race([dispatcher.idle(), graceOver])
    cancel()
    await rejected
  }
}
