import { setTimeout as sleep } from 'node:timers/promises'
import { type JournalOrder, listOrders, urlOf } from 'schema'
import type { PaperControl } from '../../paper-exchange/src/control.ts'
import type { Fault } from '../../paper-exchange/src/faults.ts'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import { type Books, readDayValue, WIDE_LIMITS } from './books.ts'
import { between, chance, createBot, createCaller, pick, type Story, type World } from './bot.ts'
import { accountName, adminHeader, type BotClient, createBotClientAt } from './clients.ts'
import type { Supervisor } from './gateway.ts'
import type { BasicPlan } from './rounds.ts'

/** A round in which bots trade. */
export interface TradingRound {
  readonly plan: Pick<BasicPlan, 'seed' | 'bots'>
  readonly paper: PaperExchange
  readonly supervisor: Pick<Supervisor, 'url'>
  readonly stories: ReadonlyMap<string, Story>
  /** Requests that ended and are in no journal any more, because it was restored. */
  readonly forgotten: ReadonlySet<string>
  /** Ids and idempotency keys of requests that were queued in a database that was restored. */
  readonly inDoubt: ReadonlySet<string>
}

interface TradingOptions {
  readonly round: TradingRound
  /** Whether Bitget accounts of some bots become unified and classic again. */
  readonly migrates: boolean
  /** The exchange never fails, and no bot gives up. */
  readonly isCalm?: boolean
  readonly worldOf: (clientId: string) => World
  /** Called when bots may begin nothing new. */
  readonly onWindUp: () => void
}

/** What is unknown at the end has this long to become known. */
const SETTLE_MS = 120_000

/** Bots that trade until it is wound up, before an exchange that fails now and then. */
export async function startTrading(options: TradingOptions) {
  const { round, worldOf, onWindUp, migrates, isCalm = false } = options
  const { supervisor, paper, plan, inDoubt } = round
  const clients: BotClient[] = []
  for (let i = 1; i <= plan.bots; i += 1) {
    const [name, limits] = [`bot-${i}`, { limits: WIDE_LIMITS }]
    clients.push(await createBotClientAt(supervisor.url, paper.accounts, name, limits))
  }
  const migrated = migrates ? clients.filter((_, at) => at % 2 === 1) : []
  const isMigrated = (clientId: string) => migrated.some((one) => one.clientId === clientId)
  // An order that is not found after its account has migrated is not proven to be nowhere.
  const mayStayUnknown: Books['mayStayUnknown'] = ({ clientId, exchange }) =>
    exchange === 'bg' && isMigrated(clientId)
  const bots = clients.map((client) => {
    const { clientId } = client
    const world = worldOf(clientId)
    const habits = { makesChanges: !isMigrated(clientId), isCalm }
    return { clientId, bot: createBot(createCaller(client, world), world, habits) }
  })
  const working = bots.map(({ bot }) => bot.work())
  const stopFaults = isCalm ? () => {} : startFaults(paper, createSeededRandom(~plan.seed))
  const stopMigrations = startMigrations(paper, migrated, createSeededRandom(~plan.seed >>> 1))

  /** Retries what is not known yet, once what may never be known. */
  async function finish(signal: AbortSignal): Promise<void> {
    await Promise.all(
      bots.map(({ clientId, bot }) =>
        bot.finish(
          signal,
          ({ exchange, idempotencyKey }) =>
            mayStayUnknown({ clientId, exchange }) || inDoubt.has(idempotencyKey ?? ''),
        ),
      ),
    )
  }

  /** Asks once more for what is known to be done: the response has to be the same. */
  async function repeat(): Promise<void> {
    const stories = [...round.stories.values()].filter((story) => isRepeatable(round, story))
    await Promise.all(
      bots.map(async ({ clientId, bot }) => {
        for (const story of stories) if (story.clientId === clientId) await bot.repeat(story.intent)
      }),
    )
  }

  return {
    mayStayUnknown,
    /**
     * Lets things happen while bots trade, then winds up. @param close ends the gateways when
     * something fails: bots wait for no other
     */
    async while(happen: () => Promise<void>, close: () => unknown): Promise<number> {
      let migrations = 0
      try {
        await happen()
      } catch (error) {
        await close()
        throw error
      } finally {
        migrations = await this.windUp()
      }
      return migrations
    },
    /** Ends the faults and lets bots begin nothing new. @returns how many accounts were migrated */
    async windUp(): Promise<number> {
      stopFaults()
      const count = stopMigrations()
      onWindUp()
      await Promise.all(working)
      return count
    },
    /** Waits for what is unknown to become known, and repeats what is. */
    async settle(): Promise<void> {
      const untilMs = performance.now() + SETTLE_MS
      const headers = await adminHeader(await supervisor.url())
      const url = `${await supervisor.url()}${urlOf(listOrders, { query: { state: 'unknown' } })}`
      const unknown = async () => {
        const orders = (await (await fetch(url, { headers })).json()) as JournalOrder[]
        return orders.filter((order) => !mayStayUnknown(order) && !inDoubt.has(order.id))
      }
      while ((await unknown()).length > 0 && performance.now() < untilMs) await sleep(250)
      await finish(AbortSignal.timeout(SETTLE_MS))
      await repeat()
    },
    /** What each client has used of its limit. */
    async dayValues(): Promise<ReadonlyMap<string, string>> {
      const values = new Map<string, string>()
      for (const client of clients)
        values.set(client.clientId, await readDayValue(await supervisor.url(), client))
      return values
    },
  }
}

