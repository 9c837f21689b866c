import { expect, test, vi } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'
import { Health } from './health.ts'
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

test('an order goes again only when the rejection proves that it was not taken', async () => {
  const { time, names, submit } = laneWith([rejected, { ...rejected, notTaken: true }])
  const first = submit('maybe taken')
  const second = submit('not taken')
  await time.advance(20_000)
  expect(names()).toEqual(['maybe taken', 'not taken', 'not taken'])
  expect(await first).toMatchObject({ response: 'response to maybe taken' })
  expect(await second).toMatchObject({ response: 'response to not taken' })
})

test('a read of which nothing was heard gets one more slot, an order none, and the exchange no blame', async () => {
  const unheard: LaneVerdict[] = Array.from({ length: 20 }, () => ({ kind: 'unheard' }))
  const { lane, time, sent, submit } = laneWith(unheard)
  void submit('read', { jobClass: 'market' })
  void submit('order')
  await time.advance(10_000)
  expect(sent.map(({ atMs, name }) => [name, atMs])).toEqual([
    ...[
      ['order', 1000],
      ['read', 1500],
      ['read', 2000],
    ],
  ])
  for (let n = 0; n < 9; n += 1) void submit('read', { jobClass: 'market' })
  await time.advance(20_000)
  expect(lane.snapshot()).toMatchObject({ state: 'running', isFailing: false, accountsBroken: 0 })
})

