import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'

export interface ClusterOptions {
  /** Of `findPostgres`. */
  readonly binaries: string
  /** An empty folder, for the data, the socket and the log. */
  readonly folder: string
  /** Whether commits wait for the disk; default false, which is faster. */
  readonly isDurable?: boolean
  /** Lines of pg_hba.conf in place of the one that lets everybody in. */
  readonly hba?: readonly string[]
  /** A file system of its own for the data, which is mounted on the folder `data`. */
  readonly disk?: DataDisk
  /** More settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Encrypts connections over TCP where the client wants it. */
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer }
}

/** Of `startSmallDisk`. */
interface DataDisk {
  /** A program that starts others which see it, and its arguments. */
  readonly through: readonly string[]
  /** How this process sees it. */
  readonly seen: string
}

/** A PostgreSQL server with data of its own. */
export interface Cluster {
  readonly port: number
  /** The URL of one of its databases, over TCP. */
  url(database: string): string
  /** The URL over the socket. */
  socketUrl(database: string): string
}

/** The superuser. */
const USER = 'sluice'
const START_MS = 60_000
const STOP_MS = 20_000

/**
 * Makes an empty cluster and starts it. It survives this process: `stopCluster` ends it. As root,
 * which PostgreSQL refuses, it runs as another user.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, disk } = options
  const data = join(folder, 'data')
  if (disk === undefined) mkdirSync(data, { mode: 0o700 })
  const owner = disk === undefined ? ownerOfServers() : undefined
  if (owner !== undefined) for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid)
  const [initdb, ...rest] = commandOf(options, 'initdb')
  runToEnd(
    initdb ?? '',
    // A locale in which more than ASCII has two cases: a comparison that goes by it is found.
    [
      ...rest,
      ...['-D', data, '-U', USER, '-E', 'UTF8', '--locale=C.UTF-8', '--auth=trust', '--no-sync'],
    ],
    { ...owner, cwd: folder },
  )
  return startAgain(options, await freePort())
}

/** Starts a cluster that was stopped. */
export async function startAgain(options: ClusterOptions, port: number): Promise<Cluster> {
  const { folder, hba, tls, disk, settings, isDurable = false } = options
  const log = openSync(join(folder, 'log'), 'a', 0o600)
  const all = {
    listen_addresses: '127.0.0.1',
    ...{ port, unix_socket_directories: folder, max_connections: 200, shared_buffers: '32MB' },
    ...(isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ...(hba === undefined ? {} : { hba_file: writeHba(folder, hba) }),
    ...(tls === undefined ? {} : writeTls(folder, tls)),
    ...settings,
  }
  const [postgres = '', ...rest] = commandOf(options, 'postgres')
  const child = spawn(
    postgres,
    [
      ...rest,
      ...['-D', join(folder, 'data')],
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      ...(disk === undefined ? ownerOfServers() : {}),
      ...{ cwd: folder, detached: true, stdio: ['ignore', log, log] },
    },
  )
  closeSync(log)
  child.unref()
  const cluster = clusterAt(folder, port)
  await untilReady(cluster, folder, () => child.exitCode)
  return cluster
}

/** A cluster that was started in this folder. */
export function clusterAt(folder: string, port: number): Cluster {
  return {
    port,
    url: (database) => `postgres://${USER}@127.0.0.1:${port}/${database}`,
    socketUrl: (database) => `postgres://${USER}@${encodeURIComponent(folder)}:${port}/${database}`,
  }
}

/**
 * Ends a server at once, and waits until it has ended.
 * @param signal SIGQUIT as in a crash, without writing what is in memory; SIGINT in order
 * @param data where its data is, as this process sees it
 */
export async function stopCluster(
  folder: string,
  signal: 'SIGQUIT' | 'SIGINT' = 'SIGQUIT',
  data = join(folder, 'data'),
): Promise<void> {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return
  process.kill(pidIn(file), signal)
  const untilMs = performance.now() + STOP_MS
  // The server removes it last.
  while (existsSync(file)) {
    if (performance.now() > untilMs) throw new Error(`PostgreSQL in ${folder} does not end`)
    await setTimeout(20)
  }
}

/** Ends a server at once, and does not wait: for the end of this process. */
export function killCluster(data: string): void {
  const file = join(data, 'postmaster.pid')
  if (existsSync(file)) process.kill(pidIn(file), 'SIGQUIT')
}

const pidIn = (file: string) => Number(readFileSync(file, 'utf8').split('\n')[0])

async function untilReady(
  cluster: Cluster,
  folder: string,
  exitCode: () => number | null,
): Promise<void> {
  for (const untilMs = performance.now() + START_MS; ; await setTimeout(25)) {
    const client = new pg.Client(cluster.socketUrl('postgres'))
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      // With rules of its own it may refuse everybody.
      if (error instanceof pg.DatabaseError && error.code?.startsWith('28')) return
      if (exitCode() === null && performance.now() < untilMs) continue
      const log = readFileSync(join(folder, 'log'), 'utf8')
      throw new Error(`PostgreSQL does not start: ${log}`, { cause: error })
    }
  }
}

/** As a user that is not root, where the disk can only be seen by root of a namespace. */
function commandOf({ binaries, disk }: ClusterOptions, name: string): string[] {
  const asUser = ['unshare', '--user', '--map-user=1000', '--map-group=1000']
  return [...(disk === undefined ? [] : [...disk.through, ...asUser]), join(binaries, name)]
}

function runToEnd(command: string, args: readonly string[], options: SpawnSyncOptions): void {
  const { status, stderr, error } = spawnSync(command, args, { ...options, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`, { cause: error })
}

function writeTls(folder: string, { key, cert }: { key: Buffer; cert: Buffer }) {
  const files = { ssl_key_file: join(folder, 'key.pem'), ssl_cert_file: join(folder, 'cert.pem') }
  const owner = ownerOfServers()
  for (const [path, bytes] of [
    [files.ssl_key_file, key],
    [files.ssl_cert_file, cert],
  ] as const) {
    writeFileSync(path, bytes, { mode: 0o600 })
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid)
  }
  return { ssl: 'on', ...files }
}

function writeHba(folder: string, lines: readonly string[]): string {
  const path = join(folder, 'pg_hba.conf')
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o644 })
  return path
}

/** A user that is not root; undefined: the user that runs this process. */
export function ownerOfServers(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((user) => user[0] === name) ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody"')
}
