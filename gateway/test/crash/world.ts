import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import type { Intent } from './intent.ts'
import type { TryResult } from './try-result.ts'

/** What the bots of a run share. */
export interface World {
  readonly paper: PaperExchange
  /** Where the gateway is; waits while it is down. */
  url(): Promise<string>
  readonly random: () => number
  /** A price that no other order has. */
  nextPrice(): string
  /** Whether the database may lose orders that were only accepted: PostgreSQL crashes. */
  readonly mayForget?: boolean
  /** Records the result of a try. */
  note(intent: Intent, result: Result): void
  /** True from when bots begin nothing new. */
  readonly isWindingUp: () => boolean
  /** Whether the database was restored: the gateway does not know each request any more. */
  readonly wasRestored: () => boolean
}

/** What one try showed the bot, and the requests that it belongs to. */
export type Result = TryResult & {
  /** Of the request itself; absent without a response. */
  readonly requestId?: string | undefined
  /** The process that received the request; absent when the result was asked for later. */
  readonly from?: string | undefined
  /** Of the first request with the key, which the journal has. */
  readonly journalId?: string | undefined
}

/** One bot's intent and its results, in order. */
export interface Story {
  readonly clientId: string
  readonly intent: Intent
  readonly results: Result[]
}

/** True with this probability. */
export const chance = (random: () => number, probability: number) => random() < probability

/** A whole number from `min` up to `max`. */
export const between = (random: () => number, min: number, max: number) =>
  Math.floor(min + random() * (max - min + 1))

/** One of them. @throws when there is none */
export function pick<T>(random: () => number, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new RangeError('There is nothing to pick from')
  return value
}
