import type { OrderCallForm } from '../../src/exchanges/order-lookup/order-call.ts'
import type { FoundOrder, OrderKey } from '../../src/exchanges/order-lookup/order-key.ts'
import {
  idLookup,
  isOrderNotFound,
  listLookup,
  lookupCall,
  type OrderWords,
  type Places,
  type Rows,
  wantedIdOf,
} from '../../src/exchanges/order-lookup/search.ts'
import { isRecord, textOf } from '../../src/exchanges/protocol/untrusted.ts'

export const placing: OrderCallForm = {
  action: 'place',
  market: 'spot',
  clientIdName: 'tag',
  terms: { side: 'side', kind: 'kind', price: 'price', size: 'amount' },
  details: ({ pair }) => ({ symbol: textOf(pair) }),
}

const words: OrderWords = {
  clientOrderId: 'tag',
  state: ['state'],
  filledSize: 'traded',
  createdAt: 'at',
  terms: { side: 'side', kind: 'kind', price: 'price', size: 'amount' },
  states: { resting: 'open', done: 'filled', gone: 'cancelled' },
}

/** The toy calls an order's id `id`. */
const named = (row: unknown) => (isRecord(row) ? { ...row, orderId: row.id } : row)
const one: Rows = (data) => (isRecord(data) ? [named(data)] : undefined)
const many: Rows = (data) => (Array.isArray(data) ? data.map(named) : undefined)

export function placesOf(order: OrderKey, sentAtMs: number): Places | undefined {
  const wanted = wantedIdOf(order)
  if (wanted === undefined) return undefined
  const search = { order, wanted, sentAtMs, words, narrowing: {} }
  const byTag = lookupCall(order, '/toy/orders', { tag: wanted.clientOrderId })
  const all = lookupCall(order, '/toy/orders', { pair: order.symbol })
  return {
    byId: [idLookup(search, byTag, one, { isNotFound: isOrderNotFound })],
    open: [listLookup(search, all, { rows: many, limit: 100 })],
    past: [],
  }
}

export function foundResponse(_order: OrderKey, { orderId, clientOrderId }: FoundOrder): object {
  return { ok: true, result: { id: orderId, tag: clientOrderId } }
}
