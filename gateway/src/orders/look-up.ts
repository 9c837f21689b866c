import type { ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import {
  type FoundOrder,
  isOwnId,
  type OrderEnd,
  type OrderKey,
  ordersOf,
  outcomeOf,
} from '../exchanges/order-lookup/order-key.ts'
import { answerTo } from '../exchanges/order-lookup/paged-lookup.ts'
import { findable, lookupsOfAll, type OrderLookups } from '../exchanges/order-lookups.ts'
import { complaintOf, type Verdict } from '../exchanges/protocol/verdict.ts'
import { type JournalRow, type JournalStore, mayBeUnsent } from '../store/journal-store.ts'
import type { OrderLife } from '../store/life-event.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import { createTimings, type RequestContext } from '../upstream/request-context.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { LostOrders } from './lost-orders.ts'
import { clientOrderIdOf } from './retries.ts'

/** An order that was placed this long ago is found at the exchange, if it was placed at all. */
export const VISIBLE_AFTER_MS = 60_000
/** With other keys than those that it was sent with, an order is looked for until this age. */
const WITH_OTHER_KEYS_MS = 24 * 3_600_000

export interface OrderLookupDeps {
  readonly journal: Pick<JournalStore, 'countLookup' | 'belongsToEarlierRequest'>
  readonly lostOrders: Pick<LostOrders, 'areVisible'>
  readonly upstreams: Readonly<
    Record<
      ExchangeCode,
      Pick<Upstream, 'lookUp' | 'accountRefOf' | 'accountKindOf'> & {
        readonly time: Pick<Upstream['time'], 'sync'>
      }
    >
  >
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'nowMs'>>>
}

/**
 * The outcome of each order of a request. `unclear`: it is not proven for at least one of them;
 * `never`: one of them cannot be looked up; `other-keys`: not with the present keys.
 */
type Finding = readonly OrderEnd[] | 'unclear' | 'never' | 'other-keys'

/** A request's orders as the exchange reports them. */
export interface FoundOrders {
  readonly key: OrderKey
  readonly ends: readonly OrderEnd[]
  /** The exchange's time, whole Unix ms. */
  readonly exchangeNowMs: number
}

/**
 * Sends a call to the exchange, or returns the verdict of the same call from earlier in the round.
 */
type Ask = (call: UpstreamCall) => Promise<Verdict>

export interface LookUpOptions {
  readonly life: Pick<OrderLife, 'note' | 'write'>
  /** How many places are searched for each order, the most reliable first; absent: all. */
  readonly placesMax?: number | undefined
  /** What the account's feed pushed about the orders of the call, by their places in it. */
  readonly pushed?: ReadonlyMap<number, FoundOrder> | undefined
  /** No caller waits for the result now: queued calls are dropped. */
  readonly signal?: AbortSignal | undefined
}

interface Round extends Required<Pick<LookUpOptions, 'life'>> {
  readonly ask: Ask
  /** How many places are searched for each order. */
  readonly placesMax: number
}

/** Looks up the outcome of a request's orders at the exchange. */
export class OrderLookup {
  readonly #deps: OrderLookupDeps

  constructor(deps: OrderLookupDeps) {
    this.#deps = deps
  }

  /**
   * One round of look-ups. If the client's keys were replaced, the present ones may belong to
   * another account. Then only an order that is found by an id of the gateway proves anything: one
   * that is not found may be open in the account of the old keys.
   */
  async ask(row: JournalRow, key: OrderKey, options: LookUpOptions): Promise<Finding> {
    const pushed = await this.#pushedEnds(row, key, options)
    if (pushed !== undefined) return pushed
    // Histories are searched by the exchange's time, which the gateway must measure first after a
    // start.
    const upstream = this.#deps.upstreams[row.exchange]
    await upstream.time.sync()
    const accountRef = await upstream.accountRefOf(row)
    const kind = await upstream.accountKindOf(row)
    const nowMs = this.#deps.clocks[row.exchange].nowMs()
    const all = lookupsOfAll(key, sentAtMsOf(row), nowMs, kind)
    if (all.some(({ lookups }) => lookups.length === 0)) return 'never'
    const hasItsKeys = row.keysRef === null || row.keysRef === accountRef
    const ageMs = nowMs - sentAtMsOf(row)
    if (!hasItsKeys && !isFindableWithOtherKeys(row, key, ageMs)) return 'other-keys'
    const finding = await this.#askForAll(row, all, options)
    // The keys are opened for each call: one round must not ask two accounts.
    const isOneAccount = (await upstream.accountRefOf(row)) === accountRef
    if (hasItsKeys && isOneAccount) return finding
    options.life.note({ type: 'lookup', why: KEYS_REPLACED })
    const isProven = isOneAccount && typeof finding === 'object' && !finding.includes('absent')
    return isProven ? finding : 'unclear'
  }

  /**
   * The states that the account's feed pushed, which make a look-up unnecessary.
   * @returns undefined unless it pushed all orders of the call
   */
  async #pushedEnds(
    row: JournalRow,
    key: OrderKey,
    { pushed, life }: LookUpOptions,
  ): Promise<readonly OrderEnd[] | 'unclear' | undefined> {
    if (pushed === undefined) return undefined
    const ends: FoundOrder[] = []
    for (const [at, order] of ordersOf(key).entries()) {
      const found = pushed.get(at)
      if (found === undefined || (await this.#isOfAnotherRequest(row, order, found)))
        return undefined
      // It is on its way: the exchange may still do it.
      if (outcomeOf(order, found) === 'not-done' && !this.#isOldEnough(row)) return 'unclear'
      ends.push(found)
    }
    const orders = ordersOf(key)
    if (isOneTwice(orders, ends)) return undefined
    // The life of an order that was placed has it already.
    for (const [at, { state }] of ends.entries())
      if (orders[at]?.action !== 'place') life.note({ type: 'pushed', state })
    return ends
  }

  /**
   * Looks up one order after another. The first unclear one ends the round, because all must be
   * clear.
   */
  async #askForAll(
    row: JournalRow,
    all: readonly OrderLookups[],
    { life, placesMax = Number.POSITIVE_INFINITY, signal }: LookUpOptions,
  ): Promise<Finding> {
    await life.write((events) => this.#deps.journal.countLookup(row.id, events))
    const isOld = this.#isOldEnough(row)
    const round = { ask: this.#askingOnce(row, signal), placesMax, life }
    const ends: OrderEnd[] = []
    for (const each of all) {
      const end = await this.#endOf(row, each, round)
      if (end === 'unclear') return 'unclear'
      if (!isOld && outcomeOf(each.order, end) === 'not-done') return 'unclear'
      ends.push(end)
    }
    const orders = all.map(({ order }) => order)
    return isOneTwice(orders, ends) ? 'unclear' : ends
  }

  /**
   * Searches the places in turn until one has the order. Only all of them together prove that it is
   * nowhere.
   */
  async #endOf(
    row: JournalRow,
    { order, lookups }: OrderLookups,
    { ask, placesMax, life }: Round,
  ): Promise<OrderEnd | 'unclear'> {
    let isClear = lookups.length <= placesMax
    for (const lookup of lookups.slice(0, placesMax)) {
      let last: Verdict | undefined
      const result = await answerTo(lookup, async (call) => {
        last = await ask(call)
        return last
      })
      const where = `${lookup.call.method} ${lookup.call.path}`
      if (typeof result === 'object') {
        // When two equal orders share a client order id, the order that was found belongs to the
        // first.
        const isOther = await this.#isOfAnotherRequest(row, order, result)
        life.note(
          isOther
            ? { type: 'lookup', where, found: 'unclear', why: OF_ANOTHER_REQUEST }
            : { type: 'lookup', where, found: 'found', state: result.state },
        )
        return isOther ? 'unclear' : result
      }
      const why = result === 'unclear' ? complaintOf(last) : undefined
      life.note({ type: 'lookup', where, found: result, ...(why === undefined ? {} : { why }) })
      isClear &&= result === 'absent'
    }
    return isClear ? 'absent' : 'unclear'
  }

  #askingOnce(row: JournalRow, signal: AbortSignal | undefined): Ask {
    const verdicts = new Map<string, Verdict>()
    const upstream = this.#deps.upstreams[row.exchange]
    const context = { ...contextOf(row), ...(signal === undefined ? {} : { signal }) }
    return async (call) => {
      const name = JSON.stringify(call)
      const verdict = verdicts.get(name) ?? (await upstream.lookUp(context, call))
      verdicts.set(name, verdict)
      return verdict
    }
  }

  async #isOfAnotherRequest(row: JournalRow, key: OrderKey, found: FoundOrder): Promise<boolean> {
    return (
      key.action === 'place' &&
      key.clientOrderId !== undefined &&
      (await this.#deps.journal.belongsToEarlierRequest(row, key.clientOrderId, found.orderId))
    )
  }

  /**
   * An order that is not found, or a cancel that had no effect, may still be on its way inside the
   * exchange. One that waited when a backup was made may have been sent until the restore.
   */
  #isOldEnough(row: JournalRow): boolean {
    const { clocks, lostOrders } = this.#deps
    const ageMs = clocks[row.exchange].nowMs() - sentAtMsOf(row)
    return ageMs >= VISIBLE_AFTER_MS && (!mayBeUnsent(row) || lostOrders.areVisible)
  }
}

/**
 * Whether the gateway looks an order of unknown outcome up, with the keys that the client has now.
 * @param accountRef of these keys; undefined when it has none
 */
export function isLookedUp(
  row: JournalRow,
  key: OrderKey | undefined,
  accountRef: number | undefined,
  nowMs: number,
): boolean {
  if (key === undefined || findable(key) === undefined || accountRef === undefined) return false
  const hasItsKeys = row.keysRef === null || row.keysRef === accountRef
  return hasItsKeys || isFindableWithOtherKeys(row, key, nowMs - sentAtMsOf(row))
}

function isFindableWithOtherKeys(row: JournalRow, key: OrderKey, ageMs: number): boolean {
  const ownId = clientOrderIdOf(row)
  return (
    ageMs < WITH_OTHER_KEYS_MS &&
    ordersOf(key).every(
      ({ action, clientOrderId }) => action === 'place' && isOwnId(clientOrderId, ownId),
    )
  )
}

const OF_ANOTHER_REQUEST = 'The order with this client order id belongs to an earlier request'
const KEYS_REPLACED = 'The keys that it was sent with are no longer stored'

/** Two orders of one call share a client order id: which one was found cannot be known. */
function isOneTwice(orders: readonly OrderKey[], ends: readonly OrderEnd[]): boolean {
  const placed = ends.flatMap((end, at) =>
    end === 'absent' || orders[at]?.action !== 'place' ? [] : [end.orderId],
  )
  return new Set(placed).size < placed.length
}

/** By the exchange's clock, which changes of this machine's clock do not affect. */
function sentAtMsOf({ sentAtMs, createdAtMs }: JournalRow): number {
  return sentAtMs ?? createdAtMs
}

/** The look-up is made even for an inactive client: the order is at the exchange. */
function contextOf(row: JournalRow): RequestContext {
  return {
    requestId: row.id,
    method: row.method,
    endpoint: row.endpoint,
    clientRef: row.clientRef,
    clientId: row.clientId,
    byAdmin: true,
    endsOrders: true,
    timings: createTimings(),
  }
}
