import { expect, test } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'
import type { Slot } from './job.ts'

test('a job that could not go in time is rejected at once, with the expected wait', async () => {
  const { time, submit } = testLane()
  await time.advance(5000)
  for (let i = 0; i < 21; i += 1) void submit(`order ${i}`)
  const error = await submit('impatient', { maxWaitMs: 4000 }).catch((thrown) => thrown)
  const rejected = { code: 'QUEUE_WAIT_TOO_LONG', statusCode: 503, sent: false }
  expect(error).toMatchObject({ ...rejected, retryAfterSeconds: 7 })
  expect(error.message).toBe(
    'The expected wait for MEXC is 10.5 s, longer than the limit of 4.0 s for this request; the request was not sent',
  )
})

test('a caller that will not wait goes when the lane is free and is rejected when it is not', async () => {
  const { time, names, submit } = testLane()
  await time.advance(5000)
  void submit('free', { maxWaitMs: 0 })
  expect(await codeOf(submit('busy', { maxWaitMs: 0 }))).toBe('QUEUE_WAIT_TOO_LONG')
  expect(names()).toEqual(['free'])
})

test('a client fills its share of the queue and no more, and can still cancel', async () => {
  const { lane, time, names, submit } = testLane({ maxQueueLength: 20, clientShare: 0.5 })
  for (let i = 0; i < 10; i += 1) void submit(`order ${i}`)
  const rejected = await submit('one more').catch((error) => error)
  const exceeded = { code: 'CLIENT_QUEUE_SHARE_EXCEEDED', statusCode: 429, sent: false }
  expect(rejected).toMatchObject(exceeded)
  void submit('take back', { jobClass: 'cancel' })
  void submit('other', { clientId: 'bob' })
  expect(lane.snapshot().queued).toBe(12)
  await time.advance(2000)
  expect(names()).toEqual(['take back', 'order 0', 'other'])
})

test('a full queue rejects everybody', async () => {
  const { submit } = testLane({ maxQueueLength: 4 })
  for (const clientId of ['a', 'b', 'c', 'd']) void submit(clientId, { clientId })
  expect(await codeOf(submit('e', { clientId: 'e' }))).toBe('QUEUE_FULL')
})

test('the expected wait is what a job then waits', async () => {
  const { lane, time, submit } = testLane()
  for (let i = 0; i < 9; i += 1) void submit(`a${i}`)
  for (let i = 0; i < 3; i += 1) void submit(`b${i}`, { clientId: 'bob' })
  await time.advance(1200)
  const expected = lane.snapshot().estimatedWaitMs
  const response = submit('cat', { clientId: 'cat' })
  await time.advance(60_000)
  expect((await response).queueWaitMs).toBe(expected)
})

test('the expected wait for a place follows how long calls take, recent ones more', async () => {
  const { lane, time, submit } = testLane()
  const taking = (ms: number) => ({
    run: async ({ onSent }: Slot) => {
      onSent()
      await new Promise<void>((resolve) => time.setTimer(ms, resolve))
      return 'response'
    },
  })
  for (const ms of [2000, 4000]) {
    void submit(`takes ${ms} ms`, taking(ms))
    await time.advance(10_000)
  }
  void submit('is on its way', taking(2000))
  await time.advance(0)
  expect(lane.snapshot().estimatedWaitMs).toBe(2400)
})

test('a read is not rejected because of a backlog that it overtakes in time', async () => {
  const { time, names, submit } = testLane()
  for (let i = 0; i < 200; i += 1) void submit(`order ${i}`)
  const read = { clientId: 'bob', jobClass: 'account' } as const
  const impatient = submit('impatient', { ...read, maxWaitMs: 10_000 })
  expect(await codeOf(impatient)).toBe('QUEUE_WAIT_TOO_LONG')
  void submit('patient', { ...read, maxWaitMs: 20_000 })
  await time.advance(20_000)
  expect(names()).toContain('patient')
})

test('the quota says whether a call would go at once, and when one would', async () => {
  const { lane, time, submit } = testLane()
  expect(lane.quota()).toEqual({ remaining: 0, resetMs: 1000 })
  await time.advance(1000)
  expect(lane.quota()).toEqual({ remaining: 1, resetMs: 0 })
  void submit('a')
  void submit('b')
  await time.advance(100)
  expect(lane.quota()).toEqual({ remaining: 0, resetMs: 900 })
})
