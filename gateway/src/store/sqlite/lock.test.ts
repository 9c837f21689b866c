import { chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { StoreInUseError } from '../errors.ts'
import { lockCalls } from './create-stores.ts'
import {
  checkOwner,
  isBackupRunning,
  isGatewayRunning,
  lockBackup,
  lockFileOf,
  lockStore,
} from './lock.ts'
import { openStore } from './open.ts'

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

test('before the first start too, one command at a time calls an exchange, and its files are in no way of that start', async () => {
  const folder = tempFolder()
  const owner = process.getuid?.() === 0 ? 65_534 : statSync(folder).uid
  chownSync(folder, owner, -1)
  const path = join(folder, 'data', 'of-sluice', 'sluice.db')
  const calls = lockCalls(`file:${path}`)
  expect(() => lockCalls(`file:${path}`)).toThrow(
    expect.objectContaining({ code: 'CALLS_RUNNING' }),
  )
  // The gateway runs as the user who could have made these.
  for (const made of [dirname(dirname(path)), dirname(path), `${path}.calls-lock`])
    expect([made, statSync(made).uid]).toEqual([made, owner])
  expect(await calls.isGatewaySending()).toBe(false)
  lockStore(path)()
  openStore(path).close()
  await calls.close()
  await lockCalls(`file:${path}`).close()
})

const ROOT = 0
/** A user other than root. */
const OTHER = process.getuid?.() === ROOT ? 65_534 : (process.getuid?.() ?? 1)

test('root is rejected beside a database of another user, or in a folder of that user', () => {
  const folder = join(tempFolder(), 'data')
  mkdirSync(folder)
  chownSync(folder, OTHER, -1)
  const path = join(folder, 'sluice.db')
  const rejected = expect.objectContaining({
    code: 'WRONG_USER',
    message: expect.stringContaining(`belongs to user ${OTHER}, but this command runs as root`),
  })
  expect(() => checkOwner(path, ROOT)).toThrow(rejected)
  writeFileSync(path, '')
  chownSync(path, OTHER, -1)
  expect(() => checkOwner(path, ROOT)).toThrow(rejected)
})

test('any other user is judged by what the system lets him do', () => {
  const path = join(tempFolder(), 'sluice.db')
  writeFileSync(path, '')
  expect(() => checkOwner(path, 1_000)).not.toThrow()
  expect(() => checkOwner(path, undefined)).not.toThrow()
  expect(() => checkOwner(path)).not.toThrow()
})

test('a folder that is not there yet belongs to nobody', () => {
  expect(() => checkOwner(join(tempFolder(), 'no', 'sluice.db'), ROOT)).not.toThrow()
})
