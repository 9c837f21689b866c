import type { Market } from './exchange.ts'
import type { Closing } from './position-part.ts'
import { higher } from './protocol/decimals.ts'
import { lowerAscii, textOf, upperAscii } from './protocol/untrusted.ts'

/**
 * What a call does to the client's account, as far as limits judge it. A call about several orders
 * has an effect for each.
 */
export type CallEffect =
  | OrderEffect
  | LeverageEffect
  | MarginEffect
  /** It cancels orders, and does nothing else. */
  | { readonly kind: 'cancel' }
  /** It changes the account and trades nothing. */
  | { readonly kind: 'setting' }
  /** What it may trade does not follow from the call. */
  | { readonly kind: 'unbounded'; readonly why: string }

/** An order that a call makes, or what an order becomes by it. */
export interface OrderEffect {
  readonly kind: 'order'
  readonly market: Market
  /**
   * In capital letters; undefined when the call does not name it. Of a change the symbol of the
   * changed order counts: what the exchange makes of another one is not documented.
   */
  readonly symbol: string | undefined
  /** Bitget futures only: `USDT-FUTURES`. */
  readonly productType?: string | undefined
  /** Undefined when the call does not name it: a change keeps the side. */
  readonly side: 'buy' | 'sell' | undefined
  /**
   * Decimal, in what the exchange counts: the base coin, on MEXC futures contracts. Undefined where
   * the size is a quote amount, for all that there is, and in a change that leaves it as it was.
   */
  readonly size: string | undefined
  /** Decimal in the quote coin, of a market buy that is sized so. */
  readonly quoteSize?: string | undefined
  /**
   * Decimal. Undefined for a market order, and for a trigger order that becomes one; in a change
   * also where the price stays.
   */
  readonly price: string | undefined
  /** The price that a trigger order waits for, decimal; of two the higher one. */
  readonly trigger?: string | undefined
  /**
   * The trigger price of a take profit or stop loss that hangs on the order, decimal; of two the
   * higher one. On spot it trades the order's size once more, on futures perhaps the whole
   * position.
   */
  readonly exit?: string | undefined
  /** It provably makes a position smaller, or sells coins of a spot account without loans. */
  readonly reduces: boolean
  /**
   * What it takes when it can only close, in one mode of the account at least. Absent: it may open,
   * or it is a change, which leaves that to the order that it changes.
   */
  readonly closes?: Closing | undefined
  /** Whether it may stay open: not a market order, and not one that fills at once or never. */
  readonly rests: boolean
  readonly leverage?: number | undefined
  /** Of a change: the order that is changed. */
  readonly changes?: ChangedOrder | undefined
}

/** What names an order: the exchange's id, or the client's. */
export interface OrderIds {
  readonly orderId?: string | undefined
  readonly clientOrderId?: string | undefined
}

/** What a change says of its order, beside market, symbol, product type and demo account. */
export interface ChangedOrder extends OrderIds {
  /** The list of a trigger order, as in OrderKey. Each list has ids of its own. */
  readonly plan?: string | undefined
  /** The call does not name its market: whichever the changed order is in. */
  readonly isInAnyMarket?: boolean
}

export interface LeverageEffect {
  readonly kind: 'leverage'
  readonly market: 'futures'
  readonly symbol: string | undefined
  /** Undefined when the call does not say it in a way that can be relied on. */
  readonly leverage: number | undefined
}

/** Money that goes into a position, or out of it. */
export interface MarginEffect {
  readonly kind: 'margin'
  readonly market: 'futures'
  /** Undefined when the call names the position by its id alone. */
  readonly symbol: string | undefined
}

/** How the effects of a call are read. A call with any other field is `unbounded`. */
export interface EffectForm {
  /** The fields that the call may have; in a call with a list, those of its entries. */
  readonly fields: ReadonlySet<string>
  /** The fields that may be beside the list. */
  readonly beside?: ReadonlySet<string>
  /** Of these fields, the stop fields that the exchange ignores in an order like this one. */
  readonly ignores?: (fields: Readonly<Record<string, unknown>>) => readonly string[]
  /**
   * Reads the fields of the whole call, or of one entry of its list.
   * @throws UnclearFieldError when the call is to be `unbounded`
   */
  readonly read: (fields: Readonly<Record<string, unknown>>) => CallEffect | readonly CallEffect[]
}

// Readers for the fields of a call that is about to be signed. They take only what no parser could
// read as more: a field that is written in any other way throws.

/** What a call says of one order, by the names that it has there. */
export type EffectFields = Readonly<Record<string, unknown>>

