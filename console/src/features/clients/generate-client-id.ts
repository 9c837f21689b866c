const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const SUFFIX_LENGTH = 9
// The largest multiple of the alphabet's length below 256: bytes from there on would favour its
// first letters.
const FAIR_BELOW = 256 - (256 % ALPHABET.length)

/**
 * `client_` + 13 digits of milliseconds + `_` + 9 random letters or digits: exactly the 30
 * characters that are shown whole.
 */
export function generateClientId(nowMs: number): string {
  let suffix = ''
  while (suffix.length < SUFFIX_LENGTH) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < FAIR_BELOW) suffix += ALPHABET[byte % ALPHABET.length]
  }
  return `client_${nowMs}_${suffix}`
}
