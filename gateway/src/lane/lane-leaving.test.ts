import { expect, test } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'

test('a caller that hangs up leaves the queue at once and costs no slot', async () => {
  const { lane, time, sent, submit } = testLane()
  const caller = new AbortController()
  const gone = codeOf(submit('gone', { signal: caller.signal }))
  void submit('stays')
  caller.abort()
  expect(lane.snapshot().queued).toBe(1)
  expect(await gone).toBe('CALLER_GONE')
  await time.advance(5000)
  expect(sent).toEqual([{ name: 'stays', atMs: 1000 }])
})

test('a job whose caller hung up before it came is never queued', async () => {
  const { lane, submit } = testLane()
  expect(await codeOf(submit('gone', { signal: AbortSignal.abort() }))).toBe('CALLER_GONE')
  expect(lane.snapshot().queued).toBe(0)
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
  expect(await rejected).toMatchObject({
    code: 'QUEUE_DEADLINE_PASSED',
    statusCode: 504,
    sent: false,
  })
  expect((await rejected).message).toContain('not sent')
  slow.resolve('done')
  await time.advance(500)
  expect(sent).toEqual([{ name: 'stays', atMs: 3480 }])
})

test('a late check that hangs ends with its job, not with the lane', async () => {
  const { time, names, submit } = testLane()
  const hangs = codeOf(submit('hangs', { mayGo: () => new Promise(() => {}), maxWaitMs: 3000 }))
  void submit('stays')
  await time.advance(2900)
  expect(names()).toEqual([])
  await time.advance(100)
  expect(await hangs).toBe('QUEUE_DEADLINE_PASSED')
  expect(names()).toEqual(['stays'])
})

test('a late check that hangs ends when its caller hangs up', async () => {
  const { time, names, submit } = testLane()
  const caller = new AbortController()
  void submit('hangs', { mayGo: () => new Promise(() => {}), signal: caller.signal })
  void submit('stays')
  await time.advance(2000)
  caller.abort()
  expect(names()).toEqual(['stays'])
})

test('a lane whose jobs another process takes over waits for the one in its slot, and gives it what the rate limit rejected', async () => {
  const judge = ({ response }: { response?: string }) =>
    response === 'no'
      ? ({ kind: 'rate-limited', notTaken: true, retryAfterMs: 1_000 } as const)
      : ({ kind: 'ok' } as const)
  const { lane, time, names, submit } = testLane({ judge: judge as never, concurrency: 3 })
  const [marked, rejected] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const turnedAway = codeOf(
    submit('turned away', {
      run({ onSent }) {
        onSent()
        return rejected.promise
      },
    }),
  )
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
  const hangs = codeOf(submit('hangs', { ...read, mayGo: () => new Promise(() => {}) }))
  await time.advance(1000)
  expect((await first).response).toBe('response to first')
  await time.advance(4000)
  expect(await hangs).toBe('QUEUE_DEADLINE_PASSED')
})

test('one who shares a call but may not have the response gets a rejection instead', async () => {
  const { time, submit } = testLane()
  const read = { jobClass: 'market', shareKey: 'ticker' } as const
  const first = submit('first', read)
  const rejected = codeOf(
    submit('off', { ...read, clientId: 'bob', mayGo: async () => new Error('off') }),
  )
  await time.advance(1000)
  expect((await first).response).toBe('response to first')
  expect(await rejected).toBe('off')
})

test('a client that is switched off loses everything it has queued, at once and with the reason', async () => {
  const { lane, time, names, submit } = testLane()
  const dropped = [codeOf(submit('a')), codeOf(submit('b', { jobClass: 'market' }))]
  void submit('c', { clientId: 'bob' })
  expect(lane.dropClient('ann', new Error('switched off'))).toBe(2)
  expect(await Promise.all(dropped)).toEqual(['switched off', 'switched off'])
  await time.advance(5000)
  expect(names()).toEqual(['c'])
})
