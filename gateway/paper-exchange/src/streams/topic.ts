import { type Account, positionsOf } from '../account.ts'
import { type Decimal, decimal, type Json, ZERO } from '../exact-numbers.ts'
import type { Market } from '../market.ts'
import { type DepthLevel, depthAround } from '../prices.ts'
import type { Change, Venue } from '../venue.ts'

/** What a client has subscribed to: says when something is to be pushed. */
export interface Topic {
  /** Right after the subscription was acknowledged. */
  start?(): void
  changed?(change: Change): void
  settled?(): void
  beat?(): void
}

/** What was last pushed of several things, to find those that are different now. */
export class Picture {
  #known: ReadonlyMap<string, string> = new Map()

  /** Keys of what is new, different or gone since the last look. */
  differences(now: ReadonlyMap<string, string>): readonly string[] {
    const known = this.#known
    this.#known = now
    const keys = new Set([...known.keys(), ...now.keys()])
    return [...keys].filter((key) => known.get(key) !== now.get(key))
  }
}

const amounts = (...values: readonly (Decimal | number | string)[]): string => values.join(' ')

/** The coins of an account, by name. */
export const coinPicture = ({ spot }: Account): ReadonlyMap<string, string> =>
  new Map(spot.list().map(({ coin, free, locked }) => [coin, amounts(free, locked)]))

/** The margin coins of the futures account. */
export const marginPicture = ({ futures }: Account): ReadonlyMap<string, string> =>
  new Map(
    [...futures.wallets].map(([coin, wallet]) => [
      coin,
      amounts(wallet.available, wallet.frozen, wallet.positionMargin),
    ]),
  )

/** The positions by id, without what only the price moves. */
export const heldPicture = (account: Account): ReadonlyMap<string, string> =>
  new Map(
    positionsOf(account).map(
      ({ id, size, entryValue, margin, realised, fee, leverage, marginMode }) => [
        id,
        amounts(size, entryValue, margin, realised, fee, leverage, marginMode),
      ],
    ),
  )

/** As well with what orders mean to close. */
export const positionPicture = (venue: Venue, account: Account): ReadonlyMap<string, string> => {
  const held = heldPicture(account)
  return new Map(
    positionsOf(account).map(({ id, market, slot }) => [
      id,
      amounts(held.get(id) ?? '', venue.contracts.closing(account, market, slot)),
    ]),
  )
}

/** At once, once a second, and with each new price of the market. */
export function eachSecond(venue: Venue, send: () => void, market?: Market): Topic {
  let pushed = ''
  return {
    start: send,
    beat() {
      const price = market === undefined ? '' : venue.prices.of(market).last.toFixed()
      const now = `${price} ${Math.floor(venue.nowMs() / 1_000)}`
      if (now !== pushed) send()
      pushed = now
    },
  }
}

interface BookChange {
  readonly bids: readonly DepthLevel[]
  readonly asks: readonly DepthLevel[]
}

interface BookShape {
  readonly tick: Decimal
  readonly limit: number
}

/** The made order book of a market, and how it differs from the last look. */
export class BookWatch {
  readonly #venue: Venue
  readonly #market: Market
  readonly #shape: BookShape
  #known = { bids: new Map<string, string>(), asks: new Map<string, string>() }

  constructor(venue: Venue, market: Market, shape: BookShape) {
    this.#venue = venue
    this.#market = market
    this.#shape = shape
  }

  /** All levels, best first. */
  whole(): BookChange {
    const { bids, asks } = depthAround(this.#venue.prices, this.#market, this.#shape)
    this.#known = { bids: asMap(bids), asks: asMap(asks) }
    return { bids, asks }
  }

  /** The levels that are new or different; size zero: the level is gone. */
  changes(): BookChange {
    const { bids, asks } = this.#known
    const now = this.whole()
    return { bids: levelChanges(bids, now.bids), asks: levelChanges(asks, now.asks) }
  }

  /** In a quiet market the best levels once more, which change nothing. */
  changesOrBest(): BookChange {
    const changes = this.changes()
    if (changes.bids.length + changes.asks.length > 0) return changes
    const { bids, asks } = this.whole()
    return { bids: bids.slice(0, 1), asks: asks.slice(0, 1) }
  }
}

const asMap = (levels: readonly DepthLevel[]): Map<string, string> =>
  new Map(levels.map(({ price, size }) => [price.toFixed(), size.toFixed()]))

function levelChanges(
  known: ReadonlyMap<string, string>,
  now: readonly DepthLevel[],
): readonly DepthLevel[] {
  const prices = new Set(now.map(({ price }) => price.toFixed()))
  const gone = [...known.keys()].filter((price) => !prices.has(price))
  return [
    ...now.filter(({ price, size }) => known.get(price.toFixed()) !== size.toFixed()),
    ...gone.map((price) => ({ price: decimal(price), size: ZERO })),
  ]
}

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
