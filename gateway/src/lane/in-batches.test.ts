import { expect, test } from 'vitest'
import { createVirtualTime } from '../../test/lane-simulation/virtual-time.ts'
import { inBatches } from './in-batches.ts'

test('the first hundred are done at once, the others a hundred per turn', async () => {
  const time = createVirtualTime()
  const done: number[] = []
  const all = inBatches(time, [...Array(250).keys()], (item) => done.push(item))
  expect(done).toHaveLength(100)
  await time.advance(0)
  await all
  expect(done).toEqual([...Array(250).keys()])
})

test('nothing to do is done at once, without a timer', async () => {
  const time = createVirtualTime()
  await inBatches(time, [], () => {})
  expect(time.pending).toBe(0)
})
