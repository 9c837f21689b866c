import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPaperExchange, type PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import { createBot } from './bot.ts'
import { bundleQuick } from './bundle-quick.ts'
import { createCaller } from './caller.ts'
import { type Books, checkBooks } from './check-books.ts'
import { ADMIN, createBotClient } from './clients.ts'
import { readExchange, takenArrivals } from './exchange-book.ts'
import { startFaults } from './faults.ts'
import { MAIN } from './gateway.ts'
import { readJournal, unfinishedEntries } from './journal-book.ts'
import { createKiller } from './killer.ts'
import { checkDayValues, readDayValue, WIDE_LIMITS } from './limit-book.ts'
import { startMigrations } from './migrations.ts'
import { countResults } from './result-counts.ts'
import type { Story, World } from './world.ts'

export interface CrashOptions {
  /** How often the gateway is killed. */
  readonly kills: number
  readonly bots: number
  readonly seed: number
  /** The real entry point with its real pauses: the end of the run then takes minutes. */
  readonly isReal?: boolean
  /** Called after each kill. */
  readonly onKill?: (kills: number) => void
}

export interface CrashReport {
  readonly kills: number
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
  readonly violations: readonly string[]
}

/** More than the time after which an order that is nowhere counts as not placed. */
const AGEING_MS = 61_000

/** Clients with limits: what a crash makes of their day value is compared with the books. */
const LIMITED = { limits: WIDE_LIMITS }

/** What is unknown at the end has this long to become known. */
const SETTLE_MS = { quick: 30_000, real: 240_000 } as const

/**
 * Lets bots trade while the gateway is killed again and again and the exchange misbehaves, then
 * compares what the bots saw, what the journal says, and what the exchange received.
 */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-crash-'))
  // With each start of the quick gateway a minute has passed at the exchange, whose time orders go
  // by.
  let aheadMs = 0
  const paper = await createPaperExchange({ nowMs: () => Date.now() + aheadMs })
  const onStart = () => {
    if (options.isReal !== true) aheadMs += AGEING_MS
  }
  const quick = options.isReal === true ? undefined : await bundleQuick()
  const entry = quick?.entry ?? MAIN
  try {
    return await run(options, paper, { entry, database: join(folder, 'sluice.db'), onStart })
  } finally {
    await paper.close()
    rmSync(folder, { recursive: true })
    if (quick !== undefined) rmSync(quick.folder, { recursive: true })
  }
}

async function run(
  { kills, bots: botCount, seed, isReal = false, onKill }: CrashOptions,
  paper: PaperExchange,
  { entry, database, onStart }: { entry: string; database: string; onStart: () => void },
): Promise<CrashReport> {
  const random = createSeededRandom(seed)
  const stories = new Map<string, Story>()
  const lies: string[] = []
  let prices = 200_000
  let isWindingUp = false
  let migrationCount = 0
  const migrated = new Set<string>()
  const dayValues = new Map<string, string>()
  /** An order that is not found after its account has migrated is not proven to be nowhere. */
  const mayStayUnknown: Books['mayStayUnknown'] = ({ clientId, exchange }) =>
    exchange === 'bg' && migrated.has(clientId)
  const killer = createKiller({
    ...{ entry, isQuick: !isReal },
    env: gatewayEnv(paper.url, database),
    paper,
    random,
    onStart,
  })
  const worldOf = (clientId: string): World => ({
    paper,
    random,
    url: killer.url,
    isWindingUp: () => isWindingUp,
    nextPrice() {
      prices += prices % 10 === 9 ? 2 : 1
      return `${Math.floor(prices / 10)}.${prices % 10}`
    },
    note(intent, result) {
      const key = `${intent.action} ${intent.mark}`
      const story = stories.get(key) ?? { clientId, intent, results: [] }
      stories.set(key, story)
      story.results.push(result)
      // Only now is it sure that no later try of the same order has arrived yet.
      const arrived = result.kind === 'not-sent' ? takenArrivals(paper, intent.mark).length : 0
      if (arrived > 0) lies.push(`${key}: reported not sent, but it had arrived`)
    },
  })
  try {
    await killer.start()
    const clients = []
    for (let i = 1; i <= botCount; i += 1)
      clients.push(await createBotClient(await killer.url(), paper.accounts, `bot-${i}`, LIMITED))
    const bots = clients.map((client, at) => {
      const world = worldOf(client.clientId)
      return createBot(createCaller(client, world), world, { makesChanges: !isMigrated(at) })
    })

    const working = bots.map((bot) => bot.work())
    const stopFaults = startFaults(paper, random)
    const migrating = clients.filter((_, at) => isMigrated(at))
    const migrations = startMigrations(paper, migrating, random)
    for (const { clientId } of migrating) migrated.add(clientId)
    for (let done = 1; done <= kills; done += 1) {
      await killer.kill()
      onKill?.(done)
    }
    stopFaults()
    migrationCount = migrations.stop()
    isWindingUp = true
    await Promise.all(working)
    const settleMs = isReal ? SETTLE_MS.real : SETTLE_MS.quick
    // What the last process sent ages by one more restart; with the real entry point by waiting.
    if (!isReal) await killer.kill()
    const deadlineMs = performance.now() + settleMs
    const mustEnd = () => unfinishedEntries(database).filter((entry) => !mayStayUnknown(entry))
    while (mustEnd().length > 0 && performance.now() < deadlineMs) await sleep(250)
    const signal = AbortSignal.timeout(settleMs)
    await Promise.all(bots.map((bot) => bot.finish(signal)))
    for (const client of clients)
      dayValues.set(client.clientId, await readDayValue(await killer.url(), client))
  } finally {
    await killer.end()
  }

  const journal = readJournal(database)
  const exchange = readExchange(paper)
  const all = [...stories.values()]
  const tries = all.reduce((sum, { results }) => sum + results.length, 0)
  return {
    kills,
    intents: all.length,
    tries,
    retries: tries - all.length,
    results: countResults(all),
    arrivals: [...exchange.arrivals.values()].flat().length,
    ordersAtExchange: paper.orders().length,
    migrations: migrationCount,
    journal: countBy(journal.map(({ state }) => state)),
    violations: [
      ...lies,
      ...checkBooks({ stories: all, journal, exchange, mayStayUnknown }),
      ...checkDayValues(dayValues, journal, exchange),
    ],
  }
}

/** Every second bot has a Bitget account that becomes unified and classic again. */
const isMigrated = (at: number) => at % 2 === 1

function gatewayEnv(exchangeUrl: string, database: string): Record<string, string> {
  return {
    DATABASE_URL: `file:${database}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    MEXC_SPOT_URL: exchangeUrl,
    MEXC_FUTURES_URL: exchangeUrl,
    BITGET_URL: exchangeUrl,
    RATE_LIMIT_PER_SECOND: '200',
    UPSTREAM_CONCURRENCY: '4',
    UPSTREAM_TIMEOUT_SECONDS: '1',
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]),
  )
}
