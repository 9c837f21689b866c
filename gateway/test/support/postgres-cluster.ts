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
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

export interface ClusterOptions {
  /** Of `findPostgres`. */
  readonly binaries: string
  /** An empty folder, for the data, the socket and the log. */
  readonly folder: string
  /** Whether commits wait for the disk; default false, which is faster. */
  readonly isDurable?: boolean
  /** Lines of pg_hba.conf in place of the one that lets everybody in. */
  readonly hba?: readonly string[]
  /** More settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Encrypts connections over TCP where the client wants it. */
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer }
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
  const { binaries, folder } = options
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const owner = ownerOfServers()
  if (owner !== undefined) for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid)
  runToEnd(
    join(binaries, 'initdb'),
    // A locale in which more than ASCII has two cases: a comparison that goes by it is found.
    ['-D', data, '-U', USER, '-E', 'UTF8', '--locale=C.UTF-8', '--auth=trust', '--no-sync'],
    { ...owner, cwd: folder },
  )
  return startAgain(options, await freePort())
}

/** Starts a cluster that was stopped. */
export async function startAgain(options: ClusterOptions, port: number): Promise<Cluster> {
  const { binaries, folder, hba, tls, settings, isDurable = false } = options
  const log = openSync(join(folder, 'log'), 'a', 0o600)
  const all = {
    listen_addresses: '127.0.0.1',
    ...{ port, unix_socket_directories: folder, max_connections: 200, shared_buffers: '32MB' },
    ...(isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ...(hba === undefined ? {} : { hba_file: writeHba(folder, hba) }),
    ...(tls === undefined ? {} : writeTls(folder, tls)),
    ...settings,
  }
  const child = spawn(
    join(binaries, 'postgres'),
    [
      ...['-D', join(folder, 'data')],
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...ownerOfServers(), cwd: folder, detached: true, stdio: ['ignore', log, log] },
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
 */
export async function stopCluster(
  folder: string,
  signal: 'SIGQUIT' | 'SIGINT' = 'SIGQUIT',
): Promise<void> {
  const file = join(folder, 'data', 'postmaster.pid')
  if (!existsSync(file)) return
  process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), signal)
  const untilMs = performance.now() + STOP_MS
  // The server removes it last.
  while (existsSync(file)) {
    if (performance.now() > untilMs) throw new Error(`PostgreSQL in ${folder} does not end`)
    await setTimeout(20)
  }
}

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

/** A user that is not root; undefined: whoever runs this process. */
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

/** A port of the loopback address that nobody listened on a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
