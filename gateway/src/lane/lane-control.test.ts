import { expect, test, vi } from 'vitest'
import { codeOf, testLane } from '../../test/lane-simulation/test-lane.ts'
import type { Slot } from './job.ts'

test('an admin sees what waits and can drop one entry', async () => {
  const { lane, time, names, submit } = testLane()
  const dropped = codeOf(submit('a'))
  void submit('b')
  await time.advance(400)
  const [first] = lane.list()
  expect(first).toEqual({
    ...{ id: '1', clientId: 'ann', jobClass: 'order', requestId: 'a', method: 'POST' },
    ...{ endpoint: '/order', waitedMs: 400, expectedWaitMs: 600, remainingMs: 179_600 },
    attempts: 0,
  })
  expect(lane.drop('1', 'wrong size')).toBe(true)
  expect(lane.drop('1', 'again')).toBe(false)
  expect(await dropped).toBe('QUEUE_ENTRY_DROPPED')
  await time.advance(5000)
  expect(names()).toEqual(['b'])
})

test('what waits is listed in the order in which it then goes, each with the wait that it then has', async () => {
  const { lane, time, sent, submit } = testLane()
  for (let i = 0; i < 5; i += 1) void submit(`read ${i}`, { jobClass: 'account' })
  for (let i = 0; i < 40; i += 1) void submit(`a${i}`)
  for (let i = 0; i < 3; i += 1) void submit(`b${i}`, { clientId: 'bob' })
  void submit('cancel', { jobClass: 'cancel' })
  await time.advance(1200)
  const listed = lane.list().map((entry) => [entry.requestId, 1200 + entry.expectedWaitMs])
  await time.advance(60_000)
  expect(listed).toEqual(sent.slice(1).map(({ name, atMs }) => [name, atMs]))
})

