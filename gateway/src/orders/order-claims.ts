import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExchangeCode } from 'schema'
import { type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import {
  type JournalStore,
  NAMES_MAX,
  type NamingRow,
  NOT_CARRIED_OUT_STATUS,
} from '../store/journal-store.ts'
import { keyOf } from './reconcile.ts'
import { isSame, type WorkingOrder } from './working-order.ts'
import type { WorkingOrders } from './working-orders.ts'

/** Says that a client placed the order with an id, or created it by a change. */
export interface Claim {
  readonly clientRef: number
  readonly id: string
  /** The exchange's id; otherwise the client order id. */
  readonly isOrderId: boolean
  /** Undefined where the order cannot be looked up. */
  readonly key: OrderKey | undefined
  /** Whether it is among the working orders. */
  readonly isWorking: boolean
  /** The exchange's id of the order is not known. */
  readonly isPending: boolean
  /** The request that placed or changed it; null where an earlier version did not store it. */
  readonly requestId: string | null
  /** The account that it was sent to, as `accountRefOf` names it; null where that is not known. */
  readonly keysRef: number | null
}

interface OrderClaimsDeps {
  readonly workingOrders: Pick<WorkingOrders, 'list'>
  readonly journal: Pick<JournalStore, 'findNaming'>
}

/** Which clients placed orders with certain ids: by the working orders, and by the journal. */
export class OrderClaims {
  readonly #deps: OrderClaimsDeps

  constructor(deps: OrderClaimsDeps) {
    this.#deps = deps
  }

  /** The claims of these clients to these ids, among their working orders. */
  inMemory(
    ids: ReadonlySet<string>,
    exchange: ExchangeCode,
    clientRefs: readonly number[],
  ): Claim[] {
    const { workingOrders } = this.#deps
    return clientRefs.flatMap((client) =>
      workingOrders.list(client, exchange).flatMap((working) => claimsBy(working, ids)),
    )
  }

  /** The claims of these clients to these ids, among their working orders and in the journal. */
  async to(
    all: readonly string[],
    exchange: ExchangeCode,
    clientRefs: readonly number[],
  ): Promise<Claim[]> {
    const ids = new Set(all)
    const claims = this.inMemory(ids, exchange, clientRefs)
    const names = [...ids]
    for (let from = 0; from < names.length; from += NAMES_MAX) {
      if (from > 0) await nextTurn()
      const search = { names: names.slice(from, from + NAMES_MAX), exchange, clientRefs }
      claims.push(...(await this.#deps.journal.findNaming(search)).flatMap(claimsIn))
    }
    return claims
  }
}

export const claimsOf = (id: string, claims: readonly Claim[]) =>
  claims.filter((claim) => claim.id === id)

/** Whether a claim is about the order that a call or an exchange names. */
export function isMeant({ key, id, isOrderId }: Claim, named: OrderKey): boolean {
  if (key === undefined) return isOrderId && named.orderId === id
  const ids = isOrderId
    ? { orderId: id, clientOrderId: null }
    : { orderId: null, clientOrderId: id }
  // A claim with the other kind of id cannot be compared.
  if ((named.orderId ?? named.clientOrderId) !== id) return false
  return isSame({ key, ...ids }, named)
}

function claimsBy(working: WorkingOrder, ids: ReadonlySet<string>): Claim[] {
  const { clientRef, key, orderId, clientOrderId, keysRef, journalId: requestId } = working
  const isPending = orderId === null
  const claim = { clientRef, key, isWorking: true, isPending, requestId, keysRef }
  return [
    ...(orderId !== null && ids.has(orderId) ? [{ ...claim, id: orderId, isOrderId: true }] : []),
    ...(clientOrderId !== null && ids.has(clientOrderId)
      ? [{ ...claim, id: clientOrderId, isOrderId: false }]
      : []),
  ]
}

/** The claim of a request in the journal, to the id that it was found by. */
function claimsIn(row: NamingRow): Claim[] {
  const { clientRef, name: id, orderId, clientOrderId, id: requestId, keysRef } = row
  const isPending = row.state === 'sent' || row.state === 'unknown'
  const claim = { clientRef, id, isWorking: false, isPending, requestId, keysRef }
  if (row.statusCode === NOT_CARRIED_OUT_STATUS) return []
  const key = keyOf(row)
  if (key === undefined)
    return orderId === id ? [{ ...claim, isOrderId: true, key: undefined }] : []
  const orders = ordersOf(key)
  const placed = orders.filter(({ action }) => action !== 'cancel')
  const byClientId = placed.filter((order) => (order.clientOrderId ?? clientOrderId) === id)
  // For a call about several orders, the journal has the ids of all of them. The client chose some
  // of these, and must not claim an order by an id that it chose.
  const chosen = [row.id, row.idempotencyKey, clientOrderId, ...orders.flatMap(chosenIdsOf)]
  const byOrderId = orderId === id || !chosen.includes(id) ? placed : []
  return [
    ...byClientId.map((order) => ({ ...claim, isOrderId: false, key: order })),
    ...byOrderId.map((order) => ({ ...claim, isOrderId: true, key: order })),
  ]
}

const chosenIdsOf = ({ clientOrderId, oldClientOrderId }: OrderKey) => [
  clientOrderId,
  oldClientOrderId,
]
