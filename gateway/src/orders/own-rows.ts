import type { ExchangeCode } from 'schema'
import { rowsIn, withoutRows } from '../exchanges/protocol/json-rows.ts'
import type { OrderOwners } from './order-owners.ts'

/** The names that the exchanges have for their own id of an order, in rows of orders and fills. */
const ORDER_ID = /^(?:order_?id|id|stopPlanOrderId|placeOrderId|planOrderId|trackOrderId)$/i

/**
 * A response of an exchange without the rows of its lists that are about orders of other clients
 * with the same key; all else stays byte for byte.
 * @returns undefined when it has no such row
 */
export async function withoutRowsOfOthers(
  owners: Pick<OrderOwners, 'ofOthersAmong'>,
  caller: { readonly clientRef: number; readonly exchange: ExchangeCode },
  text: string,
): Promise<{ readonly text: string; readonly leftOut: number } | undefined> {
  const rows = rowsIn(text, (name) => ORDER_ID.test(name))
  const ids = new Set(rows.flatMap(({ values }) => values))
  if (ids.size === 0) return undefined
  const foreign = await owners.ofOthersAmong(caller, [...ids])
  const unwanted = rows.filter(({ values }) => values.some((id) => foreign.has(id)))
  if (unwanted.length === 0) return undefined
  return { text: withoutRows(text, unwanted), leftOut: unwanted.length }
}
