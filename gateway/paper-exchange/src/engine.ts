import { Accounts, type NewPaperAccount } from './account.ts'
import { ContractBook } from './contract-book.ts'
import type { ContractOrder } from './contract-order.ts'
import { defaultMarkets, type ExchangeCode, type Market } from './market.ts'
import { ListenKeys } from './mexc/listen-keys.ts'
import { BookVersion, Prices, type PriceWalk } from './prices.ts'
import { RateLimits } from './rate-limits.ts'
import { SpotBook } from './spot-book.ts'
import { EXIT_NAMES, noExits, PlanBook, TriggerBook } from './trigger-book.ts'
import { Changes, type Venue, type VenueHabits } from './venue.ts'

export interface PaperExchangeOptions {
  /** `127.0.0.1` when absent. */
  readonly host?: string | undefined
  /** 0, a free one, when absent. */
  readonly port?: number | undefined
  readonly accounts?: readonly NewPaperAccount[] | undefined
  /** The usual pairs of both exchanges when absent. */
  readonly markets?: readonly Market[] | undefined
  /** Absent: prices do not move until they are set. */
  readonly walk?: PriceWalk | undefined
  /** How often the exchange ticks by itself, ms; 0, never, when absent. */
  readonly tickEveryMs?: number | undefined
  /** Wall clock of the exchange; the true one when absent. */
  readonly nowMs?: (() => number) | undefined
  readonly monotonicMs?: (() => number) | undefined
  /**
   * Is shown every request whole, with what is secret in it: to look for what must not arrive. What
   * the exchange keeps and shows of a request (`received`) holds no secret.
   */
  readonly witness?: ((text: string) => void) | undefined
  /** Called with each private or public push of a feed, right before it is written. */
  readonly onPush?: ((channel: string, frame: string | Buffer) => void) | undefined
  readonly habits?: Partial<VenueHabits> | undefined
}

// Both far above 2^53, and as long as those of the real exchanges.
const FIRST_ID: Readonly<Record<ExchangeCode, bigint>> = {
  mx: 101_716_841_474_621_953n,
  bg: 1_288_888_888_888_888_889n,
}
const OPEN_ORDERS_MAX = 500

const defaultHabits: VenueHabits = {
  mexcSpotDuplicates: 'accept',
  mexcFuturesDuplicates: 'reject',
  bitgetDuplicates: 'reject',
  bitgetModifyDelayMs: 20,
}

/** Everything behind the two protocols: one price for both exchanges, the accounts, the books. */
export interface Engine {
  readonly accounts: Accounts
  readonly prices: Prices
  readonly markets: readonly Market[]
  readonly venues: Readonly<Record<ExchangeCode, Venue>>
  readonly nowMs: () => number
  readonly monotonicMs: () => number
  /** Walks the prices on and trades what they have reached. */
  tick(): void
  /** Drops the work that it has planned for later. */
  close(): void
  /** First prices and balances again; no orders, no used up limits. */
  reset(): void
}

export function createEngine(options: PaperExchangeOptions): Engine {
  const nowMs = options.nowMs ?? Date.now
  const monotonicMs = options.monotonicMs ?? (() => performance.now())
  const markets = options.markets ?? defaultMarkets
  const prices = new Prices({ markets, nowMs, walk: options.walk })
  const accounts = new Accounts(nowMs)
  for (const account of options.accounts ?? []) accounts.add(account)
  const deferred = new Deferred()
  const habits = { ...defaultHabits, ...options.habits }

  const shared = { accounts, prices, markets, habits, deferred, nowMs, monotonicMs }
  const venues = { mx: createVenue('mx', shared), bg: createVenue('bg', shared) }

  return {
    accounts,
    prices,
    markets,
    venues,
    nowMs,
    monotonicMs,
    tick() {
      deferred.flush()
      prices.advance()
      for (const venue of Object.values(venues)) {
        venue.spot.match()
        venue.contracts.match(accounts.list(venue.exchange))
        venue.triggers.match()
        venue.plans.match()
        venue.changes.settle()
      }
    },
    close: () => deferred.clear(),
    reset() {
      deferred.clear()
      prices.reset()
      accounts.reset()
      for (const { spot, contracts, triggers, plans, limits, listenKeys } of Object.values(
        venues,
      )) {
        listenKeys.clear()
        spot.clear()
        contracts.clear()
        triggers.clear()
        plans.clear()
        limits.clear()
      }
    },
  }
}

