import { afterEach, expect, test, vi } from 'vitest'
import { createVirtualTime } from '../../test/lane-simulation/virtual-time.ts'
import { createLane } from './lane.ts'
import { createLaneTime } from './lane-time.ts'
import { createPace, type Release } from './pace.ts'

afterEach(() => {
  vi.useRealTimers()
})

const waitMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** True when `promise` settles within `ms` of real time. */
const settlesWithin = (promise: Promise<unknown>, ms: number) =>
  Promise.race([promise.then(() => true), waitMs(ms).then(() => false)])

test('the gate grants as many places as there may be calls out', async () => {
  const pace = createPace({ concurrency: 2, time: createLaneTime() })
  const first = await pace.grant()
  await pace.grant()
  const third = pace.grant()
  expect(await settlesWithin(third, 150)).toBe(false)
  first()
  expect(await settlesWithin(third, 3000)).toBe(true)
})

test.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
])('a wall clock that steps %s by an hour does not stall the gate', async (_, stepMs) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const pace = createPace({ concurrency: 1, time: createLaneTime() })
  let release: Release = await pace.grant()
  const next = pace.grant()
  vi.setSystemTime(Date.now() + stepMs)
  release()
  expect(await settlesWithin(next, 3000)).toBe(true)
  release = await next
  const blocked = pace.grant()
  expect(await settlesWithin(blocked, 250)).toBe(false)
  release()
  expect(await settlesWithin(blocked, 3000)).toBe(true)
})

test('after a step back the gate still knows which calls are out', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const pace = createPace({ concurrency: 2, time: createLaneTime() })
  const out = await pace.grant()
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(await settlesWithin(pace.grant(), 3000)).toBe(true)
  const third = pace.grant()
  expect(await settlesWithin(third, 250)).toBe(false)
  out()
  expect(await settlesWithin(third, 3000)).toBe(true)
})

// A replaced limiter rejected the calls that it had taken over, and with them the grant that the
// next limiter then gave: each time one place was lost, until nothing was sent any more.
test('an event loop that is held up again and again costs no place', async () => {
  // Bottleneck gets no turn of the event loop unless the test gives it one; the gate's own timers
  // ring in the meantime.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const time = createVirtualTime()
  const pace = createPace({ concurrency: 2, time })
  const granted = async (asked: Promise<Release>) => {
    await vi.advanceTimersByTimeAsync(50)
    return await asked
  }
  const first = await granted(pace.grant())
  for (let round = 0; round < 5; round += 1) {
    const asked = pace.grant()
    for (let stalls = 0; stalls < 3; stalls += 1) await time.advance(150)
    const second = await granted(asked)
    let hasThird = false
    const third = pace.grant().then((release) => {
      hasThird = true
      return release
    })
    await vi.advanceTimersByTimeAsync(1000)
    expect(hasThird, 'two calls are out').toBe(false)
    second()
    const release = await granted(third)
    release()
  }
  first()
})

test('with steps of the wall clock and a stalled event loop the lane neither bursts nor waits', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const sentMs: number[] = []
  const lane = createLane<void>({
    name: 'MEXC',
    ratePerSecond: 10,
    concurrency: 1,
    maxQueueWaitMs: 60_000,
    maxQueueLength: 100,
    clientShare: 1,
    startDelayMs: 0,
    judge: () => ({ kind: 'ok' }),
    time: createLaneTime(),
    random: () => 0.5,
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
        clientId: 'ann',
        jobClass: 'order',
        label: { requestId: String(i), method: 'POST', endpoint: '/order' },
        run: ({ onSent }) => run(i, onSent),
      }),
    ),
  )
  const gaps = sentMs.slice(1).map((ms, i) => ms - (sentMs[i] ?? 0))
  // The lane makes up for at most 20 ms of a delay.
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(80)
  // If a step counted, this would be an hour or two.
  expect(Math.max(...gaps)).toBeLessThan(10_000)
  await lane.close(0)
})

function stall(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}
