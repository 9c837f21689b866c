import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** What `npm start` runs: the bundle if one was built of these sources, otherwise the sources. */
export const MAIN = fileURLToPath(new URL('../../src/start.js', import.meta.url))

export interface GatewayExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** What it said on stderr. */
  readonly stderr: string
}

export interface Gateway {
  /** Of its process, or of the program that starts it. */
  readonly pid: number | undefined
  /** Where it listens, once it does. @throws GatewayEndedError */
  readonly url: Promise<string>
  /** Settles when the process has ended. */
  readonly ended: Promise<GatewayExit>
  signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void
}

export interface GatewayStart {
  readonly entry: string
  readonly env: Readonly<Record<string, string>>
  /** A program that starts it, and that program's arguments, in front of Node's own. */
  readonly through?: readonly string[]
  /** Gets each line of its log. */
  readonly onLine?: (line: string) => void
}

/** A gateway that ended before it listened. */
export class GatewayEndedError extends Error {
  readonly exit: GatewayExit
  constructor(exit: GatewayExit) {
    super(`The gateway ended with ${exit.code ?? exit.signal} before it listened: ${exit.stderr}`)
    this.exit = exit
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * A gateway in a process of its own, on a free port. The caller ends it, and it ends with this
 * process at the latest. Ctrl-C at the terminal does not reach it.
 */
export function spawnGateway(start: GatewayStart): Gateway {
  const { entry, env, through = [], onLine } = start
  const [program = process.execPath, ...rest] = [...through, process.execPath, entry]
  const child = spawn(program, rest, {
    env: { PORT: '0', LOG_LEVEL: 'info', DISK_RESERVE_MB: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code, signal]): GatewayExit => {
    running.delete(child)
    return { code, signal, stderr }
  })
  const url = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      onLine?.(line)
      const found = /listening at (http:\/\/[\d.:]+)/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    ended.then((exit) => reject(new GatewayEndedError(exit)), reject)
  })
  // A waiter gets the rejection; a process that ends before it listens may have no waiter.
  url.catch(() => {})
  return {
    pid: child.pid,
    url,
    ended,
    signal: (name) => void child.kill(name),
  }
}
