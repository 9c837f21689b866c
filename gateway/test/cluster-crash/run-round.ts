import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_RATE_LIMIT_PER_SECOND } from 'schema'
import { createPaperExchange, type PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { checkBooks } from '../crash/check-books.ts'
import { createWorlds, tradingEnv } from '../crash/create-round.ts'
import { readExchange } from '../crash/exchange-book.ts'
import type { JournalEntry } from '../crash/journal-book.ts'
import { checkDayValues, readDayValue } from '../crash/limit-book.ts'
import { checkPace, type PaceBook, watchSockets } from '../crash/pace-book.ts'
import { ACCEPTING } from '../crash/run-round.ts'
import { settle } from '../crash/settle.ts'
import { untilMoment } from '../crash/supervisor.ts'
import { startTrading } from '../crash/trading.ts'
import type { Story } from '../crash/world.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import type { ClusterRound, Takeover } from './cluster-round.ts'
import { createDatabase, type Database } from './database.ts'
import { CLUSTER_EVENTS } from './events.ts'
import { createGroup } from './group.ts'
import { readJournal } from './journal.ts'
import { createNode, type Node } from './node.ts'
import type { EventName, Plan } from './plan.ts'
import { checkSenders, type SendersBook } from './senders-book.ts'

export interface ClusterReport {
  /** The folder with the logs of the nodes, which is kept when something is wrong. */
  readonly logs: string
  readonly plan: Plan
  readonly stories: readonly Story[]
  readonly ordersAtExchange: number
  readonly pace: PaceBook
  readonly senders: SendersBook
  readonly takeovers: readonly Takeover[]
  /** Processes of gateways. */
  readonly starts: number
  /** The states in the journal. */
  readonly states: readonly string[]
  readonly violations: readonly string[]
}

const NODES = ['a', 'b', 'c'] as const
/** More than the time after which an order that is nowhere counts as not placed. */
const AGEING_MS = 61_000
/** An owner ends what nobody brought after 15 s (`orders/handed-over.ts`). */
const HANDED_OVER_MS = 25_000
const DRAIN_SECONDS = '1'
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
export async function runRound(plan: Plan, binaries: string): Promise<ClusterReport> {
  const root = mkdtempSync(join(tmpdir(), 'sluice-cluster-'))
  const violations: string[] = []
  const report = (violation: string) => void violations.push(violation)
  let aheadMs = 0
  const paper = await createPaperExchange({
    nowMs: () => Date.now() + aheadMs,
    ...(plan.acceptsDuplicates ? { habits: ACCEPTING } : {}),
  })
  const ends: (() => Promise<unknown>)[] = [() => paper.close()]
  try {
    const database = await createDatabase(
      binaries,
      plan.events.some((event) => FULL_DISKS.has(event)),
    )
    ends.push(() => database.end())
    const nodes: Node[] = []
    ends.push(() => Promise.all(nodes.map((node) => node.close())))
    await createNodes({ nodes, root, database, paper, report, isCalm: plan.isCalm })
    const played = await play(plan, { nodes, database, paper, report }, () => {
      aheadMs += AGEING_MS
      for (const node of nodes) node.shiftClock(aheadMs)
    })
    violations.push(...played.violations)
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
}

async function createNodes({
  nodes,
  root,
  database,
  paper,
  report,
  isCalm,
}: Omit<Parts, 'nodes'> & {
  readonly nodes: Node[]
  readonly root: string
  readonly isCalm: boolean
}): Promise<void> {
  const env = {
    ...tradingEnv(''),
    DRAIN_SECONDS,
    ...(isCalm ? CALM : {}),
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  for (const name of NODES)
    nodes.push(
      await createNode({
        ...{ name, env, report, folder: root, databaseUrl: database.url },
        exchangePort: Number(new URL(paper.url).port),
      }),
    )
}

async function play(
  plan: Plan,
  { nodes, database, paper, report }: Parts,
  passAMinute: () => void,
): Promise<Omit<ClusterReport, 'logs'>> {
  const random = createSeededRandom(plan.seed)
  const group = createGroup(nodes, createSeededRandom(~plan.seed), plan.isCalm)
  const stories = new Map<string, Story>()
  const round: ClusterRound = {
    ...{ plan, random, group, database, paper, stories, report },
    ...{ takeovers: [], forgotten: new Set(), inDoubt: new Set() },
    supervisor: { url: group.url },
    untilMoment: () => untilMoment(paper, random),
  }
  // Each node reaches the exchange through a proxy.
  const sockets = watchSockets(2)
  let end: End | undefined
  try {
    end = await trade(round, stories, passAMinute)
  } catch (error) {
    report(`the round ended early: ${error instanceof Error ? error.stack : error}`)
  } finally {
    group.close()
    sockets.stop()
  }
  const pace = checkPace(paper.received(), DEFAULT_RATE_LIMIT_PER_SECOND, sockets)
  const senders = checkSenders(paper.received(), group)
  return {
    ...{ plan, pace, senders, takeovers: round.takeovers, stories: [...stories.values()] },
    starts: group.processes().length,
    ordersAtExchange: paper.orders().length,
    states: end?.journal.map(({ state }) => state) ?? [],
    violations: [
      ...pace.violations,
      ...senders.violations,
      ...(end === undefined ? [] : compare(round, end)),
    ],
  }
}

/** What is left when a round is over. */
interface End {
  readonly journal: readonly JournalEntry[]
  /** What each client has used of its limit. */
  readonly dayValues: ReadonlyMap<string, string>
}

async function trade(
  round: ClusterRound,
  stories: Map<string, Story>,
  passAMinute: () => void,
): Promise<End> {
  const { group, plan, database, random } = round
  // The first one makes the tables and the administrator.
  const [first, ...others] = group.nodes
  await first?.start()
  await Promise.all(others.map((node) => node.start()))
  await group.untilWhole()
  let isWindingUp = false
  const mayForget = plan.events.some((event) => CRASHES.has(event))
  const trading = await startTrading({
    ...{ round, migrates: false, isCalm: plan.isCalm },
    worldOf: createWorlds({ ...round, gaps: [], mayForget }, stories, () => isWindingUp),
    onWindUp() {
      isWindingUp = true
    },
  })
  try {
    for (const event of plan.events) {
      await round.untilMoment()
      await CLUSTER_EVENTS[event](round)
      if (random() < 0.7) await group.untilWhole()
    }
    await group.untilWhole()
    await round.untilMoment()
  } catch (error) {
    // Bots wait for no other gateway.
    group.close()
    throw error
  } finally {
    await trading.windUp()
  }
  if (plan.isCalm) reportRefusals(round)
  await Promise.all(group.nodes.map((node) => node.stop()))
  passAMinute()
  await Promise.all(group.nodes.map((node) => node.start()))
  await group.untilWhole()
  await settle(round, trading, () => false)
  await untilNothingIsQueued(database)
  const dayValues = new Map<string, string>()
  for (const client of trading.clients)
    dayValues.set(client.clientId, await readDayValue(await group.url(), client))
  await Promise.all(group.nodes.map((node) => node.stop()))
  return { journal: await readJournal(database.url), dayValues }
}

/** Waits for the end of orders that were handed over and that no request brought. */
async function untilNothingIsQueued({ url }: Database): Promise<void> {
  const untilMs = performance.now() + HANDED_OVER_MS
  const isQueued = ({ state }: JournalEntry) => state === 'queued'
  while ((await readJournal(url)).some(isQueued) && performance.now() < untilMs) await sleep(500)
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
function compare({ stories, paper }: ClusterRound, { journal, dayValues }: End): string[] {
  const exchange = readExchange(paper)
  const none = new Set<string>()
  return [
    ...checkBooks({
      ...{ journal, exchange, forgotten: none, inDoubt: none, stories: [...stories.values()] },
      ...{ isInGap: () => false, mayStayUnknown: () => false },
    }),
    ...checkDayValues(dayValues, journal, exchange, false),
  ]
}
