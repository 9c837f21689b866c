import Type from 'typebox'
import { EXCHANGES } from '../endpoint.ts'

/**
 * A price or size. Text keeps every digit; a JSON number is taken too, as the digits that were
 * sent. 40 characters are more than any exchange accepts.
 */
export const decimal = (description: string) =>
  Type.Union(
    [
      Type.String({ pattern: '^[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,2})?$', maxLength: 40 }),
      Type.Number({ minimum: 0, maximum: 1e15 }),
    ],
    { description },
  )

/** Whole numbers from 1 to the greatest leverage of an exchange, as text. */
const LEVERAGE_TEXT = {
  125: '^([1-9]|[1-9][0-9]|1[01][0-9]|12[0-5])$',
  500: '^([1-9]|[1-9][0-9]|[1-4][0-9][0-9]|500)$',
}

/** A leverage: a whole number, as a JSON number or as text, which is how exchanges return it. */
export const leverage = (maximum: keyof typeof LEVERAGE_TEXT, description: string) =>
  Type.Union(
    [
      Type.Integer({ minimum: 1, maximum }),
      Type.String({ pattern: LEVERAGE_TEXT[maximum], maxLength: 3 }),
    ],
    { description, 'x-error': `must be a whole number from 1 to ${maximum}` },
  )

/**
 * An identifier that goes into an exchange's URL or body; the characters that make a signature
 * ambiguous are refused.
 */
export const SAFE_TEXT = '^[^\\s&=#%?/\\\\\\u0000-\\u001f\\u007f]+$'
export const symbolOf = (example: string, description: string) =>
  Type.String({
    pattern: SAFE_TEXT,
    'x-characters': 'must be one symbol, without spaces and without & = # % ? / \\',
    maxLength: 40,
    description,
    examples: [example],
  })
/** An order id of the exchange; text, because it can exceed 2^53. */
export const OrderId = Type.String({
  pattern: '^[0-9A-Za-z_-]+$',
  maxLength: 64,
  description: "The exchange's order id, as text because it can exceed the range of a JSON number",
})
export const epochMs = (description: string) =>
  Type.String({ pattern: '^[0-9]{13}$', maxLength: 13, description })

export const ClientId = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f]+$',
  description: 'The id that a bot signs in with',
  'x-error': 'Client ID is required',
})
/**
 * Of a new client. Marks of direction, invisible characters, and letters of two scripts make one id
 * look like another one.
 */
export const NewClientId = Type.String({
  ...ClientId,
  pattern: `^(?=[^\\s\\p{C}]+$)(?:${['Latin', 'Cyrillic', 'Greek']
    .map((script) => `[\\p{Script_Extensions=${script}}\\P{L}]+|`)
    .join('')}[^\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]+)$`,
  'x-characters': 'Client ID: only visible characters, no spaces, and letters of one script',
})
export const Exchange = Type.Enum([...EXCHANGES], {
  description: '`mx` is MEXC, `bg` is Bitget',
})
export const Timestamp = Type.String({
  description: 'UTC, ISO 8601 with milliseconds',
  examples: ['2026-03-05T14:30:22.000Z'],
})
/** An object of the exchange, passed on as it came. */
export const ExchangeObject = Type.Record(Type.String(), Type.Unknown(), {
  description: "The exchange's own fields; numbers that do not fit a double are text",
})
