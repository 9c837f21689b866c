import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { passing } from './lane-jobs.ts'

/** Where nginx is installed; undefined when it is not. */
export function findNginx(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, 'nginx')).find(isExecutable)
}

/** Sends `count` requests at once through an nginx that paces them by limit_req, and stops it. */
export async function throughNginx(
  nginx: string,
  { url, rate, count }: { url: URL; rate: number; count: number },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, configOf({ port, upstream: url.host, rate, burst: count }))
  const child = spawn(nginx, ['-p', folder, '-c', config, '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  try {
    await listening(port)
    const agent = new Agent({ keepAlive: false })
    const through = new URL(url.pathname, `http://127.0.0.1:${port}`)
    await Promise.all(Array.from({ length: count }, () => get(through, agent)))
  } finally {
    child.kill()
    await ended
    rmSync(folder, { recursive: true })
  }
}

interface NginxConfig {
  readonly port: number
  readonly upstream: string
  readonly rate: number
  readonly burst: number
}

function configOf({ port, upstream, rate, burst }: NginxConfig): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off; worker_processes 1; pid nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.map((kind) => `${kind}_temp_path ${kind};`).join(' ')}
  limit_req_zone $server_port zone=bench:1m rate=${rate}r/s;
  upstream exchange { server ${upstream}; keepalive 8; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      limit_req zone=bench burst=${burst};
      proxy_pass http://exchange;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('No port was given')
  return address.port
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false) // Refused: it is tried again, and reported in the end.
    socket.destroy()
    if (isOpen) return
    await passing(50)
  }
  throw new Error(`nginx did not listen on port ${port}`)
}

function get(url: URL, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end()
  })
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false // Not there, or not to be run: the next place is looked at.
  }
}
