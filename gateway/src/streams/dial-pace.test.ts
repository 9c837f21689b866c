import { expect, test } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import { DIAL_LIMITS, Gate, Pauses } from './dial-pace.ts'

const never = new AbortController().signal
/** A pseudo-random sequence, the same in each run. */
function sequence(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

test('50 accounts whose connections all end again and again stay below the limits of Bitget', async () => {
  const time = createSetTime({ passesByItselfMs: 0 })
  const random = sequence()
  const gate = new Gate(DIAL_LIMITS.bg, time, random)
  const dialsMs: number[] = []
  let mostOpen = 0
  const readyMs: number[] = []
  const keep = async () => {
    const pauses = new Pauses(random)
    for (;;) {
      const leave = await gate.enter(0, never)
      dialsMs.push(time.monotonic())
      mostOpen = Math.max(mostOpen, gate.inside)
      readyMs.push(time.monotonic())
      // The exchange ends all of them each minute.
      await time.sleep(60_000 - (time.monotonic() % 60_000))
      leave()
      await time.sleep(pauses.failedMs())
    }
  }
  for (let account = 0; account < 50; account += 1) void keep()
  await time.advance(1)
  for (let minute = 0; minute < 20; minute += 1) {
    await time.advance(60_000)
    if (minute === 0) expect(readyMs).toHaveLength(50)
  }
  const inWindow = dialsMs.map((fromMs) =>
    dialsMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 300_000),
  )
  expect(dialsMs.length).toBeGreaterThan(500)
  expect(Math.max(...inWindow.map(({ length }) => length))).toBeLessThan(300)
  expect(mostOpen).toBeLessThan(100)
  // Not in one instant.
  expect(Math.max(...dialsMs.map((ms) => dialsMs.filter((other) => other === ms).length))).toBe(1)
})

test('accounts with orders go first, and a place that is free is given on', async () => {
  const time = createSetTime({ passesByItselfMs: 0 })
  const gate = new Gate({ atOnce: 1 }, time)
  const entered: string[] = []
  const enter = async (name: string, rank: number, signal = never) => {
    const leave = await gate.enter(rank, signal)
    entered.push(name)
    return leave
  }
  const first = enter('first', 1)
  const gone = new AbortController()
  const aborted = enter('aborted', 0, gone.signal)
  const listener = enter('listener', 1)
  const orders = enter('orders', 0)
  gone.abort(new Error('gone'))
  await expect(aborted).rejects.toThrow('gone')
  const leave = await first
  leave()
  leave()
  await orders
  expect(entered).toEqual(['first', 'orders'])
  expect(gate.inside).toBe(1)
  ;(await orders)()
  await listener
  expect(entered).toEqual(['first', 'orders', 'listener'])
})

test('pauses double from 1 s to 60 s and never fall in step; refused logins wait 1, 5 and 15 minutes', () => {
  const slowest = new Pauses(() => 1)
  const quickest = new Pauses(() => 0)
  const of = (pauses: Pauses) => Array.from({ length: 8 }, () => pauses.failedMs() / 1_000)
  expect(of(slowest)).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  expect(of(quickest)).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30])
  slowest.succeeded()
  expect(slowest.failedMs()).toBe(1_000)
  const refused = Array.from({ length: 4 }, () => quickest.refusedMs() / 60_000)
  expect(refused).toEqual([1, 5, 15, 15])
})
