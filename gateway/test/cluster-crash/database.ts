import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openPostgres } from '../../src/store/postgres/open.ts'
import {
  type ClusterOptions,
  killCluster,
  startAgain,
  startCluster,
  stopCluster,
} from '../support/postgres-cluster.ts'
import { startSmallDisk } from '../support/start-small-disk.ts'

const DISK_MB = 192
const NAME = 'postgres'
const REACH_MS = 2_000

/** The PostgreSQL server of a round. Commits wait for the disk. */
export interface Database {
  readonly port: number
  readonly url: string
  /** Ends it, in order or as in a crash. */
  stop(signal: 'SIGQUIT' | 'SIGINT'): Promise<void>
  /** Starts it again, unless it runs. */
  start(): Promise<void>
  /** Absent unless its data is on a disk of its own. */
  readonly disk?: { fill(): void; free(): void }
  end(): Promise<void>
}

/**
 * @param binaries of PostgreSQL
 * @param isSmall whether its data is on a disk that can be filled
 */
export async function createDatabase(binaries: string, isSmall: boolean): Promise<Database> {
  // The user of the server gets it, who may not see the folder of the round.
  const folder = mkdtempSync(join(tmpdir(), 'sluice-group-'))
  const data = join(folder, 'data')
  if (isSmall) mkdirSync(data)
  const disk = isSmall ? await startSmallDisk(data, DISK_MB) : undefined
  const options: ClusterOptions = {
    ...{ binaries, folder, isDurable: true },
    settings: { min_wal_size: '32MB', max_wal_size: '64MB', jit: 'off' },
    ...(disk && { disk }),
  }
  const stop = (signal: 'SIGQUIT' | 'SIGINT') => stopCluster(folder, signal, disk?.seen ?? data)
  const cluster = await startCluster(options)
  const url = cluster.url(NAME)
  await (await openPostgres(url)).close()
  const onExit = () => killCluster(disk?.seen ?? data)
  process.once('exit', onExit)
  let isUp = true
  return {
    ...{ port: cluster.port, url },
    async stop(signal) {
      isUp = false
      await stop(signal)
    },
    async start() {
      if (isUp && (await isReachable(url))) return
      if (isUp) await stop('SIGQUIT').catch(() => {})
      await startAgain(options, cluster.port)
      isUp = true
    },
    ...(disk && { disk }),
    async end() {
      process.off('exit', onExit)
      await stop('SIGQUIT')
      await disk?.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function isReachable(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: REACH_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}
