import { BlockList, isIP } from 'node:net'
import { NEW_PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MIN } from 'schema'
import { toMasterKeys } from '../vault/master-key.ts'
import type { Kind } from './variable.ts'

/** Any text that is not empty. */
export function text(expects: string, isRight: (text: string) => boolean = () => true) {
  return {
    expects,
    parse: (found) => (isRight(found) ? found : undefined),
  } satisfies Kind<string>
}

export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    expects: `a whole number from ${min} to ${max}`,
    parse: (found) => (/^\d+$/.test(found) ? within(Number(found), min, max) : undefined),
  }
}

export function number(min: number, max: number): Kind<number> {
  return {
    expects: `a number from ${min} to ${max}`,
    parse: (found) => (/^\d*\.?\d+$/.test(found) ? within(Number(found), min, max) : undefined),
  }
}

/** One of a few lower-case words; upper and lower case are accepted. */
export function oneOf<const T extends string>(choices: readonly T[]): Kind<T> {
  return {
    expects: `one of ${choices.join(', ')}`,
    // OpenTelemetry requires this for its variables, and INFO can only mean info.
    parse: (found) => choices.find((choice) => choice === found.toLowerCase()),
  }
}

const HTTP: readonly string[] = ['https:', 'http:']
const SOCKET: readonly string[] = ['wss:', 'ws:']
export const HTTP_OR_SOCKET = [...HTTP, ...SOCKET]

/** Scheme, host and port: what a browser calls an origin. */
export function origin(example: string): Kind<string> {
  return {
    expects: `an origin such as ${example}, without a path`,
    parse: (found) => toOrigin(found, HTTP),
  }
}

/** Scheme, host and port of a WebSocket server. */
export function socketOrigin(example: string): Kind<string> {
  return {
    expects: `an origin such as ${example}, without a path`,
    parse: (found) => toOrigin(found, SOCKET),
  }
}

export function origins(example: string, protocols = HTTP): Kind<readonly string[]> {
  return {
    expects: `origins such as ${example}, without a path, separated by commas`,
    parse: listOf((part) => toOrigin(part, protocols)),
  }
}

/**
 * A URL that something is posted to. Plain HTTP is allowed to this machine, and to origins that
 * ALLOW_INSECURE_ORIGINS names. A URL with a name and password in it is rejected, because fetch
 * cannot post to it (Fetch standard, "includes credentials").
 */
export function endpointUrl(example: string): Kind<string> {
  return {
    expects: `an https address such as ${example}, or http on this machine, without a user name and password`,
    parse: (found) => {
      const url = URL.canParse(found) ? new URL(found) : undefined
      if (url === undefined || `${url.username}${url.password}` !== '') return undefined
      return /^https?:$/.test(url.protocol) ? url.href : undefined
    },
  }
}

/** The base URL of an API, path included, over HTTP or HTTPS. */
export function baseUrl(example: string): Kind<string> {
  return {
    expects: `an http or https address such as ${example}`,
    parse: (found) =>
      URL.canParse(found) && /^https?:$/.test(new URL(found).protocol) ? found : undefined,
  }
}

/**
 * Names and values in the format of OpenTelemetry's variables; commas and percent signs in them are
 * percent-encoded.
 */
export function pairs(example: string): Kind<Readonly<Record<string, string>>> {
  const list = listOf(toPair)
  return {
    expects: `pairs such as ${example}, separated by commas, with %2C for a comma`,
    parse: (found) => {
      const entries = list(found)
      return entries === undefined ? undefined : Object.fromEntries(entries)
    },
  }
}

/** Addresses of machines or networks, in the format of Fastify's trustProxy; `off` means none. */
export function networks(): Kind<readonly string[]> {
  const list = listOf(toNetwork)
  return {
    expects:
      'addresses or networks such as 10.0.0.5 or 10.0.0.0/8, or the names loopback, linklocal, uniquelocal, separated by commas; or off',
    parse: (found) => (found.toLowerCase() === 'off' ? [] : list(found)),
  }
}

/** Whether a host is this machine, so that traffic to it never crosses a network. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)
}

function within(value: number, min: number, max: number): number | undefined {
  return value >= min && value <= max ? value : undefined
}

function listOf<T>(parse: (text: string) => T | undefined) {
  return (found: string): readonly T[] | undefined => {
    const parts = found.split(',').map((part) => part.trim())
    const values = parts.filter((part) => part !== '').map(parse)
    const right = values.filter((value) => value !== undefined)
    return right.length > 0 && right.length === values.length ? right : undefined
  }
}

function toOrigin(found: string, protocols: readonly string[]): string | undefined {
  const url = URL.canParse(found) ? new URL(found) : undefined
  if (url === undefined || !protocols.includes(url.protocol)) return undefined
  const rest = `${url.username}${url.password}${url.pathname.slice(1)}${url.search}${url.hash}`
  return rest === '' ? url.origin : undefined
}

function toPair(found: string): [name: string, value: string] | undefined {
  const [, name = '', value = ''] = /^([^=\s]+)\s*=(.*)$/.exec(found) ?? []
  try {
    return name === '' ? undefined : [decodeURIComponent(name), decodeURIComponent(value.trim())]
  } catch {
    return undefined // A percent sign without a valid encoded byte.
  }
}

function toNetwork(found: string): string | undefined {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(found)) return found
  const [address = '', bits, ...rest] = found.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return undefined
  if (bits === undefined) return found
  try {
    if (!/^\d+$/.test(bits)) return undefined
    new BlockList().addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4')
    return found
  } catch {
    return undefined // More bits than the address has. The error message says what is expected.
  }
}

/** The first words of common guessing lists, without digits and symbols. */
const GUESSED = new Set([
  ...['admin', 'administrator', 'changeme', 'changeit', 'default', 'demo', 'example', 'letmein'],
  ...['passwd', 'password', 'qwerty', 'root', 'secret', 'sluice', 'test', 'welcome', ''],
])

/** A password that is long enough and not among an attacker's first guesses. */
function password(): Kind<string> {
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
