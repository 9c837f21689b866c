import { setTimeout as sleep } from 'node:timers/promises'
import type { PaperControl } from '../../paper-exchange/src/control.ts'
import { type Gateway, spawnGateway } from './gateway.ts'
import { between, chance } from './world.ts'

export interface KillerOptions {
  readonly entry: string
  /** Whether it waits for a line before it opens anything, so that it can be started early. */
  readonly isQuick: boolean
  readonly env: Readonly<Record<string, string>>
  readonly paper: Pick<PaperControl, 'received'>
  /** Called before each start. */
  readonly onStart: () => void
  readonly random: () => number
}

const ORDERS_MAX = 12
/** An exchange that is down, or rests, brings no more orders. */
const WORK_MS_MAX = 3_000
const MOMENT_MS_MAX = 60
const START_MS_MAX = 600

/** Keeps one gateway running, kills it at random moments and starts the next. */
export function createKiller({ entry, isQuick, env, paper, random, onStart }: KillerOptions) {
  let up = Promise.withResolvers<string>()
  let running: Gateway | undefined
  let next = isQuick ? spawnNext() : undefined

  function spawnNext(): Gateway {
    return spawnGateway({ entry, env })
  }

  /** The one that is loaded already, if there is one, and loads another. */
  function launch(): Gateway {
    const gateway = next ?? spawnNext()
    if (isQuick) next = spawnNext()
    onStart()
    gateway.go()
    return gateway
  }

  async function start(): Promise<void> {
    running = launch()
    up.resolve(await running.url)
  }

  async function stop(): Promise<void> {
    running?.signal('SIGKILL')
    await running?.ended
    running = undefined
  }

  /**
   * Some orders after the start, then a moment more: in work counted, so that a slow machine does
   * as much.
   */
  async function untilMoment(): Promise<void> {
    const orders = between(random, 0, ORDERS_MAX)
    const seen = paper.received().at(-1)?.seq ?? 0
    const arrived = () =>
      paper.received({ since: seen }).filter(({ method }) => method !== 'GET').length
    const untilMs = performance.now() + WORK_MS_MAX
    while (arrived() < orders && performance.now() < untilMs) await sleep(3)
    await sleep(between(random, 0, MOMENT_MS_MAX))
  }

  return {
    start,

    /** Where the gateway is; waits while there is none. */
    url: () => up.promise,

    /**
     * Ends it without warning at a random moment, sometimes the next one while it starts, and
     * starts another.
     */
    async kill(): Promise<void> {
      await untilMoment()
      up = Promise.withResolvers()
      await stop()
      if (chance(random, 0.1)) {
        running = launch()
        await sleep(between(random, 0, START_MS_MAX))
        await stop()
      }
      await start()
    },

    /** Ends it and starts no other. */
    async end(): Promise<void> {
      next?.signal('SIGKILL')
      await Promise.all([stop(), next?.ended])
    },
  }
}
export type Killer = ReturnType<typeof createKiller>
