import { expect, test } from 'vitest'
import { createSeededRandom } from '../../test/lane-simulation/seeded-random.ts'
import { SlotClock, type TakenSlot } from './slot-clock.ts'

interface Late {
  /** How much later than its slot the call is taken. */
  readonly takenMs?: number
  /** How much later than that its bytes are on the socket. */
  readonly leavesMs?: number
  /** How much later than the quickest call it arrives. */
  readonly arrivesMs?: number
}

/** Sends the next call as soon as it may go, for a caller that has always waited. */
function sendNext(slots: SlotClock, late: Late = {}, rateFactor = 1) {
  const { takenMs = 0, leavesMs = 0, arrivesMs = 0 } = late
  const slotMs = slots.dueMs(rateFactor) + takenMs
  const slot = slots.take({ slotMs, readyMs: 0, rateFactor })
  slots.sent(slot, slotMs + leavesMs)
  slots.arrived(slot, arrivesMs)
  return slotMs + leavesMs
}

test('nothing is due before the start', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 0, startMs: 5000 })
  expect(slots.dueMs(1)).toBe(5000)
})

test('calls that are on time go evenly', () => {
  const slots = new SlotClock({ ratePerSecond: 4, guardMs: 2, startMs: 1000 })
  const sentMs = Array.from({ length: 6 }, () => sendNext(slots))
  expect(sentMs).toEqual([1000, 1250.5, 1501, 1751.5, 2002, 2252.5])
})

test('a small delay is made up for by the next call, but never within the window', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 0, startMs: 0 })
  expect(sendNext(slots, { leavesMs: 5 })).toBe(5)
  expect(sendNext(slots)).toBe(500)
  // The plan says 1000; the first call was on the socket at 5.
  expect(sendNext(slots)).toBe(1005)
  expect(sendNext(slots)).toBe(1500)
})

test('a long delay moves the plan, except for the 20 ms that are made up for', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 0, startMs: 0 })
  expect(sendNext(slots, { takenMs: 150 })).toBe(150)
  expect(sendNext(slots)).toBe(630)
  expect(sendNext(slots, { leavesMs: 100 })).toBe(1250)
  expect(sendNext(slots)).toBe(1730)
})

test('after a time in which nobody waited calls go evenly again', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 0, startMs: 0 })
  sendNext(slots)
  slots.take({ slotMs: 7000, readyMs: 7000, rateFactor: 1 })
  expect(slots.dueMs(1)).toBe(7500)
})

test('bytes that were on the socket later than the slot push the next call back, never forward', () => {
  const slots = new SlotClock({ ratePerSecond: 1, guardMs: 0, startMs: 0 })
  const slot = slots.take({ slotMs: 1000, readyMs: 1000, rateFactor: 1 })
  slots.arrived(slot, 0)
  slots.sent(slot, 1200)
  slots.sent(slot, 1100)
  expect(slots.dueMs(1)).toBe(2200)
})

test('a call that arrives late holds up the one that its window ends with, and no other', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 1, startMs: 0 })
  expect(sendNext(slots, { arrivesMs: 30 })).toBe(0)
  expect(sendNext(slots)).toBe(500.5)
  expect(sendNext(slots)).toBe(1031)
  // The plan makes up for 20 ms of it.
  expect(sendNext(slots)).toBe(1511.5)
})

test('a call that may not have arrived yet counts as 400 ms late, until that is known', () => {
  const slots = new SlotClock({ ratePerSecond: 1, guardMs: 1, startMs: 0 })
  const slot = slots.take({ slotMs: 0, readyMs: 0, rateFactor: 1 })
  slots.sent(slot, 3)
  expect(slots.dueMs(1)).toBe(1404)
  slots.arrived(slot, 10)
  expect(slots.dueMs(1)).toBe(1014)
})

test('a slower rate spreads the calls at once, and ends at once', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 0, startMs: 0 })
  expect(sendNext(slots)).toBe(0)
  expect(sendNext(slots, {}, 0.25)).toBe(2000)
  expect(sendNext(slots)).toBe(2500)
})

