import { expect, test } from 'vitest'
import { SlotClock } from './slot-clock.ts'

test('the next call is due one interval after the last one, from wherever that was', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 0, startMs: 0 })
  slots.went(1337)
  expect(slots.dueMs(1)).toBe(1837)
})

test('nothing is due before the start', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 0, startMs: 5000 })
  expect(slots.dueMs(1)).toBe(5000)
})

test('bytes that were on the wire later than the dispatch push the next call back, never forward', () => {
  const slots = new SlotClock({ ratePerSecond: 2, guardMs: 0, startMs: 0 })
  slots.went(1000)
  slots.went(1200)
  slots.went(1100)
  expect(slots.dueMs(1)).toBe(1700)
})

test.each([
  [2, 501],
  [1000, 1.002],
  [0.5, 2004],
])(
  'at %d per second calls are %d ms apart, so a window and its guard hold the rate',
  (rate, gap) => {
    const slots = new SlotClock({ ratePerSecond: rate, guardMs: 2, startMs: 0 })
    expect(slots.spacingMs(1)).toBeCloseTo(gap, 9)
    expect(slots.spacingMs(0.5)).toBeCloseTo(2 * gap, 9)
  },
)
