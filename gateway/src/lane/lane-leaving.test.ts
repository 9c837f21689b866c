import { expect, test } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'
import type { Slot } from './job.ts'

test('a caller that hangs up leaves the queue at once and costs no slot', async () => {
  const { lane, time, sent, submit } = testLane()
  const caller = new AbortController()
  const gone = codeOf(submit('gone', { signal: caller.signal }))
  void submit('stays')
  caller.abort()
  expect(lane.snapshot().queued).toBe(1)
  expect(await gone).toBe('CALLER_GONE')
  expect(await codeOf(submit('never came', { signal: caller.signal }))).toBe('CALLER_GONE')
  expect(lane.snapshot().queued).toBe(1)
  await time.advance(5000)
  expect(sent).toEqual([{ name: 'stays', atMs: 1000 }])
})

test('a job that was sent brings its response although the caller hung up', async () => {
  const { time, submit } = testLane()
  const caller = new AbortController()
  const responded = Promise.withResolvers<string>()
  const sent = submit('sent', { signal: caller.signal, run: () => responded.promise })
  await time.advance(1000)
  caller.abort()
  responded.resolve('filled')
  expect((await sent).response).toBe('filled')
})

test('a job whose deadline passes in the queue is rejected as not sent, and costs no slot', async () => {
  const { time, sent, submit } = testLane({ startDelayMs: 0 })
  const slow = Promise.withResolvers<string>()
  void submit('slow', { run: () => slow.promise })
  const late = submit('late', { maxWaitMs: 3000 })
  const rejected = late.catch((error) => error)
  void submit('stays')
  await time.advance(3000)
  const passed = { code: 'QUEUE_DEADLINE_PASSED', statusCode: 504, sent: false }
  expect(await rejected).toMatchObject(passed)
  expect((await rejected).message).toContain('not sent')
  slow.resolve('done')
  await time.advance(500)
  expect(sent).toEqual([{ name: 'stays', atMs: 3480 }])
})

const hanging = { lateCheckError: () => new Promise<undefined>(() => {}) }

test('a late check that hangs ends with its job, or when its caller hangs up, not with the lane', async () => {
  const { time, names, submit } = testLane()
  const caller = new AbortController()
  const hangs = codeOf(submit('hangs', { ...hanging, maxWaitMs: 3000 }))
  void submit('hangs too', { ...hanging, signal: caller.signal })
  void submit('stays')
  await time.advance(2900)
  expect(names()).toEqual([])
  await time.advance(100)
  expect(await hangs).toBe('QUEUE_DEADLINE_PASSED')
  expect(names()).toEqual([])
  caller.abort()
  await time.advance(0)
  expect(names()).toEqual(['stays'])
})

test('a lane whose jobs another process takes over waits for the one in its slot, and gives it what the rate limit rejected', async () => {
  const judge = ({ response }: { response?: string }) =>
    response === 'no'
      ? ({ kind: 'rate-limited', notTaken: true, retryAfterMs: 1_000 } as const)
      : ({ kind: 'ok' } as const)
  const { lane, time, names, submit } = testLane({ judge: judge as never, concurrency: 3 })
  const [marked, rejected] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const run = ({ onSent }: Slot) => {
    onSent()
    return rejected.promise
  }
  const turnedAway = codeOf(submit('turned away', { run }))
  const inSlot = submit('in its slot', {
    async run({ opened, onSent }) {
      await marked.promise
      await opened()
      onSent()
      return 'done'
    },
  })
  const queued = codeOf(submit('queued'))
  await time.advance(2_000)
  expect([lane.snapshot().inFlight, lane.snapshot().queued]).toEqual([2, 1])
  const closed = lane.close(10_000, () => Object.assign(new Error('taken over'), { code: 'OVER' }))
  expect(await queued).toBe('OVER')
  rejected.resolve('no')
  expect(await turnedAway).toBe('OVER')
  marked.resolve()
  expect((await inSlot).response).toBe('done')
  await closed
  expect(names()).toEqual([])
})

test('a follower whose check hangs is rejected, and the others are not held up', async () => {
  const { time, submit } = testLane()
  const read = { jobClass: 'market', shareKey: 'ticker', maxWaitMs: 5000 } as const
  const first = submit('first', read)
  const hangs = codeOf(submit('hangs', { ...read, ...hanging }))
  await time.advance(1000)
  expect((await first).response).toBe('response to first')
  await time.advance(4000)
  expect(await hangs).toBe('QUEUE_DEADLINE_PASSED')
})

test('one who shares a call but may not have the response gets a rejection instead', async () => {
  const { time, submit } = testLane()
  const read = { jobClass: 'market', shareKey: 'ticker' } as const
  const first = submit('first', read)
  const off = { ...read, clientId: 'bob', lateCheckError: async () => new Error('off') }
  const rejected = codeOf(submit('off', off))
  await time.advance(1000)
  expect((await first).response).toBe('response to first')
  expect(await rejected).toBe('off')
})
