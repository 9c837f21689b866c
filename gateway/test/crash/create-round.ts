import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import { ADMIN } from './clients.ts'
import { startCommand } from './commands.ts'
import type { DataFolder } from './data-folder.ts'
import { takenArrivals } from './exchange-book.ts'
import { MAIN } from './gateway.ts'
import type { Plan } from './plan.ts'
import { isInGap, type Round } from './round.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'
import type { Result, Story, World } from './world.ts'

export interface RoundParts {
  readonly plan: Plan
  /** A folder for files that survive the gateway's disk. */
  readonly root: string
  readonly data: DataFolder
  readonly paper: PaperExchange
  readonly clock: Clock
}

/** A minute passes with each start of a gateway: orders are judged by the exchange's time. */
export interface Clock {
  passAMinute(): void
  /** By how much the clock of the gateway's machine is ahead of the true one. */
  aheadMs(): number
}

/** Small: the disk of a round is small as well. */
const RESERVE_MB = 4
const PRELOAD = new URL('./clock-ahead.js', import.meta.url).href
/** The least price that is used, tenths of a USDT: no order of a bot is filled. */
const FIRST_PRICE = 200_000
/** Between the seeds of bots, more than a run has rounds. */
const SEED_STEP = 1_000_003

export function createRound({ plan, root, data, paper, clock }: RoundParts) {
  const random = createSeededRandom(plan.seed)
  const violations: string[] = []
  const stories = new Map<string, Story>()
  const env = gatewayEnv(paper.url, data)
  const timedEnv = () => ({
    ...env,
    NODE_OPTIONS: `--import=${PRELOAD}`,
    CLOCK_AHEAD_MS: `${clock.aheadMs()}`,
  })
  const { through } = data
  const supervisor = createSupervisor({
    ...{ entry: MAIN, through, paper, random },
    nextEnv() {
      clock.passAMinute()
      return timedEnv()
    },
  })
  const files = join(root, 'files')
  mkdirSync(files)
  const round: Round = {
    ...{ plan, random, paper, data, supervisor, stories },
    ...{
      backups: [],
      gaps: [],
      recoveries: [],
      forgotten: new Set(),
      inDoubt: new Set(),
      metFullDisk: new Set(),
    },
    command: (name, ...args) => startCommand(name, args, { env: timedEnv(), through }),
    newFile: (name) => join(files, name),
    report: (violation) => void violations.push(violation),
  }
  return { round, stories, violations }
}

/** What bots of a round need to know of it. */
export interface WorldRound extends Pick<Round, 'paper' | 'gaps' | 'report'> {
  readonly plan: Pick<Plan, 'seed'>
  readonly supervisor: Pick<Supervisor, 'url'>
  /** Whether the database may lose orders that were only accepted: PostgreSQL crashes. */
  readonly mayForget?: boolean
}

/** What bots of a round see of it. */
export function createWorlds(
  round: WorldRound,
  stories: Map<string, Story>,
  isWindingUp: () => boolean,
): (clientId: string) => World {
  const { paper, supervisor, plan, mayForget = false } = round
  let prices = FIRST_PRICE
  let worlds = 0
  const nextRandom = () => {
    worlds += 1
    return createSeededRandom(plan.seed + worlds * SEED_STEP)
  }
  return (clientId) => ({
    ...{ paper, random: nextRandom(), isWindingUp, mayForget },
    url: supervisor.url,
    wasRestored: () => round.gaps.length > 0,
    nextPrice() {
      prices += prices % 10 === 9 ? 2 : 1
      return `${Math.floor(prices / 10)}.${prices % 10}`
    },
    note(intent, result: Result) {
      const key = `${intent.action} ${intent.mark}`
      const story = stories.get(key) ?? { clientId, intent, results: [] }
      stories.set(key, story)
      story.results.push(result)
      if (result.kind !== 'not-sent') return
      // Only now is it sure that no later try of the same order has arrived yet.
      const arrived = takenArrivals(paper, intent.mark).filter(({ seq }) => !isInGap(round, seq))
      if (arrived.length > 0)
        round.report(`${key}: reported not sent (${result.code}), but it had arrived`)
    },
  })
}

function gatewayEnv(exchangeUrl: string, { folder }: DataFolder): Record<string, string> {
  return {
    DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
    DISK_RESERVE_MB: `${RESERVE_MB}`,
    ...tradingEnv(exchangeUrl),
  }
}

/** Settings of each gateway of a crash run. */
export function tradingEnv(exchangeUrl: string): Record<string, string> {
  return {
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    MEXC_SPOT_URL: exchangeUrl,
    MEXC_FUTURES_URL: exchangeUrl,
    BITGET_URL: exchangeUrl,
    UPSTREAM_CONCURRENCY: '4',
    UPSTREAM_TIMEOUT_SECONDS: '1',
  }
}
