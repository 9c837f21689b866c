import { expect, test, vi } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'
import type { LaneVerdict } from './lane-types.ts'

/** A lane whose exchange gives one verdict of the list per call, and then only `ok`. */
function laneWith(verdicts: LaneVerdict[], options: Parameters<typeof testLane>[0] = {}) {
  return testLane({ judge: () => verdicts.shift() ?? { kind: 'ok' }, ...options })
}

const rejected = { kind: 'rate-limited', notTaken: false } as const
const down = { kind: 'down' } as const
const ok = { kind: 'ok' } as const

test('a read that the rate limit rejected goes again after the time that the exchange stated', async () => {
  const { time, sent, submit } = laneWith([{ ...rejected, retryAfterMs: 7000 }])
  const response = submit('read', { jobClass: 'market' })
  await time.advance(10_000)
  expect(sent.map(({ atMs }) => atMs)).toEqual([1000, 8000])
  expect(await response).toMatchObject({ response: 'response to read', queueWaitMs: 8000 })
})

test('without a stated time the pause is random and grows with each rejection', async () => {
  const { time, sent, submit } = laneWith([rejected, rejected])
  void submit('read', { jobClass: 'market' })
  await time.advance(20_000)
  // Half of 2 s is raised to the spacing at half rate; then half of 4 s, raised to the spacing at a
  // quarter.
  expect(sent.map(({ atMs }) => atMs)).toEqual([1000, 2000, 4000])
})

test('an order goes again only when the rejection proves that it was not taken', async () => {
  const { time, names, submit } = laneWith([rejected, { ...rejected, notTaken: true }])
  const first = submit('maybe taken')
  const second = submit('not taken')
  await time.advance(20_000)
  expect(names()).toEqual(['maybe taken', 'not taken', 'not taken'])
  expect(await first).toMatchObject({ response: 'response to maybe taken' })
  expect(await second).toMatchObject({ response: 'response to not taken' })
})

test('a job is sent three times at most', async () => {
  const { time, names, submit } = laneWith(Array.from({ length: 9 }, () => rejected))
  void submit('read', { jobClass: 'market' })
  await time.advance(180_000)
  expect(names()).toEqual(['read', 'read', 'read'])
})

test("a job that comes back goes before its client's later ones", async () => {
  const { time, names, submit } = laneWith([rejected])
  for (const name of ['first', 'second']) void submit(name, { jobClass: 'market' })
  await time.advance(20_000)
  expect(names()).toEqual(['first', 'first', 'second'])
})

test('a read that could not go again in time brings the rejection at once', async () => {
  const { time, submit } = laneWith([{ ...rejected, retryAfterMs: 60_000 }])
  const response = submit('read', { jobClass: 'market', maxWaitMs: 20_000 })
  await time.advance(1000)
  expect(await response).toMatchObject({ response: 'response to read' })
})

test('a rejected read whose caller hung up in the meantime is not sent again', async () => {
  const caller = new AbortController()
  const { time, names, submit } = laneWith([rejected])
  void submit('read', {
    jobClass: 'market',
    signal: caller.signal,
    run: async () => {
      caller.abort()
      return '429'
    },
  })
  void submit('next', { jobClass: 'market' })
  await time.advance(20_000)
  expect(names()).toEqual(['next'])
})

test('after a pause half of the rate is used, and good responses bring back the whole', async () => {
  const { lane, time, sent, submit } = laneWith([{ ...rejected, retryAfterMs: 5000 }])
  for (let i = 0; i < 40; i += 1) void submit(`read ${i}`, { jobClass: 'market' })
  await time.advance(6000)
  expect(lane.snapshot().currentRatePerSecond).toBeCloseTo(1.1)
  await time.advance(60_000)
  const gaps = sent.slice(2).map(({ atMs }, i) => atMs - (sent[i + 1]?.atMs ?? 0))
  expect(gaps[0]).toBeCloseTo(1000 / 1.1, 3)
  expect(gaps.at(-1)).toBe(500)
  expect(lane.snapshot().currentRatePerSecond).toBe(2)
})

test('the queue is kept through a pause, and the pause is seen', async () => {
  const { lane, time, events, names, submit } = laneWith([{ ...rejected, retryAfterMs: 30_000 }])
  void submit('order')
  void submit('waits', { clientId: 'bob' })
  await time.advance(2000)
  expect(lane.snapshot()).toMatchObject({
    state: 'paused',
    reason: 'MEXC rejected a call because of its rate limit',
    resumesInMs: 29_000,
    queued: 1,
  })
  expect(lane.snapshot().estimatedWaitMs).toBe(30_000)
  await time.advance(29_000)
  expect(names()).toEqual(['order', 'waits'])
  expect(events).toEqual([
    { type: 'throttled', lane: 'MEXC', forMs: 30_000 },
    { type: 'paused', lane: 'MEXC', forMs: 30_000 },
  ])
})

test('a lane that was rejected is throttled once, and recovered when the whole rate is used again', async () => {
  const { time, events, submit } = laneWith([rejected, rejected])
  for (let i = 0; i < 40; i += 1) void submit(`order ${i}`)
  await time.advance(120_000)
  const types = events.map(({ type }) => type).filter((type) => type !== 'paused')
  expect(types).toEqual(['throttled', 'recovered'])
})

