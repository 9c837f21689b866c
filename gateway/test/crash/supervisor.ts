import { setTimeout as sleep } from 'node:timers/promises'
import type { PaperControl } from '../../paper-exchange/src/control.ts'
import { type Gateway, type GatewayExit, spawnGateway } from './gateway.ts'
import { between } from './world.ts'

export interface SupervisorOptions {
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

    /** Ends it for good: who waits for the next one gets an error. */
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
  while (arrived() < orders && performance.now() < untilMs) await sleep(3)
  await sleep(between(random, 0, MOMENT_MS_MAX))
}

export type Supervisor = ReturnType<typeof createSupervisor>

function newUp() {
  const up = Promise.withResolvers<string>()
  // A waiter gets the rejection; there may be none.
  up.promise.catch(() => {})
  return up
}