/** A field that does not say clearly what it is to: nobody can tell what its call may trade. */
export class UnclearFieldError extends Error {}

/** Digits without a sign, an exponent or a leading zero. */
const PLAIN_DECIMAL = /^(?:0|[1-9]\d{0,29})(?:\.\d{1,30})?$/
const PLAIN_SYMBOL = /^[^\s,;:&="'\\/]{1,40}$/

/** The text of a field; undefined when it is absent, `null` or empty. */
export function textIn(fields: EffectFields, name: string): string | undefined {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return undefined
  const text = textOf(value)
  if (text === undefined) throw unclear(name)
  return text
}

/** An amount of zero or more. */
export function amountIn(fields: EffectFields, name: string): string | undefined {
  const text = textIn(fields, name)
  if (text !== undefined && !PLAIN_DECIMAL.test(text)) throw unclear(name)
  return text
}

/** An amount above zero. A zero is refused: it may stand for anything. */
export function positiveIn(fields: EffectFields, name: string): string | undefined {
  const amount = amountIn(fields, name)
  if (amount !== undefined && isZero(amount)) throw unclear(name)
  return amount
}

/** The same of a field that has to be there. */
export function requiredPositive(fields: EffectFields, name: string): string {
  const amount = positiveIn(fields, name)
  if (amount === undefined) throw unclear(name)
  return amount
}

/** An amount where a zero means that there is none. */
export function nonZeroIn(fields: EffectFields, name: string): string | undefined {
  const amount = amountIn(fields, name)
  return amount === undefined || isZero(amount) ? undefined : amount
}

/** The higher one of two prices, of which each may be absent or zero. */
export function higherIn(fields: EffectFields, one: string, other: string): string | undefined {
  return higher(nonZeroIn(fields, one), nonZeroIn(fields, other))
}

/** A leverage. A zero sets none. */
export function leverageIn(fields: EffectFields, name: string): number | undefined {
  const text = textIn(fields, name)
  if (text !== undefined && !/^(?:0|[1-9]\d{0,3})$/.test(text)) throw unclear(name)
  return text === undefined || text === '0' ? undefined : Number(text)
}

/** One of some words, in small letters, whatever case it is written in. */
export function wordIn<Word extends string>(
  fields: EffectFields,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = lowerAscii(textIn(fields, name))
  const word = words.find((each) => each === text)
  if (text !== undefined && word === undefined) throw unclear(name)
  return word
}

/** The same of a field that has to be there. */
export function requiredWord<Word extends string>(
  fields: EffectFields,
  name: string,
  words: readonly Word[],
): Word {
  const word = wordIn(fields, name, words)
  if (word === undefined) throw unclear(name)
  return word
}

/** A symbol, or a product type, in capital letters. */
export function nameIn(fields: EffectFields, name: string): string | undefined {
  const text = textIn(fields, name)
  if (text !== undefined && !PLAIN_SYMBOL.test(text)) throw unclear(name)
  return upperAscii(text)
}

/** The same of a field that has to be there. */
export function requiredName(fields: EffectFields, name: string): string {
  const text = nameIn(fields, name)
  if (text === undefined) throw unclear(name)
  return text
}

/**
 * Which order a change is about. Where it names both ids, both have to be the order's.
 * @param plan as in OrderKey
 */
export function changedOrder(
  fields: EffectFields,
  { idName = 'orderId', clientIdName, plan }: ChangedNames,
): ChangedOrder {
  const orderId = textIn(fields, idName)
  const clientOrderId = clientIdName === undefined ? undefined : textIn(fields, clientIdName)
  if (orderId === undefined && clientOrderId === undefined) throw unclear(idName)
  return {
    ...(orderId === undefined ? {} : { orderId }),
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
    ...(plan === undefined ? {} : { plan }),
  }
}

/** Where a change names its order, and the list of a trigger order. */
interface ChangedNames {
  readonly idName?: string
  readonly clientIdName?: string
  readonly plan?: string | undefined
}

/** Refuses a call in which one of these fields is anything but absent, `false` or zero. */
export function refuseIfGiven(fields: EffectFields, ...names: readonly string[]): void {
  for (const name of names) {
    const value = fields[name]
    if (value !== false && value !== 'false' && nonZeroIn(fields, name) !== undefined)
      throw unclear(name)
  }
}

/** The names in some texts, separated by white space. */
export function namesOf(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(/\s+/)).filter((name) => name !== ''))
}

export function unclear(name: string): UnclearFieldError {
  return new UnclearFieldError(`its field "${name}" does not say clearly what is traded`)
}

function isZero(amount: string): boolean {
  return /^[0.]+$/.test(amount)
}
