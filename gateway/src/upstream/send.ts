import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { judgeAnswer, readAnswer } from '../exchanges/protocol/read-response.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import { signCall } from '../exchanges/sign.ts'
import { inSeconds, notSent, QueueDeadlinePassedError } from '../lane/errors.ts'
import type { Job, JobClass, Slot } from '../lane/job.ts'
import { isRead } from '../lane/job.ts'
import type { Lane } from '../lane/lane-types.ts'
import { ClientSwitchedOffError, PermissionWithdrawnError } from '../orders/errors.ts'
import type { ClientStore } from '../store/client-store.ts'
import { type CallReport, failureOf, resultOf } from './call-report.ts'
import type { ClientKeys } from './client-keys.ts'
import type { ExchangeClock } from './clock.ts'
import type { Delivery } from './delivery.ts'
import { createExchangeTime } from './exchange-time.ts'
import type { Errand } from './request-context.ts'
import type { Transport } from './transport.ts'
import { createLine } from './wait-in-queue.ts'

interface SendOptions {
  readonly jobClass: JobClass
  /** The answer passes on unread: only its verdict is wanted, not its digits. */
  readonly raw?: boolean
  /** Where it is written down that it goes out, before a byte of it does, and that it was turned away. */
  readonly journal?: {
    readonly markSent: (keysId: number | null) => Promise<void>
    readonly markNotTaken: () => Promise<void>
  }
}

export interface SenderDeps {
  readonly exchange: ExchangeCode
  readonly lane: Lane<Delivery>
  /** How long a request may wait in the queue, all its calls together. */
  readonly maxQueueWaitMs: number
  /** What one client may have waiting for its turn before the queue. */
  readonly clientWaitingMax: number
  readonly transport: Pick<Transport, 'send' | 'warm'>
  readonly clock: ExchangeClock
  readonly keys: ClientKeys
  readonly clients: Pick<ClientStore, 'find'>
  readonly monotonicMs: () => number
  /** The exchange's clock could not be read; the call goes on with the time that was known. */
  readonly onUnmeasured: (error: unknown) => void
  /** An answer is there or will not come. It must not throw. */
  readonly onCalled?: (report: CallReport) => void
}

