import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { encodeForBitget } from './bitget/sign.ts'
import type { Family, UpstreamCall } from './exchange.ts'
import { signMexcSpot } from './mexc-spot/sign.ts'
import { queryOf } from './protocol/call-parts.ts'
import { queryText } from './protocol/query-text.ts'
import { signCall } from './sign.ts'

interface Vector {
  name: string
  family: string
  apiKey: string
  apiSecret: string
  passphrase?: string
  demo?: boolean
  timestampMs: number
  recvWindow: number | null
  method: UpstreamCall['method']
  path: string
  query: [string, string][]
  body: string | null
  expected: {
    url: string
    queryString: string
    headers: Record<string, string>
    signature: string
    body: string | null
  }
}

const file = new URL('../../test/fixtures/vectors.json', import.meta.url)
const { vectors, count } = JSON.parse(readFileSync(file, 'utf8')) as {
  vectors: Vector[]
  count: number
}
const keys = { apiKey: 'key', apiSecret: 'secret', passphrase: 'words' }

function callOf(vector: Vector): UpstreamCall {
  const family: Family = vector.family.startsWith('bitget')
    ? 'bitget'
    : vector.family === 'mexc-spot'
      ? 'mexc-spot'
      : 'mexc-futures'
  return {
    family,
    method: vector.method,
    path: vector.path,
    query: queryText(
      vector.query,
      vector.family.startsWith('bitget') ? encodeForBitget : undefined,
    ),
    body: vector.body,
    signed: true,
    demo: vector.demo ?? false,
  }
}

test('the file of known signatures is whole', () => {
  expect(vectors).toHaveLength(count)
})

test.each(vectors)('$name is signed as two implementations agree', (vector) => {
  const { apiKey, apiSecret, passphrase, recvWindow, expected } = vector
  const own = { apiKey, apiSecret, ...(passphrase === undefined ? {} : { passphrase }) }
  const request =
    recvWindow === null
      ? signCall(callOf(vector), own, vector.timestampMs)
      : signMexcSpot(callOf(vector), own, vector.timestampMs, recvWindow)
  const wanted = new URL(expected.url)
  expect(request.url).toBe(expected.url.slice(wanted.origin.length))
  expect(request.url.split('?')[1] ?? '').toBe(expected.queryString)
  expect(request.headers).toEqual(expected.headers)
  expect(JSON.stringify(request)).toContain(expected.signature)
  expect(request.body).toBe(expected.body)
})

test('a call that is not signed carries no key, signature or passphrase', () => {
  for (const family of ['mexc-spot', 'mexc-futures', 'bitget'] as const) {
    const request = signCall(
      { family, method: 'GET', path: '/t', query: 'symbol=A%20B', body: null, signed: false },
      keys,
      1,
    )
    expect(request).toEqual({ method: 'GET', url: '/t?symbol=A%20B', headers: {}, body: null })
  }
})

test('a signed call without keys is a mistake of ours and reported', () => {
  const call: UpstreamCall = {
    family: 'bitget',
    method: 'GET',
    path: '/x',
    query: '',
    body: null,
    signed: true,
  }
  expect(() => signCall(call, null, 1)).toThrow('GET /x is signed and needs keys')
})

test('a POST without a body is signed and sent as an empty object', () => {
  for (const family of ['mexc-futures', 'bitget'] as const) {
    const empty: UpstreamCall = {
      family,
      method: 'POST',
      path: '/p',
      query: '',
      body: null,
      signed: true,
    }
    expect(signCall(empty, keys, 1)).toEqual(signCall({ ...empty, body: '{}' }, keys, 1))
  }
})

test('a demo call to Bitget says so also when it is public', () => {
  const call: UpstreamCall = {
    family: 'bitget',
    method: 'GET',
    path: '/x',
    query: '',
    body: null,
    signed: false,
    demo: true,
  }
  expect(signCall(call, null, 1).headers).toEqual({ paptrading: '1' })
})

test('any text can be a value: what cannot be UTF-8 is replaced, not rejected', () => {
  const call: UpstreamCall = {
    family: 'mexc-spot',
    method: 'GET',
    path: '/x',
    query: queryOf({ a: "\ud800!'()*" }),
    body: null,
    signed: false,
  }
  expect(signCall(call, null, 1).url).toBe('/x?a=%EF%BF%BD%21%27%28%29%2A')
})
