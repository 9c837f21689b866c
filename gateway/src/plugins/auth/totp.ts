import { createHmac, timingSafeEqual } from 'node:crypto'

/** A new code begins every 30 seconds (RFC 6238, 4.1). */
const STEP_MS = 30_000
const DIGITS = 6
/** How many steps the two clocks may differ (RFC 6238, 5.2). */
const WINDOW = 1

/** As many random bytes as the HMAC has: RFC 4226, section 4, R6. */
export const TOTP_SECRET_BYTES = 20

/** The code of a time step: HOTP with SHA-1 and six digits (RFC 4226, 5.3). */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

export function stepAt(atMs: number): number {
  return Math.floor(atMs / STEP_MS)
}

/**
 * The time step whose code this is, one step around now; undefined when there is none. A step that
 * is not after `lastStep` is not taken: each code works once, and older codes no longer work.
 */
export function stepOf(
  code: string,
  secret: Buffer,
  { atMs, lastStep }: { readonly atMs: number; readonly lastStep: number | null },
): number | undefined {
  const now = stepAt(atMs)
  const given = Buffer.from(code)
  let found: number | undefined
  for (let step = Math.max(0, now - WINDOW); step <= now + WINDOW; step += 1) {
    const expected = Buffer.from(codeAt(secret, step))
    const isSame = given.length === expected.length && timingSafeEqual(given, expected)
    if (isSame && step > (lastStep ?? -1)) found ??= step
  }
  return found
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, section 6, without padding: as people type a secret into an app. */
export function toBase32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('')
}

/** What an authenticator app reads from a QR code (Google's "Key Uri Format"). */
export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const query = `secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`
}
