import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
/** Sooner than a gateway that starts again. */
const RETAKE_MS = 5

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
  /** Takes all connections that are left, and those that become free. @returns what ends that */
  takeConnections(): Promise<() => Promise<void>>
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
    settings: { min_wal_size: '32MB', max_wal_size: '64MB', jit: 'off', max_connections: '60' },
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
    takeConnections: () => takeConnections(url),
    async end() {
      process.off('exit', onExit)
      await stop('SIGQUIT')
      await disk?.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Superusers, as the gateways of these rounds are, get the reserved connections too. */
async function takeConnections(url: string): Promise<() => Promise<void>> {
  const taken: pg.Client[] = []
  let isOver = false
  const taking = (async () => {
    while (!isOver) {
      const client = new pg.Client(url)
      client.on('error', () => {})
      try {
        await client.connect()
        taken.push(client)
      } catch {
        await client.end()
        await sleep(RETAKE_MS)
      }
    }
  })()
  return async () => {
    isOver = true
    await taking
    await Promise.all(taken.map((client) => client.end()))
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
