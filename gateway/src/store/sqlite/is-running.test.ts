import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { StoreInUseError } from '../errors.ts'
import { isBackupRunning, isGatewayRunning } from './is-running.ts'
import { lockBackup, lockFileOf, lockStore } from './lock.ts'

const databasePath = () => join(tempFolder(), 'sluice.db')

test('a gateway runs while it holds its lock, and a second one is rejected by name', () => {
  const path = databasePath()
  const release = lockStore(path)
  expect(isGatewayRunning(path)).toBe(true)
  expect(() => lockStore(path)).toThrow(StoreInUseError)
  expect(() => lockStore(path)).toThrow(path)
  release()
  expect(isGatewayRunning(path)).toBe(false)
  expect(() => lockStore(path)()).not.toThrow()
})

test('a database in memory needs no lock', () => {
  lockStore(':memory:')
  expect(() => lockStore(':memory:')()).not.toThrow()
})

// A gateway of another user could not open a file that root created.
test('the question makes no file, and no folder', () => {
  const path = databasePath()
  expect(isGatewayRunning(path)).toBe(false)
  expect(isGatewayRunning(join(dirname(path), 'none', 'sluice.db'))).toBe(false)
  expect(readdirSync(dirname(path))).toEqual([])
})

test('a gateway that starts while somebody looks at its lock starts', async () => {
  const path = databasePath()
  lockStore(path)()
  const look = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const lock = new (require('better-sqlite3'))(workerData, { readonly: true })
     lock.exec('begin; select 1 from sqlite_schema')
     parentPort.postMessage('looks')
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
     lock.close()`,
    { eval: true, workerData: lockFileOf(path) },
  )
  onTestFinished(async () => void (await look.terminate()))
  await new Promise((resolve) => look.once('message', resolve))
  expect(() => lockStore(path)()).not.toThrow()
})

test('a backup runs while it holds its lock, and has nothing to do with the lock of the gateway', () => {
  const path = databasePath()
  writeFileSync(path, '')
  const release = lockBackup(path)
  expect(isBackupRunning(path)).toBe(true)
  expect(isGatewayRunning(path)).toBe(false)
  expect(() => lockBackup(path)).toThrow('Another backup of the database')
  release()
  expect(isBackupRunning(path)).toBe(false)
})