test('a stopped exchange rejects what waits and what comes, with the reason, until it is resumed', async () => {
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

test('a stopped exchange lets only what ends orders pass, and only while a stop cancels orders', async () => {
  const { lane, time, names, submit } = testLane()
  lane.stop('unusual losses')
  const early = codeOf(submit('early', { jobClass: 'cancel', endsOrders: true }))
  expect(await early).toBe('EXCHANGE_STOPPED')
  lane.endOrders(true)
  void submit('stop', { jobClass: 'cancel', endsOrders: true })
  expect(await codeOf(submit('other', { jobClass: 'cancel' }))).toBe('EXCHANGE_STOPPED')
  await time.advance(1000)
  const late = codeOf(submit('late', { jobClass: 'cancel', endsOrders: true }))
  lane.endOrders(false)
  expect(await late).toBe('EXCHANGE_STOPPED')
  await time.advance(5000)
  expect(names()).toEqual(['stop'])
})

test.each([
  ['everything that a client has queued', undefined, 3, ['other']],
  ["a client's orders, without its cancels,", 'order', 2, ['cancel', 'other']],
] as const)('%s can be dropped at once, with the reason', async (_, jobClass, count, left) => {
  const { lane, time, names, submit } = testLane()
  const dropped = [codeOf(submit('a')), codeOf(submit('b'))]
  submit('cancel', { jobClass: 'cancel' }).catch(() => {})
  void submit('other', { clientId: 'bob' })
  const reason = Object.assign(new Error('stopped'), { code: 'LIMIT_HALTED' })
  expect(lane.dropClient('ann', reason, jobClass)).toBe(count)
  expect(await Promise.all(dropped)).toEqual(['LIMIT_HALTED', 'LIMIT_HALTED'])
  await time.advance(5000)
  expect(names()).toEqual(left)
})

test('a stop holds back what was called and has not left', async () => {
  const { lane, time, sent, submit } = testLane({ leadMs: 8 })
  const prepared = Promise.withResolvers<void>()
  const called = submit('called', {
    run: async ({ opened, onSent }) => {
      await prepared.promise
      await opened()
      sent.push({ name: 'called', atMs: time.monotonicMs() })
      onSent()
      return 'filled'
    },
  }).catch((error) => error)
  await time.advance(1000)
  expect(lane.snapshot()).toMatchObject({ queued: 0, inFlight: 1 })
  lane.stop('unusual losses')
  prepared.resolve()
  await time.advance(1000)
  expect(sent).toEqual([])
  expect(await called).toMatchObject({ code: 'EXCHANGE_STOPPED', sent: false })
  lane.resume()
  expect((await submit('again')).response).toBe('response to again')
})

test('closing rejects what waits, waits for what was sent, and leaves no timer', async () => {
  const { lane, time, submit } = testLane()
  const slow = Promise.withResolvers<string>()
  const sent = submit('sent', { run: () => slow.promise })
  await time.advance(1000)
  const waiting = codeOf(submit('waits'))
  const isClosed = vi.fn()
  const closed = lane.close(10_000).then(isClosed)
  expect(await waiting).toBe('GATEWAY_STOPPING')
  expect(await codeOf(submit('late'))).toBe('GATEWAY_STOPPING')
  await time.advance(5000)
  expect(isClosed).not.toHaveBeenCalled()
  slow.resolve('filled')
  await closed
  expect((await sent).response).toBe('filled')
  expect(time.pending).toBe(0)
})

test('a snapshot counts the queue by class and by client, the longest first', async () => {
  const { lane, time, submit } = testLane()
  void submit('a', { jobClass: 'market' })
  await time.advance(300)
  void submit('b', { clientId: 'bob' })
  void submit('c', { clientId: 'bob' })
  expect(lane.snapshot()).toEqual({
    ...{ name: 'MEXC', state: 'running', reason: null, stateForMs: null, resumesInMs: null },
    ...{ isBroken: false, isFailing: false },
    ...{ ratePerSecond: 2, currentRatePerSecond: 2, queued: 3 },
    queuedByClass: { cancel: 0, lookup: 0, order: 2, account: 0, market: 1 },
    queuedByClient: [
      { clientId: 'bob', queued: 2 },
      { clientId: 'ann', queued: 1 },
    ],
    ...{ longestWaitMs: 300, estimatedWaitMs: 1200, busiestWaitMs: 1700, inFlight: 0 },
    ...{ accountsBroken: 0, accountsHeld: [], slotsUsed: 0, lastError: null },
  })
})

test.each([
  ['ratePerSecond', 0],
  ['concurrency', 1.5],
  ['maxQueueLength', 0],
  ['clientShare', 2],
  ['guardMs', -1],
])('a lane with %s %d is rejected by name', (option, value) => {
  expect(() => testLane({ [option]: value })).toThrow(`A lane cannot have ${option} ${value}`)
})

test('a thousand waiting jobs hear of a stop a hundred at a time, and none of them is sent in the meantime', async () => {
  const { lane, time, names, submit } = testLane({ clientShare: 1, maxQueueWaitMs: 3_600_000 })
  await time.advance(5000)
  const rejected = Array.from({ length: 1000 }, (_, i) => codeOf(submit(`order ${i}`)))
  lane.stop('unusual losses')
  expect(lane.snapshot().queued).toBe(899)
  lane.resume()
  await time.advance(10_000)
  expect(names()).toEqual(['order 0'])
  expect(new Set((await Promise.all(rejected)).slice(1))).toEqual(new Set(['EXCHANGE_STOPPED']))
})

test('a lane that is held back rejects what comes and what waits, and sends nothing that was called', async () => {
  const held: { why: Error | undefined } = { why: undefined }
  const { lane, time, names, submit } = testLane({ heldBack: () => held.why, leadMs: 100 })
  const waits = codeOf(submit('waits'))
  const run = async ({ opened }: Slot) => {
    await opened()
    return 'sent'
  }
  const called = codeOf(submit('called', { jobClass: 'cancel', run }))
  await time.advance(950)
  held.why = new Error('another process sends')
  expect(await codeOf(submit('comes'))).toBe('another process sends')
  await time.advance(1_000)
  expect(await called).toBe('another process sends')
  expect(await waits).toBe('another process sends')
  held.why = undefined
  void submit('again')
  await time.advance(1_000)
  expect(names()).toEqual(['again'])
  expect(lane.snapshot().state).toBe('running')
})

test('a lane that is restarted pauses as at its start', async () => {
  const { lane, time, sent, submit } = testLane({ startDelayMs: 1_000 })
  await time.advance(5_000)
  lane.restart()
  void submit('first')
  await time.advance(2_000)
  expect(sent).toEqual([{ name: 'first', atMs: 6_000 }])
})

test('a lane that closes says why, and waits no longer than the grace', async () => {
  const { lane, time, submit } = testLane()
  void submit('hangs', { run: () => new Promise(() => {}) })
  await time.advance(1000)
  const waiting = codeOf(submit('waits'))
  const closed = lane.close(2000, () => new Error('another process takes it over'))
  await time.advance(2000)
  await expect(closed).resolves.toBeUndefined()
  expect(await waiting).toBe('another process takes it over')
  expect(await codeOf(submit('late'))).toBe('another process takes it over')
})
