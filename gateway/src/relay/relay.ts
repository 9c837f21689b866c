import type { ExchangeCode, Permission } from 'schema'
import { EXCHANGE_NAMES } from 'schema'
import { type ExchangeClock, readTime, timeCall } from '../exchanges/clock.ts'
import { ExchangeAnswerUnclearError } from '../exchanges/errors.ts'
import type { Family, UpstreamAnswer, UpstreamCall } from '../exchanges/exchange.ts'
import { traceOf } from '../exchanges/order-trace.ts'
import { judgeAnswer, readAnswer } from '../exchanges/read-answer.ts'
import { refusalError } from '../exchanges/refusal.ts'
import { signCall } from '../exchanges/sign.ts'
import type { Transport } from '../exchanges/transport.ts'
import type { Verdict } from '../exchanges/verdict.ts'
import type { Job, JobClass, Slot } from '../lane/job.ts'
import { isRead } from '../lane/job.ts'
import type { Lane } from '../lane/lane-types.ts'
import type { ClientStore } from '../store/client-store.ts'
import { type CallReport, failureOf, resultOf } from './call-report.ts'
import type { ClientKeys } from './client-keys.ts'
import type { Delivery } from './delivery.ts'
import {
  ClientSwitchedOffError,
  ExchangeAnswerInvalidError,
  OutcomeUnknownError,
  PermissionWithdrawnError,
} from './errors.ts'
import type { Ticket } from './ticket.ts'

/** What a request spent on its way; its log row and the timing headers are made of it. */
export interface Trip {
  /** Milliseconds in the queue, all its calls together; null when it was never queued. */
  queueMs: number | null
  /** Milliseconds until the exchange answered, all its calls together; null when nothing was sent. */
  upstreamMs: number | null
  /** Whether a call of another request answered it. */
  shared: boolean
}

/** A client's request, as far as the relay needs to know it. */
export interface Errand {
  readonly requestId: string
  readonly method: string
  readonly endpoint: string
  readonly clientRef: number
  readonly clientId: string
  readonly signal?: AbortSignal
  readonly maxWaitMs?: number
  /** What the client must still be allowed to do when the slot comes; absent: to be active is enough. */
  readonly permission?: Permission
  /** An administrator's own call with a client's keys, such as a key test: goes for an inactive client too. */
  readonly byAdmin?: boolean
  readonly trip: Trip
}

/** A request that trades: its place in the journal comes with it. */
export interface TradeErrand extends Errand {
  readonly ticket: Ticket
}

interface SendOptions {
  readonly jobClass: JobClass
  /** The answer passes on unread: only its verdict is wanted, not its digits. */
  readonly raw?: boolean
  /** Where it is written down that it goes out, before a byte of it does, and that it was turned away. */
  readonly journal?: Record<'markSent' | 'markNotTaken', () => Promise<void>>
}

export interface RelayDeps {
  readonly exchange: ExchangeCode
  readonly lane: Lane<Delivery>
  readonly transport: Pick<Transport, 'send' | 'warm'>
  readonly clock: ExchangeClock
  readonly keys: ClientKeys
  readonly clients: Pick<ClientStore, 'byId'>
  readonly monotonicMs: () => number
  /** The exchange's clock could not be read; the call goes on with the time that was known. */
  readonly onUnmeasured: (error: unknown) => void
  /** An answer is there or will not come. It must not throw. */
  readonly onCalled?: (report: CallReport) => void
}

const TIME_FAMILY: Record<ExchangeCode, Family> = { mx: 'mexc-spot', bg: 'bitget' }

