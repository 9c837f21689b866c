import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { startCluster, stopCluster } from './postgres-cluster.ts'

/** A server of its own, on which each commit that waits for the disk can be seen to wait. */
export interface WaitingServer {
  readonly url: string
  /** Whether a write waits for the disk before it resolves. */
  waits(write: () => Promise<unknown>): Promise<boolean>
}

/**
 * The server has a standby that does not exist: what waits for the disk waits for that too, and
 * what does not wait for the one does not wait for the other.
 */
export async function startWaitingServer(): Promise<WaitingServer> {
  const provided = inject('postgres')
  if (provided === undefined) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-waiting-'))
  onTestFinished(async () => {
    await stopCluster(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  const cluster = await startCluster({ binaries: provided.binaries, folder })
  const url = cluster.url('postgres')
  await (await openPostgres(url)).close()
  const client = new pg.Client(url)
  await client.connect()
  // Before the server ends.
  onTestFinished(() => client.end())
  await client.query(`alter system set synchronous_standby_names to 'none'`)
  await client.query('select pg_reload_conf()')
  await client.query(`set synchronous_commit to 'off'`)
  return { url, waits: (write) => waits(client, write) }
}

async function waits(client: pg.Client, write: () => Promise<unknown>): Promise<boolean> {
  let isDone = false
  const writing = write().finally(() => {
    isDone = true
  })
  // Handled below: it may fail while this asks.
  writing.catch(() => {})
  let hasWaited = false
  while (!isDone) {
    // A commit whose wait is cancelled has been made nevertheless.
    const { rowCount } = await client.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
    )
    hasWaited ||= rowCount !== 0
    await setTimeout(1)
  }
  await writing
  return hasWaited
}
