import { BodyTooComplexError } from './errors.ts'

/**
 * Nesting that an honest response never reaches; walking deeper ones would exhaust the stack.
 */
const DEPTH_MAX = 64
/** Every whole number of so many digits is a safe integer. */
const EXACT_DIGITS_MAX = 15

// Characters of JSON.
const QUOTE = 0x22
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const LETTER_E = 0x65
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
/** Turns a capital letter of ASCII into a small one. */
const LOWER_CASE = 0x20

/**
 * Parses an exchange's JSON so that no digit is lost: a number stays a number only when it is a
 * whole one that a double holds exactly, otherwise it becomes the text that was received
 * (`101716841474621953`, `0.10`, `1e-8`). Order ids exceed 2^53 and prices are decimals. Slower
 * than plain parsing (about 30 ms for a megabyte): for responses that are read.
 * @returns undefined when the text is not JSON or is nested more than 64 deep
 */
export function parseLossless(text: string): { value: unknown } | undefined {
  const scanned = scan(text)
  if (scanned.isTooDeep) return undefined
  return parse(text, scanned.isExact ? undefined : keepDigits)
}

/** The text of every number that a double does not hold as it was written. */
const keepDigits: Reviver = (_key, value, context) =>
  typeof value === 'number' && (!Number.isSafeInteger(value) || `${value}` !== context?.source)
    ? (context?.source ?? `${value}`)
    : value

/** Parses with plain numbers, for responses of which only the envelope is looked at. */
export function parsePlain(text: string): { value: unknown } | undefined {
  return scan(text).isTooDeep ? undefined : parse(text)
}

/** As ES2025 has it: `context.source` is the text of a number, and there for nothing else. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

function parse(text: string, reviver?: Reviver): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(withoutMark(text), reviver)
    return { value }
  } catch {
    return undefined // Not JSON: the caller has the text, and says what it was to be.
  }
}

/**
 * A text without the byte order mark that programs on Windows put in front; a reader may ignore it
 * (RFC 8259, 8.1).
 */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** What the characters outside of texts show. */
interface Scanned {
  readonly isTooDeep: boolean
  /**
   * Each number is a whole one of at most 15 digits, which a double holds as it was written. Where
   * decimals are texts this is so, and no reviver is needed, which is many times slower.
   */
  readonly isExact: boolean
}

function scan(text: string): Scanned {
  let depth = 0
  let digits = 0
  let isExact = true
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code >= ZERO && code <= NINE) {
      digits += 1
      if (digits > EXACT_DIGITS_MAX) isExact = false
      continue
    }
    // A fraction, an exponent, or a zero that loses its sign.
    const isNegativeZero = code === MINUS && text.charCodeAt(index + 1) === ZERO
    if (code === DOT || isNegativeZero || (digits > 0 && (code | LOWER_CASE) === LETTER_E))
      isExact = false
    digits = 0
    if (code === QUOTE) index = endOfText(text, index)
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1
      if (depth > DEPTH_MAX) return { isTooDeep: true, isExact }
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1
  }
  return { isTooDeep: false, isExact }
}

/**
 * The offset of the quote that ends the JSON text beginning at `start`; the length of all when it
 * has no end.
 */
export function endOfText(json: string, start: number): number {
  for (let index = start + 1; index < json.length; index += 1) {
    const code = json.charCodeAt(index)
    if (code === 0x22) return index
    if (code === 0x5c) index += 1
  }
  return json.length
}

/**
 * The values and parameters of one request, counted together. 50 orders with 28 fields each stay
 * below; reading more of them holds the event loop, and with it everybody's requests.
 */
const VALUES_MAX = 1_500

/**
 * Refuses a text from a caller that would take long to read as JSON or as a form, before anything
 * reads it. How long it is in characters does not matter here.
 * @throws BodyTooComplexError
 */
export function checkValues(text: string): void {
  if (hasMoreThan(VALUES_MAX, text)) throw new BodyTooComplexError(VALUES_MAX)
}

/**
 * Each value of JSON follows a bracket, a brace or a comma; each pair of a form but the first an
 * ampersand.
 */
function hasMoreThan(max: number, text: string): boolean {
  let count = 0
  for (let index = 0; index < text.length && count <= max; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x22) index = endOfText(text, index)
    else if (code === 0x26 || code === 0x2c || code === 0x5b || code === 0x7b) count += 1
  }
  return count > max
}
