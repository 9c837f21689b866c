import { countBy, countResults } from '../crash/result-counts.ts'
import { runEach } from '../crash/run-each.ts'
import { findPostgres, NO_POSTGRES } from '../support/find-postgres.ts'
import { canMount } from '../support/start-small-disk.ts'
import { type Plan, planOf } from './plan.ts'
import { type ClusterReport, runRound } from './run-round.ts'

export interface ClusterCrashOptions {
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
  readonly onRound?: ((round: ClusterReport) => void) | undefined
}

export interface ClusterCrashReport {
  readonly rounds: number
  readonly events: Readonly<Record<string, number>>
  /** Rounds in which the exchanges accepted repeated client order ids. */
  readonly acceptedDuplicates: number
  /** Windows of 1,000 ms whose requests were counted, and all of them. */
  readonly pace: { readonly judged: number; readonly windows: number }
  /** From an event until another node was the owner, and until its first call, by event. */
  readonly takeovers: Readonly<Record<string, TakeoverTimes>>
  readonly lateReads: number
  readonly lateRefused: number
  /** Processes of gateways. */
  readonly starts: number
  /** Orders, changes and cancels that bots wanted. */
  readonly intents: number
  /** Tries for them. */
  readonly tries: number
  readonly results: Readonly<Record<string, number>>
  readonly ordersAtExchange: number
  readonly journal: Readonly<Record<string, number>>
  /** Each with the seed of its round. */
  readonly violations: readonly string[]
}

/** Whole milliseconds. */
export interface TakeoverTimes {
  readonly count: number
  readonly ownerMs: { readonly median: number; readonly p99: number }
  readonly callMs: { readonly median: number; readonly p99: number }
}

export const NO_SMALL_DISK =
  'The crash run of a group fills no disk: this system lets a process mount no file system of its own.'

/** @throws when PostgreSQL is not installed */
export async function runClusterCrashes(options: ClusterCrashOptions): Promise<ClusterCrashReport> {
  const hasSmallDisk = canMount()
  if (!hasSmallDisk) console.warn(NO_SMALL_DISK)
  const plans = Array.from({ length: options.rounds }, (_, at) =>
    planOf(options.seed + at, hasSmallDisk),
  )
  return runPlans(plans, options)
}

/** @throws when PostgreSQL is not installed */
export async function runPlans(
  plans: readonly Plan[],
  options: Pick<ClusterCrashOptions, 'atOnce' | 'withinMs' | 'signal' | 'onRound'>,
): Promise<ClusterCrashReport> {
  const binaries = findPostgres()
  if (binaries === undefined) throw new Error(NO_POSTGRES)
  return sumOf(await runEach(plans, (plan) => runRound(plan, binaries), options))
}

function sumOf(reports: readonly ClusterReport[]): ClusterCrashReport {
  const sum = (of: (report: ClusterReport) => number) =>
    reports.reduce((all, one) => all + of(one), 0)
  const stories = reports.flatMap((report) => report.stories)
  return {
    rounds: reports.length,
    events: countBy(reports.flatMap(({ plan }) => plan.events)),
    acceptedDuplicates: sum(({ plan }) => (plan.acceptsDuplicates ? 1 : 0)),
    pace: { judged: sum(({ pace }) => pace.judged), windows: sum(({ pace }) => pace.windows) },
    takeovers: takeoverTimes(reports),
    lateReads: sum(({ senders }) => senders.lateReads),
    lateRefused: sum(({ senders }) => senders.lateRefused),
    starts: sum(({ starts }) => starts),
    intents: stories.length,
    tries: stories.reduce((all, { results }) => all + results.length, 0),
    results: countResults(stories),
    ordersAtExchange: sum(({ ordersAtExchange }) => ordersAtExchange),
    journal: countBy(reports.flatMap(({ states }) => states)),
    violations: reports.flatMap(({ plan, violations }) =>
      violations.map((violation) => `seed ${plan.seed}: ${violation}`),
    ),
  }
}

function takeoverTimes(reports: readonly ClusterReport[]): Record<string, TakeoverTimes> {
  const takeovers = reports.flatMap((report) => report.takeovers)
  const groups = [...Map.groupBy(takeovers, ({ event }) => event), ['all', takeovers] as const]
  return Object.fromEntries(
    groups.map(([event, all]) => [
      event,
      {
        count: all.length,
        ownerMs: spread(all.map(({ ownerMs }) => ownerMs)),
        callMs: spread(all.map(({ callMs }) => callMs)),
      },
    ]),
  )
}

function spread(values: readonly number[]): TakeoverTimes['ownerMs'] {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  return { median: at(0.5), p99: at(0.99) }
}
