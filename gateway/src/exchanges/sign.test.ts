import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { signCall } from '../upstream/sign-and-send.ts'
import { encodeForBitget } from './bitget/call.ts'
import type { Family, UpstreamCall } from './exchange.ts'
import { signMexcSpot } from './mexc-spot/index.ts'
import { queryOf, queryText } from './protocol/query-text.ts'

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

function callOf({ family: name, method, path, query, body, demo = false }: Vector): UpstreamCall {
  const isBitget = name.startsWith('bitget')
  const family = isBitget ? 'bitget' : name === 'mexc-spot' ? 'mexc-spot' : 'mexc-futures'
  const text = queryText(query, isBitget ? encodeForBitget : undefined)
  return { family, method, path, query: text, body, signed: true, demo }
}

/** A call without fields, signed or not. */
const bare = (family: Family, more: Partial<UpstreamCall>): UpstreamCall => ({
  ...{ family, method: 'GET', path: '/x', query: '', body: null, signed: false, ...more },
})

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
    const request = signCall(bare(family, { query: 'symbol=A%20B' }), keys, 1)
    expect(request).toEqual({ method: 'GET', url: '/x?symbol=A%20B', headers: {}, body: null })
  }
})

test('a signed call without keys is a mistake of ours and reported', () => {
  const call = bare('bitget', { signed: true })
  expect(() => signCall(call, null, 1)).toThrow('GET /x is signed and needs keys')
})

test('a POST without a body is signed and sent as an empty object', () => {
  for (const family of ['mexc-futures', 'bitget'] as const) {
    const empty = bare(family, { method: 'POST', signed: true })
    expect(signCall(empty, keys, 1)).toEqual(signCall({ ...empty, body: '{}' }, keys, 1))
  }
})

test('a demo call to Bitget says so also when it is public', () => {
  const { headers } = signCall(bare('bitget', { demo: true }), null, 1)
  expect(headers).toEqual({ paptrading: '1' })
})

test('any text can be a value: what cannot be UTF-8 is replaced, not rejected', () => {
  const call = bare('mexc-spot', { query: queryOf({ a: "\ud800!'()*" }) })
  expect(signCall(call, null, 1).url).toBe('/x?a=%EF%BF%BD%21%27%28%29%2A')
})
