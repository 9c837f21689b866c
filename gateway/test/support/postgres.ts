import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/open.ts'
import { type Cluster, clusterAt, startCluster } from './postgres-cluster.ts'
// Declares what it provides.
import type {} from './postgres-setup.ts'

/** For `test.skipIf(!hasPostgres)`. */
export const hasPostgres = inject('postgres') !== undefined

/** A migrated database, which others are copied from. */
const TEMPLATE = 'migrated'

/**
 * The URL of a database of its own, which goes with the test.
 * @param kind `empty` for one without tables
 * @param onEnd gets what removes it
 */
export async function createDatabase(
  kind: 'migrated' | 'empty' = 'migrated',
  onEnd: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const cluster = await runningCluster()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const template = kind === 'migrated' ? TEMPLATE : 'template0'
  await asSuperuser(cluster, `create database ${name} template ${template}`)
  onEnd(async () => {
    await asSuperuser(cluster, `drop database ${name} with (force)`)
  })
  return cluster.url(name)
}

/** Opens a database of its own. Both go with the test. */
export async function openTestStore(): Promise<PostgresStore> {
  const url = await createDatabase()
  const store = await openPostgres(url)
  onTestFinished(() => store.close())
  return store
}

/** Runs SQL as the superuser. */
export async function asSuperuser(
  cluster: Cluster,
  text: string,
  database = 'postgres',
): Promise<void> {
  await sql(cluster.socketUrl(database), text)
}

/** Runs SQL in a database. */
export async function sql(url: string, text: string): Promise<Record<string, never>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Who has to sign in, and how; everybody else comes in. */
const HBA = [
  'local all all trust',
  'host all locked_out all reject',
  'host all with_password all scram-sha-256',
  'host all all all trust',
] as const

let running: Promise<Cluster> | undefined

/** The server of this run of the tests, which is started by the first process that asks. */
export function runningCluster(): Promise<Cluster> {
  running ??= startOrWait()
  return running
}

async function startOrWait(): Promise<Cluster> {
  const provided = inject('postgres')
  if (provided === undefined) throw new Error('PostgreSQL is not installed')
  const { binaries, folder } = provided
  const ready = join(folder, 'ready')
  if (makeFolder(join(folder, 'starting'))) {
    const cluster = await startCluster({ binaries, folder, hba: HBA })
    for (const role of ['locked_out', 'with_password', 'without_rights'])
      await asSuperuser(cluster, `create role ${role} login`)
    await asSuperuser(cluster, `create database ${TEMPLATE} template template0`)
    await (await openPostgres(cluster.url(TEMPLATE))).close()
    // Whole, or not there.
    writeFileSync(`${ready}.new`, `${cluster.port}`)
    renameSync(`${ready}.new`, ready)
    return cluster
  }
  for (const untilMs = performance.now() + 60_000; !existsSync(ready); await setTimeout(25))
    if (performance.now() > untilMs) throw new Error('PostgreSQL was not started by another test')
  return clusterAt(folder, Number(readFileSync(ready, 'utf8')))
}

/** Whether it was this process that made it. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch {
    return false
  }
}
