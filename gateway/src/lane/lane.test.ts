import { expect, test } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'
import type { JobClass, Slot } from './job.ts'

const timesOf = (sent: readonly { readonly atMs: number }[]) => sent.map(({ atMs }) => atMs)

test('a lane sends nothing in its first second, then one job each half second; a job brings back its response and how long it waited', async () => {
  const { time, sent, submit } = testLane()
  const responses = Promise.all(['a', 'b', 'c', 'd'].map((name) => submit(name)))
  await time.advance(10_000)
  expect(timesOf(sent)).toEqual([1000, 1500, 2000, 2500])
  const [first, second] = await responses
  expect(first).toEqual({ response: 'response to a', queueWaitMs: 1000, shared: false })
  expect(second).toEqual({ response: 'response to b', queueWaitMs: 1500, shared: false })
  // One that comes to an idle lane goes at once.
  void submit('e')
  expect(sent.at(-1)).toEqual({ name: 'e', atMs: 10_000 })
})

test('the guard widens the interval so that a window that the network shortens still holds two calls', async () => {
  const { time, sent, submit } = testLane({ guardMs: 2 })
  for (const name of ['a', 'b', 'c']) void submit(name)
  await time.advance(10_000)
  expect(timesOf(sent)).toEqual([1000, 1501, 2002])
})

test('with one call at a time the next waits for the response', async () => {
  const { time, sent, submit } = testLane()
  const slow = Promise.withResolvers<string>()
  void submit('slow', { run: () => slow.promise })
  void submit('next')
  await time.advance(9000)
  expect(sent).toEqual([])
  slow.resolve('late')
  await time.advance(500)
  expect(sent).toEqual([{ name: 'next', atMs: 9480 }])
})

test('with two calls at a time responses overlap, and the pace stays', async () => {
  const { time, sent, submit } = testLane({ concurrency: 2 })
  const run = async ({ onSent }: Slot) => {
    sent.push({ name: 'slow', atMs: time.monotonicMs() })
    onSent()
    await new Promise((resolve) => time.setTimer(700, () => resolve(undefined)))
    return ''
  }
  for (const name of ['a', 'b', 'c']) void submit(name, { run })
  await time.advance(10_000)
  expect(timesOf(sent)).toEqual([1000, 1500, 2000])
})

test('the interval counts from when the bytes were on the socket, less the 20 ms that are made up for', async () => {
  const { time, sent, submit } = testLane({ concurrency: 5 })
  void submit('late', {
    run: async ({ onSent }) => {
      time.setTimer(700, onSent)
      return new Promise(() => {})
    },
  })
  void submit('next')
  await time.advance(10_000)
  expect(sent).toEqual([{ name: 'next', atMs: 2180 }])
})

test('a call that may have arrived late holds up the one whose window it begins', async () => {
  const { time, sent, submit } = testLane({ concurrency: 2 })
  const passing = (ms: number) => new Promise<void>((resolve) => time.setTimer(ms, resolve))
  const timed = (name: string, thereMs: number) =>
    submit(name, {
      run: async ({ onSent, onResponse, onExchangeTime }) => {
        const sentMs = time.monotonicMs()
        sent.push({ name, atMs: sentMs })
        onSent()
        await passing(thereMs + 20)
        onResponse()
        // The rest of the response does not count.
        await passing(300)
        onExchangeTime(1_700_000_000_000 + sentMs + thereMs)
        return name
      },
    })
  for (let i = 0; i < 20; i += 1) void timed(`${i}`, 10)
  void timed('late', 90)
  void timed('next', 10)
  void timed('after', 10)
  await time.advance(20_000)
  const [lateMs = 0, nextMs = 0, afterMs = 0] = sent.slice(20).map(({ atMs }) => atMs)
  expect(nextMs - lateMs).toBeLessThanOrEqual(500)
  expect(afterMs - lateMs).toBeGreaterThanOrEqual(1080)
  expect(afterMs - lateMs).toBeLessThan(1085)
})

test('a call that was sent and failed may have arrived at any time, one that was not sent did not', async () => {
  const { time, sent, submit } = testLane()
  const fails = async ({ onSent }: Slot) => {
    onSent()
    throw new Error('reset')
  }
  submit('sent', { run: fails }).catch(() => {})
  submit('not sent', { run: () => Promise.reject(new Error('no keys')) }).catch(() => {})
  void submit('third')
  void submit('fourth')
  await time.advance(20_000)
  expect(sent).toEqual([
    { name: 'third', atMs: 2400 },
    { name: 'fourth', atMs: 2880 },
  ])
})

test('classes go in order, even if a lesser one came first', async () => {
  const { time, names, submit } = testLane()
  const classes: JobClass[] = ['market', 'account', 'order', 'lookup', 'cancel']
  for (const jobClass of classes) void submit(jobClass, { jobClass })
  await time.advance(5000)
  expect(names()).toEqual(['cancel', 'lookup', 'order', 'account', 'market'])
})

test('who goes is decided when the slot is there, so a late cancel overtakes', async () => {
  const { time, names, submit } = testLane()
  for (let i = 0; i < 300; i += 1) void submit(`order ${i}`)
  await time.advance(60_000)
  void submit('cancel', { jobClass: 'cancel' })
  await time.advance(500)
  expect(names().at(-1)).toBe('cancel')
})

test('queued reads with the same key share one call, and each result says whether it was shared', async () => {
  const { time, names, submit } = testLane()
  const read = { jobClass: 'market', shareKey: 'ticker BTCUSDT' } as const
  const responses = Promise.all([
    submit('first', read),
    submit('second', { ...read, clientId: 'bob' }),
    submit('other key', { ...read, shareKey: 'ticker ETHUSDT' }),
  ])
  await time.advance(5000)
  expect((await responses).map(({ response, shared }) => [response, shared])).toEqual([
    ['response to first', false],
    ['response to first', true],
    ['response to other key', false],
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

test('when the first of several that share is gone, the others still get a response', async () => {
  const { time, submit } = testLane()
  const caller = new AbortController()
  const read = { jobClass: 'market', shareKey: 'ticker' } as const
  const gone = codeOf(submit('first', { ...read, signal: caller.signal }))
  const second = submit('second', { ...read, clientId: 'bob' })
  caller.abort()
  await time.advance(1000)
  expect(await gone).toBe('CALLER_GONE')
  expect(await second).toMatchObject({ response: 'response to second', shared: false })
})

test.each([
  ['at once', () => new Error('switched off')],
  ['later', async () => new Error('switched off')],
  ['by throwing', () => Promise.reject(new Error('switched off'))],
])('a job that its late check rejects %s costs no slot', async (_, lateCheckError) => {
  const { time, sent, submit } = testLane()
  const rejected = codeOf(submit('rejected', { lateCheckError }))
  void submit('stays', { lateCheckError: async () => undefined })
  await time.advance(1000)
  expect(await rejected).toBe('switched off')
  expect(sent).toEqual([{ name: 'stays', atMs: 1000 }])
})

test('a run that throws rejects its own job and the lane continues', async () => {
  const { time, names, submit } = testLane()
  const run = () => {
    throw new Error('no key')
  }
  const failed = codeOf(submit('throws', { run }))
  void submit('next')
  await time.advance(2000)
  expect(await failed).toBe('no key')
  expect(names()).toEqual(['next'])
})
