import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { type CheckpointResult, type CheckpointWork, type LogPages, STATES } from './checkpoints.ts'

// A thread that copies the write-ahead log into the database file, once for each message. It keeps
// no connection between two messages, so that the gateway's connection is the last one that closes.

const port = parentPort
if (port === null) throw new Error('This file is the start of a worker thread')
const { path, state }: CheckpointWork = workerData

port.on('message', () => {
  const result = checkpoint()
  Atomics.store(state, 0, STATES.idle)
  Atomics.notify(state, 0)
  port.postMessage(result)
})

function checkpoint(): CheckpointResult {
  try {
    const sqlite = new Database(path, { fileMustExist: true, timeout: 0 })
    try {
      // The log is synced before it is copied, and the database after it.
      sqlite.pragma('synchronous = NORMAL')
      const [row] = sqlite.pragma('wal_checkpoint(PASSIVE)') as LogPages[]
      return row ?? { log: 0, checkpointed: 0 }
    } finally {
      sqlite.close()
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Database.SqliteError ? error.code : undefined
    return { message, code }
  }
}
