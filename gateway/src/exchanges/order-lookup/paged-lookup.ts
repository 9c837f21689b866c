import type { UpstreamCall } from '../exchange.ts'
import type { Verdict } from '../protocol/verdict.ts'
import type { Lookup } from './order-key.ts'
import { hasNone, listLookup, ordersIn, type Rows, type Search } from './search.ts'

/** A list that has pages. */
export interface PagedList {
  readonly rows: Rows
  /** The most orders on a page. */
  readonly limit: number
  /** @param page from 1 @param size of each page */
  readonly callOf: (page: number, size: number) => UpstreamCall
  /** As in `listLookup`. */
  readonly isWhole?: boolean
}

/** A list with more pages than this proves nothing. */
const PAGES_MAX = 100
/** How much smaller the pages are when the list is read again. */
const SMALLER_BY = 10

/**
 * A question for a list with pages. Between two pages an order may leave the list, and one that was
 * to come first on the next page is then missed. So a list of several pages is read twice, the
 * second time in pages of another size.
 */
export function pagedLookup(search: Search, list: PagedList): Lookup {
  return pageLookup(search, list, { page: 1, size: list.limit, isAgain: false })
}

interface PageAt {
  readonly page: number
  readonly size: number
  readonly isAgain: boolean
}

function pageLookup(search: Search, list: PagedList, at: PageAt): Lookup {
  const { page, size, isAgain } = at
  const { rows, isWhole = true, callOf } = list
  return {
    ...listLookup(search, callOf(page, size), { rows, limit: size, isWhole }),
    next(verdict) {
      const orders = ordersIn(verdict, rows)
      if (orders === undefined || !hasNone(search, orders) || page >= PAGES_MAX) return undefined
      if (orders.length >= size) return pageLookup(search, list, { ...at, page: page + 1 })
      if (page === 1 || isAgain) return undefined
      return pageLookup(search, list, { page: 1, size: size - SMALLER_BY, isAgain: true })
    },
  }
}

/** What an exchange says to a question, with all pages of its list. */
export async function answerTo(
  lookup: Lookup,
  ask: (call: UpstreamCall) => Promise<Verdict>,
): Promise<ReturnType<Lookup['read']>> {
  for (let at = lookup; ; ) {
    const verdict = await ask(at.call)
    const found = at.read(verdict)
    const next = typeof found === 'object' ? undefined : at.next?.(verdict)
    if (next === undefined) return found
    at = next
  }
}
