import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../gateway/test/support/free-port.ts'
import { findProgram, onCore, startServer, startStub } from './child.ts'
import { CONNECTIONS_MAX } from './load.ts'
import { exchangeRequests, type Requests, sluiceRequests } from './requests.ts'
import { type BenchClient, type Sluice, startSluice } from './sluice.ts'

/** What Sluice is compared with, and the exchange without anything before it. */
export const DIRECT = 'direct'
export const HTTP_PROXY = 'http-proxy'
const REPLY_FROM = 'reply-from'
const NGINX = 'nginx'
export const SLUICE = 'Sluice'

/** One way to the exchange. */
export interface Target {
  readonly name: string
  readonly origin: string
  readonly requests: Requests
  /** Of the process whose CPU time counts; the exchange's does not. */
  readonly pid?: number | undefined
}

export interface World {
  readonly upstream: string
  readonly sluice: Sluice
  readonly clients: readonly BenchClient[]
  readonly targets: readonly Target[]
  stop(): Promise<void>
}

/** Starts the exchange, Sluice and its peers, each a process of its own. */
export async function startWorld(): Promise<World> {
  await using closing = new AsyncDisposableStack()
  const stub = await startStub()
  closing.defer(stub.stop)
  const upstream = stub.url
  const requests = exchangeRequests()
  const targets: Target[] = [{ name: DIRECT, origin: upstream, requests }]
  const nginx = findNginx()
  if (nginx !== undefined) {
    const host = new URL(upstream).host
    const through = onCore('measured')
    const proxy = await startNginx(nginx, { upstream: host, keepAlive: CONNECTIONS_MAX, through })
    closing.defer(proxy.stop)
    targets.push({ name: NGINX, origin: proxy.url, requests, pid: proxy.pid })
  }
  for (const name of [REPLY_FROM, HTTP_PROXY]) {
    const args = [`--proxy=${name}`, `--upstream=${upstream}`]
    const proxy = await startServer('measured', 'node-proxy.ts', args)
    closing.defer(proxy.stop)
    targets.push({ name, origin: proxy.url, requests, pid: proxy.child.pid })
  }
  const sluice = await startSluice({ upstream })
  closing.defer(sluice.stop)
  const clients = await sluice.createClients()
  const { origin, pid } = sluice
  targets.push({ name: SLUICE, origin, requests: sluiceRequests(clients), pid })
  const running = closing.move()
  return { upstream, sluice, clients, targets, stop: () => running.disposeAsync() }
}

/** Where nginx is installed; undefined when it is not. */
const findNginx = (): string | undefined => findProgram('nginx')

/** `1.22.1`; undefined when nginx is not installed. */
export function nginxVersion(): string | undefined {
  const nginx = findNginx()
  if (nginx === undefined) return undefined
  // It prints its version on stderr.
  const text = execFileSync('sh', ['-c', `"${nginx}" -v 2>&1`], { encoding: 'utf8' })
  return /nginx\/([\d.]+)/.exec(text)?.[1]
}

interface NginxOptions {
  /** Host and port that requests are passed on to. */
  readonly upstream: string
  readonly keepAlive: number
  /** A program that starts it, and that program's arguments. */
  readonly through: readonly string[]
}

interface Nginx {
  readonly url: string
  readonly pid: number | undefined
  stop(): Promise<void>
}

/** Starts an nginx of one process that passes everything on. The caller stops it. */
async function startNginx(nginx: string, options: NginxOptions): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, configOf(port, options))
  const [program = nginx, ...rest] = [
    ...options.through,
    ...[nginx, '-p', folder, '-c', config, '-e', join(folder, 'error.log')],
  ]
  const child = spawn(program, rest, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
    rmSync(folder, { recursive: true })
  }
  try {
    await listening(port)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop }
}

function configOf(port: number, { upstream, keepAlive }: NginxOptions): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off; master_process off; pid nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000;
  ${temporary.map((kind) => `${kind}_temp_path ${kind};`).join(' ')}
  upstream exchange { server ${upstream}; keepalive ${keepAlive}; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://exchange;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('nginx does not listen')
}
