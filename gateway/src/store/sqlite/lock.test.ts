import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StoreInUseError } from '../errors.ts'
import { lockStore } from './lock.ts'

function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'sluice.db')
}

test('a second gateway on the same database is rejected by name', () => {
  const path = databasePath()
  const release = lockStore(path)
  expect(() => lockStore(path)).toThrow(StoreInUseError)
  expect(() => lockStore(path)).toThrow(path)
  release()
})

test('the database is free again when the first gateway has let go', () => {
  const path = databasePath()
  lockStore(path)()
  expect(() => lockStore(path)()).not.toThrow()
})

test('a database in memory needs no lock', () => {
  lockStore(':memory:')
  expect(() => lockStore(':memory:')()).not.toThrow()
})
