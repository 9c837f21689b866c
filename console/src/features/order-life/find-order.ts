import { type JournalOrder, listOrders } from 'schema'
import { call, SESSION_ENDED } from '../../api/client.ts'

export interface FoundOrders {
  /** What was searched for. */
  readonly text: string
  /** Newest first. */
  readonly orders: readonly JournalOrder[]
  /** How long orders are kept; undefined when the gateway does not say. */
  readonly keptDays: number | undefined
}

/** Without the quotes that an Idempotency-Key may be sent in. */
export function toName(text: string): string {
  return text.trim().replace(/^"(.+)"$/, '$1')
}

/**
 * Finds orders by a client order id, order id, idempotency key or request id, exactly.
 * @returns undefined when the session ended
 * @throws ApiError, UnexpectedResponseError, TypeError when the gateway cannot be reached
 */
export async function findOrder(text: string): Promise<FoundOrders | undefined> {
  const name = toName(text)
  let keptDays: number | undefined
  const orders = await call(listOrders, { query: { find: name } }, (headers) => {
    const days = Number(headers.get('x-kept-days'))
    if (days > 0) keptDays = days
  })
  return orders === SESSION_ENDED ? undefined : { text: name, orders, keptDays }
}

/** The address of an order's life. */
export function orderAddress(id: string): string {
  return `/orders/${encodeURIComponent(id)}`
}
