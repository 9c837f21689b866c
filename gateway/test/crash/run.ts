import { canMount } from '../support/start-small-disk.ts'
import { type Plan, planOf } from './plan.ts'
import { countBy, countResults } from './result-counts.ts'
import { runEach } from './run-each.ts'
import { type RoundReport, runRound } from './run-round.ts'

export interface CrashOptions {
  readonly rounds: number
  /** Of the first round; the next one has the next number. */
  readonly seed: number
  /** How many rounds run at the same time. */
  readonly atOnce: number
  /** After this time no round is begun; absent: all of them. */
  readonly withinMs?: number | undefined
  /** Once it aborts, no round is begun. */
  readonly signal?: AbortSignal | undefined
  /** Called after each round. */
  readonly onRound?: (round: RoundReport) => void
}

export interface CrashReport {
  readonly rounds: number
  readonly events: Readonly<Record<string, number>>
  /** Rounds in which the exchanges accepted repeated client order ids. */
  readonly acceptedDuplicates: number
  /** Windows of 1,000 ms whose requests were counted, and all of them. */
  readonly pace: { readonly judged: number; readonly windows: number }
  /** How damaged databases were brought back. */
  readonly recoveries: Readonly<Record<string, number>>
  /** Requests whose end a restore forgot. */
  readonly forgotten: number
  /** Processes of gateways. */
  readonly starts: number
  /** Orders, changes and cancels that bots wanted. */
  readonly intents: number
  /** Tries for them. */
  readonly tries: number
  readonly retries: number
  readonly results: Readonly<Record<string, number>>
  /** Requests that arrived at the exchange and would trade. */
  readonly arrivals: number
  readonly ordersAtExchange: number
  /** How often an account became the other kind. */
  readonly migrations: number
  readonly journal: Readonly<Record<string, number>>
  /** Each with the seed of its round. */
  readonly violations: readonly string[]
}

export const NO_SMALL_DISK =
  'The crash run fills no disk: this system lets a process mount no file system of its own.'

/** Runs rounds with consecutive seeds. Each has a gateway, an exchange and bots of its own. */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const hasSmallDisk = canMount()
  if (!hasSmallDisk) console.warn(NO_SMALL_DISK)
  return runPlans(
    Array.from({ length: options.rounds }, (_, at) => planOf(options.seed + at, hasSmallDisk)),
    options,
  )
}

export async function runPlans(
  plans: readonly Plan[],
  options: Pick<CrashOptions, 'atOnce' | 'withinMs' | 'signal' | 'onRound'>,
): Promise<CrashReport> {
  return sumOf(await runEach(plans, runRound, options))
}

function sumOf(reports: readonly RoundReport[]): CrashReport {
  const sum = (of: (report: RoundReport) => number) =>
    reports.reduce((all, one) => all + of(one), 0)
  const stories = reports.flatMap((report) => report.stories)
  const tries = stories.reduce((all, { results }) => all + results.length, 0)
  return {
    rounds: reports.length,
    events: countBy(reports.flatMap(({ plan }) => plan.events)),
    acceptedDuplicates: sum(({ plan }) => (plan.acceptsDuplicates ? 1 : 0)),
    pace: { judged: sum(({ pace }) => pace.judged), windows: sum(({ pace }) => pace.windows) },
    recoveries: countBy(reports.flatMap(({ recoveries }) => recoveries)),
    forgotten: sum(({ forgotten }) => forgotten),
    starts: sum(({ starts }) => starts),
    intents: stories.length,
    tries,
    retries: tries - stories.length,
    results: countResults(stories),
    arrivals: sum(({ arrivals }) => arrivals),
    ordersAtExchange: sum(({ ordersAtExchange }) => ordersAtExchange),
    migrations: sum(({ migrations }) => migrations),
    journal: countBy(reports.flatMap(({ states }) => states)),
    violations: reports.flatMap(({ plan, violations }) =>
      violations.map((violation) => `seed ${plan.seed}: ${violation}`),
    ),
  }
}
