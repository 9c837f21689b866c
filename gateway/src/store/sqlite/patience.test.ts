import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPatience } from './group-commit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A database that another process holds; `letGo()` ends that. */
function heldDatabase() {
  let isHeld = true
  let tries = 0
  return {
    letGo: () => {
      isHeld = false
    },
    hold: () => {
      isHeld = true
    },
    tries: () => tries,
    write: () => {
      tries += 1
      if (isHeld) throw new Database.SqliteError('database is locked', 'SQLITE_BUSY')
      return 'written'
    },
  }
}

test('a write waits for another process, and is made once', async () => {
  const { write, letGo, tries } = heldDatabase()
  const written = createPatience(5_000)(write)
  await vi.advanceTimersByTimeAsync(3_000)
  letGo()
  await vi.advanceTimersByTimeAsync(100)
  await expect(written).resolves.toBe('written')
  expect(tries()).toBeGreaterThan(10)
  expect(tries()).toBeLessThan(100)
})

test('the patience is one for all writes: who comes late waits for the rest of it, and then not at all', async () => {
  const { write, tries } = heldDatabase()
  const patiently = createPatience(5_000)
  const ends: string[] = []
  const note = (name: string) => patiently(write).catch(() => ends.push(name))
  void note('first')
  await vi.advanceTimersByTimeAsync(4_000)
  void note('late')
  await vi.advanceTimersByTimeAsync(1_100)
  expect(ends.toSorted()).toEqual(['first', 'late'])
  const before = tries()
  await expect(patiently(write)).rejects.toThrow('locked')
  expect(tries()).toBe(before + 1)
})

test('a patience that is shorter than the pauses still ends', async () => {
  const given = createPatience(7)(heldDatabase().write).catch(() => 'given up')
  await vi.advanceTimersByTimeAsync(100)
  expect(await given).toBe('given up')
})

test('after a write that went well, and after a quiet time, the patience is whole again', async () => {
  const { write, letGo, hold } = heldDatabase()
  const patiently = createPatience(1_000)
  const given = patiently(write).catch(() => 'given up')
  await vi.advanceTimersByTimeAsync(1_100)
  expect(await given).toBe('given up')
  await vi.advanceTimersByTimeAsync(2_000)
  const patient = patiently(write)
  await vi.advanceTimersByTimeAsync(500)
  letGo()
  await vi.advanceTimersByTimeAsync(100)
  await expect(patient).resolves.toBe('written')
  hold()
  const again = patiently(write)
  await vi.advanceTimersByTimeAsync(900)
  letGo()
  await vi.advanceTimersByTimeAsync(100)
  await expect(again).resolves.toBe('written')
})

test('any other error is thrown at once', async () => {
  const full = () => {
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
  }
  await expect(createPatience(5_000)(full)).rejects.toThrow('full')
})
