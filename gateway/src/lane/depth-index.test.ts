import { array, assert, integer, property } from 'fast-check'
import { expect, test } from 'vitest'
import { DepthIndex } from './depth-index.ts'

test('the index counts the jobs of the first rounds as a walk over all clients would', async () => {
  const change = integer({ min: 0, max: 5 })
  await assert(
    property(array(change, { maxLength: 60 }), integer({ min: 0, max: 40 }), (changes, rounds) => {
      const index = new DepthIndex(30)
      const depths = [0, 0, 0]
      for (const number of changes) {
        const client = number % 3
        const depth = depths[client] ?? 0
        if (number < 3) {
          index.grew(depth + 1)
          depths[client] = depth + 1
        } else if (depth > 0) {
          index.shrank(depth)
          depths[client] = depth - 1
        }
      }
      const walked = depths.reduce((sum, depth) => sum + Math.min(depth, rounds, 30), 0)
      expect(index.within(rounds)).toBe(walked)
    }),
  )
})

test('a depth beyond the index comes and goes without a trace', () => {
  const index = new DepthIndex(2)
  for (const depth of [1, 2, 3]) index.grew(depth)
  for (const depth of [3, 2]) index.shrank(depth)
  expect([index.within(1), index.within(2), index.within(9)]).toEqual([1, 1, 1])
})