/** The way of every call to one exchange: queued in its lane, signed when its slot is there, sent once, understood. */
export function createRelay(deps: RelayDeps) {
  const { exchange, lane, transport, clock, keys, clients, monotonicMs, onUnmeasured } = deps
  const { onCalled } = deps
  const name = EXCHANGE_NAMES[exchange]
  let measuring: Promise<void> | undefined

  /** Learns the exchange's time, in its turn like any other call. One measurement at a time. */
  function measureClock(): Promise<void> {
    measuring ??= measure().finally(() => {
      measuring = undefined
    })
    return measuring
  }

  /** Measures the exchange's clock when it is due; without an answer the time that was known is used. */
  async function syncClock(): Promise<void> {
    if (clock.needsMeasure()) await measureClock().catch(onUnmeasured)
  }

  async function measure(): Promise<void> {
    const family = TIME_FAMILY[exchange]
    let sentAtMs = monotonicMs()
    const delivery = await sendOwn(timeCall(family), () => {
      sentAtMs = monotonicMs()
    })
    const timeMs = readTime(family, delivery.answer)
    if (timeMs === undefined)
      throw new ExchangeAnswerInvalidError(name, 'its time could not be read')
    clock.learn(timeMs, sentAtMs, sentAtMs + delivery.answer.upstreamMs)
  }

  /** A public call of the gateway's own, before everybody's orders: they depend on what it brings. */
  async function sendOwn(call: UpstreamCall, onSentToo?: () => void): Promise<Delivery> {
    const { answer } = await lane.submit({
      clientId: OWN_CLIENT_ID,
      jobClass: 'lookup',
      label: { requestId: OWN_CLIENT_ID, method: call.method, endpoint: call.path },
      shareKey: shareKeyOf(call, 0),
      run: (slot) =>
        deliver(call, undefined, {
          ...slot,
          onSent() {
            onSentToo?.()
            slot.onSent()
          },
        }),
    })
    return answer
  }

  /** Has everything ready when the slot is there; then signs with the time of that moment and sends, once. */
  async function deliver(
    call: UpstreamCall,
    errand: Errand | undefined,
    slot: Pick<Slot, 'opened' | 'onSent'>,
    { raw, journal }: Pick<SendOptions, 'raw' | 'journal'> = {},
  ): Promise<Delivery> {
    const clientKeys =
      call.signed && errand !== undefined ? await keys.open(errand.clientRef, exchange) : null
    await journal?.markSent()
    await slot.opened()
    const signed = signCall(call, clientKeys, clock.nowMs())
    const told = reportOf(call, errand)
    const answer = await transport
      .send(call.family, signed, { onSent: slot.onSent })
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
  function reportOf(call: UpstreamCall, errand: Errand | undefined) {
    const startedAtMs = monotonicMs()
    return (status: CallReport['status'], result: CallReport['result']) =>
      onCalled?.({
        exchange,
        call,
        errand,
        startedAtMs,
        durationMs: monotonicMs() - startedAtMs,
        status,
        result,
      })
  }

  /** The client may have changed while the request waited. */
  async function mayGo({ clientRef, permission }: Errand): Promise<undefined | Error> {
    const client = await clients.byId(clientRef)
    if (client?.active !== true) return new ClientSwitchedOffError()
    if (permission === undefined || client.permissions.includes(permission)) return undefined
    return new PermissionWithdrawnError(permission)
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
      ...(errand.maxWaitMs === undefined ? {} : { maxWaitMs: errand.maxWaitMs }),
      ...(isRead(jobClass) ? { shareKey: shareKeyOf(call, errand.clientRef) } : {}),
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
      await syncClock()
    }
    const delivery = await submit(errand, call, options)
    if (!isTimeRefusal(delivery.verdict)) return delivery
    clock.markStale()
    await measureClock().catch(onUnmeasured)
    return clock.needsMeasure() ? delivery : submit(errand, call, options)
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
      const { answer, queueWaitMs, shared } = await lane.submit(jobOf(errand, call, options))
      trip.queueMs = (trip.queueMs ?? 0) + queueWaitMs
      trip.upstreamMs = (trip.upstreamMs ?? 0) + answer.answer.upstreamMs
      trip.shared ||= shared
      return answer
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

  async function ask<T>(
    errand: Errand,
    call: UpstreamCall,
    jobClass: JobClass,
    read: (data: unknown) => T,
  ): Promise<T> {
    const { verdict } = await send(errand, call, { jobClass })
    if (verdict.kind === 'unknown') throw new ExchangeAnswerInvalidError(name, verdict.why)
    if (verdict.kind !== 'ok') throw refusalError(name, verdict.refusal)
    try {
      return read(verdict.data)
    } catch (cause) {
      if (!(cause instanceof ExchangeAnswerUnclearError)) throw cause
      throw new ExchangeAnswerInvalidError(name, cause.message)
    }
  }

  /** An order or cancel: journalled, sent once, and looked for when nobody knows what became of it. */
  async function trade(
    { ticket, ...errand }: TradeErrand,
    call: UpstreamCall,
    jobClass: 'order' | 'cancel',
    raw: boolean,
  ): Promise<Delivery> {
    const trace = traceOf(call)
    const journal = {
      markSent: () => ticket.markSent(trace),
      markNotTaken: () => ticket.markNotTaken(),
    }
    try {
      const delivery = await send(errand, call, { jobClass, raw, journal })
      const { verdict } = delivery
      if (verdict.kind === 'unknown') return await findOut(ticket, call, verdict.why)
      if (verdict.kind !== 'ok') ticket.noteRefusal(verdict.refusal.class)
      return delivery
    } catch (cause) {
      if (!mayHaveBeenSent(cause)) throw cause
      return findOut(ticket, call, messageOf(cause), cause)
    }
  }

  async function findOut(
    ticket: Ticket,
    call: UpstreamCall,
    why: string,
    cause?: unknown,
  ): Promise<Delivery> {
    // What makes no single order cannot be looked for: its caller need not wait for that.
    const found = traceOf(call) === undefined ? undefined : await ticket.findOut()
    if (found === undefined)
      throw new OutcomeUnknownError(name, why, traceOf(call)?.clientOrderId, { cause })
    const answer: UpstreamAnswer = {
      status: found.status,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(found.body),
      upstreamMs: 0,
    }
    return { answer, verdict: readAnswer(call, answer) }
  }

  return {
    exchange,
    name,
    measureClock,
    syncClock,
    sendOwn,

    /** The exchange's time, whole Unix ms, measured anew when it is due; undefined when it cannot be measured. */
    async timeMs(): Promise<number | undefined> {
      await syncClock()
      return clock.needsMeasure() ? undefined : clock.nowMs()
    },

    /** Changes when the client's keys are replaced: what was learnt of the account may be of another one. */
    keysIdOf: (errand: Errand) => keys.idOf(errand.clientRef, exchange),

    /**
     * A question: what `read` makes of the data of a good answer.
     * @throws refusalError when the exchange refused, ExchangeAnswerInvalidError when nothing usable came
     */
    ask: <T>(errand: Errand, call: UpstreamCall, read: (data: unknown) => T): Promise<T> =>
      ask(errand, call, call.signed ? 'account' : 'market', read),

    /** A question whose answer passes on as it is, whatever it says. */
    askRaw: (errand: Errand, call: UpstreamCall): Promise<Delivery> =>
      send(errand, call, { jobClass: call.signed ? 'account' : 'market', raw: true }),

    /** A question or setting before or after an order, in the order's own turn; harmless when it happens twice. */
    step: <T>(errand: Errand, call: UpstreamCall, read: (data: unknown) => T): Promise<T> =>
      ask(errand, call, 'order', read),

    /** Asks what became of an order: before new orders, whoever's turn it is. */
    async lookUp(errand: Errand, call: UpstreamCall): Promise<Verdict> {
      return (await send(errand, call, { jobClass: 'lookup' })).verdict
    },

    /**
     * An order or cancel: what `read` makes of the data of a good answer.
     * @throws refusalError when the exchange refused, OutcomeUnknownError when it may have been carried out and
     * could not be found, StoreUnwritableError when it could not be written down: then nothing was sent
     */
    async trade<T>(
      errand: TradeErrand,
      call: UpstreamCall,
      jobClass: 'order' | 'cancel',
      read: (data: unknown) => T,
    ): Promise<T> {
      const { verdict } = await trade(errand, call, jobClass, false)
      if (verdict.kind === 'rate-limited' || verdict.kind === 'refused')
        throw refusalError(name, verdict.refusal)
      try {
        if (verdict.kind === 'ok') return read(verdict.data)
        throw new ExchangeAnswerUnclearError(name, verdict.why)
      } catch (cause) {
        if (!(cause instanceof ExchangeAnswerUnclearError)) throw cause
        const found = await findOut(errand.ticket, call, cause.message, cause)
        if (found.verdict.kind !== 'ok') throw cause
        return read(found.verdict.data)
      }
    },

    /** An order or cancel whose answer passes on as it is. @throws OutcomeUnknownError, StoreUnwritableError */
    tradeRaw: (errand: TradeErrand, call: UpstreamCall, jobClass: 'order' | 'cancel') =>
      trade(errand, call, jobClass, true),
  }
}
export type Relay = ReturnType<typeof createRelay>

/** Whose turn the gateway's own calls take: its clock and the symbols' rules. */
export const OWN_CLIENT_ID = 'sluice'

/** Identical while queued: the same call, and for what is signed the same client. */
function shareKeyOf(call: UpstreamCall, clientRef: number): string {
  return JSON.stringify([
    call.method,
    call.path,
    call.query,
    call.body,
    call.demo,
    call.locale,
    call.signed ? clientRef : null,
  ])
}

/** The exchange did nothing, because of the time that the request carried. */
function isTimeRefusal(verdict: Verdict): boolean {
  return verdict.kind === 'refused' && verdict.refusal.class === 'time'
}

function mayHaveBeenSent(error: unknown): boolean {
  return error instanceof Error && 'sent' in error && error.sent === true
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no answer came'
}
