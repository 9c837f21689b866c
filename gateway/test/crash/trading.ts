import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import { type Bot, createBot } from './bot.ts'
import { createCaller } from './caller.ts'
import { type BotClient, createBotClientAt } from './clients.ts'
import { startFaults } from './faults.ts'
import { WIDE_LIMITS } from './limit-book.ts'
import { startMigrations } from './migrations.ts'
import type { Plan } from './plan.ts'
import type { Round } from './round.ts'
import type { Supervisor } from './supervisor.ts'
import type { Story, World } from './world.ts'

export interface Trading {
  readonly clients: readonly BotClient[]
  /** Whether the Bitget account of a client becomes unified and classic again. */
  isMigrated(clientId: string): boolean
  /** Ends the faults and lets bots begin nothing new. @returns how many accounts were migrated */
  windUp(): Promise<number>
  /** Retries what is not known yet, once what may never be known. */
  finish(signal: AbortSignal): Promise<void>
  /** Asks once more for what is known to be done: the response has to be the same. */
  repeat(): Promise<void>
}

/** A round in which bots trade. */
export interface TradingRound extends Pick<Round, 'paper' | 'stories' | 'forgotten' | 'inDoubt'> {
  readonly plan: Pick<Plan, 'seed' | 'bots'>
  readonly supervisor: Pick<Supervisor, 'url'>
}

export interface TradingOptions {
  readonly round: TradingRound
  /** Whether Bitget accounts of some bots become unified and classic again. */
  readonly migrates: boolean
  /** The exchange never fails, and no bot gives up. */
  readonly isCalm?: boolean
  readonly worldOf: (clientId: string) => World
  /** Called when bots may begin nothing new. */
  readonly onWindUp: () => void
}

/** Bots that trade until it is wound up, before an exchange that fails now and then. */
export async function startTrading(options: TradingOptions): Promise<Trading> {
  const { round, worldOf, onWindUp, migrates, isCalm = false } = options
  const { supervisor, paper, plan } = round
  const clients: BotClient[] = []
  for (let i = 1; i <= plan.bots; i += 1) {
    const [name, limits] = [`bot-${i}`, { limits: WIDE_LIMITS }]
    clients.push(await createBotClientAt(supervisor.url, paper.accounts, name, limits))
  }
  const migrated = migrates ? clients.filter((_, at) => at % 2 === 1) : []
  const isMigrated = (clientId: string) => migrated.some((one) => one.clientId === clientId)
  const bots = new Map(
    clients.map((client): [string, Bot] => {
      const world = worldOf(client.clientId)
      const makesChanges = !isMigrated(client.clientId)
      return [
        client.clientId,
        createBot(createCaller(client, world), world, { makesChanges, isCalm }),
      ]
    }),
  )
  const working = [...bots.values()].map((bot) => bot.work())
  const stopFaults = isCalm ? () => {} : startFaults(paper, createSeededRandom(~plan.seed))
  const migrations = startMigrations(paper, migrated, createSeededRandom(~plan.seed >>> 1))
  return {
    clients,
    isMigrated,
    async windUp() {
      stopFaults()
      const count = migrations.stop()
      onWindUp()
      await Promise.all(working)
      return count
    },
    async finish(signal) {
      await Promise.all(
        [...bots].map(([clientId, bot]) =>
          bot.finish(
            signal,
            ({ exchange, idempotencyKey }) =>
              (exchange === 'bg' && isMigrated(clientId)) ||
              round.inDoubt.has(idempotencyKey ?? ''),
          ),
        ),
      )
    },
    async repeat() {
      const stories = [...round.stories.values()].filter((story) => isRepeatable(round, story))
      await Promise.all(
        [...bots].map(async ([clientId, bot]) => {
          for (const story of stories)
            if (story.clientId === clientId) await bot.repeat(story.intent)
        }),
      )
    },
  }
}

/** A cancel that a restored journal lacks is sent again, and the order is cancelled already. */
function isRepeatable(round: TradingRound, { intent, results }: Story): boolean {
  const isDone = results.some(({ kind }) => kind === 'done')
  const isLost = results.some(({ journalId = '' }) => round.forgotten.has(journalId))
  return isDone && intent.idempotencyKey !== null && !(isLost && intent.action === 'cancel')
}
