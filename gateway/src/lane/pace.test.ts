import Bottleneck from 'bottleneck'
import { afterEach, expect, test, vi } from 'vitest'
import { testLane } from '../../test/lane-simulation/test-lane.ts'
import { createVirtualTime } from '../../test/lane-simulation/virtual-time.ts'
import { createLane } from './lane.ts'
import { createLaneTime } from './lane-time.ts'
import { createPace, type Pace, type PaceOptions } from './pace.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const waitMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A gate, the number of places that it was granted, and a promise of all of them. */
function testPace({ concurrency, time = createLaneTime() }: Partial<PaceOptions>) {
  const count = concurrency ?? 1
  const faults: unknown[] = []
  const onFault = (error: unknown) => void faults.push(error)
  const pace = createPace({ concurrency: count, time, onFault })
  const all = Promise.withResolvers<void>()
  let granted = 0
  pace.onGrant(() => {
    granted += 1
    if (granted === count) all.resolve()
  })
  return { pace, faults, all: all.promise, granted: () => granted }
}

/** Takes what is free, and returns how much that was. */
function takeAll(pace: Pace): number {
  let taken = 0
  for (; pace.isOpen; taken += 1) pace.take()
  return taken
}

test('the gate has as many places as there may be calls out', async () => {
  const { pace, all } = testPace({ concurrency: 3 })
  expect(pace.isOpen).toBe(false)
  await all
  await waitMs(50)
  expect(takeAll(pace)).toBe(3)
  expect(() => pace.take()).toThrow(RangeError)
})

test('a place that is given back is free at once, and is one place however often it is given back', async () => {
  const { pace, all } = testPace({ concurrency: 1 })
  await all
  const release = pace.take()
  release()
  release()
  expect(takeAll(pace)).toBe(1)
  release()
  expect(pace.isOpen).toBe(false)
})

// Bottleneck was asked for each call, which took it about 4 ms.
test('Bottleneck has no part in a call: without its timers, each slot at 1000/s is used', async () => {
  const time = createVirtualTime()
  const { pace, all } = testPace({ concurrency: 100, time })
  await all
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { submit, sent } = testLane({
    ...{ ratePerSecond: 1000, concurrency: 100, startDelayMs: 0, clientShare: 1, time, pace },
  })
  const response = () => new Promise<string>((resolve) => time.setTimer(50, () => resolve('')))
  for (let i = 0; i < 1000; i += 1) {
    const run = ({ onSent }: { onSent: () => void }) => {
      sent.push({ name: '', atMs: time.monotonicMs() })
      onSent()
      return response()
    }
    void submit('', { run })
  }
  await time.advance(1000)
  expect(sent).toHaveLength(1000)
})

test.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
])('a wall clock that steps %s by an hour withholds no place', async (_, stepMs) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { pace, all, granted } = testPace({ concurrency: 3 })
  vi.setSystemTime(Date.now() + stepMs)
  await vi.waitUntil(() => granted() > 0, { timeout: 60_000, interval: 1 })
  vi.setSystemTime(Date.now() + stepMs)
  await all
  await waitMs(250)
  expect(takeAll(pace)).toBe(3)
})

test('a step back costs no place of the calls that are out, and adds none', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { pace, all, granted } = testPace({ concurrency: 5 })
  await vi.waitUntil(() => granted() > 0, { timeout: 60_000, interval: 1 })
  const release = pace.take()
  vi.setSystemTime(Date.now() - 3_600_000)
  await all
  await waitMs(250)
  expect(takeAll(pace)).toBe(4)
  release()
  expect(takeAll(pace)).toBe(1)
})

// A replaced limiter rejected the calls that it had taken over, and with them the grant that the
// next limiter then gave: each time one place was lost, until nothing was sent any more.
test('an event loop that is held up again and again costs no place and adds none', async () => {
  // Bottleneck gets no turn of the event loop unless the test gives it one; the gate's own timers
  // ring in the meantime.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const time = createVirtualTime()
  const { pace, faults } = testPace({ concurrency: 10, time })
  for (let turns = 0; turns < 30; turns += 1) {
    for (let stalls = 0; stalls < 3; stalls += 1) await time.advance(150)
    await vi.advanceTimersByTimeAsync(turns)
  }
  await vi.advanceTimersByTimeAsync(1000)
  expect(takeAll(pace)).toBe(10)
  expect(time.pending).toBe(0)
  expect(faults).toEqual([])
})

test('a gate that fails is reported and asked again', async () => {
  const broken = new Error('Bottleneck broke')
  vi.spyOn(Bottleneck.prototype, 'schedule').mockRejectedValueOnce(broken)
  const { pace, faults, all } = testPace({ concurrency: 2 })
  await all
  expect(faults).toEqual([broken])
  expect(takeAll(pace)).toBe(2)
})

test('with steps of the wall clock and a stalled event loop the lane neither bursts nor waits', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const sentMs: number[] = []
  const lane = createLane<void>({
    ...{ name: 'MEXC', ratePerSecond: 10, concurrency: 1, maxQueueWaitMs: 60_000 },
    ...{ maxQueueLength: 100, clientShare: 1, startDelayMs: 0, judge: () => ({ kind: 'ok' }) },
    ...{ time: createLaneTime(), random: () => 0.5 },
  })
  const run = async (i: number, onSent: () => void) => {
    sentMs.push(performance.now())
    onSent()
    if (i % 5 === 1) vi.setSystemTime(Date.now() - 3_600_000)
    if (i % 5 === 3) vi.setSystemTime(Date.now() + 7_200_000)
    if (i % 7 === 2) stall(150)
  }
  await Promise.all(
    Array.from({ length: 25 }, (_, i) =>
      lane.submit({
        ...{ clientId: 'ann', jobClass: 'order' },
        label: { requestId: String(i), method: 'POST', endpoint: '/order' },
        run: ({ onSent }) => run(i, onSent),
      }),
    ),
  )
  const gaps = sentMs.slice(1).map((ms, i) => ms - (sentMs[i] ?? 0))
  // The lane makes up for at most 20 ms of a delay.
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(80)
  // If a step counted, this would be an hour or two.
  expect(Math.max(...gaps)).toBeLessThan(60_000)
  await lane.close(0)
})

function stall(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}
