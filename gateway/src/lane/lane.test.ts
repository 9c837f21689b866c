import { expect, test } from 'vitest'
import type { JobClass } from './job.ts'
import { codeOf, testLane } from './test-lane.ts'

test('a lane sends nothing in its first second, then one job each half second', async () => {
  const { time, sent, submit } = testLane()
  for (const name of ['a', 'b', 'c', 'd']) void submit(name)
  await time.advance(10_000)
  expect(sent.map(({ atMs }) => atMs)).toEqual([1000, 1500, 2000, 2500])
})

test('a job brings back its answer and how long it waited', async () => {
  const { time, submit } = testLane()
  const first = submit('a')
  const second = submit('b')
  await time.advance(2000)
  expect(await first).toEqual({ answer: 'answer to a', queueWaitMs: 1000, shared: false })
  expect(await second).toEqual({ answer: 'answer to b', queueWaitMs: 1500, shared: false })
})

test('a job that comes to an idle lane goes at once', async () => {
  const { time, sent, submit } = testLane()
  await time.advance(5000)
  void submit('a')
  expect(sent).toEqual([{ name: 'a', atMs: 5000 }])
})

test('the guard widens the interval so that a window that the network shortens still holds two calls', async () => {
  const { time, sent, submit } = testLane({ guardMs: 2 })
  for (const name of ['a', 'b', 'c']) void submit(name)
  await time.advance(10_000)
  expect(sent.map(({ atMs }) => atMs)).toEqual([1000, 1501, 2002])
})

test('with one call at a time the next waits for the answer', async () => {
  const { time, sent, submit } = testLane()
  const slow = Promise.withResolvers<string>()
  void submit('slow', { run: () => slow.promise })
  void submit('next')
  await time.advance(9000)
  expect(sent).toEqual([])
  slow.resolve('late')
  await time.advance(500)
  expect(sent).toEqual([{ name: 'next', atMs: 9500 }])
})

test('with two calls at a time answers overlap, and the pace stays', async () => {
  const { time, sent, submit } = testLane({ concurrency: 2 })
  const never = (name: string) =>
    submit(name, {
      run: async ({ onSent }) => {
        sent.push({ name, atMs: time.monotonicMs() })
        onSent()
        await new Promise((resolve) => time.setTimer(700, () => resolve(undefined)))
        return name
      },
    })
  for (const name of ['a', 'b', 'c']) void never(name)
  await time.advance(10_000)
  expect(sent.map(({ atMs }) => atMs)).toEqual([1000, 1500, 2000])
})

test('the interval counts from when the bytes were on the socket', async () => {
  const { time, sent, submit } = testLane({ concurrency: 5 })
  void submit('late', {
    run: async ({ onSent }) => {
      time.setTimer(700, onSent)
      return new Promise(() => {})
    },
  })
  void submit('next')
  await time.advance(10_000)
  expect(sent).toEqual([{ name: 'next', atMs: 2200 }])
})

test('classes go in order, whatever came first', async () => {
  const { time, names, submit } = testLane()
  const classes: JobClass[] = ['market', 'account', 'order', 'lookup', 'cancel']
  for (const jobClass of classes) void submit(jobClass, { jobClass })
  await time.advance(5000)
  expect(names()).toEqual(['cancel', 'lookup', 'order', 'account', 'market'])
})

test('who goes is decided when the slot is there, so a late cancel overtakes', async () => {
  const { time, sent, submit } = testLane()
  for (let i = 0; i < 300; i += 1) void submit(`order ${i}`)
  await time.advance(60_000)
  const submittedMs = time.monotonicMs()
  void submit('cancel', { jobClass: 'cancel' })
  await time.advance(1000)
  const cancel = sent.find(({ name }) => name === 'cancel')
  expect(cancel?.atMs).toBeLessThanOrEqual(submittedMs + 500)
})

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

test('a job that was sent brings its answer although the caller hung up', async () => {
  const { time, submit } = testLane()
  const caller = new AbortController()
  const answered = Promise.withResolvers<string>()
  const sent = submit('sent', { signal: caller.signal, run: () => answered.promise })
  await time.advance(1000)
  caller.abort()
  answered.resolve('filled')
  expect((await sent).answer).toBe('filled')
})

test('a job whose deadline passes in the queue is answered as not sent, and costs no slot', async () => {
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
  expect(sent).toEqual([{ name: 'stays', atMs: 3500 }])
})

test('a job that could not go in time is refused at once, with the expected wait', async () => {
  const { time, submit } = testLane()
  await time.advance(5000)
  for (let i = 0; i < 21; i += 1) void submit(`order ${i}`)
  const error = await submit('impatient', { maxWaitMs: 4000 }).catch((thrown) => thrown)
  expect(error).toMatchObject({
    code: 'QUEUE_WAIT_TOO_LONG',
    statusCode: 503,
    sent: false,
    retryAfterSeconds: 7,
  })
  expect(error.message).toBe(
    'The expected wait for MEXC is 10.5 s, longer than the 4.0 s that this request may wait; the request was not sent',
  )
})

