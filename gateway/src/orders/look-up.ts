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
import type { Relay } from '../upstream/relay.ts'
import type { Errand } from '../upstream/request-context.ts'

/** An order that is nowhere after this time was not placed. */
const VISIBLE_AFTER_MS = 60_000

export interface AskerDeps {
  readonly journal: Pick<JournalStore, 'countLookup' | 'isToldOfAnother'>
  readonly relays: Readonly<Record<ExchangeCode, Pick<Relay, 'lookUp' | 'syncClock' | 'keysIdOf'>>>
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'nowMs'>>>
}

/**
 * What became of each order of a request; `unclear` while that is not proven for one of them, and
 * `never` when one cannot be looked up at all.
 */
export type Finding = readonly OrderEnd[] | 'unclear' | 'never'

/** Asks one question of the exchange; one that was asked before has its answer already. */
type Ask = (call: UpstreamCall) => Promise<Verdict>

interface Round {
  readonly ask: Ask
  /** How many places are asked for each order. */
  readonly placesMax: number
}

/** Asks the exchange what became of the orders of a request. */
export function createAsker({ journal, relays, clocks }: AskerDeps) {
  const hasItsKeys = async (row: JournalRow) =>
    row.keysRef === null || (await relays[row.exchange].keysIdOf(errandOf(row))) === row.keysRef

  /** An order that is not there, or a cancel that did nothing, may still be on its way through the exchange. */
  const isOldEnough = (row: JournalRow) =>
    clocks[row.exchange].nowMs() - sentAtMsOf(row) >= VISIBLE_AFTER_MS

  function askingOnce(row: JournalRow): Ask {
    const verdicts = new Map<string, Verdict>()
    return async (call) => {
      const name = JSON.stringify(call)
      const verdict = verdicts.get(name) ?? (await relays[row.exchange].lookUp(errandOf(row), call))
      verdicts.set(name, verdict)
      return verdict
    }
  }

  /** Asks at the places in turn until one knows the order; only all of them prove that it is nowhere. */
  async function endOf(
    row: JournalRow,
    { order, lookups }: OrderLookups,
    { ask, placesMax }: Round,
  ): Promise<OrderEnd | 'unclear'> {
    let isClear = lookups.length <= placesMax
    for (const { call, read } of lookups.slice(0, placesMax)) {
      const result = read(await ask(call))
      if (typeof result === 'object') {
        // Two like orders under one client order id: the one that stands is the first one's.
        return (await isAnothers(row, order, result)) ? 'unclear' : result
      }
      isClear &&= result === 'absent'
    }
    return isClear ? 'absent' : 'unclear'
  }

  const isAnothers = async (row: JournalRow, order: OrderKey, found: FoundOrder) =>
    order.action === 'place' &&
    order.clientOrderId !== undefined &&
    (await journal.isToldOfAnother(row, order.clientOrderId, found.orderId))

  /** Order by order; the first that is not clear ends the round, because all have to be. */
  async function askAround(
    row: JournalRow,
    all: readonly OrderLookups[],
    placesMax: number,
  ): Promise<Finding> {
    await journal.countLookup(row.id)
    const isOld = isOldEnough(row)
    const round = { ask: askingOnce(row), placesMax }
    const ends: OrderEnd[] = []
    for (const each of all) {
      const end = await endOf(row, each, round)
      if (end === 'unclear') return 'unclear'
      if (!isOld && outcomeOf(each.order, end) === 'not-done') return 'unclear'
      ends.push(end)
    }
    return isOneTwice(all, ends) ? 'unclear' : ends
  }

  return {
    /**
     * One round. Keys that were replaced may be of another account, where nothing can be proven: before, or in
     * the middle.
     * @param placesMax how many places are asked for each order, the surest first
     */
    async ask(
      row: JournalRow,
      trace: OrderKey,
      placesMax = Number.POSITIVE_INFINITY,
    ): Promise<Finding> {
      // Histories are searched by the exchange's time, which a gateway that has just started must learn first.
      await relays[row.exchange].syncClock()
      const all = lookupsOfAll(trace, sentAtMsOf(row), clocks[row.exchange].nowMs())
      if (all.some(({ lookups }) => lookups.length === 0)) return 'never'
      if (!(await hasItsKeys(row))) return 'unclear'
      const finding = await askAround(row, all, placesMax)
      return (await hasItsKeys(row)) ? finding : 'unclear'
    },
  }
}

/** Two orders with one client order id in one call: nobody knows which of them the one that was found is. */
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

/** In the name of the client, whether it is switched on or not: the order is out there. */
function errandOf(row: JournalRow): Errand {
  return {
    requestId: row.id,
    method: row.method,
    endpoint: row.endpoint,
    clientRef: row.clientRef,
    clientId: row.clientId,
    byAdmin: true,
    trip: { queueMs: null, upstreamMs: null, shared: false },
  }
}
