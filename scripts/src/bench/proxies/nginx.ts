import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../../gateway/test/support/free-port.ts'
import { findProgram } from '../child.ts'

/** Where nginx is installed; undefined when it is not. */
export const findNginx = (): string | undefined => findProgram('nginx')

/** `1.22.1`; undefined when nginx is not installed. */
export function nginxVersion(): string | undefined {
  const nginx = findNginx()
  if (nginx === undefined) return undefined
  // It prints its version on stderr.
  const text = execFileSync('sh', ['-c', `"${nginx}" -v 2>&1`], { encoding: 'utf8' })
  return /nginx\/([\d.]+)/.exec(text)?.[1]
}

export interface NginxOptions {
  /** Host and port that requests are passed on to. */
  readonly upstream: string
  readonly keepAlive: number
  /** What a request has to pass before. */
  readonly limit?: { readonly zone: string; readonly use: string }
  /** A program that starts it, and that program's arguments. */
  readonly through?: readonly string[]
}

export interface Nginx {
  readonly url: string
  readonly pid: number | undefined
  stop(): Promise<void>
}

/** Starts an nginx of one process that passes everything on. The caller stops it. */
export async function startNginx(nginx: string, options: NginxOptions): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, configOf(port, options))
  const [program = nginx, ...rest] = [
    ...(options.through ?? []),
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

function configOf(port: number, { upstream, keepAlive, limit }: NginxOptions): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off; master_process off; pid nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000;
  ${temporary.map((kind) => `${kind}_temp_path ${kind};`).join(' ')}
  ${limit?.zone ?? ''}
  upstream exchange { server ${upstream}; keepalive ${keepAlive}; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      ${limit?.use ?? ''}
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
