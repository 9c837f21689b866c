import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPaperExchange, type PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { type Books, checkBooks, NOTHING_FORGOTTEN, readExchange } from '../campaign/books.ts'
import { untilMoment } from '../campaign/gateway.ts'
import { type JournalEntry, readPostgresJournal } from '../campaign/journal.ts'
import {
  AGEING_MS,
  type CampaignOptions,
  createWorlds,
  habitsOf,
  plansOf,
  playRound,
  type RoundReport,
  type RunOptions,
  runEach,
  sumOf,
  totalOf,
} from '../campaign/rounds.ts'
import { startTrading } from '../campaign/trading.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import { findPostgres, NO_POSTGRES } from '../support/find-postgres.ts'
import { createDatabase, type Database } from './database.ts'
import { CLUSTER_EVENTS } from './events.ts'
import { createGroup, type Group } from './group.ts'
import { createNode, EXIT_START_AGAIN, type Node } from './node.ts'
import {
  type ClusterRound,
  checkSenders,
  type EventName,
  type Plan,
  planOf,
  type SendersBook,
  type Takeover,
} from './round.ts'

export interface ClusterReport extends RoundReport<Plan> {
  /** The folder with the logs of the nodes, which is kept when something is wrong. */
  readonly logs: string
  readonly senders: SendersBook
  readonly takeovers: readonly Takeover[]
}

/** @throws when PostgreSQL is not installed */
export const runClusterCrashes = async (options: CampaignOptions<ClusterReport>) =>
  runPlans(plansOf(options, planOf), options)

/** @throws when PostgreSQL is not installed */
export async function runPlans(plans: readonly Plan[], options: RunOptions<ClusterReport>) {
  const binaries = findPostgres()
  if (binaries === undefined) throw new Error(NO_POSTGRES)
  const reports = await runEach(plans, (plan) => runRound(plan, binaries), options)
  const sum = totalOf(reports)
  return {
    ...sumOf(reports),
    lateReads: sum(({ senders }) => senders.lateReads),
    lateRefused: sum(({ senders }) => senders.lateRefused),
    /** From an event until another node was the owner, and until its first call, by event. */
    takeovers: takeoverTimes(reports),
  }
}

