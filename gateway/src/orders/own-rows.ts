import type { ExchangeCode } from 'schema'
import { readJson, withoutRows } from '../exchanges/protocol/json-text.ts'
import { isRecord, textOf } from '../exchanges/protocol/untrusted.ts'
import type { OrderOwners } from './order-owners.ts'

/** The names that the exchanges have for their own id of an order, in rows of orders and fills. */
const ORDER_ID = /^(?:order_?id|id|stopPlanOrderId|placeOrderId|planOrderId|trackOrderId)$/i

type Row = Readonly<Record<string, unknown>>

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
  const json = readJson(text)
  if (json === undefined) return undefined
  const ids = new Set(rowsIn(json.value).flatMap(idsOf))
  const foreign = await owners.ofOthersAmong(caller, [...ids])
  if (foreign.size === 0) return undefined
  let leftOut = 0
  const kept = withoutRows(json, (row) => {
    const isForeign = idsOf(row).some((id) => foreign.has(id))
    if (isForeign) leftOut += 1
    return isForeign
  })
  return leftOut === 0 ? undefined : { text: kept, leftOut }
}

function rowsIn(value: unknown): Row[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(rowsIn)
  return Array.isArray(value) ? [...value.filter(isRecord), ...inside] : inside
}

function idsOf(row: Row): string[] {
  return Object.keys(row).flatMap((name) => (ORDER_ID.test(name) ? (textOf(row[name]) ?? []) : []))
}
