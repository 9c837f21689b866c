import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { findPostgres } from './find-postgres.ts'
import { type Cluster, ownerOfServers, startCluster, stopCluster } from './postgres-cluster.ts'
import { tempFolder } from './temp-folder.ts'

const found = findPostgres()
/** Links may lead to the server's programs alone. */
export const binaries = found === undefined ? '' : dirname(realpathSync(join(found, 'postgres')))

export { sql } from './postgres.ts'

export type Server = Cluster & { readonly folder: string }

/** An empty folder for a server, which goes with the test. */
export function serverFolder(): string {
  const folder = tempFolder()
  own(folder)
  return folder
}

/** A server of its own, which ends with the test. */
export async function server(folder = serverFolder(), settings = {}): Promise<Server> {
  const cluster = await startCluster({ binaries, folder, settings })
  onTestFinished(() => stopCluster(folder))
  return { ...cluster, folder }
}

/** A folder that the server can write to. */
export function makeFolder(path: string): void {
  mkdirSync(path)
  own(path)
}

/** Gives a folder to the user of the server: PostgreSQL does not run as root. */
export function own(folder: string): void {
  chmodSync(folder, 0o700)
  const owner = ownerOfServers()
  if (owner !== undefined)
    spawnSync('chown', ['-R', `${owner.uid}:${owner.gid}`, folder], { stdio: 'ignore' })
}

/** Runs a program of PostgreSQL. */
export function run(program: string, args: readonly string[], cwd: string): void {
  const options: SpawnSyncOptions = { ...ownerOfServers(), cwd, encoding: 'utf8' }
  const { status, stderr, error } = spawnSync(join(binaries, program), args, options)
  expect(status, `${error} ${stderr}`).toBe(0)
}
