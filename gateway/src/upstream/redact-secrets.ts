import type { ExchangeKeys, SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import { parsePlain } from '../exchanges/protocol/lossless.ts'
import { PASSED_HEADERS } from './responses.ts'

const SHOWN_HEADERS = ['content-type', ...PASSED_HEADERS]

const MASK = Buffer.from('[redacted]')
/** A shorter text may be part of anything. Exchanges give keys of 15 characters and more. */
const SURE_LENGTH = 12
/** What a response that repeats the request says beside its secrets. */
const ECHO = /passphrase|api-?key|access-key|secret|sign/i

interface Needle {
  readonly secret: string
  /** A part of it that is the same in every form in which a response may repeat it. */
  readonly probe: string
  /**
   * It could also be a common word or a number: a person chose it, or it is short. It is taken away
   * only where the response repeats other parts of the request, and only as a whole word.
   */
  readonly isCommon: boolean
}

const needlesOfKeys = new WeakMap<ExchangeKeys, readonly Needle[]>()

/**
 * A response without the client's own secrets, which an upstream that repeats its request would
 * show to bots, logs and the journal. No other byte changes.
 * @param keys what the request was signed with
 */
export function withoutSecrets(
  response: UpstreamResponse,
  keys: ExchangeKeys,
  signed: SignedRequest,
): UpstreamResponse {
  const ofKeys = needlesOfKeys.get(keys) ?? toNeedles(keys)
  needlesOfKeys.set(keys, ofKeys)
  const signature = signatureOf(signed)
  const needles = signature === undefined ? ofKeys : [...ofKeys, needleOf(signature)]
  const body = redact(response.body, needles)
  const headers = redactHeaders(response.headers, needles)
  if (body === response.body && headers === response.headers) return response
  return { ...response, body, headers }
}

/** What a login on a socket consists of, and the key in the address of one that has no login. */
const SIGN_IN = /"(apiKey|passphrase|sign|signature)":("(?:[^"\\]|\\.)*")|[?&](listenKey)=([^&]+)/g

/**
 * A frame without the secrets with which the gateway has signed in on its socket.
 * @param signedIn the frame that signs in, and the address
 */
export function frameWithoutSecrets(
  frame: string | Buffer,
  signedIn: readonly string[],
): string | Buffer {
  const needles = [...signedIn.join(' ').matchAll(SIGN_IN)]
    .map(([, name, json, , inUrl = '']) => {
      const secret = json === undefined ? decodeURIComponent(inUrl) : String(JSON.parse(json))
      return name === 'passphrase' ? { ...needleOf(secret), isCommon: true } : needleOf(secret)
    })
    .filter(({ secret }) => secret !== '')
    .toSorted((a, b) => b.secret.length - a.secret.length)
  const redacted = redact(Buffer.from(frame), needles)
  return typeof frame === 'string' ? redacted.toString() : redacted
}

function toNeedles({ apiKey, apiSecret, passphrase = '' }: ExchangeKeys): readonly Needle[] {
  const needles = [
    needleOf(apiKey),
    needleOf(apiSecret),
    ...(passphrase === '' ? [] : [{ ...needleOf(passphrase), isCommon: true }]),
  ]
  // A shorter one may be a part of a longer one, of which the rest would stay.
  return needles.toSorted((a, b) => b.secret.length - a.secret.length)
}

function needleOf(secret: string): Needle {
  return { secret, probe: longestWord(secret), isCommon: secret.length < SURE_LENGTH }
}

/** Letters and digits are written the same in JSON, in URLs and in HTML. */
function longestWord(text: string): string {
  let longest = ''
  for (const word of text.split(/[^A-Za-z0-9]+/)) if (word.length > longest.length) longest = word
  return longest
}

/** The signature of a request: in a header, or in MEXC spot's query. */
function signatureOf({ headers, url }: SignedRequest): string | undefined {
  const { 'ACCESS-SIGN': bitget, Signature: futures } = headers
  return bitget ?? futures ?? /[?&]signature=([^&]+)/.exec(url)?.[1]
}

function redact(body: Buffer, needles: readonly Needle[]): Buffer {
  let isEcho: boolean | undefined
  let redacted = body
  for (const needle of needles) {
    if (redacted.indexOf(needle.probe, 0, 'latin1') === -1) continue
    if (needle.isCommon) isEcho ??= ECHO.test(body.toString('latin1'))
    if (needle.isCommon && isEcho !== true) continue
    redacted = replaceAll(redacted, needle)
  }
  return redacted
}

