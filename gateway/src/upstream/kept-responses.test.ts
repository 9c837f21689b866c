import { expect, test } from 'vitest'
import { publicReadOf } from '../exchanges/exchange.ts'
import { KeptResponses } from './kept-responses.ts'
import { createTimings } from './request-context.ts'
import type { JudgedResponse } from './sign-and-send.ts'

const CALL = publicReadOf('mexc-spot', '/api/v3/exchangeInfo')

function setUp() {
  const time = { ms: 0 }
  const kept = new KeptResponses({ monotonic: () => time.ms }, { emit: () => {} })
  const timings = createTimings()
  const found = async (key: string, maxAgeMs: number) =>
    (await kept.find(key, CALL, maxAgeMs, timings))?.response.body.toString()
  return { time, kept, timings, found }
}

const judged = (body: string | Buffer): JudgedResponse => ({
  response: { status: 200, headers: {}, body: Buffer.from(body), upstreamMs: 1 },
  verdict: { kind: 'ok', data: null },
})
const sent = (body: string | Buffer) => async () => judged(body)

test('a response is as old as the moment before its call was sent', async () => {
  const { time, kept, timings, found } = setUp()
  await kept.carry('a', async () => {
    time.ms += 3_000
    return judged('a')
  })
  time.ms += 1_000
  expect(await found('a', 3_999)).toBeUndefined()
  expect(await found('a', 4_000)).toBe('a')
  expect(timings).toMatchObject({ shared: true, ageMs: 4_000 })
})

test('who asks while a call is on its way gets its response, and asks itself when the call fails', async () => {
  const { kept, found } = setUp()
  const one = Promise.withResolvers<JudgedResponse>()
  const carried = kept.carry('a', () => one.promise)
  const joined = [found('a', 1), found('a', 1)]
  one.resolve(judged('first'))
  await carried
  expect(await Promise.all(joined)).toEqual(['first', 'first'])

  const failing = kept.carry('b', async () => {
    throw new Error('no connection')
  })
  const left = found('b', 1)
  await expect(failing).rejects.toThrow('no connection')
  expect(await left).toBeUndefined()
})

test('a call that was sent too long ago is not waited for, and does not replace a newer one', async () => {
  const { time, kept, found } = setUp()
  const slow = Promise.withResolvers<JudgedResponse>()
  const carried = kept.carry('a', () => slow.promise)
  time.ms = 2_000
  expect(await found('a', 1_999)).toBeUndefined()
  await kept.carry('a', sent('newer'))
  slow.resolve(judged('older'))
  await carried
  expect(await found('a', 60_000)).toBe('newer')
})

test('64 MB are kept at most, and what was used least recently leaves first', async () => {
  const { kept, found } = setUp()
  const body = Buffer.alloc(8 * 1024 * 1024 - 1024)
  for (const key of 'abcdefgh') await kept.carry(key, sent(body))
  expect(await found('a', 1)).toBeDefined()
  await kept.carry('i', sent(body))
  expect(await found('b', 1)).toBeUndefined()
  for (const key of 'acdefghi') expect(await found(key, 1)).toBeDefined()
})