/** Whole milliseconds. */
interface TakeoverTimes {
  readonly count: number
  readonly ownerMs: { readonly median: number; readonly p99: number }
  readonly callMs: { readonly median: number; readonly p99: number }
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

const NODES = ['a', 'b', 'c'] as const
/** An owner ends what nobody brought after 15 s (`orders/handed-over.ts`). */
const HANDED_OVER_MS = 90_000
/** Where no request may be refused, an exchange that waits for the processor is waited for. */
const CALM = { UPSTREAM_TIMEOUT_SECONDS: '10' }
const FULL_DISKS: ReadonlySet<EventName> = new Set(['full-disk', 'full-disk-restart'])
/** After these, PostgreSQL may lack commits that did not wait for the disk. */
const CRASHES: ReadonlySet<EventName> = new Set(['database-crash', ...FULL_DISKS])

/**
 * Lets bots trade with three gateways on one PostgreSQL to which the events of a plan happen, and
 * compares what the bots saw, what the journal says, and what the exchange received.
 * @param binaries of PostgreSQL
 */
async function runRound(plan: Plan, binaries: string): Promise<ClusterReport> {
  const root = mkdtempSync(join(tmpdir(), 'sluice-cluster-'))
  const violations: string[] = []
  const report = (violation: string) => void violations.push(violation)
  let aheadMs = 0
  const paper = await createPaperExchange({ nowMs: () => Date.now() + aheadMs, ...habitsOf(plan) })
  const ends: (() => Promise<unknown>)[] = [() => paper.close()]
  try {
    const isSmall = plan.events.some((event) => FULL_DISKS.has(event))
    const database = await createDatabase(binaries, isSmall)
    ends.push(() => database.end())
    const nodes: Node[] = []
    ends.push(() => Promise.all(nodes.map((node) => node.close())))
    const env = {
      ...(plan.isCalm ? CALM : {}),
      DRAIN_SECONDS: `${plan.drainSeconds}`,
      MASTER_KEY: randomBytes(32).toString('base64'),
    }
    const exchangePort = Number(new URL(paper.url).port)
    for (const name of NODES)
      nodes.push(
        await createNode({
          ...{ name, env, report, exchangePort, folder: root, databaseUrl: database.url },
        }),
      )
    const parts = { nodes, database, paper, report, violations }
    const played = await play(plan, parts, () => {
      aheadMs += AGEING_MS
      for (const node of nodes) node.shiftClock(aheadMs)
    })
    violations.splice(0, violations.length, ...played.violations)
    return { ...played, violations, logs: root }
  } finally {
    for (const end of ends.reverse()) await end()
    if (violations.length === 0) rmSync(root, { recursive: true, force: true })
  }
}

interface Parts {
  readonly nodes: readonly Node[]
  readonly database: Database
  readonly paper: PaperExchange
  readonly report: (violation: string) => void
  readonly violations: readonly string[]
}

async function play(
  plan: Plan,
  { nodes, database, paper, report, violations }: Parts,
  passAMinute: () => void,
): Promise<Omit<ClusterReport, 'logs'>> {
  const random = createSeededRandom(plan.seed)
  const group = createGroup(nodes, createSeededRandom(~plan.seed), plan.isCalm)
  const stories: ClusterRound['stories'] = new Map()
  const round: ClusterRound = {
    ...{ plan, random, group, database, paper, stories, report },
    ...{ takeovers: [], forgotten: new Set(), inDoubt: new Set() },
    supervisor: { url: group.url },
    untilMoment: () => untilMoment(paper, random),
  }
  const { end: _, ...played } = await playRound(
    {
      // Each node reaches the exchange through a proxy.
      ...{ round, hops: 2, trade: () => trade(round, passAMinute), close: group.close },
      starts: () => group.processes().length,
      compare: (end) => compare(round, end),
    },
    violations,
  )
  const senders = checkSenders(paper.received(), group)
  return {
    ...{ ...played, senders, takeovers: round.takeovers },
    violations: [...played.violations, ...senders.violations],
  }
}

/** What is left when a round is over. */
type End = Pick<Books, 'journal' | 'dayValues'>

async function trade(round: ClusterRound, passAMinute: () => void): Promise<End> {
  const { group, plan, database, random, stories } = round
  // The first one makes the tables and the administrator.
  const [first, ...others] = group.nodes
  await first?.start()
  await Promise.all(others.map((node) => node.start()))
  await group.untilWhole()
  const mayForget = plan.events.some((event) => CRASHES.has(event))
  const trading = await startTrading({
    ...{ round, migrates: false, isCalm: plan.isCalm },
    ...createWorlds({ ...round, gaps: [], mayForget }, stories),
  })
  await trading.while(async () => {
    for (const event of plan.events) {
      await round.untilMoment()
      await CLUSTER_EVENTS[event](round)
      if (random() < 0.7) await group.untilWhole()
    }
    await group.untilWhole()
    await round.untilMoment()
  }, group.close)
  if (plan.isCalm && !hasLostLease(group)) reportRefusals(round)
  await Promise.all(group.nodes.map((node) => node.stop()))
  passAMinute()
  await Promise.all(group.nodes.map((node) => node.start()))
  await group.untilWhole()
  await trading.settle()
  await untilNothingIsQueued(database)
  const dayValues = await trading.dayValues()
  await Promise.all(group.nodes.map((node) => node.stop()))
  return { journal: await readPostgresJournal(database.url), dayValues }
}

/**
 * Whether an owner got no response of PostgreSQL for longer than its lease, as on a machine that
 * stops for seconds: it ends at once, and cuts what it works on.
 */
const hasLostLease = (group: Group) =>
  group.processes().some(({ exit }) => exit?.code === EXIT_START_AGAIN)

/** Waits for the end of orders that were handed over and that no request brought. */
async function untilNothingIsQueued({ url }: Database): Promise<void> {
  const untilMs = performance.now() + HANDED_OVER_MS
  const isQueued = ({ state }: JournalEntry) => state === 'queued'
  while ((await readPostgresJournal(url)).some(isQueued) && performance.now() < untilMs)
    await sleep(500)
}

/** In a rolling restart each request is carried out, or rejected by the exchange. */
function reportRefusals({ stories, report }: ClusterRound): void {
  for (const { intent, results } of stories.values())
    for (const result of results)
      if (!['done', 'accepted', 'rejected', 'not-done'].includes(result.kind))
        report(
          `${intent.action} ${intent.kind} ${intent.mark} got ${JSON.stringify(result)} in a rolling restart`,
        )
}

/** Compares the books of the bots, of the gateways and of the exchange. */
const compare = ({ stories, paper }: ClusterRound, end: End): string[] =>
  checkBooks({
    ...{ ...end, ...NOTHING_FORGOTTEN },
    ...{ exchange: readExchange(paper), stories: [...stories.values()] },
  })