test('a caller that will not wait goes when the lane is free and is refused when it is not', async () => {
  const { time, names, submit } = testLane()
  await time.advance(5000)
  void submit('free', { maxWaitMs: 0 })
  expect(await codeOf(submit('busy', { maxWaitMs: 0 }))).toBe('QUEUE_WAIT_TOO_LONG')
  expect(names()).toEqual(['free'])
})

test('a client fills its share of the queue and no more, and can still cancel', async () => {
  const { lane, time, names, submit } = testLane({ maxQueueLength: 20, clientShare: 0.5 })
  for (let i = 0; i < 10; i += 1) void submit(`order ${i}`)
  const refused = await submit('one more').catch((error) => error)
  expect(refused).toMatchObject({
    code: 'CLIENT_QUEUE_SHARE_EXCEEDED',
    statusCode: 429,
    sent: false,
  })
  void submit('take back', { jobClass: 'cancel' })
  void submit('other', { clientId: 'bob' })
  expect(lane.snapshot().queued).toBe(12)
  await time.advance(2000)
  expect(names()).toEqual(['take back', 'order 0', 'other'])
})

test('a full queue refuses everybody', async () => {
  const { submit } = testLane({ maxQueueLength: 4 })
  for (const clientId of ['a', 'b', 'c', 'd']) void submit(clientId, { clientId })
  expect(await codeOf(submit('e', { clientId: 'e' }))).toBe('QUEUE_FULL')
})

test('queued reads with the same key share one call, and each is told whether it shared', async () => {
  const { time, names, submit } = testLane()
  const read = { jobClass: 'market', shareKey: 'ticker BTCUSDT' } as const
  const answers = Promise.all([
    submit('first', read),
    submit('second', { ...read, clientId: 'bob' }),
    submit('other key', { ...read, shareKey: 'ticker ETHUSDT' }),
  ])
  await time.advance(5000)
  expect((await answers).map(({ answer, shared }) => [answer, shared])).toEqual([
    ['answer to first', false],
    ['answer to first', true],
    ['answer to other key', false],
  ])
  expect(names()).toEqual(['first', 'other key'])
})

test('a read that comes after the call was sent gets its own', async () => {
  const { time, names, submit } = testLane()
  const read = { jobClass: 'market', shareKey: 'ticker BTCUSDT' } as const
  const slow = Promise.withResolvers<string>()
  void submit('first', { ...read, run: () => slow.promise })
  await time.advance(1000)
  void submit('second', read)
  slow.resolve('old')
  await time.advance(1000)
  expect(names()).toEqual(['second'])
})

test('orders never share a call', async () => {
  const { time, names, submit } = testLane()
  void submit('one', { shareKey: 'same' })
  void submit('two', { shareKey: 'same' })
  await time.advance(5000)
  expect(names()).toEqual(['one', 'two'])
})

test('when the first of several that share is gone, the others still get an answer', async () => {
  const { time, submit } = testLane()
  const caller = new AbortController()
  const read = { jobClass: 'market', shareKey: 'ticker' } as const
  const gone = codeOf(submit('first', { ...read, signal: caller.signal }))
  const second = submit('second', { ...read, clientId: 'bob' })
  caller.abort()
  await time.advance(1000)
  expect(await gone).toBe('CALLER_GONE')
  expect(await second).toMatchObject({ answer: 'answer to second', shared: false })
})

