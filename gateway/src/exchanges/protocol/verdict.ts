import { cleanWords, codeOf, isRecord } from './untrusted.ts'

/** Why an exchange did not do what was asked; the tables are in mexc/ and bitget/. */
export type RejectionClass =
  | 'signature'
  | 'time'
  | 'key'
  | 'ip'
  | 'permission'
  /** The call is for the other kind of account. */
  | 'account-kind'
  | 'region'
  | 'parameter'
  | 'balance'
  | 'position'
  /** Size, price or value out of what the symbol allows. */
  | 'size'
  | 'symbol'
  | 'order-form'
  /** Leverage, margin mode or risk limit. */
  | 'leverage'
  /** Too many open orders or positions. */
  | 'limit'
  | 'order-not-found'
  | 'order-state'
  /** An order with this client id exists or existed: to be looked up, not a plain rejection. */
  | 'duplicate'
  | 'rate'
  | 'maintenance'
  | 'other'

export interface Rejection {
  readonly class: RejectionClass
  /** The exchange's own code, or `HTTP 403` when it gave none. */
  readonly exchangeCode: string
  /** The exchange's own words, at most 200 characters, without control characters; can be empty. */
  readonly exchangeMessage: string
}

/** What an exchange's response means for the one who asked. */
export type Verdict =
  /**
   * Done. Whole numbers that a double holds are numbers in `data`, all others the digits received.
   */
  | { readonly kind: 'ok'; readonly data: unknown }
  /** Proven not done. */
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  /** Proven not done, and everyone has to slow down. */
  | { readonly kind: 'rate-limited'; readonly retryAfterMs?: number; readonly rejection: Rejection }
  /** It may have been done: server trouble, garbage, or a code that says so. */
  | {
      readonly kind: 'unknown'
      readonly why: string
      readonly exchangeCode?: string
      readonly exchangeMessage?: string
    }

export interface ExchangeWords {
  readonly code: string | undefined
  readonly message: string
}

/**
 * The code and the words of an envelope, whatever the exchange; `message` on MEXC futures, `msg` on
 * the others.
 */
export function wordsOf(value: unknown): ExchangeWords {
  if (!isRecord(value)) return { code: undefined, message: '' }
  const code = codeOf(value.code)
  return {
    code: code === undefined ? undefined : cleanWords(code).slice(0, 20),
    message: cleanWords(value.msg ?? value.message),
  }
}

export function rejected(
  rejectionClass: RejectionClass,
  status: number,
  words: ExchangeWords,
): Verdict {
  return { kind: 'rejected', rejection: rejectionOf(rejectionClass, status, words) }
}

export function rejectionOf(
  rejectionClass: RejectionClass,
  status: number,
  { code, message }: ExchangeWords,
): Rejection {
  return {
    class: rejectionClass,
    exchangeCode: code ?? `HTTP ${status}`,
    exchangeMessage: message,
  }
}

export function unknownOutcome(why: string, { code, message }: ExchangeWords): Verdict {
  return {
    kind: 'unknown',
    why,
    ...(code === undefined ? {} : { exchangeCode: code }),
    ...(message === '' ? {} : { exchangeMessage: message }),
  }
}

/** Why a response says nothing of what was asked; undefined when it does. */
export function complaintOf(verdict: Verdict | undefined): string | undefined {
  if (verdict?.kind === 'unknown') {
    const { why, exchangeMessage } = verdict
    return exchangeMessage === undefined ? why : `${why}: ${exchangeMessage}`
  }
  if (verdict === undefined || verdict.kind === 'ok') return undefined
  const { exchangeCode, exchangeMessage } = verdict.rejection
  return `It rejected the call: ${[exchangeCode, exchangeMessage].filter(Boolean).join(', ')}`
}

/** What an HTTP status alone says of a rejection whose code is in no table. */
export function classOfStatus(status: number): RejectionClass {
  if (status === 401) return 'key'
  if (status === 403) return 'permission'
  return 'other'
}

/** The exchange's own codes, as far as it is known what they mean. */
export interface RejectionCodes {
  readonly classes: ReadonlyMap<string, RejectionClass>
  /** After these what was asked for may have been done. */
  readonly unknown: ReadonlySet<string>
}

/** Codes by class, turned round for looking up. */
export function classesByCode(
  codes: Partial<Record<RejectionClass, readonly string[]>>,
): ReadonlyMap<string, RejectionClass> {
  const entries = Object.entries(codes) as [RejectionClass, readonly string[]][]
  return new Map(entries.flatMap(([name, list]) => list.map((code) => [code, name] as const)))
}
