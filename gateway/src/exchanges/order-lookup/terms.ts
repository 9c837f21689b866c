import type { Market } from '../exchange.ts'
import { positiveOf, textOf } from '../protocol/untrusted.ts'

/**
 * What an order is to do, as far as an exchange repeats it with the order. Texts that compare as
 * they are: words in lower case, decimals written one way. Survives JSON.
 */
export interface OrderTerms {
  readonly side?: string | undefined
  /** Bitget futures: `open` or `close`; on its unified account `long` or `short`. */
  readonly position?: string | undefined
  readonly kind?: string | undefined
  readonly price?: string | undefined
  readonly size?: string | undefined
  /** The price that a trigger order waits for. */
  readonly trigger?: string | undefined
  /** The size that was asked for where the exchange may write another. Not compared. */
  readonly asked?: string | undefined
  /** The quote amount of a market buy. Not compared. */
  readonly spends?: string | undefined
}

/** The fields in which a call, or an exchange's order, has them. */
export type TermNames = Readonly<Partial<Record<Exclude<keyof OrderTerms, 'asked'>, string>>>

type Fields = Readonly<Record<string, unknown>>

/** What is in no table is not compared: MEXC futures' type 6 comes back in more than one way. */
const KINDS: Readonly<Record<string, 'limit' | 'market'>> = {
  limit: 'limit',
  limit_maker: 'limit',
  immediate_or_cancel: 'limit',
  fill_or_kill: 'limit',
  market: 'market',
  1: 'limit',
  2: 'limit',
  3: 'limit',
  4: 'limit',
  5: 'market',
}

/** The terms of an order as the exchange has it. Zero is how it writes that there is none. */
export function termsOf(names: TermNames, fields: Fields): OrderTerms {
  const partOf = (name: string | undefined) => (name === undefined ? undefined : fields[name])
  const wordOf = (name: string | undefined) => textOf(partOf(name))?.toLowerCase()
  const kind = wordOf(names.kind)
  const position = wordOf(names.position)
  return {
    side: wordOf(names.side),
    position: /^(?:open|close|long|short)$/.test(position ?? '') ? position : undefined,
    kind: kind !== undefined && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined,
    price: positiveOf(partOf(names.price)),
    size: positiveOf(partOf(names.size)),
    trigger: positiveOf(partOf(names.trigger)),
  }
}

/**
 * The terms of the order that a call makes, without those that the exchange may write otherwise
 * although it is the same order: the price of what has none of its own, the quote amount of a
 * market buy, the size of what only closes, which is cut to what can be closed
 * (docs/exchanges/bitget.md, 4.2).
 */
export function sentTerms(names: TermNames, fields: Fields, market: Market): OrderTerms {
  const terms = termsOf(names, fields)
  const { side, kind, position } = terms
  // A change names no kind: only limit orders are changed.
  const isLimit = kind === 'limit' || names.kind === undefined
  const isPriced = isLimit && isOff(fields.bboTypeNum)
  const isQuote = market === 'spot' && !isLimit && side !== 'sell'
  // On Bitget's unified account the side is that of the trade, not of the position.
  const isClosingSide =
    (position === 'long' && side === 'sell') || (position === 'short' && side === 'buy')
  const isClosing = position === 'close' || isClosingSide || !isOff(fields.reduceOnly)
  // Without a field of its own, the quote amount is in that of the size.
  const hasOwnField = names.spends !== undefined
  const size = isQuote && !hasOwnField ? undefined : terms.size
  const isCompared = !isQuote && !isClosing
  return {
    ...terms,
    price: isPriced ? terms.price : undefined,
    size: isCompared ? size : undefined,
    ...(isCompared || size === undefined ? {} : { asked: size }),
    ...(isQuote ? { spends: hasOwnField ? positiveOf(fields[names.spends]) : terms.size } : {}),
  }
}

/**
 * Whether an order that was found can be the one that was sent. `other` is proven: no exchange
 * turns an order's side round, but that of a Bitget order that closes, which names the position.
 * Any other difference makes it `doubtful`: what an exchange rounds or rewrites is not documented
 * completely.
 */
export function compareTerms(sent: OrderTerms, found: OrderTerms): 'same' | 'other' | 'doubtful' {
  const differs = (name: keyof OrderTerms) =>
    sent[name] !== undefined && found[name] !== undefined && sent[name] !== found[name]
  if (differs('side') && sent.position !== 'close') return 'other'
  const isSame = !(['side', 'position', 'kind', 'price', 'size', 'trigger'] as const).some(differs)
  return isSame ? 'same' : 'doubtful'
}

function isOff(value: unknown): boolean {
  return (
    [undefined, null, '', false, 0].some((off) => off === value) ||
    /^(?:no|false|0)$/i.test(textOf(value) ?? '')
  )
}
