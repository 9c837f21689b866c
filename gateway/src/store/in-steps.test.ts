import { expect, test } from 'vitest'
import { inSteps } from './in-steps.ts'

test('steps run until one finds nothing to do, with other work between them', async () => {
  const left = [3, 3, 1, 0]
  const order: string[] = []
  setImmediate(() => order.push('other work'))
  const done = await inSteps(() => {
    order.push('step')
    return left.shift() ?? 0
  })
  expect(done).toBe(7)
  expect(order).toEqual(['step', 'other work', 'step', 'step', 'step'])
})

test('an aborted work stops between two steps', async () => {
  const stop = new AbortController()
  let steps = 0
  const work = inSteps(
    () => {
      if (++steps === 3) stop.abort(new Error('shutting down'))
      return 1
    },
    { signal: stop.signal },
  )
  await expect(work).rejects.toThrow('shutting down')
  expect(steps).toBe(3)
})
