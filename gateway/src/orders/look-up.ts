import type { ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { lookupsOfAll, type OrderLookups } from '../exchanges/order-lookup/lookups.ts'
import {
  type FoundOrder,
  type OrderEnd,
  type OrderKey,
  outcomeOf,
} from '../exchanges/order-lookup/order-key.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { createTimings } from '../upstream/timings.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** An order that is nowhere after this time was not placed. */
const VISIBLE_AFTER_MS = 60_000

export interface OrderLookupDeps {
  readonly journal: Pick<JournalStore, 'countLookup' | 'belongsToEarlierRequest'>
  readonly upstreams: Readonly<
    Record<
      ExchangeCode,
      Pick<Upstream, 'lookUp' | 'keysIdOf'> & { readonly time: Pick<Upstream['time'], 'sync'> }
    >
  >
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'nowMs'>>>
}

/**
 * The outcome of each order of a request; `unclear` while it is not proven for one of them, and `never` when one
 * cannot be looked up at all.
 */
export type Finding = readonly OrderEnd[] | 'unclear' | 'never'

/** Asks one question of the exchange; one that was asked before has its verdict already. */
type Ask = (call: UpstreamCall) => Promise<Verdict>

interface Round {
  readonly ask: Ask
  /** How many places are asked for each order. */
  readonly placesMax: number
}

/** Asks an exchange for the outcome of the orders of a request. */
export class OrderLookup {
  readonly #deps: OrderLookupDeps

  constructor(deps: OrderLookupDeps) {
    this.#deps = deps
  }

  /**
   * One round. Keys that were replaced, before or during it, may be of another account, where nothing can be proven.
   * @param placesMax how many places are asked for each order, the surest first
   */
  async ask(
    row: JournalRow,
    key: OrderKey,
    placesMax = Number.POSITIVE_INFINITY,
  ): Promise<Finding> {
    // Histories are searched by the exchange's time, which a gateway that has just started must learn first.
    await this.#deps.upstreams[row.exchange].time.sync()
    const all = lookupsOfAll(key, sentAtMsOf(row), this.#deps.clocks[row.exchange].nowMs())
    if (all.some(({ lookups }) => lookups.length === 0)) return 'never'
    if (!(await this.#hasItsKeys(row))) return 'unclear'
    const finding = await this.#askForAll(row, all, placesMax)
    return (await this.#hasItsKeys(row)) ? finding : 'unclear'
  }

  /** Order by order; the first that is not clear ends the round, because all have to be. */
  async #askForAll(
    row: JournalRow,
    all: readonly OrderLookups[],
    placesMax: number,
  ): Promise<Finding> {
    await this.#deps.journal.countLookup(row.id)
    const isOld = this.#isOldEnough(row)
    const round = { ask: this.#askingOnce(row), placesMax }
    const ends: OrderEnd[] = []
    for (const each of all) {
      const end = await this.#endOf(row, each, round)
      if (end === 'unclear') return 'unclear'
      if (!isOld && outcomeOf(each.order, end) === 'not-done') return 'unclear'
      ends.push(end)
    }
    return isOneTwice(all, ends) ? 'unclear' : ends
  }

  /** Asks at the places in turn until one knows the order; only all of them prove that it is nowhere. */
  async #endOf(
    row: JournalRow,
    { order, lookups }: OrderLookups,
    { ask, placesMax }: Round,
  ): Promise<OrderEnd | 'unclear'> {
    let isClear = lookups.length <= placesMax
    for (const { call, read } of lookups.slice(0, placesMax)) {
      const result = read(await ask(call))
      if (typeof result === 'object') {
        // Two like orders under one client order id: the one that stands is the first one's.
        return (await this.#isOfAnotherRequest(row, order, result)) ? 'unclear' : result
      }
      isClear &&= result === 'absent'
    }
    return isClear ? 'absent' : 'unclear'
  }

  #askingOnce(row: JournalRow): Ask {
    const verdicts = new Map<string, Verdict>()
    const upstream = this.#deps.upstreams[row.exchange]
    return async (call) => {
      const name = JSON.stringify(call)
      const verdict = verdicts.get(name) ?? (await upstream.lookUp(contextOf(row), call))
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

  async #hasItsKeys(row: JournalRow): Promise<boolean> {
    if (row.keysRef === null) return true
    return (await this.#deps.upstreams[row.exchange].keysIdOf(row)) === row.keysRef
  }

  /** An order that is not there, or a cancel that did nothing, may still be on its way through the exchange. */
  #isOldEnough(row: JournalRow): boolean {
    return this.#deps.clocks[row.exchange].nowMs() - sentAtMsOf(row) >= VISIBLE_AFTER_MS
  }
}

/** Two orders with one client order id in one call: which of them the found one is cannot be known. */
function isOneTwice(all: readonly OrderLookups[], ends: readonly OrderEnd[]): boolean {
  const placed = ends.flatMap((end, at) =>
    end === 'absent' || all[at]?.order.action !== 'place' ? [] : [end.orderId],
  )
  return new Set(placed).size < placed.length
}

/** By the exchange's clock, which no step of this machine's moves. */
function sentAtMsOf({ sentAtMs, createdAtMs }: JournalRow): number {
  return sentAtMs ?? createdAtMs
}

/** On behalf of the client, whether it is active or not: the order is at the exchange. */
function contextOf(row: JournalRow): RequestContext {
  return {
    requestId: row.id,
    method: row.method,
    endpoint: row.endpoint,
    clientRef: row.clientRef,
    clientId: row.clientId,
    byAdmin: true,
    timings: createTimings(),
  }
}
