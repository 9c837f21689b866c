import { expect, test } from 'vitest'
import { type Family, publicReadOf, type UpstreamResponse } from '../exchanges/exchange.ts'
import { readResponse } from '../exchanges/read-response.ts'
import { KeptResponses } from './responses.ts'

const TICKER = publicReadOf('mexc-spot', '/api/v3/ticker/price')

function setUp() {
  const time = { ms: 0 }
  const kept = new KeptResponses({ monotonic: () => time.ms }, { emit: () => {} })
  /** A call whose response takes a while, as it is judged in production. */
  const carry = (key: string, body: string | Buffer, takesMs = 0, call = TICKER) =>
    kept.carry(key, call, async () => {
      time.ms += takesMs
      const response: UpstreamResponse = {
        ...{ status: 200, headers: {}, upstreamMs: 1 },
        body: Buffer.from(body),
      }
      return { response, verdict: readResponse(call, response) }
    })
  const found = (key: string, maxAgeMs: number) =>
    kept.find(key, maxAgeMs)?.response.body.toString()
  return { time, kept, carry, found }
}

test('a response is as old as the moment before its call was sent', async () => {
  const { time, carry, found } = setUp()
  await carry('a', '["a"]', 3_000)
  time.ms += 1_000
  expect(found('a', 4_000)).toBeUndefined()
  expect(found('a', 4_001)).toBe('["a"]')
})

test('the response to an older call does not replace that to a newer one', async () => {
  const { time, kept, carry, found } = setUp()
  await kept.carry('a', TICKER, async () => {
    time.ms += 1_000
    await carry('a', '["newer"]')
    return carry('of the older', '["older"]')
  })
  expect(found('a', 60_000)).toBe('["newer"]')
})

test('64 MB are kept at most, and what was used least recently leaves first', async () => {
  const { carry, found } = setUp()
  const body = `["${'x'.repeat(8 * 1024 * 1024 - 1024)}"]`
  for (const key of 'abcdefgh') await carry(key, body)
  expect(found('a', 1)).toBeDefined()
  await carry('i', body)
  expect(found('b', 1)).toBeUndefined()
  for (const key of 'acdefghi') expect(found(key, 1)).toBeDefined()
})

test.each<[Family, kept: string[], not: string[]]>([
  [
    'mexc-spot',
    [
      ...['{"price":"0.10"}', '[{"symbol":"A"}]', '{"code":200,"data":["A"],"msg":null}'],
      '{"timezone":"CST","rateLimits":[],"symbols":[{"symbol":"A"}]}',
    ],
    [
      ...['{"success":false,"code":510,"message":"Too frequent"}', '{"code":500}', 'null', '{}'],
      ...['[]', '{"msg":"busy"}', '{"code":0,"data":[],"msg":null}', '"busy"', '7'],
      '{"timezone":"CST","rateLimits":[],"symbols":[]}',
      '{"timestamp":1,"status":500,"error":"Internal Server Error"}',
    ],
  ],
  [
    'mexc-futures',
    ['{"success":true,"code":0,"data":[{"symbol":"A"}]}', '{"symbol":"A"}'],
    [
      ...['{}', '[]', 'null', '{"msg":"busy"}', '{"success":true,"code":0,"data":[]}'],
      ...['{"success":true,"code":0}', '{"success":false,"code":510,"message":"Too frequent"}'],
    ],
  ],
  [
    'bitget',
    // Its code says that an empty list is the response.
    ['{"code":"00000","data":[{"symbol":"A"}]}', '{"code":"00000","data":[]}'],
    ['{"code":"40017","msg":"x","data":["A"]}', '{}'],
  ],
])('of %s only what surely is a success is kept', async (family, good, bad) => {
  const { carry, found } = setUp()
  const call = publicReadOf(family, '/api/any')
  for (const body of [...good, ...bad]) await carry(body, body, 0, call)
  const isKept = (body: string) => found(body, 1) !== undefined
  expect(good.filter((body) => !isKept(body))).toEqual([])
  expect(bad.filter(isKept)).toEqual([])
})