test('a job is sent three times at most, after pauses that grow when none is stated', async () => {
  const { time, sent, submit } = laneWith(Array.from({ length: 9 }, () => rejected))
  void submit('read', { jobClass: 'market' })
  await time.advance(180_000)
  // Half of 2 s is raised to the spacing at half rate; then half of 4 s, raised to the spacing at a
  // quarter.
  expect(sent.map(({ atMs }) => atMs)).toEqual([1000, 2000, 4000])
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
  const run = async () => {
    caller.abort()
    return '429'
  }
  void submit('read', { jobClass: 'market', signal: caller.signal, run })
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
    ...{ state: 'paused', reason: 'MEXC rejected a call because of its rate limit' },
    ...{ resumesInMs: 29_000, queued: 1 },
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

const ann = { clientId: 'ann', account: 'keys 1', isSigned: true } as const
const bob = { clientId: 'bob', account: 'keys 2', isSigned: true } as const

/** A lane whose exchange rejects each call whose name has "429", and fails at those with "down". */
function judgedByName(retryAfterMs = 30_000, options: Parameters<typeof testLane>[0] = {}) {
  const limited = { kind: 'rate-limited', notTaken: true, retryAfterMs } as const
  const judge = (outcome: { readonly response?: string; readonly error?: unknown }) => {
    if (outcome.response === undefined || outcome.response.includes('down')) return down
    return outcome.response.includes('429') ? limited : ok
  }
  return testLane({ judge, ...options })
}

test('an account that the rate limit rejected is paused alone; others keep the full pace', async () => {
  const { lane, time, events, sent, submit } = judgedByName()
  void submit('429', { ...ann, maxWaitMs: 1500 })
  const waiting = submit('waits', ann)
  for (let i = 0; i < 4; i += 1) void submit(`other ${i}`, bob)
  void submit('public', { clientId: 'ann', account: 'public', jobClass: 'market' })
  await time.advance(5000)
  const others = ['other 0', 'other 1', 'other 2', 'other 3']
  const names = ['429', ...others, 'public']
  expect(sent).toEqual(names.map((name, at) => ({ name, atMs: 1000 + at * 500 })))
  expect(lane.snapshot()).toMatchObject({ state: 'running', currentRatePerSecond: 2, queued: 1 })
  expect(lane.list()).toMatchObject([{ requestId: 'waits', expectedWaitMs: 26_000 }])
  await time.advance(30_000)
  expect(sent.at(-1)).toEqual({ name: 'waits', atMs: 31_000 })
  expect(await codeOf(waiting)).toBe('answered')
  expect(events).toEqual([{ type: 'account-paused', lane: 'MEXC', clientId: 'ann', forMs: 30_000 }])
})

test('jobs that wait for the pause of their account are not counted in the wait of others', async () => {
  const { lane, time, sent, submit } = judgedByName()
  void submit('429', { ...ann, maxWaitMs: 1500 })
  for (let i = 0; i < 20; i += 1) void submit(`held ${i}`, ann)
  await time.advance(1000)
  expect(sent).toHaveLength(1)
  // The pause ends after 30 s: until then 60 slots are free for others.
  expect(lane.snapshot()).toMatchObject({ queued: 20, estimatedWaitMs: 500 })
  const admitted = submit('other', { ...bob, maxWaitMs: 600 })
  expect(lane.list().slice(0, 2)).toMatchObject([
    { requestId: 'other', expectedWaitMs: 500 },
    { requestId: 'held 0', expectedWaitMs: 30_000 },
  ])
  await time.advance(500)
  expect(await codeOf(admitted)).toBe('answered')

  // A job that waits for longer than the pause lasts does meet them.
  for (let i = 0; i < 70; i += 1) void submit(`other ${i}`, bob)
  const waitMs = 500 + (70 + 20) * 500
  const impatient = submit('last', { ...bob, maxWaitMs: waitMs - 1 })
  expect(await codeOf(impatient)).toBe('QUEUE_WAIT_TOO_LONG')
  void submit('last', { ...bob, maxWaitMs: waitMs })
  // The list knows that the two take turns after the pause.
  const listed = lane.list().find(({ requestId }) => requestId === 'last')
  await time.advance(waitMs)
  const sentAtMs = sent.find(({ name }) => name === 'last')?.atMs ?? 0
  expect(sentAtMs).toBe(1500 + (listed?.expectedWaitMs ?? 0))
  expect(sentAtMs).toBeGreaterThan(1500 + 500 + 70 * 500)
})

test('a rejected order waits out the pause of its account, which grows until a good response', async () => {
  const verdicts: LaneVerdict[] = [1, 2, 3].map(() => ({ kind: 'rate-limited', notTaken: true }))
  const { lane, time, sent, submit } = laneWith(verdicts, { random: () => 1 })
  void submit('order', ann)
  await time.advance(10_000)
  expect(sent.map(({ atMs }) => atMs)).toEqual([1000, 3000, 7000])
  expect(lane.snapshot()).toMatchObject({ currentRatePerSecond: 2, queued: 0 })
  void submit('later', ann)
  await time.advance(10_000)
  verdicts.push({ kind: 'rate-limited', notTaken: true })
  void submit('again', ann)
  await time.advance(10_000)
  expect(sent.slice(3).map(({ atMs }) => atMs)).toEqual([15_000, 20_000, 22_000])
})

test('what waits for the pause of its account can be dropped, hang up, or pass its deadline', async () => {
  const { lane, time, events, names, submit } = judgedByName()
  const caller = new AbortController()
  void submit('429', { ...ann, maxWaitMs: 1500 })
  const codes = [
    submit('dropped', ann),
    submit('gone', { ...ann, signal: caller.signal }),
    submit('too late', { ...ann, maxWaitMs: 5000 }),
  ].map(codeOf)
  await time.advance(20_000)
  lane.drop(lane.list().find(({ requestId }) => requestId === 'dropped')?.id ?? '', 'a drill')
  caller.abort()
  await time.advance(0)
  const ends = ['QUEUE_ENTRY_DROPPED', 'CALLER_GONE', 'QUEUE_DEADLINE_PASSED']
  expect(await Promise.all(codes)).toEqual(ends)
  expect(await codeOf(submit('no time', { ...ann, maxWaitMs: 5000 }))).toBe('QUEUE_WAIT_TOO_LONG')
  expect(names()).toEqual(['429'])
  expect(events.map(({ type }) => type)).toEqual(['account-paused'])
  expect(time.pending).toBe(0)
})

test.each([
  ['of a second client', { ...bob }, {}],
  ["of the gateway's own", { clientId: 'gateway' }, {}],
  ['that is not signed', { clientId: 'bob', account: 'public' }, {}],
  ['that the exchange would give to any call', ann, { isCertain: true }],
])('a rejection %s slows the lane for all', async (_, second, more) => {
  const limited = { kind: 'rate-limited', notTaken: true, retryAfterMs: 5000 } as const
  const { lane, time, events, submit } = laneWith([limited, { ...limited, ...more }])
  void submit('first', { ...ann, maxWaitMs: 1500 })
  await time.advance(1000)
  expect(lane.snapshot()).toMatchObject({ state: 'running', currentRatePerSecond: 2 })
  await time.advance(5000)
  void submit('second', second)
  await time.advance(0)
  expect(lane.snapshot()).toMatchObject({ state: 'paused', currentRatePerSecond: 1 })
  expect(events.map(({ type }) => type)).toEqual(['account-paused', 'throttled', 'paused'])
})

test('a rejection long after the pause of another account pauses its own account alone', async () => {
  const { lane, time, events, submit } = judgedByName()
  void submit('429', { ...ann, maxWaitMs: 1500 })
  await time.advance(1000 + 30_000 + 10_000)
  void submit('429 too', { ...bob, maxWaitMs: 1500 })
  await time.advance(500)
  expect(lane.snapshot()).toMatchObject({ state: 'running', currentRatePerSecond: 2 })
  expect(events.map(({ type }) => type)).toEqual(['account-paused', 'account-paused'])
})

test('one client that is rejected again and again does not keep the lane slow for the others', async () => {
  const { lane, time, submit } = judgedByName(1000)
  void submit('429 once', { ...bob, maxWaitMs: 1500 })
  for (let second = 0; second < 120; second += 1) {
    void submit('429 always', { ...ann, maxWaitMs: 10_000 })
    void submit('other', bob)
    await time.advance(1000)
  }
  expect(lane.snapshot()).toMatchObject({ currentRatePerSecond: 2 })
})

test('a job of a paused account does not keep others from trying a broken exchange', async () => {
  const { time, submit } = judgedByName(60_000)
  void submit('429', { ...ann, maxWaitMs: 1500 })
  for (let i = 0; i < 5; i += 1) void submit(`down ${i}`, { clientId: 'bob' })
  await time.advance(10_000)
  expect(await codeOf(submit('paused', ann))).toBe('EXCHANGE_UNAVAILABLE')
  expect(await codeOf(Promise.all([submit('tries', bob), time.advance(1000)]))).toBe('answered')
})

test('after five failures in a row waiting and new jobs fail at once', async () => {
  const { lane, time, events, submit } = laneWith(Array.from({ length: 5 }, () => down))
  for (let i = 0; i < 5; i += 1) void submit(`order ${i}`)
  const waiting = submit('waits').catch((error) => error)
  await time.advance(3000)
  expect(await waiting).toMatchObject({
    ...{ code: 'EXCHANGE_UNAVAILABLE', statusCode: 503, sent: false, retryAfterSeconds: 5 },
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
  const { lane, time, events, names, submit } = judgedByName(0, { probe })
  const bad = (name: string) => submit(`down ${name}`, { account: 'keys 1' })
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
  const good = submit('good', { account: 'keys 1' })
  expect(await codeOf(Promise.all([good, time.advance(1000)]))).toBe('answered')
  expect(lane.snapshot()).toMatchObject({ accountsBroken: 0 })
  const types = events.map(({ type }) => type)
  expect(types).toEqual(['account-broken', 'account-broken', 'account-mended'])
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

test('without a connection the exchange is down, whichever call notices it', async () => {
  const { lane, time, submit } = laneWith(Array(5).fill({ ...down, isCertain: true }))
  for (let i = 0; i < 5; i += 1) void submit(`order ${i}`, { account: 'keys 1' })
  await time.advance(4000)
  expect(lane.snapshot().state).toBe('broken')
})

test('while the exchange is down, no account fails alone, also when other clients make the calls that still pass', () => {
  const events: string[] = []
  const ignore = () => {}
  const health = new Health({
    ...{ name: 'MEXC', random: () => 0, report: ({ type }) => events.push(type) },
    ...{ onBroken: ignore, onAccountBroken: ignore, onSuspected: ignore },
  })
  const fail = (isCertain: boolean, nowMs: number) =>
    health.learn({
      outcome: { error: new Error('503') },
      verdict: { ...down, isCertain },
      ...{ job: { clientId: 'ann', account: 'keys 1', isSigned: true }, sentMs: nowMs, nowMs },
    })
  for (let i = 0; i < 5; i += 1) fail(true, i)
  for (let i = 0; i < 12; i += 1) fail(false, 1_000 * i)
  expect(events).toEqual(['broken'])
})

test('a job that failed before it was sent does not count for or against the exchange', async () => {
  const { lane, time, submit } = laneWith([down, down, down, down, { kind: 'ok' }, down])
  for (let i = 0; i < 4; i += 1) void submit(`order ${i}`)
  void submit('no key', { run: () => Promise.reject(new Error('no key')) })
  void submit('last')
  await time.advance(4000)
  expect(lane.snapshot().state).toBe('broken')
})

// "Bitget is down" was given as the reason why Bitget was down.
test('the error or the response that broke the lane is in the snapshot, with its age and what was wrong', async () => {
  const { lane, time, submit } = laneWith([down, { ...down, why: 'It responded with HTTP 503' }])
  void submit('order', { run: () => Promise.reject(new Error('connect ECONNREFUSED')) })
  await time.advance(3000)
  expect(lane.snapshot().lastError).toEqual({ message: 'connect ECONNREFUSED', agoMs: 2000 })
  void submit('order')
  await time.advance(1000)
  expect(lane.snapshot().lastError?.message).toMatch(
    /sent no usable response: It responded with HTTP 503$/,
  )
})

test.each(['judge', 'onEvent'])('a %s that throws is reported and harms nothing', async (name) => {
  const broken = () => {
    throw new Error('it is broken')
  }
  const { lane, time, events, submit } = testLane({ [name]: broken })
  lane.stop('pause')
  lane.resume()
  const response = submit('order')
  await time.advance(1000)
  expect(await response).toMatchObject({ response: 'response to order' })
  const error = new Error('it is broken')
  if (name === 'judge') expect(events.at(-1)).toEqual({ type: 'fault', lane: 'MEXC', error })
  else expect(lane.snapshot().lastError?.message).toBe(error.message)
})
