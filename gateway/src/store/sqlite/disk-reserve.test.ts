import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { ReserveState } from '../stores.ts'
import { DiskReserve, isDiskFull, reserveFileOf } from './disk-reserve.ts'

const MB = 1024 ** 2
const BYTES = 3 * MB
const RUNNING = new AbortController().signal

/** A disk whose free space the test sets; by default there is plenty. */
function world() {
  const path = join(tempFolder(), 'sluice.db')
  const file = reserveFileOf(path)
  const disk: { free: () => number } = { free: () => 100 * MB }
  const changes: ReserveState[] = []
  const open = (bytes = BYTES) => {
    const reserve = new DiskReserve({ path, bytes, freeBytes: async () => disk.free() })
    reserve.onChange((state) => changes.push(state))
    return reserve
  }
  return { file, disk, changes, open }
}

/** Whether the reserve is there, and a half one. */
const there = (file: string) => [existsSync(file), existsSync(`${file}.part`)]

test('it takes up real space, only its owner may read it, and a second start keeps it', async () => {
  const { file, open } = world()
  const reserve = open()
  expect(reserve.state).toBe('none')
  await reserve.check(RUNNING)
  const { size, blocks, mode, ino } = statSync(file)
  expect([size, mode & 0o777, reserve.state]).toEqual([BYTES, 0o600, 'held'])
  expect(blocks * 512).toBeGreaterThanOrEqual(BYTES)
  const again = open()
  await again.check(RUNNING)
  expect([again.state, statSync(file).ino]).toEqual(['held', ino])
})

test('it is given up once, which the next start knows, and made again when twice its size is free', async () => {
  const { file, disk, changes, open } = world()
  const reserve = open()
  await reserve.check(RUNNING)
  expect([reserve.giveUp(), reserve.giveUp()]).toEqual([true, false])
  expect([statSync(file).blocks, reserve.state, open().state]).toEqual([0, 'given-up', 'given-up'])
  disk.free = () => 2 * BYTES - 1
  await reserve.check(RUNNING)
  expect(reserve.state).toBe('given-up')
  disk.free = () => 2 * BYTES
  await reserve.check(RUNNING)
  expect([statSync(file).size, changes]).toEqual([BYTES, ['held', 'given-up', 'held']])
})

test('space that others took while it was made is left to them', async () => {
  const { file, disk, open } = world()
  const reserve = open()
  const looks = [2 * BYTES, BYTES - 1]
  disk.free = () => looks.shift() ?? 0
  await reserve.check(RUNNING)
  expect([reserve.state, ...there(file)]).toEqual(['none', false, false])
})

test('a disk that becomes full while it is made gets the space back', async () => {
  const { file, disk, open } = world()
  const reserve = open()
  await reserve.check(RUNNING)
  reserve.giveUp()
  let looks = 0
  const gaveUp: boolean[] = []
  disk.free = () => {
    looks += 1
    // The second look is between the last byte and the name.
    if (looks === 2) gaveUp.push(reserve.giveUp(), reserve.giveUp())
    return 100 * MB
  }
  await reserve.check(RUNNING)
  expect(gaveUp).toEqual([true, false])
  expect([reserve.state, statSync(file).size]).toEqual(['given-up', 0])
  expect(there(file)).toEqual([true, false])
})

test('a stopped gateway leaves no half reserve', async () => {
  const { file, open } = world()
  await open().check(AbortSignal.abort())
  expect(there(file)).toEqual([false, false])
})

test('another setting takes effect, and a file that somebody removed is made again', async () => {
  const { file, open } = world()
  await open().check(RUNNING)
  for (const bytes of [MB, 2 * MB]) {
    const reserve = open(bytes)
    await reserve.check(RUNNING)
    expect([reserve.state, statSync(file).size]).toEqual(['held', bytes])
  }
  const reserve = open(2 * MB)
  rmSync(file)
  expect([reserve.giveUp(), reserve.state]).toEqual([false, 'none'])
  await reserve.check(RUNNING)
  expect([reserve.state, statSync(file).size]).toEqual(['held', 2 * MB])
})

test('only a full disk counts as one, as SQLite and the system report it', () => {
  const sqlite = (code: string) => new Database.SqliteError('x', code)
  const system = (code: string) => Object.assign(new Error('x'), { code, syscall: 'write' })
  for (const error of [sqlite('SQLITE_FULL'), sqlite('SQLITE_IOERR_SHMSIZE'), system('ENOSPC')])
    for (const found of [error, new Error('wrapped', { cause: error })])
      expect(isDiskFull(found)).toBe(true)
  for (const error of [sqlite('SQLITE_IOERR_READ'), sqlite('SQLITE_READONLY'), system('EROFS'), 1])
    expect(isDiskFull(error)).toBe(false)
})
