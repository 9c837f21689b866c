import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { type Books, checkBooks, readExchange } from '../campaign/books.ts'
import { readJournal } from '../campaign/journal.ts'
import {
  type CampaignOptions,
  countBy,
  createWorlds,
  habitsOf,
  isInGap,
  plansOf,
  playRound,
  type RoundReport,
  type RunOptions,
  runEach,
  sumOf,
  totalOf,
} from '../campaign/rounds.ts'
import { startTrading } from '../campaign/trading.ts'
import { EVENTS, problemsOf, stop, stopCleanly } from './events.ts'
import {
  createDataFolder,
  createRound,
  type Plan,
  planOf,
  type Round,
  type RoundParts,
} from './round.ts'

export interface CrashReport extends RoundReport<Plan> {
  /** How often an account became the other kind. */
  readonly migrations: number
  readonly recoveries: Round['recoveries']
  /** Requests whose end a restore forgot. */
  readonly forgotten: number
}

/** Runs rounds with consecutive seeds. Each has a gateway, an exchange and bots of its own. */
export const runCrashes = async (options: CampaignOptions<CrashReport>) =>
  runPlans(plansOf(options, planOf), options)

export async function runPlans(plans: readonly Plan[], options: RunOptions<CrashReport>) {
  const reports = await runEach(plans, runRound, options)
  const sum = totalOf(reports)
  return {
    ...sumOf(reports),
    /** How damaged databases were brought back. */
    recoveries: countBy(reports.flatMap(({ recoveries }) => recoveries)),
    forgotten: sum(({ forgotten }) => forgotten),
    migrations: sum(({ migrations }) => migrations),
  }
}

/**
 * Lets bots trade with a gateway to which the events of a plan happen, and compares what the bots
 * saw, what the journal says, and what the exchange received.
 */
async function runRound(plan: Plan): Promise<CrashReport> {
  const root = mkdtempSync(join(tmpdir(), 'sluice-crash-'))
  const clock = { aheadMs: 0 }
  const nowMs = () => Date.now() + clock.aheadMs
  const paper = await createPaperExchange({ nowMs, ...habitsOf(plan) })
  const data = await createDataFolder(root, plan.events.includes('full-disk'))
  try {
    return await play({ plan, root, data, paper, clock, violations: [] })
  } finally {
    await data.end()
    await paper.close()
    rmSync(root, { recursive: true })
  }
}

async function play(parts: RoundParts): Promise<CrashReport> {
  const round = createRound(parts)
  const { supervisor, recoveries, forgotten } = round
  const { end, ...report } = await playRound(
    {
      ...{ round, hops: 1, trade: () => trade(round) },
      ...{ close: supervisor.close, starts: supervisor.starts },
      compare: (over) => compare(round, over),
    },
    parts.violations,
  )
  return { ...report, recoveries, forgotten: forgotten.size, migrations: end?.migrations ?? 0 }
}

/** What is left when a round is over. */
interface End extends Pick<Books, 'journal' | 'mayStayUnknown' | 'dayValues'> {
  readonly migrations: number
  /** What is wrong with the database. */
  readonly damage: readonly string[]
}

async function trade(round: Round): Promise<End> {
  const { supervisor, plan, data, stories } = round
  await supervisor.start()
  // Orders from before a migration are in lists that a look-up after a restore does not read.
  const migrates = !plan.events.includes('damage')
  const trading = await startTrading({ round, migrates, ...createWorlds(round, stories) })
  const migrations = await trading.while(async () => {
    for (const event of plan.events) await EVENTS[event](round)
    await supervisor.untilMoment()
  }, supervisor.close)
  // What the last process sent ages by one more start.
  await stop(round)
  await trading.settle()
  const dayValues = await trading.dayValues()
  await stopCleanly(round)
  const database = data.copyOfDatabase()
  const journal = readJournal(database)
  const { mayStayUnknown } = trading
  return { journal, mayStayUnknown, dayValues, migrations, damage: problemsOf(database) }
}

/** Compares the books of the bots, of the gateway and of the exchange. */
function compare(round: Round, { damage, ...end }: End): string[] {
  const { stories, forgotten, inDoubt, paper, gaps } = round
  return [
    ...damage.map((problem) => `the database is damaged: ${problem}`),
    ...checkBooks({
      ...{ ...end, exchange: readExchange(paper), stories: [...stories.values()] },
      ...{ forgotten, inDoubt, isRestored: gaps.length > 0 },
      isInGap: (seq) => isInGap(round, seq),
    }),
  ]
}
