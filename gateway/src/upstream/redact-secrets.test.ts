import { expect, test } from 'vitest'
import { cpuMs } from '../../test/support/longest-turn.ts'
import type { UpstreamResponse } from '../exchanges/exchange.ts'
import { withoutSecrets } from './redact-secrets.ts'

const KEYS = {
  apiKey: 'bg_0123456789abcdef',
  apiSecret: 'f'.repeat(32),
  passphrase: 'pa"ss/w&rd 1',
}
const SIGNATURE = 'Ab+cd/efghijklmnopqrstuvwxyzABCDEFGHIJKLMN='

const signedBy = (signature: string) => ({
  ...{ method: 'GET' as const, url: '/', body: null },
  headers: { 'ACCESS-SIGN': signature },
})
const responseOf = (text: string, headers: UpstreamResponse['headers'] = {}) => ({
  ...{ status: 200, headers, upstreamMs: 1 },
  body: Buffer.from(text),
})
const shown = (text: string, keys: object = {}) =>
  withoutSecrets(responseOf(text), { ...KEYS, ...keys }, signedBy(SIGNATURE)).body.toString()

test.each([
  ['as it is', (secret: string) => secret],
  ['in JSON', (secret: string) => JSON.stringify(secret)],
  ['in JSON with escaped slashes', (text: string) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['in JSON in JSON', (secret: string) => JSON.stringify(JSON.stringify(secret))],
  ['in a URL', encodeURIComponent],
  [
    'in a URL, in lower case',
    (secret: string) => encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  ],
  ['in HTML', (secret: string) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
])('a secret is taken away %s, each time', (_how, write) => {
  for (const secret of [...Object.values(KEYS), SIGNATURE]) {
    const clean = shown(`ACCESS-PASSPHRASE: ${write(secret)}, again: ${write(secret)};`)
    expect(clean.replaceAll(/["\\]/g, '')).toBe('ACCESS-PASSPHRASE: [redacted], again: [redacted];')
  }
})

// Found by the fuzzer: these forms had the secret in them.
const ODD = {
  apiKey: 'key-of-<a>\'b\'&"c"\\d%25',
  apiSecret: 'x'.repeat(20),
  passphrase: '~pass*w(o)rd!',
}
const escaped = (text: string, letters: RegExp, write: (code: string) => string) =>
  text.replaceAll(letters, (letter) => write(letter.charCodeAt(0).toString(16)))

test.each([
  [
    'in HTML with numbers',
    (text: string) => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`),
  ],
  ['in HTML with hex', (text: string) => escaped(text, /[&<>"']/g, (hex) => `&#x${hex};`)],
  [
    'in HTML as templates write it',
    (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('>', '&gt;').replaceAll("'", '&apos;'),
  ],
  [
    'in JSON that is safe in HTML',
    (text: string) => escaped(JSON.stringify(text).slice(1, -1), /[<>&']/g, (hex) => `\\u00${hex}`),
  ],
  [
    'in a URL, by RFC 3986',
    (text: string) =>
      escaped(encodeURIComponent(text), /[!'()*~]/g, (hex) => `%${hex.toUpperCase()}`),
  ],
  ['in a URL in a URL', (text: string) => encodeURIComponent(encodeURIComponent(text))],
])('a secret with odd characters is taken away %s', (_how, write) => {
  for (const secret of Object.values(ODD)) {
    const clean = shown(`ACCESS-PASSPHRASE: ${write(secret)};`, ODD)
    expect(clean).toBe('ACCESS-PASSPHRASE: [redacted];')
  }
})

// Found by the fuzzer: the rest of the longer one stayed.
test('of a secret that begins or ends with another one nothing stays', () => {
  const apiKey = 'a-key-of-the-client'
  for (const apiSecret of [`${apiKey}+and-its-secret`, `its-secret+${apiKey}`]) {
    expect(shown(`sign ${apiSecret}.`, { apiKey, apiSecret })).toBe('sign [redacted].')
    const swapped = { apiKey: apiSecret, apiSecret: apiKey }
    expect(shown(`sign ${apiSecret}.`, swapped)).toBe('sign [redacted].')
  }
})

test('a long run of backslashes does not make the search slow', () => {
  const startedMs = cpuMs()
  const run = `"${'\\'.repeat(200_000)}"${'%25'.repeat(100_000)}"${'&amp;'.repeat(100_000)}`
  const apiKey = `"\\"%&"\\xx${'"'.repeat(12)}`
  expect(shown(`${run} sign xx`, { ...ODD, apiKey })).toContain('sign xx')
  expect(cpuMs() - startedMs).toBeLessThan(2_000)
})

// A person chose the passphrase, and an order's id, price or state must never be lost.
test.each(['12345678', 'cancelled', '1', 'BTCUSDT'])(
  'a passphrase such as %s changes no response that repeats nothing of the request',
  (passphrase) => {
    const order = '{"orderId":"12345678","status":"cancelled","side":1,"symbol":"BTCUSDT"}'
    expect(shown(order, { passphrase })).toBe(order)
  },
)

// A key test of an account whose passphrase was "null" said that Bitget's response was not JSON.
test.each([
  ['null', '{"code":"40037","msg":"Apikey does not exist","data":null}'],
  ['true', '{"code":"40012","msg":"apikey/password is incorrect","list":[true , false]}'],
])('a value of JSON that a passphrase %s looks like is not taken away', (passphrase, text) => {
  expect(shown(text, { passphrase })).toBe(text)
})

test.each([
  [
    'a common word is taken away only as a whole where a response repeats the request',
    '12345678',
    '{"passphrase":"12345678","orderId":"9912345678","price":"12345678.5"}',
    '{"passphrase":"[redacted]","orderId":"9912345678","price":"12345678.5"}',
  ],
  [
    'JSON stays JSON when a number in it could be the passphrase',
    '7',
    '{"msg":"sign \\"7\\": null, 7","ids":[7,77,-7,7.5], "at":7}',
    '{"msg":"sign \\"[redacted]\\": null, [redacted]","ids":["[redacted]",77,-7,7.5], "at":"[redacted]"}',
  ],
  [
    'null is taken away from texts',
    'null',
    '{"passphrase":"null","data":null}',
    '{"passphrase":"[redacted]","data":null}',
  ],
  [
    'null is taken away from what is not JSON',
    'null',
    'ACCESS-PASSPHRASE: null',
    'ACCESS-PASSPHRASE: [redacted]',
  ],
])('%s', (_what, passphrase, text, clean) => {
  expect(shown(text, { passphrase })).toBe(clean)
})

test('a short key changes no response that repeats nothing of the request', () => {
  const order = '{"orderId":"42","status":"new"}'
  expect(shown(order, { apiKey: 'new', apiSecret: '42' })).toBe(order)
})

test('without a secret in it the response is the same one, byte for byte', () => {
  const response = responseOf('{"orderId":"1"}')
  expect(withoutSecrets(response, KEYS, signedBy(SIGNATURE))).toBe(response)
})

test('a header that is passed on has none either', () => {
  const headers = { 'content-type': `text/${KEYS.apiKey}`, 'x-other': 'a' }
  const { headers: clean } = withoutSecrets(responseOf('', headers), KEYS, signedBy(SIGNATURE))
  expect(clean).toEqual({ 'content-type': 'text/[redacted]', 'x-other': 'a' })
})
