import type { TradingRound } from '../crash/trading.ts'
import type { Database } from './database.ts'
import type { Group } from './group.ts'
import type { EventName, Plan } from './plan.ts'

/** How long the exchanges had no owner. */
export interface Takeover {
  readonly event: EventName
  /** From the event until another node was the owner. */
  readonly ownerMs: number
  /** From the event until the first call of another node at the exchange. */
  readonly callMs: number
}

/** Gateways on one database, and what happened to them so far. */
export interface ClusterRound extends TradingRound {
  readonly plan: Plan
  /** For the events: nothing else draws from it, so that a seed makes the same choices. */
  readonly random: () => number
  readonly group: Group
  readonly database: Database
  readonly takeovers: Takeover[]
  /** Some orders from now, then a moment more. */
  untilMoment(): Promise<void>
  /** Something is not as it has to be. */
  report(violation: string): void
}
