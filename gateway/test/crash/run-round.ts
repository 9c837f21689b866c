import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_RATE_LIMIT_PER_SECOND } from 'schema'
import { createPaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { type Books, checkBooks } from './check-books.ts'
import { createRound, createWorlds, type RoundParts } from './create-round.ts'
import { createDataFolder } from './data-folder.ts'
import { backup, problemsOf } from './events/backup.ts'
import { damage } from './events/damage.ts'
import { fullDisk } from './events/full-disk.ts'
import { kill } from './events/kill.ts'
import { rotation } from './events/rotation.ts'
import { stop, stopCleanly } from './events/stop.ts'
import { readExchange } from './exchange-book.ts'
import { readJournal } from './journal-book.ts'
import { checkDayValues, readDayValue } from './limit-book.ts'
import { checkPace, type PaceBook, watchSockets } from './pace-book.ts'
import type { EventName, Plan } from './plan.ts'
import { isInGap, type Round } from './round.ts'
import { settle } from './settle.ts'
import { startTrading, type Trading } from './trading.ts'
import type { Story } from './world.ts'

export interface RoundReport {
  readonly plan: Plan
  readonly stories: readonly Story[]
  /** Requests that arrived at the exchange and would trade. */
  readonly arrivals: number
  readonly ordersAtExchange: number
  /** How often an account became the other kind. */
  readonly migrations: number
  readonly pace: PaceBook
  readonly recoveries: Round['recoveries']
  /** Requests whose end a restore forgot. */
  readonly forgotten: number
  /** Processes of the gateway. */
  readonly starts: number
  /** The states in the journal. */
  readonly states: readonly string[]
  readonly violations: readonly string[]
}

/** More than the time after which an order that is nowhere counts as not placed. */
const AGEING_MS = 61_000
export const ACCEPTING = {
  mexcSpotDuplicates: 'accept',
  mexcFuturesDuplicates: 'accept',
  bitgetDuplicates: 'accept',
} as const
const EVENTS: Readonly<Record<EventName, (round: Round) => Promise<void>>> = {
  ...{ kill, stop, rotation, backup, damage },
  'full-disk': fullDisk,
}

/**
 * Lets bots trade with a gateway to which the events of a plan happen, and compares what the bots
 * saw, what the journal says, and what the exchange received.
 */
export async function runRound(plan: Plan): Promise<RoundReport> {
  const root = mkdtempSync(join(tmpdir(), 'sluice-crash-'))
  let aheadMs = 0
  const paper = await createPaperExchange({
    nowMs: () => Date.now() + aheadMs,
    ...(plan.acceptsDuplicates ? { habits: ACCEPTING } : {}),
  })
  const data = await createDataFolder(root, plan.events.includes('full-disk'))
  const clock = {
    passAMinute() {
      aheadMs += AGEING_MS
    },
    aheadMs: () => (plan.isClockBehind ? 0 : aheadMs),
  }
  try {
    return await play({ plan, root, data, paper, clock })
  } finally {
    await data.end()
    await paper.close()
    rmSync(root, { recursive: true })
  }
}

async function play(parts: RoundParts): Promise<RoundReport> {
  const { plan, paper } = parts
  const { round, stories, violations } = createRound(parts)
  const { supervisor } = round
  const sockets = watchSockets()
  let isWindingUp = false
  const onWindUp = () => {
    isWindingUp = true
  }
  const worldOf = createWorlds(round, stories, () => isWindingUp)
  let end: End | undefined
  try {
    end = await trade(round, worldOf, onWindUp)
  } catch (error) {
    round.report(`the round ended early: ${error instanceof Error ? error.stack : error}`)
  } finally {
    await supervisor.close()
    sockets.stop()
  }
  const exchange = readExchange(paper)
  const pace = checkPace(paper.received(), DEFAULT_RATE_LIMIT_PER_SECOND, sockets)
  return {
    pace,
    ...{ plan, stories: [...stories.values()], starts: supervisor.starts() },
    ...{ recoveries: round.recoveries, forgotten: round.forgotten.size },
    migrations: end?.migrations ?? 0,
    arrivals: [...exchange.arrivals.values()].flat().length,
    ordersAtExchange: paper.orders().length,
    states: end?.journal.map(({ state }) => state) ?? [],
    violations: [
      ...violations,
      ...pace.violations,
      ...(end === undefined ? [] : compare(round, end)),
    ],
  }
}

/** What is left when a round is over. */
interface End extends Pick<Books, 'journal' | 'mayStayUnknown'> {
  /** What each client has used of its limit. */
  readonly dayValues: ReadonlyMap<string, string>
  readonly migrations: number
  /** What is wrong with the database. */
  readonly damage: readonly string[]
}

async function trade(
  round: Round,
  worldOf: ReturnType<typeof createWorlds>,
  onWindUp: () => void,
): Promise<End> {
  const { supervisor, plan, data } = round
  await supervisor.start()
  // Orders from before a migration are in lists that a look-up after a restore does not read.
  const migrates = !plan.events.includes('damage')
  const trading = await startTrading({ round, worldOf, onWindUp, migrates })
  const mayStayUnknown = mayStayUnknownIn(trading)
  let migrations = 0
  try {
    for (const event of plan.events) await EVENTS[event](round)
    await supervisor.untilMoment()
  } catch (error) {
    // Bots wait for no other gateway.
    await supervisor.close()
    throw error
  } finally {
    migrations = await trading.windUp()
  }
  // What the last process sent ages by one more start.
  await stop(round)
  await settle(round, trading, mayStayUnknown)
  const dayValues = new Map<string, string>()
  for (const client of trading.clients)
    dayValues.set(client.clientId, await readDayValue(await supervisor.url(), client))
  await stopCleanly(round)
  const database = data.copyOfDatabase()
  const journal = readJournal(database)
  return { journal, mayStayUnknown, dayValues, migrations, damage: problemsOf(database) }
}

/** Compares the books of the bots, of the gateway and of the exchange. */
function compare(round: Round, { damage, dayValues, ...end }: End): string[] {
  const { stories, forgotten, inDoubt, paper, gaps } = round
  const exchange = readExchange(paper)
  return [
    ...damage.map((problem) => `the database is damaged: ${problem}`),
    ...checkBooks({
      ...{ ...end, exchange, forgotten, inDoubt, stories: [...stories.values()] },
      isInGap: (seq) => isInGap(round, seq),
    }),
    ...checkDayValues(dayValues, end.journal, exchange, gaps.length > 0),
  ]
}

/** An order that is not found after its account has migrated is not proven to be nowhere. */
function mayStayUnknownIn({ isMigrated }: Trading): Books['mayStayUnknown'] {
  return ({ clientId, exchange }) => exchange === 'bg' && isMigrated(clientId)
}
