import { useState } from 'react'
import { type JournalOrder, listOrders } from 'schema'
import { useLocation } from 'wouter'
import { call, SESSION_ENDED } from '../../api/client.ts'

export interface FoundOrders {
  /** What was searched for. */
  readonly text: string
  /** Newest first. */
  readonly orders: readonly JournalOrder[]
  /** How long orders are kept; undefined when the gateway does not say. */
  readonly keptDays: number | undefined
}

export interface OrderSearch {
  /** Undefined before the first search, and after one that led to an order. */
  readonly found: FoundOrders | undefined
  readonly error: unknown
  readonly isSearching: boolean
  /** Searches. If exactly one order is found, its page opens. */
  readonly search: (text: string) => Promise<void>
}

const NOTHING = { found: undefined, error: undefined, isSearching: false } as const

/** @param onOpen called when a search has opened an order's page */
export function useFindOrder(onOpen: () => void = () => {}): OrderSearch {
  const [, navigate] = useLocation()
  const [state, setState] = useState<Omit<OrderSearch, 'search'>>(NOTHING)
  return {
    ...state,
    async search(text) {
      // Without the quotes that an Idempotency-Key may be sent in.
      const name = text.trim().replace(/^"(.+)"$/, '$1')
      if (name === '') return
      setState({ ...NOTHING, isSearching: true })
      try {
        const found = await findOrder(name)
        const [order, ...more] = found?.orders ?? []
        if (order === undefined || more.length > 0) return setState({ ...NOTHING, found })
        setState(NOTHING)
        navigate(orderAddress(order.id))
        onOpen()
      } catch (error) {
        setState({ ...NOTHING, error })
      }
    },
  }
}

/**
 * Finds orders by a client order id, order id, idempotency key or request id, exactly.
 * @returns undefined when the session ended
 */
async function findOrder(text: string): Promise<FoundOrders | undefined> {
  let keptDays: number | undefined
  const orders = await call(listOrders, { query: { find: text } }, (headers) => {
    const days = Number(headers.get('x-kept-days'))
    if (days > 0) keptDays = days
  })
  return orders === SESSION_ENDED ? undefined : { text, orders, keptDays }
}

/** The address of an order's life. */
export const orderAddress = (id: string) => `/orders/${encodeURIComponent(id)}`
