import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { healthReady } from 'schema'
import {
  type Gateway,
  GatewayEndedError,
  type GatewayExit,
  MAIN,
  spawnGateway,
} from '../campaign/gateway.ts'
import { CLOCK_PRELOAD, tradingEnv } from '../campaign/rounds.ts'
import { freePort } from '../support/free-port.ts'
import { type HoldingProxy, startHoldingProxy, withPort } from '../support/holding-proxy.ts'

export interface NodeOptions {
  readonly name: string
  /** For its clock and its log. */
  readonly folder: string
  /** Of each gateway of the group. */
  readonly env: Readonly<Record<string, string>>
  readonly databaseUrl: string
  readonly exchangePort: number
  readonly report: (violation: string) => void
}

/** What systemd and Docker wait before they start a service again. */
const START_AGAIN_MS = 300
/** It had lost its lease, and ends so that it starts anew. */
export const EXIT_START_AGAIN = 75
const HEALTH_MS = 1_000

/** A gateway of a group, with the networks around it, and what starts it again. */
export interface Node {
  readonly name: string
  /** To the database, from the other nodes, and to the exchange. */
  readonly network: Readonly<Record<'database' | 'nodes' | 'exchange', HoldingProxy>>
  /** The port by which this node reaches the exchange, which tells its requests from others. */
  readonly exchangePort: number
  /** Its runs, the latest last. */
  readonly processes: readonly NodeProcess[]
  /** Where it listens; undefined while it does not. */
  url(): string | undefined
  /** Whether it says that it is ready. */
  isReady(): Promise<boolean>
  start(): Promise<void>
  /** Ends it; it is started again after a moment. */
  kill(): void
  halt(): void
  wake(): void
  /** Stops it as an operator does. It is not started again. */
  stop(): Promise<void>
  /** Its wall clock is ahead by this much. */
  shiftClock(ms: number): void
  close(): Promise<void>
}

export async function createNode(options: NodeOptions): Promise<Node> {
  const { name, folder, databaseUrl, report } = options
  const clock = join(folder, `clock-${name}`)
  writeFileSync(clock, '0')
  const listenPort = await freePort()
  const database = await startHoldingProxy(() => Number(new URL(databaseUrl).port))
  const nodes = await startHoldingProxy(() => listenPort)
  const exchange = await startHoldingProxy(() => options.exchangePort)
  const env = {
    ...{ ...tradingEnv(`http://127.0.0.1:${exchange.port}`), ...options.env },
    DATABASE_URL: withPort(databaseUrl, database.port),
    ...{ NODE_URL: `https://127.0.0.1:${nodes.port}`, NODE_LISTEN: `127.0.0.1:${listenPort}` },
    ...{ NODE_OPTIONS: CLOCK_PRELOAD, CLOCK_AHEAD_FILE: clock },
  }
  const processes: NodeProcess[] = []
  let running: Gateway | undefined
  let url: string | undefined
  let isWanted = false

  const note = (text: string) => appendFileSync(join(folder, `${name}.log`), text)
  function spawn(): Gateway {
    const process: NodeProcess = { node: name, startedAtMs: performance.now() }
    processes.push(process)
    const gateway = spawnGateway({
      ...{ entry: MAIN, env },
      onLine(line) {
        note(`${line}\n`)
        const fence = /"fence":(\d+)/.exec(line)?.[1]
        if (fence !== undefined && line.includes('is the owner of the exchanges now'))
          process.owner = { fence: Number(fence), atMs: performance.now() }
      },
    })
    running = gateway
    gateway.url.then(
      (found) => {
        process.listenedAtMs = performance.now()
        if (running === gateway) url = found
      },
      () => {},
    )
    void gateway.ended.then((exit) => {
      process.exit = exit
      note(exit.stderr)
      process.endedAtMs = performance.now()
      if (running === gateway) void ended(process)
    })
    return gateway
  }

  async function ended({ exit, listenedAtMs }: NodeProcess): Promise<void> {
    running = undefined
    url = undefined
    // One that cannot reach its database does not start; the next start may.
    const isExpected =
      exit?.code === EXIT_START_AGAIN || exit?.signal === 'SIGKILL' || listenedAtMs === undefined
    if (isWanted && !isExpected)
      report(`node ${name} ended with ${exit?.code ?? exit?.signal}: ${exit?.stderr}`)
    await sleep(START_AGAIN_MS)
    if (isWanted && running === undefined) spawn()
  }

  return {
    ...{ name, processes, exchangePort: exchange.port, network: { database, nodes, exchange } },
    url: () => url,
    isReady: () => (url === undefined ? Promise.resolve(false) : isReady(url)),
    async start() {
      isWanted = true
      if (running !== undefined) return
      await spawn().url.catch((error: unknown) => {
        // It is started again.
        if (!(error instanceof GatewayEndedError)) throw error
      })
    },
    kill: () => running?.signal('SIGKILL'),
    halt: () => running?.signal('SIGSTOP'),
    wake: () => running?.signal('SIGCONT'),
    async stop() {
      isWanted = false
      const stopping = running
      if (stopping === undefined) return
      // One that starts does not listen to signals yet.
      await stopping.url.catch(() => {})
      stopping.signal('SIGTERM')
      const exit = await stopping.ended
      if (exit.code !== 0 && exit.code !== EXIT_START_AGAIN)
        report(`node ${name} stopped with ${exit.code ?? exit.signal}: ${exit.stderr}`)
    },
    shiftClock: (ms) => writeFileSync(clock, `${ms}`),
    async close() {
      isWanted = false
      running?.signal('SIGKILL')
      await running?.ended
      for (const proxy of [database, nodes, exchange]) await proxy.close()
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(HEALTH_MS)
    return (await fetch(`${url}${healthReady.path}`, { signal })).status === 200
  } catch {
    return false
  }
}

/** One run of a node. Times are of this process's monotonic clock. */
export interface NodeProcess {
  readonly node: string
  readonly startedAtMs: number
  /** When it listened. */
  listenedAtMs?: number
  /** When it said that it is the owner, and under which number. */
  owner?: { readonly fence: number; readonly atMs: number }
  endedAtMs?: number
  exit?: GatewayExit
}