test('after five failures in a row waiting and new jobs fail at once', async () => {
  const { lane, time, events, submit } = laneWith(Array.from({ length: 5 }, () => down))
  for (let i = 0; i < 5; i += 1) void submit(`order ${i}`)
  const waiting = submit('waits').catch((error) => error)
  await time.advance(3000)
  expect(await waiting).toMatchObject({
    code: 'EXCHANGE_UNAVAILABLE',
    statusCode: 503,
    sent: false,
    retryAfterSeconds: 5,
  })
  expect(await codeOf(submit('comes'))).toBe('EXCHANGE_UNAVAILABLE')
  expect(lane.snapshot()).toMatchObject({ state: 'broken', resumesInMs: 5000, queued: 0 })
  expect(events).toEqual([{ type: 'broken', lane: 'MEXC', forMs: 5000 }])
})

test('after the cool-down one job at a time tries, and the first good response opens the lane', async () => {
  const { lane, time, events, submit } = laneWith(Array.from({ length: 6 }, () => down))
  for (let i = 0; i < 5; i += 1) void submit(`order ${i}`)
  await time.advance(8000)
  expect(lane.snapshot().state).toBe('probing')
  const response = Promise.withResolvers<string>()
  void submit('probe', { run: () => response.promise })
  expect(await codeOf(submit('beside it'))).toBe('EXCHANGE_UNAVAILABLE')
  response.resolve('503')
  await time.advance(0)
  expect(lane.snapshot()).toMatchObject({ state: 'broken', resumesInMs: 10_000 })
  await time.advance(10_000)
  void submit('second probe')
  await time.advance(0)
  expect(lane.snapshot().state).toBe('running')
  expect(events.map(({ type }) => type)).toEqual(['broken', 'broken', 'mended'])
})

test("one account's failures reject only its own calls", async () => {
  const probe = vi.fn()
  const { lane, time, events, names, submit } = testLane({
    judge: (outcome) => ('response' in outcome && outcome.response.includes('bad') ? down : ok),
    probe,
  })
  const bad = (name: string) => submit(`bad ${name}`, { account: 'keys 1' })
  for (let i = 0; i < 5; i += 1) void bad(`${i}`)
  await time.advance(2600)
  expect(probe).toHaveBeenCalledOnce()
  const waiting = Promise.allSettled([bad('waits')])
  const other = submit('other', { clientId: 'bob', account: 'keys 2' })
  await time.advance(1000)
  const [rejected] = await waiting
  expect(rejected).toMatchObject({
    reason: { code: 'EXCHANGE_ACCOUNT_UNAVAILABLE', sent: false, retryAfterSeconds: 5 },
  })
  expect(await codeOf(bad('comes'))).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  expect(await codeOf(other)).toBe('answered')
  expect(lane.snapshot()).toMatchObject({ state: 'running', accountsBroken: 1 })

  // One call tries after the cool-down, then twice as long none does; a response ends it.
  await time.advance(5000)
  expect(await codeOf(Promise.all([bad('tries'), time.advance(1000)]))).toBe('answered')
  expect(await codeOf(bad('comes again'))).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  await time.advance(10_000)
  expect(
    await codeOf(Promise.all([submit('good', { account: 'keys 1' }), time.advance(1000)])),
  ).toBe('answered')
  expect(lane.snapshot()).toMatchObject({ accountsBroken: 0 })
  expect(events.map(({ type }) => type)).toEqual([
    'account-broken',
    'account-broken',
    'account-mended',
  ])
  expect(names()).toContain('other')
})

test("when the gateway's own call fails as well, or another client's, the exchange is down", async () => {
  for (const last of [{}, { clientId: 'bob', account: 'keys 2' }]) {
    const { lane, time, submit } = laneWith(Array.from({ length: 5 }, () => down))
    for (let i = 0; i < 4; i += 1) void submit(`order ${i}`, { account: 'keys 1' })
    void submit('last', last)
    await time.advance(4000)
    expect(lane.snapshot()).toMatchObject({ state: 'broken', accountsBroken: 0 })
  }
})

test('without a connection the exchange is down, whoever notices it', async () => {
  const { lane, time, submit } = laneWith(
    Array.from({ length: 5 }, () => ({ ...down, isCertain: true })),
  )
  for (let i = 0; i < 5; i += 1) void submit(`order ${i}`, { account: 'keys 1' })
  await time.advance(4000)
  expect(lane.snapshot().state).toBe('broken')
})

test('a job that failed before it was sent does not count for or against the exchange', async () => {
  const { lane, time, submit } = laneWith([down, down, down, down, { kind: 'ok' }, down])
  for (let i = 0; i < 4; i += 1) void submit(`order ${i}`)
  void submit('no key', { run: () => Promise.reject(new Error('no key')) })
  void submit('last')
  await time.advance(4000)
  expect(lane.snapshot().state).toBe('broken')
})

test('the error that broke the lane is in the snapshot, with its age', async () => {
  const { lane, time, submit } = laneWith([down])
  void submit('order', { run: () => Promise.reject(new Error('connect ECONNREFUSED')) })
  await time.advance(3000)
  expect(lane.snapshot().lastError).toEqual({ message: 'connect ECONNREFUSED', agoMs: 2000 })
})

test('a judge that throws is reported, and the caller still gets the response', async () => {
  const { time, events, submit } = testLane({
    judge: () => {
      throw new Error('broken judge')
    },
  })
  const response = submit('order')
  await time.advance(1000)
  expect(await response).toMatchObject({ response: 'response to order' })
  expect(events).toEqual([{ type: 'fault', lane: 'MEXC', error: new Error('broken judge') }])
})

test('a listener that throws is seen in the snapshot and harms nothing', async () => {
  const { lane, time, submit } = testLane({
    onEvent: () => {
      throw new Error('broken listener')
    },
  })
  lane.stop('pause')
  lane.resume()
  const response = submit('order')
  await time.advance(1000)
  expect(await response).toMatchObject({ response: 'response to order' })
  expect(lane.snapshot().lastError?.message).toBe('broken listener')
})
