import { array, assert, boolean, integer, property, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { createVirtualTime } from '../../test/lane-simulation/virtual-time.ts'
import { Deadlines, type Expiring } from './waiting-room.ts'

function testDeadlines() {
  const time = createVirtualTime()
  const due: { deadlineMs: number; atMs: number }[] = []
  const deadlines = new Deadlines<Expiring>(time, ({ deadlineMs }) => {
    due.push({ deadlineMs, atMs: time.monotonicMs() })
  })
  const add = (deadlineMs: number): Expiring => {
    const item = { deadlineMs }
    deadlines.add(item)
    return item
  }
  return { time, deadlines, due, add }
}

test('each deadline comes at its own moment, in any order of adding', async () => {
  const { time, due, add } = testDeadlines()
  for (const deadlineMs of [50, 10, 40, 20, 30]) add(deadlineMs)
  await time.advance(100)
  expect(due.map(({ atMs }) => atMs)).toEqual([10, 20, 30, 40, 50])
})

test('a removed deadline does not come, and the last one removed leaves no timer', async () => {
  const { time, deadlines, due, add } = testDeadlines()
  const [first, second] = [add(10), add(20)]
  deadlines.remove(first)
  deadlines.remove(first)
  await time.advance(15)
  expect(due).toEqual([])
  deadlines.remove(second)
  expect(time.pending).toBe(0)
})

test('a thousand deadlines at one moment come a hundred per turn of the event loop', async () => {
  const { time, due, add } = testDeadlines()
  for (let i = 0; i < 1000; i += 1) add(10)
  await time.advance(9)
  expect(due).toHaveLength(0)
  await time.advance(1)
  expect(due).toHaveLength(1000)
  expect(new Set(due.map(({ atMs }) => atMs))).toEqual(new Set([10]))
})

test('after any additions and removals the remaining deadlines come in order', async () => {
  const steps = array(tuple(integer({ min: 0, max: 50 }), boolean()), { maxLength: 40 })
  await assert(
    property(steps, (list) => {
      const rings: (() => void)[] = []
      let nowMs = 0
      const due: number[] = []
      const time = {
        monotonicMs: () => nowMs,
        setTimer: (_: number, fn: () => void) => {
          rings.push(fn)
          return () => rings.splice(rings.indexOf(fn), 1)
        },
      }
      const deadlines = new Deadlines<Expiring>(time, ({ deadlineMs }) => due.push(deadlineMs))
      const items = list.map(([deadlineMs]) => ({ deadlineMs }))
      for (const item of items) deadlines.add(item)
      const left = items.filter((_, i) => list[i]?.[1])
      for (const item of items) if (!left.includes(item)) deadlines.remove(item)
      nowMs = 100
      for (let ring = rings.pop(); ring !== undefined; ring = rings.pop()) ring()
      expect(due).toEqual(left.map(({ deadlineMs }) => deadlineMs).sort((a, b) => a - b))
    }),
  )
})
