import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import type { CommandEnd, CommandName, RunningCommand } from './commands.ts'
import type { DataFolder } from './data-folder.ts'
import type { Plan } from './plan.ts'
import type { Supervisor } from './supervisor.ts'
import { isFinal } from './try-result.ts'
import type { Result, Story } from './world.ts'

/** A good backup, and what is needed to restore it. */
export interface Backup {
  readonly file: string
  /** The number of the last request at the exchange before it began. */
  readonly seq: number
  /** The lines of the key file. */
  readonly keys: readonly string[]
}

/** What arrived at the exchange after `fromSeq`, up to `toSeq`, may be missing in the journal. */
export interface Gap {
  readonly fromSeq: number
  readonly toSeq: number
}

/** A gateway, the exchange in front of which bots use it, and what happened to it so far. */
export interface Round {
  readonly plan: Plan
  /** For the events: nothing else draws from it, so that a seed makes the same choices. */
  readonly random: () => number
  readonly paper: PaperExchange
  readonly data: DataFolder
  readonly supervisor: Supervisor
  readonly stories: ReadonlyMap<string, Story>
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
export interface Ended {
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

/** Whether a request that arrived may be missing in the journal. */
export const isInGap = ({ gaps }: Pick<Round, 'gaps'>, seq: number) =>
  gaps.some(({ fromSeq, toSeq }) => seq > fromSeq && seq <= toSeq)

/** Runs a command. @throws when it fails */
export async function run(round: Round, name: CommandName, ...args: string[]): Promise<CommandEnd> {
  const end = await round.command(name, ...args).ended
  if (end.code !== 0) throw new Error(`${name} ${args.join(' ')} failed: ${end.output}`)
  return end
}
