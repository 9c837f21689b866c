import { DEFAULT_RATE_LIMIT_PER_SECOND } from 'schema'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import { canMount } from '../support/start-small-disk.ts'
import { readExchange, takenArrivals } from './books.ts'
import type { Result, Story, World } from './bot.ts'
import { ADMIN } from './clients.ts'
import type { Supervisor } from './gateway.ts'
import type { JournalEntry } from './journal.ts'
import { checkPace, type PaceBook, watchSockets } from './pace-book.ts'

/** What a seed decides before a round begins. */
export interface BasicPlan<EventName extends string = string> {
  /** The same seed makes the same choices. When they happen depends on the machine as well. */
  readonly seed: number
  readonly events: readonly EventName[]
  readonly bots: number
  /** Both exchanges accept a client order id again, also while its order is open. */
  readonly acceptsDuplicates: boolean
}

export interface RunOptions<Report> {
  /** How many rounds run at the same time. */
  readonly atOnce: number
  /** After this time no round is begun; absent: all of them. */
  readonly withinMs?: number | undefined
  /** Once it aborts, no round is begun. */
  readonly signal?: AbortSignal | undefined
  /** Called after each round. */
  readonly onRound?: ((report: Report) => void) | undefined
}

export interface CampaignOptions<Report> extends RunOptions<Report> {
  readonly rounds: number
  /** Of the first round; the next one has the next number. */
  readonly seed: number
}

/** Whether a file system can be had that is really full; says so when not. */
export function hasSmallDisk(): boolean {
  const has = canMount()
  if (!has)
    console.warn(
      'The crash run fills no disk: this system lets a process mount no file system of its own.',
    )
  return has
}

/** A plan for each of consecutive seeds. */
export function plansOf<Plan>(
  { rounds, seed }: Pick<CampaignOptions<unknown>, 'rounds' | 'seed'>,
  planOf: (seed: number, canFill: boolean) => Plan,
): Plan[] {
  const canFill = hasSmallDisk()
  return Array.from({ length: rounds }, (_, at) => planOf(seed + at, canFill))
}

/** Runs a round for each plan. @returns their reports, in the order in which they ended */
export async function runEach<Plan, Report>(
  plans: readonly Plan[],
  run: (plan: Plan) => Promise<Report>,
  { atOnce, withinMs, signal, onRound }: RunOptions<Report>,
): Promise<Report[]> {
  const endsMs = withinMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + withinMs
  const waiting = [...plans]
  const reports: Report[] = []
  const work = async () => {
    while (performance.now() < endsMs && signal?.aborted !== true) {
      const plan = waiting.shift()
      if (plan === undefined) return
      const report = await run(plan)
      reports.push(report)
      onRound?.(report)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return reports
}

export interface RoundReport<Plan extends BasicPlan = BasicPlan> {
  readonly plan: Plan
  readonly stories: readonly Story[]
  /** Requests that arrived at the exchange and would trade. */
  readonly arrivals: number
  readonly ordersAtExchange: number
  readonly pace: PaceBook
  /** Processes of gateways. */
  readonly starts: number
  /** The states in the journal. */
  readonly states: readonly string[]
  readonly violations: readonly string[]
}

interface PlayedRound<Plan extends BasicPlan, End> {
  readonly round: {
    readonly plan: Plan
    readonly paper: PaperExchange
    readonly stories: ReadonlyMap<string, Story>
    report(violation: string): void
  }
  /** Servers of this process that a request goes through: proxies, and the exchange. */
  readonly hops: number
  readonly trade: () => Promise<End>
  readonly close: () => unknown
  readonly starts: () => number
  /** Compares the books of the bots, of the gateway and of the exchange. */
  readonly compare: (end: End) => readonly string[]
}

/** Plays a round to its end, and judges it. @param violations what was reported until then */
export async function playRound<
  Plan extends BasicPlan,
  End extends { readonly journal: readonly JournalEntry[] },
>(
  { round, hops, trade, close, starts, compare }: PlayedRound<Plan, End>,
  violations: readonly string[],
): Promise<RoundReport<Plan> & { readonly end: End | undefined }> {
  const { plan, paper, stories, report } = round
  const sockets = watchSockets(hops)
  let end: End | undefined
  try {
    end = await trade()
  } catch (error) {
    report(`the round ended early: ${error instanceof Error ? error.stack : error}`)
  } finally {
    await close()
    sockets.stop()
  }
  const pace = checkPace(paper.received(), DEFAULT_RATE_LIMIT_PER_SECOND, sockets)
  return {
    ...{ plan, pace, end, stories: [...stories.values()], starts: starts() },
    arrivals: [...readExchange(paper).arrivals.values()].flat().length,
    ordersAtExchange: paper.orders().length,
    states: end?.journal.map(({ state }) => state) ?? [],
    violations: [...violations, ...pace.violations, ...(end === undefined ? [] : compare(end))],
  }
}

/** What all rounds together brought. */
export function sumOf(reports: readonly RoundReport[]) {
  const sum = totalOf(reports)
  const stories = reports.flatMap((report) => report.stories)
  const tries = stories.reduce((all, { results }) => all + results.length, 0)
  return {
    rounds: reports.length,
    events: countBy(reports.flatMap(({ plan }) => plan.events)),
    /** Rounds in which the exchanges accepted repeated client order ids. */
    acceptedDuplicates: sum(({ plan }) => (plan.acceptsDuplicates ? 1 : 0)),
    /** Windows of 1,000 ms whose requests were counted, and all of them. */
    pace: { judged: sum(({ pace }) => pace.judged), windows: sum(({ pace }) => pace.windows) },
    starts: sum(({ starts }) => starts),
    /** Orders, changes and cancels that bots wanted. */
    intents: stories.length,
    /** For them. */
    tries,
    retries: tries - stories.length,
    /** How often bots got each kind of result. */
    results: countBy(stories.flatMap(({ results }) => results.map(({ kind }) => kind))),
    arrivals: sum(({ arrivals }) => arrivals),
    ordersAtExchange: sum(({ ordersAtExchange }) => ordersAtExchange),
    journal: countBy(reports.flatMap(({ states }) => states)),
    /** Each with the seed of its round. */
    violations: reports.flatMap(({ plan, violations }) =>
      violations.map((violation) => `seed ${plan.seed}: ${violation}`),
    ),
  }
}

/** Adds up a figure of all reports. */
export const totalOf =
  <Report>(reports: readonly Report[]) =>
  (of: (report: Report) => number) =>
    reports.reduce((all, one) => all + of(one), 0)

/** How often each name is there. */
export function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]),
  )
}

