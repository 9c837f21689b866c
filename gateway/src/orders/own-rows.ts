import type { ExchangeCode } from 'schema'
import type { AskedIds } from '../exchanges/named-ids.ts'
import { type JsonField, rowsIn, withoutRows } from '../exchanges/protocol/json-rows.ts'
import { OrderReadOfAnotherClientError } from './errors.ts'
import type { NamedOrder, OrderOwners } from './order-owners.ts'

/** The names that the exchanges have for their own id of an order, in rows of orders and fills. */
const ORDER_ID = /^(?:order_?id|id|stopPlanOrderId|placeOrderId|planOrderId|trackOrderId)$/i
/** Those of the id that the bot gave to it. */
const CLIENT_ORDER_ID = /^(?:client_?oid|client_?order_?id|external_?oid)$/i

const isId = (name: string) => ORDER_ID.test(name) || CLIENT_ORDER_ID.test(name)

/**
 * A response of an exchange without the rows of its lists that are about orders of other clients
 * with the same key; all else stays byte for byte.
 * @param others the other clients with its key
 * @param asked the ids that the read names
 * @returns undefined when it has no such row
 * @throws OrderReadOfAnotherClientError when the read names such an order and no other one that is
 * in the response, or when its response is one
 */
export async function withoutRowsOfOthers(
  owners: Pick<OrderOwners, 'ofOthersAmong'>,
  caller: { readonly clientRef: number; readonly exchange: ExchangeCode },
  others: readonly number[],
  text: string,
  asked: AskedIds,
): Promise<{ readonly text: string; readonly leftOut: number } | undefined> {
  const { rows, outside } = rowsIn(text, isId)
  const listed = rows.map((row) => ({ ...row, ...namedBy(row.fields) }))
  const named = [...asked.orderIds].map((id) => ({ orderIds: [id], clientOrderIds: [] }))
  const alone = [namedBy(outside), ...named]
  const foreign = await owners.ofOthersAmong(caller, others, [...listed, ...alone])
  const unwanted = listed.filter((row) => foreign.has(row))
  const asksFor = listed.filter(
    ({ orderIds, clientOrderIds }) =>
      orderIds.some((id) => asked.orderIds.has(id)) ||
      clientOrderIds.some((id) => asked.clientOrderIds.has(id)),
  )
  const isRefused = asksFor.length > 0 && asksFor.every((row) => foreign.has(row))
  if (isRefused || alone.some((each) => foreign.has(each)))
    throw new OrderReadOfAnotherClientError()
  if (unwanted.length === 0) return undefined
  return { text: withoutRows(text, unwanted), leftOut: unwanted.length }
}

function namedBy(fields: readonly JsonField[]): NamedOrder {
  const those = (isMeant: RegExp) =>
    fields.filter(([name, id]) => isMeant.test(name) && id !== '').map(([, id]) => id)
  return { orderIds: those(ORDER_ID), clientOrderIds: those(CLIENT_ORDER_ID) }
}
