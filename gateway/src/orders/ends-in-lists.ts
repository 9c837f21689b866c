import { setImmediate as nextTurn } from 'node:timers/promises'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Lookup } from '../exchanges/order-lookup/order-key.ts'
import { answerTo } from '../exchanges/order-lookup/paged-lookup.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'

/** What a look-up says of an order. */
export type LookupResult = ReturnType<Lookup['read']>
type Ask = (call: UpstreamCall) => Promise<Verdict>

/** An order, and the questions for it. */
export interface WantedOrder {
  readonly orderId: string | null
  readonly clientOrderId: string | null
  readonly lookups: readonly Lookup[]
}

/** After so many orders, those of other clients have their turn. */
const AT_ONCE = 50

/**
 * What became of orders. Each one is searched for at one place after another; only all of them
 * together prove that it is nowhere. A list in which several are searched for is read once.
 * @param ask the same question is asked once
 */
export async function endsOf<Order extends WantedOrder>(
  orders: readonly Order[],
  ask: Ask,
): Promise<ReadonlyMap<Order, LookupResult>> {
  const ends = new Map<Order, LookupResult>(
    orders.map((order) => [order, order.lookups.length > 0 ? 'absent' : 'unclear']),
  )
  for (let at = 0; ; at += 1) {
    const left = orders.filter((order) => at < order.lookups.length && !isFound(ends.get(order)))
    if (left.length === 0) return ends
    for (const same of Map.groupBy(left, callNameAt(at)).values()) {
      const list = new SearchedList(same, ask)
      for (const [count, order] of same.entries()) {
        if (count > 0 && count % AT_ONCE === 0) await nextTurn()
        const lookup = order.lookups[at]
        const answer = lookup === undefined ? 'unclear' : await list.answerTo(order, lookup)
        if (answer !== 'absent') ends.set(order, answer)
      }
    }
  }
}

/** A list, with its pages, in which orders are searched for. */
class SearchedList {
  readonly #ask: Ask
  /** The ids that are searched for. */
  readonly #wanted: ReadonlySet<string>
  /** The first page that has an id. */
  readonly #pages = new Map<string, Verdict>()
  readonly #read = new Set<Verdict>()
  /** What the list says of an order that is on no page of it. */
  #ofOthers: LookupResult | undefined

  constructor(orders: readonly WantedOrder[], ask: Ask) {
    this.#wanted = new Set(orders.flatMap(idsOf))
    this.#ask = async (call) => {
      const verdict = await ask(call)
      this.#keep(verdict)
      return verdict
    }
  }

  async answerTo(order: WantedOrder, lookup: Lookup): Promise<LookupResult> {
    const page = this.#pageOf(order)
    if (page === undefined && this.#ofOthers !== undefined) return this.#ofOthers
    const found = page === undefined ? undefined : lookup.read(page)
    if (isFound(found)) return found
    const answer = await answerTo(lookup, this.#ask)
    if (this.#pageOf(order) === undefined) this.#ofOthers = answer
    return answer
  }

  #pageOf(order: WantedOrder): Verdict | undefined {
    for (const id of idsOf(order)) {
      const page = this.#pages.get(id)
      if (page !== undefined) return page
    }
    return undefined
  }

  #keep(verdict: Verdict): void {
    if (this.#read.has(verdict)) return
    this.#read.add(verdict)
    if (verdict.kind !== 'ok') return
    for (const text of textsIn(verdict.data))
      if (this.#wanted.has(text) && !this.#pages.has(text)) this.#pages.set(text, verdict)
  }
}

function idsOf({ orderId, clientOrderId }: WantedOrder): string[] {
  return [orderId, clientOrderId].filter((id) => id !== null)
}

function isFound(answer: LookupResult | undefined): answer is Exclude<LookupResult, string> {
  return typeof answer === 'object'
}

function callNameAt(at: number): (order: WantedOrder) => string {
  return ({ lookups }) => JSON.stringify(lookups[at]?.call)
}

/** All texts and numbers in a response. */
function* textsIn(data: unknown): Generator<string> {
  if (typeof data === 'string') yield data
  else if (typeof data === 'number' || typeof data === 'bigint') yield `${data}`
  else if (typeof data === 'object' && data !== null)
    for (const value of Object.values(data)) yield* textsIn(value)
}
