import type { ExchangeCode } from 'schema'
import type { AccountEvent } from '../exchanges/feed.ts'
import { type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'
import { type Claim, isMeant, OrderClaims } from '../orders/order-claims.ts'
import { namedIn, wasMadeBy } from '../orders/order-update.ts'
import { closingIn, keyOf } from '../orders/reconcile.ts'
import type { Sent, WorkingOrders } from '../orders/working-orders.ts'
import type { JournalStore } from '../store/journal-store.ts'
import type { Time } from '../time.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { OrderOwner } from './stream-event.ts'

/** So many orders are remembered with whose they are. */
const REMEMBERED_MAX = 20_000
/** For a response that takes longer nothing waits: all that comes from the account would. */
const RESPONSE_MS = 2_000
const NEVER = new AbortController().signal

export interface OrderJoinDeps {
  readonly workingOrders: Pick<WorkingOrders, 'list' | 'sentTo' | 'oneEnded'>
  readonly journal: Pick<JournalStore, 'findNaming' | 'find' | 'keysSince'>
  readonly keys: Pick<ClientKeys, 'accountRefOf'>
  readonly time: Pick<Time, 'monotonic'>
}

type OfOrder = Extract<AccountEvent, { readonly type: 'order' | 'fill' }>

interface Remembered {
  readonly owner: OrderOwner
  /** By the exchange's id; otherwise by the client order id, before the response came. */
  readonly isCertain: boolean
}

/**
 * Whose order an event is about: by the working orders and the journal, which has an order before
 * it is sent. By the exchange's id, and while nobody knows that, by the client order id with what
 * the order was to do; never by symbol or price. Orders that were placed by hand are nobody's.
 */
export class OrderJoin {
  readonly #deps: OrderJoinDeps
  readonly #claims: OrderClaims
  /** Oldest first. */
  readonly #remembered = new Map<string, Remembered>()
  /** Requests whose responses were waited for in vain. */
  readonly #slow = new WeakSet<Sent>()

  constructor(deps: OrderJoinDeps) {
    this.#deps = deps
    this.#claims = new OrderClaims(deps)
  }

  /**
   * @param clients those whose keys are of the account
   * @returns undefined when none of them has placed or changed the order
   */
  async ownerOf(
    exchange: ExchangeCode,
    clients: readonly number[],
    event: AccountEvent,
  ): Promise<OrderOwner | undefined> {
    if ((event.type !== 'order' && event.type !== 'fill') || clients.length === 0) return undefined
    // Trigger orders have no client order id, and may be pushed before the response has their id:
    // shown as nobody's, they would be shown to the other clients of the account.
    const sent = this.#sentFor(exchange, clients, event)
    const untilMs = this.#deps.time.monotonic() + RESPONSE_MS
    let owner = await this.#find(exchange, clients, event)
    for (const each of sent) {
      if (owner !== undefined) break
      await this.#end(each, untilMs)
      owner = await this.#find(exchange, clients, event)
    }
    return owner
  }

  /** Requests without an outcome that may have placed the order of an event. */
  #sentFor(exchange: ExchangeCode, clients: readonly number[], event: OfOrder): Sent[] {
    return this.#deps.workingOrders
      .sentTo(exchange)
      .filter(
        (sent) =>
          clients.includes(sent.clientRef) &&
          !this.#slow.has(sent) &&
          sent.key !== undefined &&
          ordersOf(sent.key).some((order) => mayBeOf(order, event)),
      )
  }

  /** Waits until a request has its outcome. */
  async #end(sent: Sent, untilMs: number): Promise<void> {
    const { workingOrders, time } = this.#deps
    const isOpen = () => workingOrders.sentTo(sent.exchange).includes(sent)
    while (isOpen() && time.monotonic() < untilMs)
      await workingOrders.oneEnded(sent, untilMs - time.monotonic(), NEVER)
    if (isOpen()) this.#slow.add(sent)
  }

  async #find(
    exchange: ExchangeCode,
    clients: readonly number[],
    event: OfOrder,
  ): Promise<OrderOwner | undefined> {
    const name = nameOf(exchange, event)
    const known = this.#known(name, clients)
    if (known?.isCertain === true) return known.owner
    const claims = await this.#claimsTo(exchange, clients, event)
    const byId = strongestOf(claims.filter((claim) => isById(claim, event)))
    if (byId.length > 0) return this.#remember(name, byId, true)
    // Of the client order id nothing certain is known: it may be used again.
    const pending = claims.filter((claim) => isByClientId(claim, event))
    const own = await this.#ofAccount(exchange, pending)
    return own.length > 0 ? this.#remember(name, own, false) : known?.owner
  }

  /** How the order of a fill is asked for, if one of these clients has placed or changed it. */
  async keyOf(
    exchange: ExchangeCode,
    clients: readonly number[],
    fill: OfOrder,
  ): Promise<OrderKey | undefined> {
    const claims = await this.#claimsTo(exchange, clients, fill)
    const byId = claims.filter((claim) => claim.key !== undefined && isById(claim, fill))
    return strongestOf(byId)[0]?.key
  }

  /** Orders of these clients since a time, one for each symbol at least. */
  async keysSince(
    exchange: ExchangeCode,
    clients: readonly number[],
    sinceMs: number,
  ): Promise<OrderKey[]> {
    const rows = await this.#deps.journal.keysSince(exchange, clients, sinceMs)
    return rows.flatMap((row) => {
      const key = keyOf(row) ?? closingIn(row)
      return key === undefined ? [] : ordersOf(key)
    })
  }

  #known(name: string, clients: readonly number[]): Remembered | undefined {
    const known = this.#remembered.get(name)
    return known !== undefined && clients.includes(known.owner.clientRef) ? known : undefined
  }

  async #claimsTo(
    exchange: ExchangeCode,
    clients: readonly number[],
    { data: { orderId, clientOrderId } }: OfOrder,
  ): Promise<Claim[]> {
    const working = this.#claims.inMemory(new Set([orderId]), exchange, clients)
    if (working.length > 0) return working
    const ids = clientOrderId === null ? [orderId] : [orderId, clientOrderId]
    return this.#claims.to(ids, exchange, clients)
  }

  /** Those that were sent to the account of the keys that their client has now. */
  async #ofAccount(exchange: ExchangeCode, claims: readonly Claim[]): Promise<Claim[]> {
    const own: Claim[] = []
    for (const claim of claims) {
      const { clientRef, keysRef } = claim
      if (keysRef === null || keysRef === (await this.#accountOf(clientRef, exchange)))
        own.push(claim)
    }
    return own
  }

  /** Undefined: the client has no keys any more. */
  async #accountOf(clientRef: number, exchange: ExchangeCode): Promise<number | undefined> {
    try {
      return await this.#deps.keys.accountRefOf(clientRef, exchange)
    } catch (error) {
      // An order whose client cannot be found out must not count as placed by hand.
      if (!(error instanceof ExchangeKeysMissingError)) throw error
      return undefined
    }
  }

  /** @returns undefined when several clients claim the order: nobody knows whose it is */
  async #remember(
    name: string,
    claims: readonly Claim[],
    isCertain: boolean,
  ): Promise<OrderOwner | undefined> {
    const [claim, ...others] = claims
    if (claim === undefined || others.some(({ clientRef }) => clientRef !== claim.clientRef))
      return undefined
    const { clientRef, requestId, key } = claim
    const row = requestId === null ? undefined : await this.#deps.journal.find(requestId)
    const owner = {
      ...{ clientRef, requestId, idempotencyKey: row?.idempotencyKey ?? null },
      clientOrderId: key?.clientOrderId ?? row?.clientOrderId ?? null,
    }
    this.#remembered.delete(name)
    this.#remembered.set(name, { owner, isCertain })
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > REMEMBERED_MAX && oldest !== undefined)
      this.#remembered.delete(oldest)
    return owner
  }
}

