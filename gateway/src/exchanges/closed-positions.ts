import type { UpstreamCall } from './exchange.ts'
import { type OrderCall, type OrderKey, ordersOf } from './order-lookup/order-key.ts'
import type { OrderResult } from './order-results.ts'
import { partOf } from './position-part.ts'
import { readJson } from './protocol/json-text.ts'
import { isRecord, textOf } from './protocol/untrusted.ts'
import { adapters } from './registry.ts'

/**
 * What a call may close or change of which nothing can be looked up: its orders, or the positions
 * that it closes or reverses without naming an order. Undefined for any other call.
 */
export function closingKeyOf({ call, order }: OrderCall): OrderKey | undefined {
  return order ?? wholeCloseBy(call)
}

/** What that has closed or changed, if it was carried out. */
export function perhapsClosedBy(key: OrderKey | undefined): OrderResult[] {
  const all = key === undefined ? [] : ordersOf(key)
  const changed = all
    .filter(({ isInPlace }) => isInPlace === true)
    .map((each): OrderResult => ({ order: each, became: 'working', orderId: each.orderId }))
  const closed = all
    .filter((each) => each.action === 'place')
    .filter((each) => partOf(each)?.does === 'close' || each.closes?.isWhole === true)
    .map((each): OrderResult => closedAs({ ...each, clientOrderId: undefined }))
  return [...changed, ...closed]
}

/**
 * What a call did that closes or reverses positions and names no order: all that it may have closed
 * counts as closed. What a reversal opens does not count: how much that is depends on the position.
 */
export function closedBy(call: UpstreamCall, from = adapters): OrderResult[] {
  const key = wholeCloseBy(call, from)
  return key === undefined ? [] : [closedAs(key)]
}

function wholeCloseBy(call: UpstreamCall, from = adapters): OrderKey | undefined {
  const { code, orders } = from.of(call.family)
  const { closes, fields } = orders
  if (closes?.has(`${call.method} ${call.path}`) !== true) return undefined
  const json = call.body === null ? undefined : readJson(call.body)
  const read = fields.read(call, json)
  const said = isRecord(read) ? read : {}
  const word = textOf(said.holdSide ?? said.posSide)?.toLowerCase()
  const side = word === 'long' || word === 'short' ? word : undefined
  return {
    exchange: code,
    ...{ family: call.family, market: 'futures', action: 'place' },
    ...{ symbol: textOf(said.symbol), productType: textOf(said.productType ?? said.category) },
    closes: { inOneWay: side, inHedge: side, kind: 'now', isWhole: true },
    demo: call.demo,
  }
}

const closedAs = (order: OrderKey): OrderResult => ({
  ...{ order, became: 'ended', orderId: undefined },
})