/** More than the time after which an order that is nowhere counts as not placed. */
export const AGEING_MS = 61_000
/** Loaded before a process of a gateway, whose clock it shifts. */
export const CLOCK_PRELOAD = `--import=${new URL('./clock-ahead.js', import.meta.url).href}`

const ACCEPTING = {
  mexcSpotDuplicates: 'accept',
  mexcFuturesDuplicates: 'accept',
  bitgetDuplicates: 'accept',
} as const

/** How an exchange behaves in a round. */
export const habitsOf = ({ acceptsDuplicates }: BasicPlan) =>
  acceptsDuplicates ? { habits: ACCEPTING } : {}

/** Settings of each gateway of a campaign. */
export function tradingEnv(exchangeUrl: string): Record<string, string> {
  return {
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    ...{ MEXC_SPOT_URL: exchangeUrl, MEXC_FUTURES_URL: exchangeUrl, BITGET_URL: exchangeUrl },
    ACCOUNT_STREAMS: 'off',
    ...{ UPSTREAM_CONCURRENCY: '4', UPSTREAM_TIMEOUT_SECONDS: '1' },
  }
}

/** What arrived at the exchange after `fromSeq`, up to `toSeq`, may be missing in the journal. */
export interface Gap {
  readonly fromSeq: number
  readonly toSeq: number
}

/** Whether a request that arrived may be missing in the journal. */
export const isInGap = ({ gaps }: { readonly gaps: readonly Gap[] }, seq: number) =>
  gaps.some(({ fromSeq, toSeq }) => seq > fromSeq && seq <= toSeq)

/** The least price that is used, tenths of a USDT: no order of a bot is filled. */
const FIRST_PRICE = 200_000
/** Between the seeds of bots, more than a run has rounds. */
const SEED_STEP = 1_000_003

/** What bots of a round need to know of it. */
interface WorldRound {
  readonly plan: Pick<BasicPlan, 'seed'>
  readonly paper: PaperExchange
  readonly gaps: readonly Gap[]
  readonly supervisor: Pick<Supervisor, 'url'>
  /** Whether the database may lose orders that were only accepted: PostgreSQL crashes. */
  readonly mayForget?: boolean
  report(violation: string): void
}

/** What bots of a round see of it. */
export function createWorlds(
  round: WorldRound,
  stories: Map<string, Story>,
): { readonly worldOf: (clientId: string) => World; readonly onWindUp: () => void } {
  const { paper, supervisor, plan, mayForget = false } = round
  let [prices, worlds, isWindingUp] = [FIRST_PRICE, 0, false]
  const nextRandom = () => {
    worlds += 1
    return createSeededRandom(plan.seed + worlds * SEED_STEP)
  }
  const worldOf = (clientId: string): World => ({
    ...{ paper, random: nextRandom(), mayForget, url: supervisor.url },
    isWindingUp: () => isWindingUp,
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
  const onWindUp = () => {
    isWindingUp = true
  }
  return { worldOf, onWindUp }
}
