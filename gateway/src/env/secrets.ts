import { NEW_PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MIN } from 'schema'
import { toMasterKeys } from '../vault/master-key.ts'
import type { Kind } from './variable.ts'

/** The first words of common guessing lists, without digits and symbols. */
const GUESSED = new Set([
  ...['admin', 'administrator', 'changeme', 'changeit', 'default', 'demo', 'example', 'letmein'],
  ...['passwd', 'password', 'qwerty', 'root', 'secret', 'sluice', 'test', 'welcome', ''],
])

/** A password that is long enough and not among an attacker's first guesses. */
export function password(): Kind<string> {
  return {
    expects: `at least ${PASSWORD_LENGTH_MIN} characters, and not one of the first guesses such as "changeme" or "admin123"`,
    parse: (found) =>
      found.length >= PASSWORD_LENGTH_MIN && !isGuessed(found) ? found : undefined,
  }
}

/**
 * The password of the first administrator. Only at its creation it has to be as good as any new
 * one: before and after that, an old value in the environment stops no start.
 */
export function firstPassword(): Kind<string> {
  const { parse } = password()
  return {
    expects: `at least ${NEW_PASSWORD_LENGTH_MIN} characters, and no password that others would guess first`,
    parse,
  }
}

function isGuessed(password: string): boolean {
  const letters = password.toLowerCase().replaceAll(/[^a-z]/g, '')
  return password.length < 16 && GUESSED.has(letters)
}

/**
 * A secret of Standard Webhooks: 24 to 64 random bytes in base64, with or without the prefix
 * `whsec_`.
 */
export function webhookSecret(): Kind<Buffer> {
  return {
    expects: '24 to 64 random bytes in base64 (make them with "openssl rand -base64 32")',
    parse: (found) => {
      const encoded = found.replace(/^whsec_/, '')
      const bytes = Buffer.from(encoded, 'base64')
      const isWhole = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
      return isWhole && bytes.length >= 24 && bytes.length <= 64 ? bytes : undefined
    },
  }
}

/** One master key, or several separated by white space or commas. */
export function masterKeys(): Kind<string> {
  return {
    expects:
      '32 random bytes in base64 (make them with "openssl rand -base64 32"), or several such keys separated by commas',
    parse: (found) => (areKeys(found) ? found : undefined),
  }
}

function areKeys(found: string): boolean {
  try {
    return toMasterKeys(found, 'MASTER_KEY').length > 0
  } catch {
    return false // The value is secret: the message says only what is expected.
  }
}
