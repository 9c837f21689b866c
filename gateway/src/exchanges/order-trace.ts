import { bitgetAnswer, bitgetLookups } from './bitget/find-order.ts'
import type { ExchangeCode, Family, UpstreamCall } from './exchange.ts'
import { fillJsonField } from './fill-json-field.ts'
import { futuresAnswer, futuresLookups } from './mexc/find-order-futures.ts'
import { spotAnswer, spotLookups } from './mexc/find-order-spot.ts'
import { clientOrderIdName, orderCallForm, orderFields } from './order-call-form.ts'
import { type OrderTerms, sentTerms } from './order-terms.ts'
import { joinQueries, queryText, withoutNames } from './query-text.ts'
import { textOf } from './untrusted.ts'
import type { Verdict } from './verdict.ts'

/**
 * Which order a call is about, and what it does to it: what has to be known to find out later what
 * became of it. Survives JSON, so that it can be written down before the call is sent.
 */
export interface OrderTrace {
  readonly exchange: ExchangeCode
  readonly family: Family
  readonly market: 'spot' | 'futures'
  readonly action: 'place' | 'cancel' | 'modify'
  /** As the call names it; absent where it names none. */
  readonly symbol?: string | undefined
  /** Bitget futures; for the unified account its category. */
  readonly productType?: string | undefined
  /** Of the order that is placed, of the one that a change makes, or of the one to cancel. */
  readonly clientOrderId?: string | undefined
  /** The exchange's own id of the order to cancel or to change. */
  readonly orderId?: string | undefined
  /** What the order that the call makes is to do: one with its id that does otherwise is another one. */
  readonly terms?: OrderTerms | undefined
  /**
   * The order cannot have been made before, exchange time: an earlier try of it may stand although it was
   * turned away. When absent, its sending.
   */
  readonly notBeforeMs?: number | undefined
  /** Bitget's unified account (v3), which is asked at other places. */
  readonly isUnified?: boolean | undefined
  /** Bitget's demo account, where the order has to be looked for too. */
  readonly demo?: boolean | undefined
}

export interface FoundOrder {
  readonly orderId: string
  readonly clientOrderId?: string | undefined
  /** `partially-filled` still trades; an order that traded and was then cancelled is `cancelled`. */
  readonly state: 'open' | 'filled' | 'partially-filled' | 'cancelled' | 'rejected'
  /** Decimal; base coin, on MEXC futures contracts. */
  readonly filledSize?: string | undefined
  /** The order as the exchange wrote it; numbers that a double cannot hold are text. */
  readonly order?: Readonly<Record<string, unknown>> | undefined
}

/** One question to the exchange on the way to finding an order. */
export interface Lookup {
  readonly call: UpstreamCall
  /** `absent`: proven not to be at this place. `unclear`: the answer proves nothing. */
  readonly read: (verdict: Verdict) => FoundOrder | 'absent' | 'unclear'
}

/**
 * From any call that trades: those that the gateway builds and those that a bot wrote itself.
 * Undefined for calls that trade in another way (several orders at once, cancel-all, trigger orders,
 * leverage, settings): nothing can be looked up for them.
 */
export function traceOf(call: UpstreamCall): OrderTrace | undefined {
  const form = orderCallForm(call)
  const fields = form === undefined ? undefined : orderFields(call)
  if (form === undefined || fields === undefined) return undefined
  const { action, isUnified } = form
  const idName = clientOrderIdName(form, fields)
  const productType = textOf(isUnified === true ? fields.category : fields.productType)
  const isFutures = isUnified === true ? /-FUTURES$/i.test(productType ?? '') : undefined
  const market = isFutures === undefined ? form.market : isFutures ? 'futures' : 'spot'
  return {
    exchange: call.family === 'bitget' ? 'bg' : 'mx',
    family: call.family,
    market,
    action,
    symbol: textOf(fields.symbol),
    productType,
    clientOrderId: idName === undefined ? undefined : textOf(fields[idName]),
    orderId: action === 'place' ? undefined : textOf(fields.orderId),
    terms: form.terms === undefined ? undefined : sentTerms(form.terms, fields, market),
    isUnified,
    demo: call.demo,
  }
}

/**
 * The same call with a client order id where its protocol allows one and the bot gave none; all else
 * stays byte for byte. Calls that have one, that do not place a single order, or whose body cannot be
 * read come back as they are.
 * @param clientOrderId `[A-Za-z0-9_-]{1,32}`, which every protocol takes
 */
export function withClientOrderId(call: UpstreamCall, clientOrderId: string): UpstreamCall {
  const form = orderCallForm(call)
  const fields = form === undefined ? undefined : orderFields(call)
  if (form?.action !== 'place' || fields === undefined) return call
  const name = clientOrderIdName(form, fields)
  if (name === undefined || !isNone(fields[name])) return call
  if (call.family === 'mexc-spot') {
    // An empty one that stands there is taken away: which of two counts is not documented.
    const others = withoutNames(call.query, (other) => other === name)
    return { ...call, query: joinQueries(others, queryText([[name, clientOrderId]])) }
  }
  const body = fillJsonField(call.body ?? '', name, clientOrderId)
  return body === undefined ? call : { ...call, body }
}

/**
 * Where the order may be, the surest first: by its own id, then open orders, then history around the
 * time it was sent. In this order an order that is filled between two questions is not missed. Empty
 * when the call gave nothing to look it up by.
 * @param sentAtMs before the call's first byte went out, exchange time
 * @param nowMs exchange time
 */
export function lookupsOf(trace: OrderTrace, sentAtMs: number, nowMs: number): Lookup[] {
  switch (trace.family) {
    case 'mexc-spot':
      return spotLookups(trace, sentAtMs, nowMs)
    case 'mexc-futures':
      return futuresLookups(trace, sentAtMs, nowMs)
    case 'bitget':
      return bitgetLookups(trace, sentAtMs, nowMs)
  }
}

/**
 * What a found order says about the call. An order that the exchange took in and then declared
 * invalid was not placed. A change of MEXC futures finds only the old order, which proves by being
 * open that it was not replaced.
 */
export function outcomeOf(trace: OrderTrace, found: FoundOrder): 'done' | 'not-done' {
  if (trace.action === 'cancel') return found.state === 'cancelled' ? 'done' : 'not-done'
  const isOldOrder = trace.action === 'modify' && trace.clientOrderId === undefined
  return isOldOrder || found.state === 'rejected' ? 'not-done' : 'done'
}

/**
 * The answer that the exchange would have given to the call that was carried out, in its own form:
 * for the documented readers as for bots that read it themselves.
 * @param nowMs exchange time
 */
export function answerFor(
  trace: OrderTrace,
  found: FoundOrder,
  nowMs: number,
): { status: number; body: string } {
  return { status: 200, body: JSON.stringify(answerOf(trace, found, nowMs)) }
}

function answerOf(trace: OrderTrace, found: FoundOrder, nowMs: number): object {
  switch (trace.family) {
    case 'mexc-spot':
      return spotAnswer(trace, found, nowMs)
    case 'mexc-futures':
      return futuresAnswer(trace, found, nowMs)
    case 'bitget':
      return bitgetAnswer(trace, found, nowMs)
  }
}

/** What programs write that send every field: an id of this kind is none. */
function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