test.each([
  ['at once', () => new Error('switched off')],
  ['later', async () => new Error('switched off')],
  ['by throwing', () => Promise.reject(new Error('switched off'))],
])('a job that its late check refuses %s costs no slot', async (_, mayGo) => {
  const { time, sent, submit } = testLane()
  const refused = codeOf(submit('refused', { mayGo }))
  void submit('stays', { mayGo: async () => undefined })
  await time.advance(1000)
  expect(await refused).toBe('switched off')
  expect(sent).toEqual([{ name: 'stays', atMs: 1000 }])
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

test('one who shares a call but its check hangs is given up, and the others are not held', async () => {
  const { time, submit } = testLane()
  const read = { jobClass: 'market', shareKey: 'ticker', maxWaitMs: 5000 } as const
  const first = submit('first', read)
  const hangs = codeOf(submit('hangs', { ...read, mayGo: () => new Promise(() => {}) }))
  await time.advance(1000)
  expect((await first).answer).toBe('answer to first')
  await time.advance(4000)
  expect(await hangs).toBe('QUEUE_DEADLINE_PASSED')
})

test('one who shares a call but may not have the answer gets a refusal instead', async () => {
  const { time, submit } = testLane()
  const read = { jobClass: 'market', shareKey: 'ticker' } as const
  const first = submit('first', read)
  const refused = codeOf(
    submit('off', { ...read, clientId: 'bob', mayGo: async () => new Error('off') }),
  )
  await time.advance(1000)
  expect((await first).answer).toBe('answer to first')
  expect(await refused).toBe('off')
})

test('a run that throws rejects its own job and the lane goes on', async () => {
  const { time, names, submit } = testLane()
  const failed = codeOf(
    submit('throws', {
      run: () => {
        throw new Error('no key')
      },
    }),
  )
  void submit('next')
  await time.advance(2000)
  expect(await failed).toBe('no key')
  expect(names()).toEqual(['next'])
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

test('an admin sees what waits and can drop one entry', async () => {
  const { lane, time, names, submit } = testLane()
  const dropped = codeOf(submit('a'))
  void submit('b')
  await time.advance(400)
  const [first] = lane.list()
  expect(first).toEqual({
    id: '1',
    clientId: 'ann',
    jobClass: 'order',
    requestId: 'a',
    method: 'POST',
    endpoint: '/order',
    waitedMs: 400,
    remainingMs: 179_600,
    attempts: 0,
  })
  expect(lane.drop('1', 'wrong size')).toBe(true)
  expect(lane.drop('1', 'again')).toBe(false)
  expect(await dropped).toBe('QUEUE_ENTRY_DROPPED')
  await time.advance(5000)
  expect(names()).toEqual(['b'])
})

test('a stopped exchange refuses what waits and what comes, with the reason, until it is resumed', async () => {
  const { lane, time, names, events, submit } = testLane()
  const waiting = submit('waits').catch((error) => error)
  lane.stop('unusual losses')
  expect(await waiting).toMatchObject({ code: 'EXCHANGE_STOPPED', statusCode: 503, sent: false })
  expect((await waiting).message).toContain('unusual losses')
  expect(await codeOf(submit('comes'))).toBe('EXCHANGE_STOPPED')
  expect(lane.snapshot()).toMatchObject({ state: 'stopped', reason: 'unusual losses' })
  lane.resume()
  void submit('again')
  await time.advance(1000)
  expect(names()).toEqual(['again'])
  expect(events.map(({ type }) => type)).toEqual(['stopped', 'resumed'])
})

test('closing refuses what waits, waits for what was sent, and leaves no timer', async () => {
  const { lane, time, submit } = testLane()
  const slow = Promise.withResolvers<string>()
  const sent = submit('sent', { run: () => slow.promise })
  await time.advance(1000)
  const waiting = codeOf(submit('waits'))
  let isClosed = false
  const closed = lane.close(10_000).then(() => {
    isClosed = true
  })
  expect(await waiting).toBe('GATEWAY_STOPPING')
  expect(await codeOf(submit('late'))).toBe('GATEWAY_STOPPING')
  await time.advance(5000)
  expect(isClosed).toBe(false)
  slow.resolve('filled')
  await closed
  expect((await sent).answer).toBe('filled')
  expect(time.pending).toBe(0)
})

test('closing does not wait longer than the grace', async () => {
  const { lane, time, submit } = testLane()
  void submit('hangs', { run: () => new Promise(() => {}) })
  await time.advance(1000)
  const closed = lane.close(2000)
  await time.advance(2000)
  await expect(closed).resolves.toBeUndefined()
})

test('the expected wait is what a job then waits', async () => {
  const { lane, time, submit } = testLane()
  for (let i = 0; i < 9; i += 1) void submit(`a${i}`)
  for (let i = 0; i < 3; i += 1) void submit(`b${i}`, { clientId: 'bob' })
  await time.advance(1200)
  const expected = lane.expectedWaitMs('order', 'cat')
  const answer = submit('cat', { clientId: 'cat' })
  await time.advance(60_000)
  expect((await answer).queueWaitMs).toBe(expected)
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

test('a snapshot tells the queue by class and by client, the longest first', async () => {
  const { lane, time, submit } = testLane()
  void submit('a', { jobClass: 'market' })
  await time.advance(300)
  void submit('b', { clientId: 'bob' })
  void submit('c', { clientId: 'bob' })
  expect(lane.snapshot()).toEqual({
    name: 'MEXC',
    state: 'running',
    reason: null,
    resumesInMs: null,
    ratePerSecond: 2,
    currentRatePerSecond: 2,
    queued: 3,
    queuedByClass: { cancel: 0, lookup: 0, order: 2, account: 0, market: 1 },
    queuedByClient: [
      { clientId: 'bob', queued: 2 },
      { clientId: 'ann', queued: 1 },
    ],
    longestWaitMs: 300,
    estimatedWaitMs: 1200,
    inFlight: 0,
    slotsUsed: 0,
    lastError: null,
  })
})

test.each([
  ['ratePerSecond', 0],
  ['concurrency', 1.5],
  ['maxQueueLength', 0],
  ['clientShare', 2],
  ['guardMs', -1],
])('a lane with %s %d is refused by name', (option, value) => {
  expect(() => testLane({ [option]: value })).toThrow(`A lane cannot have ${option} ${value}`)
})