interface Shared extends Pick<Venue, 'accounts' | 'habits' | 'markets' | 'nowMs' | 'prices'> {
  readonly deferred: Deferred
  readonly monotonicMs: () => number
}

/** The books of one exchange. */
function createVenue(exchange: ExchangeCode, shared: Shared): Venue {
  const { prices, nowMs, monotonicMs, deferred } = shared
  // A gateway may know orders of an earlier start: none of this one has the id of one of those.
  const nextId = createIds(FIRST_ID[exchange] + BigInt(Math.trunc(nowMs())) * 1_000n)
  const changes = new Changes()
  const openOrdersMax = OPEN_ORDERS_MAX
  const book = { exchange, prices, nextId, nowMs, openOrdersMax }
  const contracts = new ContractBook({
    ...book,
    announce: (order, note) => changes.announce({ kind: 'contract', order, note }),
    onFirstTrade: (order) => addExits(triggers, order),
  })
  const waiting = { contracts, prices, nextId, nowMs }
  const triggers = new TriggerBook({
    ...waiting,
    announce: (order, note) => changes.announce({ kind: 'trigger', order, note }),
  })
  return {
    exchange,
    markets: shared.markets,
    accounts: shared.accounts,
    prices,
    spot: new SpotBook({
      ...book,
      announce: (order, note) => changes.announce({ kind: 'spot', order, note }),
    }),
    contracts,
    triggers,
    plans: new PlanBook({
      ...waiting,
      announce: (order, note) => changes.announce({ kind: 'plan', order, note }),
    }),
    limits: new RateLimits(monotonicMs),
    changes,
    listenKeys: new ListenKeys(nowMs),
    bookVersion: new BookVersion(nowMs()),
    habits: shared.habits,
    nextId,
    nowMs,
    later: (delayMs, work) =>
      deferred.later(delayMs, () => {
        work()
        changes.settle()
      }),
  }
}

/**
 * Take profit and stop loss that came with an order hold for all of its position: one order for
 * both on a unified account, one for each elsewhere.
 */
function addExits(triggers: TriggerBook, order: ContractOrder): void {
  const { account, market, slot, exits, isReduceOnly } = order
  if (isReduceOnly) return
  const side = order.side === 'buy' ? 'long' : 'short'
  const given = EXIT_NAMES.filter((name) => exits[name] !== null)
  if (given.length === 0) return
  const groups = account.isUnified
    ? [exits]
    : given.map((name) => ({ ...noExits, [name]: exits[name] }))
  for (const [index, group] of groups.entries()) {
    const clientId = `exit-${order.id}-${index + 1}`
    triggers.add({ account, market, slot, side, size: null, exits: group, clientId })
  }
}

/** Work that the exchange does after its response. */
class Deferred {
  readonly #waiting = new Map<NodeJS.Timeout, () => void>()

  later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      work()
    }, delayMs)
    this.#waiting.set(timer, work)
  }

  /** Runs the waiting work now, in the order in which it came. */
  flush(): void {
    const waiting = [...this.#waiting]
    this.clear()
    for (const [, work] of waiting) work()
  }

  /** Drops the waiting work. */
  clear(): void {
    for (const timer of this.#waiting.keys()) clearTimeout(timer)
    this.#waiting.clear()
  }
}

/** Numbers that only grow, as decimal digits; above 2^53, as both exchanges make them. */
function createIds(first: bigint): () => string {
  let next = first
  return () => {
    const id = next
    // The step is no round number, so that no one comes to rely on ids that follow each other.
    next += 137n
    return id.toString()
  }
}
