import { expect, test } from 'vitest'
import { RowCache } from './rows.ts'

/** A cache whose versions are read when the test says so. */
function heldCache() {
  const reads: PromiseWithResolvers<number>[] = []
  const cache = new RowCache(() => {
    const read = Promise.withResolvers<number>()
    reads.push(read)
    return read.promise
  })
  const answer = async (version: number) => {
    await expect.poll(() => reads.length).toBeGreaterThan(0)
    reads.shift()?.resolve(version)
  }
  return { cache, kept: cache.keep<{ value: string }>(), answer, reads }
}

test('a row that was read before a change that is seen during the read is not kept', async () => {
  const { kept, answer } = heldCache()
  const slow = Promise.withResolvers<{ value: string }>()
  const first = kept('a', () => slow.promise)
  await answer(1)
  // The change is committed after the read of the row began, and another request sees it.
  const other = kept('b', async () => ({ value: 'other' }))
  await answer(2)
  await other
  slow.resolve({ value: 'old' })
  expect(await first).toEqual({ value: 'old' })
  const next = kept('a', async () => ({ value: 'new' }))
  await answer(2)
  expect(await next).toEqual({ value: 'new' })
})

test('requests that come while a version is read share the next one, and none the one before', async () => {
  const { kept, answer, reads } = heldCache()
  const row = async () => ({ value: 'x' })
  const first = kept('a', row)
  await expect.poll(() => reads.length).toBe(1)
  const others = [kept('a', row), kept('a', row), kept('b', row)]
  await answer(1)
  await first
  await expect.poll(() => reads.length).toBe(1)
  await answer(1)
  await Promise.all(others)
  expect(reads).toHaveLength(0)
})

test('a version that cannot be read fails those who wait for it, and no later one', async () => {
  const { kept, answer, reads } = heldCache()
  const first = kept('a', async () => ({ value: 'x' }))
  await expect.poll(() => reads.length).toBe(1)
  reads.shift()?.reject(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  const second = kept('a', async () => ({ value: 'y' }))
  await answer(1)
  expect(await second).toEqual({ value: 'y' })
})

test('a request waits for a row that an earlier one reads, and does not overtake it', async () => {
  const { kept, answer } = heldCache()
  const slow = Promise.withResolvers<{ value: string } | undefined>()
  const order: string[] = []
  const first = kept('a', () => slow.promise).then(() => order.push('first'))
  await answer(1)
  const second = kept('a', async () => ({ value: 'x' })).then(() => order.push('second'))
  await answer(1)
  const other = kept('b', async () => ({ value: 'b' }))
  await answer(1)
  await other
  expect(order).toEqual([])
  slow.resolve(undefined)
  await Promise.all([first, second])
  expect(order).toEqual(['first', 'second'])
  // A row that does not exist is asked for again.
  const third = kept('a', async () => ({ value: 'new' }))
  await answer(1)
  expect(await third).toEqual({ value: 'new' })
})

test('what was read since a request began serves it; what was read before does not', async () => {
  const { kept, answer, reads } = heldCache()
  const row = async () => ({ value: 'x' })
  const before = performance.now()
  const first = kept('a', row)
  await answer(1)
  await first
  expect(await kept('a', row, before)).toEqual({ value: 'x' })
  expect(reads).toHaveLength(0)
  const later = kept('a', row, performance.now())
  await answer(1)
  expect(await later).toEqual({ value: 'x' })
})

test('a version that is asked for before a request began and comes after it does not serve it', async () => {
  const { kept, answer, reads } = heldCache()
  const row = async () => ({ value: 'x' })
  const first = kept('a', row)
  await expect.poll(() => reads.length).toBe(1)
  const began = performance.now()
  await answer(1)
  await first
  const second = kept('a', row, began)
  await expect.poll(() => reads.length).toBe(1)
  await answer(1)
  await second
})

test('what this process has changed is read again, however old the request is', async () => {
  const { kept, answer, cache } = heldCache()
  const before = performance.now()
  const first = kept('a', async () => ({ value: 'old' }))
  await answer(1)
  await first
  cache.changed()
  const second = kept('a', async () => ({ value: 'new' }), before)
  await answer(2)
  expect(await second).toEqual({ value: 'new' })
})
