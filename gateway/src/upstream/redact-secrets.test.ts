import { expect, test } from 'vitest'
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
  [
    'in JSON with escaped slashes',
    (secret: string) => JSON.stringify(secret).replaceAll('/', '\\/'),
  ],
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

// A person chose the passphrase, and an order's id, price or state must never be lost.
test.each(['12345678', 'cancelled', '1', 'BTCUSDT'])(
  'a passphrase such as %s changes no response that repeats nothing of the request',
  (passphrase) => {
    const order = '{"orderId":"12345678","status":"cancelled","side":1,"symbol":"BTCUSDT"}'
    expect(shown(order, { passphrase })).toBe(order)
  },
)

test('where a response repeats the request, a common word is taken away only as a whole', () => {
  expect(
    shown('{"passphrase":"12345678","orderId":"9912345678","price":"12345678.5"}', {
      passphrase: '12345678',
    }),
  ).toBe('{"passphrase":"[redacted]","orderId":"9912345678","price":"12345678.5"}')
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
