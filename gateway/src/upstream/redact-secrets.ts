import type { ExchangeKeys, SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import { PASSED_HEADERS } from './stored-response.ts'

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

function toNeedles({ apiKey, apiSecret, passphrase = '' }: ExchangeKeys): readonly Needle[] {
  return [
    needleOf(apiKey),
    needleOf(apiSecret),
    ...(passphrase === '' ? [] : [{ ...needleOf(passphrase), isCommon: true }]),
  ]
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
  for (const { secret, probe, isCommon } of needles) {
    if (redacted.indexOf(probe, 0, 'latin1') === -1) continue
    if (isCommon) isEcho ??= ECHO.test(body.toString('latin1'))
    if (isCommon && isEcho !== true) continue
    for (const form of formsOf(secret)) redacted = replaceAll(redacted, form, isCommon)
  }
  return redacted
}

/** The longest first: it may have another in it. */
function formsOf(secret: string): Buffer[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const percent = encodeURIComponent(secret)
  const forms = [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    // An echo of JSON as text inside JSON.
    JSON.stringify(json).slice(1, -1),
    percent,
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ]
  return [...new Set(forms)]
    .toSorted((a, b) => b.length - a.length)
    .map((form) => Buffer.from(form))
}

function replaceAll(body: Buffer, secret: Buffer, isWholeWord: boolean): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (let at = body.indexOf(secret); at !== -1; at = body.indexOf(secret, at + 1)) {
    if (at < from) continue
    const end = at + secret.length
    if (isWholeWord && (isOfWord(body[at - 1]) || isOfWord(body[end]))) continue
    parts.push(body.subarray(from, at), MASK)
    from = end
  }
  return from === 0 ? body : Buffer.concat([...parts, body.subarray(from)])
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