// A whole rate counts in windows of 1,000 ms, a fraction in windows of a whole number of calls.
test.each([
  [0.5, 1, 2000],
  [1.9, 2, 1052.63],
  [2, 2, 1000],
  [2.5, 3, 1200],
  [50, 50, 1000],
  [1000, 1000, 1000],
])('at %d per second %d calls at most are sent in any %d ms', (ratePerSecond, calls, windowMs) => {
  const random = createSeededRandom(ratePerSecond)
  const slots = new SlotClock({ ratePerSecond, guardMs: 1, startMs: 0 })
  const lateMs = () => (random() < 0.1 ? random() * 200 : random() * 3)
  const sentMs = Array.from({ length: 10 * calls + 300 }, () =>
    sendNext(slots, { takenMs: lateMs(), leavesMs: random() < 0.05 ? random() * 50 : 0 }),
  )
  const spansMs = sentMs.slice(calls).map((ms, i) => ms - (sentMs[i] ?? 0))
  expect(Math.min(...spansMs)).toBeGreaterThanOrEqual(windowMs + 1 - 0.01)
  const gapsMs = sentMs.slice(1).map((ms, i) => ms - (sentMs[i] ?? 0))
  expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(1000 / ratePerSecond - 20)
})

test('timers that fire late cost no slot at 1,000 per second', () => {
  const random = createSeededRandom(1)
  const slots = new SlotClock({ ratePerSecond: 1000, guardMs: 1, startMs: 0 })
  // A timer that fires each 1 to 4 ms sends all that is due.
  let nowMs = 0
  let sent = 0
  while (nowMs < 10_000) {
    nowMs += 1 + random() * 3
    while (slots.dueMs(1) <= nowMs) {
      slots.arrived(slots.take({ slotMs: nowMs, readyMs: 0, rateFactor: 1 }), 0)
      sent += 1
    }
  }
  expect(sent / 10_000).toBeGreaterThanOrEqual(0.99)
})

test.each([
  [2, 501],
  [1000, 1.002],
  [0.5, 2002],
  [2.5, 400.667],
])('at %d per second a call goes each %d ms, the guard included', (ratePerSecond, gapMs) => {
  const slots = new SlotClock({ ratePerSecond, guardMs: 2, startMs: 0 })
  expect(slots.spacingMs(1)).toBeCloseTo(gapMs, 3)
  expect(slots.spacingMs(0.5)).toBeCloseTo(2 * gapMs, 2)
})

test.each([
  [2, 1],
  [40, 1],
  [50, 2],
  [1000, 21],
])('at %d per second %d calls may be on their way to the socket', (ratePerSecond, most) => {
  const slots = new SlotClock({ ratePerSecond, guardMs: 0, startMs: 0 })
  const take = () => slots.take({ slotMs: slots.dueMs(1), readyMs: 0, rateFactor: 1 })
  for (let leaving = 1; leaving < most; leaving += 1) take()
  expect(slots.isBlocked(1)).toBe(false)
  const last = take()
  expect(slots.isBlocked(1)).toBe(true)
  slots.sent(last, 1000)
  slots.sent(last, 1000)
  expect(slots.isBlocked(1)).toBe(false)
  take()
  expect(slots.isBlocked(1)).toBe(true)
})

// One that waits for its connection is overtaken by those that find one.
test('calls that reach the socket in another order keep to the window too', () => {
  const random = createSeededRandom(7)
  const slots = new SlotClock({ ratePerSecond: 100, guardMs: 0, startMs: 0 })
  const leaving: { slot: TakenSlot; atMs: number }[] = []
  const sentMs: number[] = []
  let nowMs = 0
  while (sentMs.length < 5000) {
    nowMs += 1
    for (const call of leaving.filter(({ atMs }) => atMs <= nowMs)) {
      leaving.splice(leaving.indexOf(call), 1)
      slots.sent(call.slot, nowMs)
      sentMs.push(nowMs)
    }
    while (!slots.isBlocked(1) && slots.dueMs(1) <= nowMs) {
      const slot = slots.take({ slotMs: nowMs, readyMs: 0, rateFactor: 1 })
      leaving.push({ slot, atMs: nowMs + (random() < 0.01 ? random() * 3000 : random() * 10) })
    }
  }
  const spansMs = sentMs.slice(100).map((ms, i) => ms - (sentMs[i] ?? 0))
  expect(Math.min(...spansMs)).toBeGreaterThanOrEqual(1000)
})
