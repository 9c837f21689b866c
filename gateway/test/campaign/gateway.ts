import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { PaperControl } from '../../paper-exchange/src/control.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { between } from './bot.ts'

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

interface GatewayStart {
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
  return { pid: child.pid, url, ended, signal: (name) => void child.kill(name) }
}

export interface CommandEnd {
  readonly code: number | null
  /** What it said. */
  readonly output: string
}

export interface RunningCommand {
  readonly ended: Promise<CommandEnd>
  kill(): void
}

/** The commands of operators, as package.json names them. */
export type CommandName = 'backup' | 'restore' | 'rotate-key' | 'salvage'

const SCRIPTS = fileURLToPath(new URL('../../../scripts/src/', import.meta.url))

/** Starts what `npm run NAME -- ARGS` runs, without a file of settings. */
export function startCommand(
  name: CommandName,
  args: readonly string[],
  { env, through }: { readonly env: Record<string, string>; readonly through: readonly string[] },
): RunningCommand {
  const node = [process.execPath, `${SCRIPTS}${name}.ts`, ...args]
  const [program = '', ...rest] = [...through, ...node]
  const child = spawn(program, rest, {
    env: { ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return {
    ended: once(child, 'close').then(([code]) => ({ code, output })),
    kill: () => void child.kill('SIGKILL'),
  }
}

interface SupervisorOptions {
  /** The environment of the next process. */
  readonly nextEnv: () => Readonly<Record<string, string>>
  readonly entry: string
  readonly through: readonly string[]
  readonly paper: Pick<PaperControl, 'received'>
  readonly random: () => number
}

const ORDERS_MAX = 8
/** An exchange that is down, or rests, brings no more orders. */
const WORK_MS_MAX = 3_000
const MOMENT_MS_MAX = 100

/** Keeps one gateway running, ends it as an event wants, and starts the next. */
export function createSupervisor(options: SupervisorOptions) {
  const { nextEnv, entry, through, paper, random } = options
  let up = newUp()
  let isUp = false
  let running: Gateway | undefined
  let starts = 0

  /** @throws GatewayEndedError when it ends before it listens */
  async function start(): Promise<void> {
    starts += 1
    running = spawnGateway({ entry, through, env: nextEnv() })
    up.resolve(await running.url)
    isUp = true
  }

  /** Ends it; callers wait for the next one from now on. */
  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<GatewayExit | undefined> {
    const ending = running
    running = undefined
    if (isUp) up = newUp()
    isUp = false
    ending?.signal(signal)
    return ending?.ended
  }

  return {
    start,
    end,
    /** Where the gateway is; waits while there is none. */
    url: () => up.promise,
    /** How many processes were started. */
    starts: () => starts,

    untilMoment: (ordersMax?: number) => untilMoment(paper, random, ordersMax),

    /** Ends it, and starts no other: whatever waits for the next one gets an error. */
    async close(): Promise<void> {
      await end('SIGKILL')
      up.reject(new Error('The round is over'))
    },
  }
}
/**
 * Some orders from now, then a moment more: in work counted, so that a slow machine does as much.
 */
export async function untilMoment(
  paper: Pick<PaperControl, 'received'>,
  random: () => number,
  ordersMax = ORDERS_MAX,
): Promise<void> {
  const orders = between(random, 0, ordersMax)
  const seen = paper.received().at(-1)?.seq ?? 0
  const arrived = () =>
    paper.received({ since: seen }).filter(({ method }) => method !== 'GET').length
  const untilMs = performance.now() + WORK_MS_MAX
  while (arrived() < orders && performance.now() < untilMs) await sleep(10)
  await sleep(between(random, 0, MOMENT_MS_MAX))
}

export type Supervisor = ReturnType<typeof createSupervisor>

function newUp() {
  const up = Promise.withResolvers<string>()
  // A waiter gets the rejection; there may be none.
  up.promise.catch(() => {})
  return up
}