/** A cancel that a restored journal lacks is sent again, and the order is cancelled already. */
function isRepeatable(round: TradingRound, { intent, results }: Story): boolean {
  const isDone = results.some(({ kind }) => kind === 'done')
  const isLost = results.some(({ journalId = '' }) => round.forgotten.has(journalId))
  return isDone && intent.idempotencyKey !== null && !(isLost && intent.action === 'cancel')
}

const POST = { method: 'POST' } as const
const GET = { method: 'GET' } as const

/**
 * What goes wrong at the exchange: mostly around orders, sometimes when the gateway looks one up.
 */
const faults: readonly Fault[] = [
  { kind: 'slow', delayMs: 150, match: POST },
  { kind: 'slow', delayMs: 400, match: POST },
  { kind: 'reset-before', match: POST },
  { kind: 'reset-after', match: POST },
  { kind: 'reset-after' },
  { kind: 'timeout-after', match: POST },
  { kind: '5xx', match: POST },
  { kind: 'html', when: 'after', match: POST },
  { kind: 'truncated', match: POST },
  { kind: 'garbage' },
  { kind: '429', match: POST, retryAfterSeconds: 1 },
  { kind: '5xx', match: GET },
  { kind: 'truncated', match: GET },
]

/** Makes a fault now and then until the returned function is called; that clears what is left. */
function startFaults(paper: Pick<PaperControl, 'faults'>, random: () => number): () => void {
  let timer = setTimeout(next, 0)
  function next(): void {
    // Faults that nobody ran into do not pile up while the gateway is down.
    if (paper.faults.list().length < 3) paper.faults.add(pick(random, faults))
    timer = setTimeout(next, between(random, 300, 3_000))
  }
  return () => {
    clearTimeout(timer)
    paper.faults.clear()
  }
}

/**
 * Migrating takes about a minute at the exchange; here moments (docs/exchanges/bitget-unified.md,
 * 1).
 */
const SWITCHING_MS = { min: 20, max: 400 } as const

/**
 * Turns the Bitget accounts of some bots into the other kind and back, now and then. On the way,
 * half of them are served by neither API for moments.
 * @returns what ends that: what is on its way arrives. It gives how many migrations there were
 */
function startMigrations(
  paper: Pick<PaperControl, 'accounts'>,
  clients: readonly Pick<BotClient, 'clientId'>[],
  random: () => number,
): () => number {
  let count = 0
  const timers = new Set<NodeJS.Timeout>()
  const later = (ms: number, what: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      what()
    }, ms)
    timers.add(timer)
  }

  function next(): void {
    if (clients.length === 0) return
    const name = accountName(pick(random, clients).clientId, 'bg')
    const account = paper.accounts.list().find((each) => each.name === name)
    if (account !== undefined && !account.switching) {
      const to = account.unified ? 'classic' : 'unified'
      count += 1
      if (chance(random, 0.5)) paper.accounts.migrate(name, to)
      else {
        paper.accounts.migrate(name, 'switching')
        later(between(random, SWITCHING_MS.min, SWITCHING_MS.max), () =>
          paper.accounts.migrate(name, to),
        )
      }
    }
    later(between(random, 500, 2_000), next)
  }
  next()

  return () => {
    for (const timer of timers) clearTimeout(timer)
    for (const { name, exchange, switching } of paper.accounts.list())
      if (exchange === 'bg' && switching) paper.accounts.migrate(name, 'unified')
    return count
  }
}
