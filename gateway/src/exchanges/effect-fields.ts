import type { ChangedOrder } from './call-effect.ts'
import { higher } from './protocol/decimals.ts'
import { textOf } from './protocol/untrusted.ts'

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

/**
 * The text with a to z as capital letters. `toUpperCase` would also make an S of `ſ`, which no
 * exchange does.
 */
export function upperAscii<Text extends string | undefined>(text: Text): Text {
  return text?.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()) as Text
}

/** The same with small letters. */
export function lowerAscii(text: string | undefined): string | undefined {
  return text?.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
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
