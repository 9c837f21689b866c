import { useState } from 'react'
import { useLocation } from 'wouter'
import { type FoundOrders, findOrder, orderAddress, toName } from './find-order.ts'

export interface OrderSearch {
  /** Undefined before the first search, and after one that led to an order. */
  readonly found: FoundOrders | undefined
  readonly error: unknown
  readonly isSearching: boolean
  /** Searches. If exactly one order is found, its page opens. */
  readonly search: (text: string) => Promise<void>
}

/** @param onOpen called when a search has opened an order's page */
export function useFindOrder(onOpen: () => void = () => {}): OrderSearch {
  const [, navigate] = useLocation()
  const [state, setState] = useState<Omit<OrderSearch, 'search'>>(NOTHING)
  return {
    ...state,
    async search(text) {
      if (toName(text) === '') return
      setState({ ...NOTHING, isSearching: true })
      try {
        const found = await findOrder(text)
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

const NOTHING = { found: undefined, error: undefined, isSearching: false } as const
