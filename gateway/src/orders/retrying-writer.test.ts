import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemTime } from '../time.ts'
import { RetryingWriter } from './retrying-writer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A disk that takes 100 ms for each write, and the list of attempted writes. */
function slowDisk() {
  const disk = { isFull: false, tried: [] as string[], kept: new Map<string, string>() }
  const writer = new RetryingWriter<string>({
    time: systemTime,
    async write(name, value) {
      disk.tried.push(`${name}=${value}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
      if (disk.isFull) throw new Error('disk full')
      disk.kept.set(name, value)
    },
  })
  return { disk, writer }
}

test('values of one name are written in the order in which they came', async () => {
  const { disk, writer } = slowDisk()
  const writes = [writer.write('a', '1'), writer.write('a', '2'), writer.write('b', '3')]
  await vi.advanceTimersByTimeAsync(200)
  await Promise.all(writes)
  expect(disk.tried).toEqual(['a=1', 'b=3', 'a=2'])
  expect(disk.kept.get('a')).toBe('2')
})

test('what could not be written is written again, and never over a value that came later', async () => {
  const { disk, writer } = slowDisk()
  disk.isFull = true
  const first = expect(writer.write('a', 'old')).rejects.toThrow('disk full')
  await vi.advanceTimersByTimeAsync(100)
  await first
  expect(writer.pending('a')).toBe('old')
  // The next attempt has begun when the new value comes.
  await vi.advanceTimersByTimeAsync(1_050)
  const second = writer.write('a', 'new')
  disk.isFull = false
  await vi.advanceTimersByTimeAsync(5_000)
  await second
  expect(disk.tried).toEqual(['a=old', 'a=old', 'a=new'])
  expect(disk.kept.get('a')).toBe('new')
  expect(writer.pending('a')).toBeUndefined()
})

test('a close while an attempt runs tries once more, and nothing is written after it', async () => {
  const { disk, writer } = slowDisk()
  disk.isFull = true
  const first = expect(writer.write('a', '1')).rejects.toThrow('disk full')
  await vi.advanceTimersByTimeAsync(100)
  await first
  await vi.advanceTimersByTimeAsync(1_050)
  const closed = writer.close()
  await vi.advanceTimersByTimeAsync(200)
  await closed
  expect(disk.tried).toEqual(['a=1', 'a=1', 'a=1'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(disk.tried).toHaveLength(3)
  expect(vi.getTimerCount()).toBe(0)
})
