const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * A client order id that all three protocols take: `sl-` and 21 characters of 6 random bits, which
 * is `[A-Za-z0-9_-]{1,32}` as Bitget's unified account and MEXC's error 2030 limit it. Bots never
 * see two alike: 126 bits are random.
 * @param randomBytes gives the wanted number of unpredictable bytes (`crypto.randomBytes`)
 */
export function makeClientOrderId(randomBytes: (count: number) => Uint8Array): string {
  const characters = Array.from(randomBytes(21), (byte) => ALPHABET.charAt(byte & 63))
  return `sl-${characters.join('')}`
}
