import { EXCHANGE_NAMES } from 'schema'
import type { UpstreamAnswer, UpstreamCall } from '../exchanges/exchange.ts'
import { type EntryDoubt, entryDoubts } from '../exchanges/order-lookup/entry-doubts.ts'
import { canBeLookedUp } from '../exchanges/order-lookup/lookups.ts'
import { isOwnId, type OrderCall, type OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { ExchangeAnswerUnclearError } from '../exchanges/protocol/errors.ts'
import { readAnswer } from '../exchanges/protocol/read-response.ts'
import { refusalError } from '../exchanges/protocol/rejection.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import type { JobClass } from '../lane/job.ts'
import { ExchangeAnswerInvalidError, OutcomeUnknownError } from '../orders/errors.ts'
import type { Ticket } from '../orders/ticket.ts'
import type { Delivery } from './delivery.ts'
import type { Errand, TradeErrand } from './request-context.ts'
import { createSender, mayHaveBeenSent, type SenderDeps } from './send.ts'

/** The way of every call to one exchange, and what its answer means for the one who asked. */
export function createRelay(deps: SenderDeps) {
  const { exchange, keys } = deps
  const name = EXCHANGE_NAMES[exchange]
  const { send, sendOwn, waitFor, time } = createSender(deps)

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
    { call, order: trace }: OrderCall,
    jobClass: 'order' | 'cancel',
    raw: boolean,
  ): Promise<Delivery> {
    const sought = soughtIn(trace)
    let timesSent = 0
    const journal = {
      markSent(keysId: number | null) {
        timesSent += 1
        return ticket.markSent(sought, keysId)
      },
      markNotTaken: () => ticket.markNotTaken(),
    }
    try {
      const delivery = await send(errand, call, { jobClass, raw, journal })
      const { verdict } = delivery
      if (verdict.kind === 'unknown') return await findOut(ticket, call, sought, verdict.why)
      const doubt = entryDoubts(verdict, trace).find(
        // What stands under an id may be an earlier try of the same order, turned away and taken all the same.
        ({ kind, clientOrderId }) =>
          kind === 'unknown' || timesSent > 1 || isOwnId(clientOrderId, ticket.clientOrderId),
      )
      if (doubt !== undefined) return await findOut(ticket, call, sought, DOUBTS[doubt.kind])
      if (verdict.kind !== 'ok') ticket.noteRefusal(verdict.refusal.class)
      return delivery
    } catch (cause) {
      if (!mayHaveBeenSent(cause)) throw cause
      return findOut(ticket, call, sought, messageOf(cause), cause)
    }
  }

  async function findOut(
    ticket: Ticket,
    call: UpstreamCall,
    sought: OrderKey | undefined,
    why: string,
    cause?: unknown,
  ): Promise<Delivery> {
    // What cannot be looked for: its caller need not wait for that.
    const found = sought === undefined ? undefined : await ticket.findOut()
    if (found === undefined) throw new OutcomeUnknownError(name, why, sought, cause)
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
    measureClock: time.measureClock,
    syncClock: time.syncClock,
    timeMs: time.timeMs,
    sendOwn,
    waitFor,

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

    /**
     * What limits the loss of a position that stands: as urgent as a cancel, and with its places in the queue when
     * the client's own orders fill their share.
     */
    protect: <T>(errand: Errand, call: UpstreamCall, read: (data: unknown) => T): Promise<T> =>
      ask(errand, call, 'cancel', read),

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
      order: OrderCall,
      jobClass: 'order' | 'cancel',
      read: (data: unknown) => T,
    ): Promise<T> {
      const { verdict } = await trade(errand, order, jobClass, false)
      if (verdict.kind === 'rate-limited' || verdict.kind === 'refused')
        throw refusalError(name, verdict.refusal)
      try {
        if (verdict.kind === 'ok') return read(verdict.data)
        throw new ExchangeAnswerUnclearError(name, verdict.why)
      } catch (cause) {
        if (!(cause instanceof ExchangeAnswerUnclearError)) throw cause
        const found = await findOut(
          errand.ticket,
          order.call,
          soughtIn(order.order),
          cause.message,
          cause,
        )
        if (found.verdict.kind !== 'ok') throw cause
        return read(found.verdict.data)
      }
    },

    /** An order or cancel whose answer passes on as it is. @throws OutcomeUnknownError, StoreUnwritableError */
    tradeRaw: (errand: TradeErrand, order: OrderCall, jobClass: 'order' | 'cancel') =>
      trade(errand, order, jobClass, true),
  }
}
export type Relay = ReturnType<typeof createRelay>

const DOUBTS: Readonly<Record<EntryDoubt['kind'], string>> = {
  duplicate: 'It already has an order with this client order id',
  unknown: 'It reports an internal error for one of the orders',
}

/** What can be looked up of a call; undefined also when one of its orders cannot. */
function soughtIn(trace: OrderKey | undefined): OrderKey | undefined {
  return trace !== undefined && canBeLookedUp(trace) ? trace : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no response arrived'
}