/** One call at a time through an exchange's lane: queued, signed when its slot is there, sent once, judged. */
export function createSender(deps: SenderDeps) {
  const { exchange, lane, maxQueueWaitMs, transport, clock, keys, clients, monotonicMs } = deps
  const { onUnmeasured, onCalled } = deps
  const line = createLine({ name: EXCHANGE_NAMES[exchange], clientMax: deps.clientWaitingMax })
  const time = createExchangeTime({ exchange, clock, monotonicMs, ask: sendOwn, onUnmeasured })

  /** A public call of the gateway's own, before everybody's orders: they depend on what it brings. */
  async function sendOwn(call: UpstreamCall, onSentToo?: () => void): Promise<Delivery> {
    const { response } = await lane.submit({
      clientId: OWN_CLIENT_ID,
      jobClass: 'lookup',
      label: { requestId: OWN_CLIENT_ID, method: call.method, endpoint: call.path },
      shareKey: shareKeyOf(call, 0, false),
      run: (slot) =>
        deliver(call, undefined, {
          ...slot,
          onSent() {
            onSentToo?.()
            slot.onSent()
          },
        }),
    })
    return response
  }

  /** Has everything ready when the slot is there; then signs with the time of that moment and sends, once. */
  async function deliver(
    call: UpstreamCall,
    errand: Errand | undefined,
    slot: Slot,
    { raw, journal }: Pick<SendOptions, 'raw' | 'journal'> = {},
  ): Promise<Delivery> {
    const opened =
      call.signed && errand !== undefined ? await keys.open(errand.clientRef, exchange) : null
    await journal?.markSent(opened?.id ?? null)
    await slot.opened()
    const signed = signCall(call, opened?.keys ?? null, clock.nowMs())
    const told = reportOf(call, errand, slot.queueWaitMs)
    const answer = await transport
      .send(call.family, signed, { onSent: slot.onSent, heldBack: slot.heldBack })
      .catch((error: unknown) => {
        told(undefined, failureOf(error))
        throw error
      })
    const verdict = (raw === true ? judgeAnswer : readAnswer)(call, answer)
    told(answer.status, resultOf(verdict))
    if (verdict.kind === 'rate-limited' || isTimeRefusal(verdict)) await journal?.markNotTaken()
    return { answer, verdict }
  }

  /** Starts the clock of a call; what it returns tells how the call ended. */
  function reportOf(call: UpstreamCall, errand: Errand | undefined, waitedMs: number) {
    const startedAtMs = monotonicMs()
    return (status: CallReport['status'], result: CallReport['result']) =>
      onCalled?.({
        exchange,
        call,
        errand,
        waitedMs,
        startedAtMs,
        durationMs: monotonicMs() - startedAtMs,
        status,
        result,
      })
  }

  /** The client may have changed while the request waited. */
  async function mayGo({ clientRef, permission }: Errand): Promise<undefined | Error> {
    const client = await clients.find(clientRef)
    if (client?.active !== true) return new ClientSwitchedOffError()
    if (permission === undefined || client.permissions.includes(permission)) return undefined
    return new PermissionWithdrawnError(permission)
  }

  /** How long a request may still wait. @throws QueueDeadlinePassedError */
  function leftMsOf({ maxWaitMs = maxQueueWaitMs, trip }: Errand): number {
    if (maxWaitMs === Number.POSITIVE_INFINITY) return maxQueueWaitMs
    const leftMs = Math.min(maxWaitMs, maxQueueWaitMs) - (trip.queueMs ?? 0)
    if (leftMs >= 0) return leftMs
    throw tooLate(maxWaitMs)
  }

  const tooLate = (maxWaitMs = maxQueueWaitMs) =>
    notSent(
      new QueueDeadlinePassedError(
        EXCHANGE_NAMES[exchange],
        inSeconds(Math.min(maxWaitMs, maxQueueWaitMs)),
      ),
    )

  /**
   * Waits for a turn among a client's own orders. It counts as the queue's: an order may not go later than its bot
   * was told.
   * @throws ClientQueueShareExceededError, CallerGoneError, QueueDeadlinePassedError
   */
  async function waitFor(errand: Errand, turn: Promise<unknown>): Promise<void> {
    const { trip, maxWaitMs } = errand
    const cameAtMs = monotonicMs()
    try {
      await line(turn, errand, { leftMs: leftMsOf(errand), late: () => tooLate(maxWaitMs) })
    } finally {
      trip.queueMs = (trip.queueMs ?? 0) + Math.round(monotonicMs() - cameAtMs)
    }
  }

  function jobOf(errand: Errand, call: UpstreamCall, options: SendOptions): Job<Delivery> {
    const { jobClass } = options
    return {
      clientId: errand.clientId,
      jobClass,
      label: { requestId: errand.requestId, method: errand.method, endpoint: errand.endpoint },
      ...(errand.byAdmin === true ? {} : { mayGo: () => mayGo(errand) }),
      run: (slot) => deliver(call, errand, slot, options),
      ...(errand.signal === undefined ? {} : { signal: errand.signal }),
      maxWaitMs: leftMsOf(errand),
      ...(isRead(jobClass)
        ? { shareKey: shareKeyOf(call, errand.clientRef, options.raw === true) }
        : {}),
    }
  }

  /**
   * One call through the lane. A refusal for the timestamp proves that nothing was done: the clock is measured
   * and the call sent once more. When the clock cannot be measured the refusal is the answer.
   * @throws what the lane and the transport throw
   */
  async function send(errand: Errand, call: UpstreamCall, options: SendOptions): Promise<Delivery> {
    if (call.signed) {
      await keys.idOf(errand.clientRef, exchange)
      await time.syncClock()
    }
    const delivery = await submit(errand, call, options)
    if (!isTimeRefusal(delivery.verdict)) return delivery
    return (await time.correct()) ? submit(errand, call, options) : delivery
  }

  async function submit(
    errand: Errand,
    call: UpstreamCall,
    options: SendOptions,
  ): Promise<Delivery> {
    const { trip } = errand
    const submittedAtMs = monotonicMs()
    // The connection stands when the slot comes. One that cannot be opened is told by the call itself.
    transport.warm(call.family).catch(() => {})
    try {
      const { response, queueWaitMs, shared } = await lane.submit(jobOf(errand, call, options))
      trip.queueMs = (trip.queueMs ?? 0) + queueWaitMs
      trip.upstreamMs = (trip.upstreamMs ?? 0) + response.answer.upstreamMs
      trip.shared ||= shared
      return response
    } catch (cause) {
      const spentMs = Math.round(monotonicMs() - submittedAtMs)
      if (!mayHaveBeenSent(cause)) {
        trip.queueMs = (trip.queueMs ?? 0) + spentMs
        throw cause
      }
      trip.upstreamMs = (trip.upstreamMs ?? 0) + spentMs
      throw cause
    }
  }

  return { send, sendOwn, waitFor, time }
}

/** Whose turn the gateway's own calls take: its clock and the symbols' rules. */
const OWN_CLIENT_ID = 'sluice'

/**
 * Identical while queued: the same call, and for what is signed the same client.
 * @param raw the verdict has not the data's digits: one who reads them needs a call that keeps them
 */
function shareKeyOf(call: UpstreamCall, clientRef: number, raw: boolean): string {
  return JSON.stringify([
    call.method,
    call.path,
    call.query,
    call.body,
    call.demo,
    call.locale,
    call.signed ? clientRef : null,
    raw,
  ])
}

/** The exchange did nothing, because of the time that the request carried. */
function isTimeRefusal(verdict: Verdict): boolean {
  return verdict.kind === 'refused' && verdict.refusal.class === 'time'
}

/** Whether a call that failed may have reached the exchange. */
export function mayHaveBeenSent(error: unknown): boolean {
  return error instanceof Error && 'sent' in error && error.sent === true
}
