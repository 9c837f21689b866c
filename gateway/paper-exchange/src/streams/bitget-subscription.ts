import type { Account } from '../account.ts'
import type { Json } from '../exact-json.ts'
import type { Venue } from '../venue.ts'
import type { Topic } from './topic.ts'

/** What a client subscribes to: `instType`, `channel` or `topic`, `instId`, `coin` or `symbol`. */
export type BitgetArg = Readonly<Record<string, string>>

/** What a topic gets to say its news. */
export interface BitgetSubscription {
  readonly venue: Venue
  readonly arg: BitgetArg
  push(action: 'snapshot' | 'update', data: Json): void
}

export interface PrivateBitgetSubscription extends BitgetSubscription {
  readonly account: Account
}

/** Undefined: no such channel, or not with these fields. */
export interface BitgetTopics {
  publicTopic(subscription: BitgetSubscription): Topic | undefined
  privateTopic(subscription: PrivateBitgetSubscription): Topic | undefined
  /** Whether a channel shows what is of one account. */
  isPrivate(channel: string): boolean
}