/** Ids are unique within a market, and within a kind of trigger order. */
function nameOf(exchange: ExchangeCode, event: OfOrder): string {
  const plan = event.type === 'order' ? (event.key.plan ?? '') : ''
  return `${exchange} ${event.market} ${plan} ${event.data.orderId}`
}

function isById(claim: Claim, event: OfOrder): boolean {
  const { orderId } = event.data
  if (!claim.isOrderId || claim.id !== orderId) return false
  if (event.type === 'order') return isMeant(claim, { ...namedIn(event), clientOrderId: undefined })
  return claim.key === undefined || isOfFill(claim.key, event)
}

/** An order whose id of the exchange is known was claimed by that. */
function isByClientId(claim: Claim, event: OfOrder): boolean {
  const { key, isOrderId, isPending, id } = claim
  if (isOrderId || !isPending || key === undefined || id !== event.data.clientOrderId) return false
  return event.type === 'order' ? wasMadeBy(key, event) : isOfFill(key, event)
}

/** Whether a call may have placed the order of an event that does not identify it. */
function mayBeOf(order: OrderKey, event: OfOrder): boolean {
  const { action, clientOrderId, family, isInPlace, market, plan, symbol } = order
  if (action === 'cancel' || isInPlace === true) return false
  if (clientOrderId !== undefined && event.data.clientOrderId !== null) return false
  if (event.type === 'fill') return isOfFill(order, event)
  const { key } = event
  const isKind = family === key.family && market === event.market && plan === key.plan
  return isKind && (symbol === undefined || upperAscii(symbol) === upperAscii(key.symbol))
}

/** A fill names neither product type nor kind of order. */
function isOfFill(key: OrderKey, { market, data }: Extract<OfOrder, { type: 'fill' }>): boolean {
  if (key.plan !== undefined) return false
  // A change on Bitget's unified account may leave out the category, which says the market.
  const isMarket = key.isUnified === true || key.market === market
  const [own, other] = [upperAscii(key.symbol), upperAscii(data.symbol)]
  return isMarket && (own === undefined || own === other)
}

/** An order is its maker's: one who only changed it in place has not made it. */
function strongestOf(claims: readonly Claim[]): Claim[] {
  const rankOf = ({ isWorking, key }: Claim) => {
    if (isWorking) return 0
    if (key?.action === 'place') return 1
    return key?.isInPlace === true ? 3 : 2
  }
  const best = Math.min(...claims.map(rankOf))
  return claims.filter((claim) => rankOf(claim) === best)
}
