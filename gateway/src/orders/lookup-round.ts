import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountKind, ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Lookup } from '../exchanges/order-lookup/order-key.ts'
import { answerTo } from '../exchanges/order-lookup/paged-lookup.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import type { JobClass } from '../lane/job.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import { createTimings, type RequestContext } from '../upstream/request-context.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** Questions to an exchange about several orders of one client: the same one is asked once. */
export interface Round {
  readonly kind: AccountKind | null
  readonly exchangeNowMs: number
  /** The exchange gave no clear response to a call of the round. */
  readonly isOut: () => boolean
  /** The exchange gave what every call of the round asked for. */
  readonly isComplete: () => boolean
  /** Sends a call, or returns the verdict of the same call from earlier in the round. */
  readonly ask: (call: UpstreamCall) => Promise<Verdict>
}

export interface RoundDeps {
  readonly upstreams: Readonly<
    Record<ExchangeCode, Pick<Upstream, 'send' | 'accountRefOf' | 'accountKindOf'>>
  >
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'nowMs'>>>
}

/** @param jobClass the place of its calls in the queue */
export async function startRound(
  { upstreams, clocks }: RoundDeps,
  context: RequestContext,
  exchange: ExchangeCode,
  jobClass: JobClass,
): Promise<Round> {
  const upstream = upstreams[exchange]
  const verdicts = new Map<string, Verdict>()
  return {
    isOut: () => [...verdicts.values()].some(isUnanswered),
    isComplete: () => [...verdicts.values()].every(({ kind }) => kind === 'ok'),
    kind: await upstream.accountKindOf(context),
    exchangeNowMs: clocks[exchange].nowMs(),
    async ask(call) {
      const name = JSON.stringify(call)
      const verdict =
        verdicts.get(name) ?? (await upstream.send(context, call, { jobClass })).verdict
      verdicts.set(name, verdict)
      return verdict
    },
  }
}

/** The exchange gave no clear response. */
export function isUnanswered({ kind }: Verdict): boolean {
  return kind === 'unknown' || kind === 'rate-limited'
}

/** For what the gateway asks by itself for a client; undefined when the client was deleted. */
export async function contextOf(
  clients: Pick<ClientStore, 'find'>,
  clientRef: number,
  endpoint: string,
): Promise<RequestContext | undefined> {
  const client = await clients.find(clientRef)
  if (client === undefined) return undefined
  return {
    ...{ requestId: randomUUID(), method: 'GET', endpoint },
    ...{ clientRef, clientId: client.clientId, byAdmin: true },
    timings: createTimings(),
  }
}

/** What a look-up says of an order. */
export type LookupResult = ReturnType<Lookup['read']>
type Ask = (call: UpstreamCall) => Promise<Verdict>

/** An order, and the questions for it. */
interface WantedOrder {
  readonly orderId: string | null
  readonly clientOrderId: string | null
  readonly lookups: readonly Lookup[]
}

/** After this many orders, other clients have their turn. */
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
        const result = lookup === undefined ? 'unclear' : await list.resultOf(order, lookup)
        if (result !== 'absent') ends.set(order, result)
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

  async resultOf(order: WantedOrder, lookup: Lookup): Promise<LookupResult> {
    const page = this.#pageOf(order)
    if (page === undefined && this.#ofOthers !== undefined) return this.#ofOthers
    const found = page === undefined ? undefined : lookup.read(page)
    if (isFound(found)) return found
    const result = await answerTo(lookup, this.#ask)
    if (this.#pageOf(order) === undefined) this.#ofOthers = result
    return result
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

function isFound(result: LookupResult | undefined): result is Exclude<LookupResult, string> {
  return typeof result === 'object'
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

/** The most sets of lists that are kept; beyond it the oldest is forgotten. */
const SETS_MAX = 200

/** Sends a call, or returns the verdict of an earlier one. */
export type AskOnce = (call: UpstreamCall) => Promise<Verdict>

/**
 * Lists of orders that are read once, because they are about a time that has passed. The lists of a
 * set are kept and forgotten together: an order that went from the first one to the second must not
 * be missed because only the first one is read again.
 */
export class ReadLists {
  readonly #sets = new Map<string, Map<string, Promise<Verdict>>>()

  /**
   * @param whose the client whose orders they are
   * @param lookups the first call of each list of the set, in the order in which they are read
   */
  of(whose: string, lookups: readonly Lookup[], ask: AskOnce): AskOnce {
    const name = `${whose} ${JSON.stringify(lookups.map(({ call }) => call))}`
    const verdicts = this.#setOf(name)
    return (call) => {
      const text = JSON.stringify(call)
      const known = verdicts.get(text)
      if (known !== undefined) return known
      const asked = ask(call)
      // Callers that come before the response wait for the same one.
      verdicts.set(text, asked)
      const forget = () => void verdicts.delete(text)
      asked.then(({ kind }) => (kind === 'ok' ? undefined : forget()), forget)
      return asked
    }
  }

  #setOf(name: string): Map<string, Promise<Verdict>> {
    const known = this.#sets.get(name)
    if (known !== undefined) return known
    const [oldest] = this.#sets.keys()
    if (oldest !== undefined && this.#sets.size >= SETS_MAX) this.#sets.delete(oldest)
    const verdicts = new Map<string, Promise<Verdict>>()
    this.#sets.set(name, verdicts)
    return verdicts
  }
}
