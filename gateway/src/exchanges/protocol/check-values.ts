import { BodyTooComplexError } from './errors.ts'
import { endOfText } from './lossless.ts'

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
