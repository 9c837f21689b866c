import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { chance, isFinal, pick, type Result, type Story } from '../campaign/bot.ts'
import {
  type CommandEnd,
  type CommandName,
  createSupervisor,
  MAIN,
  type RunningCommand,
  type Supervisor,
  startCommand,
} from '../campaign/gateway.ts'
import {
  AGEING_MS,
  type BasicPlan,
  CLOCK_PRELOAD,
  type Gap,
  tradingEnv,
} from '../campaign/rounds.ts'
import { createSeededRandom } from '../lane-simulation/seeded-random.ts'
import { startSmallDisk } from '../support/start-small-disk.ts'

/** What happens to a gateway while bots trade. */
export type EventName = 'kill' | 'stop' | 'rotation' | 'backup' | 'full-disk' | 'damage'

export interface Plan extends BasicPlan<EventName> {
  /** A minute that passes at the exchange with each start does not pass on this machine. */
  readonly isClockBehind: boolean
}

const COMMON = ['kill', 'kill', 'stop', 'rotation', 'backup'] as const
const COMMON_COUNT = 3
const BOTS = 8

/** @param hasSmallDisk whether a file system can be had that is really full */
export function planOf(seed: number, hasSmallDisk: boolean): Plan {
  const random = createSeededRandom(seed)
  const events: EventName[] = Array.from({ length: COMMON_COUNT }, () => pick(random, COMMON))
  const rare = pick(random, ['full-disk', 'damage', 'none'] as const)
  if (rare === 'damage' || (rare === 'full-disk' && hasSmallDisk))
    events.splice(Math.floor(random() * (events.length + 1)), 0, rare)
  return {
    ...{ seed, events, bots: BOTS },
    acceptsDuplicates: seed % 2 === 0,
    // After a restore the gateway waits for a minute of this machine's clock.
    isClockBehind: !events.includes('damage') && chance(random, 0.5),
  }
}

/** A good backup, and what is needed to restore it. */
export interface Backup {
  readonly file: string
  /** The number of the last request at the exchange before it began. */
  readonly seq: number
  /** The lines of the key file. */
  readonly keys: readonly string[]
}

/** A gateway, the exchange in front of which bots use it, and what happened to it so far. */
export interface Round {
  readonly plan: Plan
  /** For the events: nothing else draws from it, so that a seed makes the same choices. */
  readonly random: () => number
  readonly paper: PaperExchange
  readonly data: DataFolder
  readonly supervisor: Supervisor
  readonly stories: Map<string, Story>
  readonly backups: Backup[]
  readonly gaps: Gap[]
  /** How the database was brought back each time. */
  readonly recoveries: ('salvage' | 'backup')[]
  /** Requests that ended and are in no journal any more, because it was restored. */
  readonly forgotten: Set<string>
  /** Ids and idempotency keys of requests that were queued in a database that was restored. */
  readonly inDoubt: Set<string>
  /** The processes that met a full disk, by their number. */
  readonly metFullDisk: Set<number>
  /** Starts a command of an operator. */
  command(name: CommandName, ...args: readonly string[]): RunningCommand
  /** A path for a file that survives the gateway's disk. */
  newFile(name: string): string
  /** Something is not as it has to be. */
  report(violation: string): void
}

/** A request that ended, as a bot saw it. */
interface Ended {
  readonly requestId: string
  readonly journalId: string
  readonly from: string | undefined
  readonly result: Result
}

/** What bots know to be done, or not done, and the journal has not forgotten. */
export function endedRequests(round: Pick<Round, 'stories' | 'forgotten'>): Ended[] {
  return [...round.stories.values()].flatMap(({ results }) =>
    results.flatMap((result) => {
      const { requestId, journalId, from, kind } = result
      const isEnd = isFinal(result) && kind !== 'rejected'
      if (!isEnd || requestId === undefined || journalId === undefined) return []
      return round.forgotten.has(journalId) ? [] : [{ requestId, journalId, from, result }]
    }),
  )
}

/** The number of the last request that arrived at the exchange. */
export const lastSeq = ({ paper }: Pick<Round, 'paper'>) => paper.received().at(-1)?.seq ?? 0

/** Runs a command. @throws when it fails */
export async function run(round: Round, name: CommandName, ...args: string[]): Promise<CommandEnd> {
  const end = await round.command(name, ...args).ended
  if (end.code !== 0) throw new Error(`${name} ${args.join(' ')} failed: ${end.output}`)
  return end
}

/** Small: the disk of a round is small as well. */
const RESERVE_MB = 4
const DISK_MB = 48

export interface RoundParts {
  readonly plan: Plan
  /** A folder for files that survive the gateway's disk. */
  readonly root: string
  readonly data: DataFolder
  readonly paper: PaperExchange
  /** Gets what is not as it has to be. */
  readonly violations: string[]
  /** A minute passes with each start of a gateway: orders are judged by the exchange's time. */
  readonly clock: { aheadMs: number }
}

export function createRound({ plan, root, data, paper, violations, clock }: RoundParts): Round {
  const random = createSeededRandom(plan.seed)
  const env = () => ({
    DATABASE_URL: `file:${join(data.folder, 'sluice.db')}`,
    ...{ DISK_RESERVE_MB: `${RESERVE_MB}`, ...tradingEnv(paper.url) },
    ...{ NODE_OPTIONS: CLOCK_PRELOAD },
    CLOCK_AHEAD_MS: `${plan.isClockBehind ? 0 : clock.aheadMs}`,
  })
  const { through } = data
  const supervisor = createSupervisor({
    ...{ entry: MAIN, through, paper, random },
    nextEnv() {
      clock.aheadMs += AGEING_MS
      return env()
    },
  })
  const files = join(root, 'files')
  mkdirSync(files)
  return {
    ...{ plan, random, paper, data, supervisor, stories: new Map() },
    ...{ backups: [], gaps: [], recoveries: [] },
    ...{ forgotten: new Set(), inDoubt: new Set(), metFullDisk: new Set() },
    command: (name, ...args) => startCommand(name, args, { env: env(), through }),
    newFile: (name) => join(files, name),
    report: (violation) => void violations.push(violation),
  }
}

/** Where the gateway of a round keeps its database and its master key. */
type DataFolder = Awaited<ReturnType<typeof createDataFolder>>

/** @param isSmall whether it is on a disk of its own that can be filled */
export async function createDataFolder(root: string, isSmall: boolean) {
  const folder = join(root, 'data')
  mkdirSync(folder)
  const disk = isSmall ? await startSmallDisk(folder, DISK_MB) : undefined
  const seen = (name: string) => join(disk?.seen ?? folder, name)
  return {
    /** As the gateway and the commands see it. */
    folder,
    /** How this process sees one of its files. */
    seen,
    /** A program that starts them, and its arguments. */
    through: disk?.through ?? [],
    /** A copy of the database and its write-ahead log, which no process changes during the copy. */
    copyOfDatabase() {
      const copy = join(mkdtempSync(join(root, 'copy-')), 'sluice.db')
      for (const end of ['', '-wal'])
        if (existsSync(seen(`sluice.db${end}`)))
          copyFileSync(seen(`sluice.db${end}`), `${copy}${end}`)
      return copy
    },
    /** Undefined unless it is on a small disk. */
    disk,
    end: async () => disk?.end(),
  }
}