const patterns = new WeakMap<Needle, RegExp>()

/**
 * Matches a secret as itself and in the forms that JSON, JSON inside JSON, URLs and HTML give it:
 * letters and digits stay, any other character may be escaped in each of their ways.
 */
function patternOf(needle: Needle): RegExp {
  const known = patterns.get(needle)
  if (known !== undefined) return known
  const parts =
    Buffer.from(needle.secret)
      .toString('latin1')
      .match(/\\+|[^\\]/g) ?? []
  const pattern = new RegExp(parts.map(writings).join(''), 'g')
  patterns.set(needle, pattern)
  return pattern
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}

/**
 * How a character may be written. A run of backslashes is one part of bounded length: a long run in
 * a response must not make the search slow.
 */
function writings(part: string): string {
  if (/^[A-Za-z0-9]$/.test(part)) return part
  const code = part.charCodeAt(0)
  const hex = code.toString(16).padStart(2, '0')
  const anyCase = hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
  const plain =
    code === BACKSLASH ? `\\\\{${part.length},${8 * part.length}}` : `\\\\{0,7}\\x${hex}`
  const entity = ENTITIES[part]
  const names = [`#0*${code}`, `#[xX]0*${anyCase}`, ...(entity === undefined ? [] : [entity])]
  const once = [
    `%(?:25)*${anyCase}`,
    `\\\\{1,8}[ux](?:00)?${anyCase}`,
    `&(?:amp;)*(?:${names.join('|')});`,
  ]
  const run = part.length === 1 ? once : once.map((each) => `(?:${each}){${part.length}}`)
  return `(?:${[...run, plain].join('|')})`
}

const BACKSLASH = 0x5c

/**
 * JSON stays JSON: a passphrase that is `null`, a number or a comma would otherwise turn the
 * response into one that cannot be read, and a rejection into an unknown outcome.
 */
function replaceAll(body: Buffer, needle: Needle): Buffer {
  const redacted = replaceInBytes(body, needle)
  if (!needle.isCommon || redacted === body || isJson(redacted) || !isJson(body)) return redacted
  return replaceInValues(body, needle)
}

function isJson(body: Buffer): boolean {
  return parsePlain(body.toString('utf8')) !== undefined
}

function replaceInBytes(body: Buffer, needle: Needle): Buffer {
  const text = body.toString('latin1')
  const parts: Buffer[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(patternOf(needle))) {
    const end = index + found.length
    if (needle.isCommon && (isOfWord(body[index - 1]) || isOfWord(body[end]))) continue
    parts.push(body.subarray(from, index), MASK)
    from = end
  }
  return from === 0 ? body : Buffer.concat([...parts, body.subarray(from)])
}

/** The texts and numbers of JSON. */
const VALUES = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\w.+-]*/g

/** Only these repeat a secret; `null`, `true` and punctuation are the same in every response. */
function replaceInValues(body: Buffer, needle: Needle): Buffer {
  const redacted = body.toString('latin1').replaceAll(VALUES, (value) => {
    if (!value.startsWith('"')) return value === needle.secret ? `"${MASK}"` : value
    const text = Buffer.from(value.slice(1, -1), 'latin1')
    return `"${replaceInBytes(text, needle).toString('latin1')}"`
  })
  return Buffer.from(redacted, 'latin1')
}

/** A letter, a digit, an underscore, a dot or a minus. */
function isOfWord(byte: number | undefined): boolean {
  return byte !== undefined && /[\w.-]/.test(String.fromCharCode(byte))
}

type Headers = UpstreamResponse['headers']

/** Only in the headers that are passed on. */
function redactHeaders(headers: Headers, needles: readonly Needle[]): Headers {
  let redacted = headers
  for (const name of SHOWN_HEADERS) {
    const value = headers[name]
    if (typeof value !== 'string' || !needles.some(({ probe }) => value.includes(probe))) continue
    const clean = redact(Buffer.from(value, 'latin1'), needles).toString('latin1')
    if (clean !== value) redacted = { ...redacted, [name]: clean }
  }
  return redacted
}
