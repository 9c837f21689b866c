import { expect } from 'vitest'
import { nameOrders, readBotOrders } from '../../src/exchanges/bot-orders.ts'
import { effectsOf } from '../../src/exchanges/call-effects.ts'
import type { Family, UpstreamCall } from '../../src/exchanges/exchange.ts'
import { toOrderKey } from '../../src/exchanges/order-lookup/order-call.ts'
import { type Lookup, type OrderKey, ordersOf } from '../../src/exchanges/order-lookup/order-key.ts'
import { lookupsOfAll } from '../../src/exchanges/order-lookups.ts'
import type { PositionPart } from '../../src/exchanges/position-part.ts'
import { readJson } from '../../src/exchanges/protocol/json-text.ts'
import { adapters } from '../../src/exchanges/registry.ts'

/** The key of the orders of a call, read from the call as a bot could have written it. */
export function readOrderKey(call: UpstreamCall): OrderKey | undefined {
  const adapter = adapters.of(call.family)
  const orders = readBotOrders(adapter, call, readJson(call.body ?? ''))
  if (orders?.entries === undefined) return undefined
  return toOrderKey(adapter.code, call, orders.form, orders.entries)
}

/** The key of a call that has one. */
export function keyOf(call: UpstreamCall): OrderKey {
  const key = readOrderKey(call)
  if (key === undefined) throw new Error(`${call.path} has no key`)
  return key
}

/** Makes signed calls of one family. */
export const postTo =
  (family: Family) =>
  (path: string, body: string | null, more: Partial<UpstreamCall> = {}): UpstreamCall => ({
    ...{ family, method: 'POST', path, query: '', body, signed: true, ...more },
  })

/** The questions for the one order of a call. */
export function lookupsOf(order: OrderKey, sentAtMs: number, nowMs: number): readonly Lookup[] {
  return lookupsOfAll(order, sentAtMs, nowMs)[0]?.lookups ?? []
}

/**
 * The call with a client order id for each order that has none. Its key has to be what reading it
 * gives.
 */
export function withClientOrderId(call: UpstreamCall, clientOrderId: string): UpstreamCall {
  const json = readJson(call.body ?? '')
  const adapter = adapters.of(call.family)
  const orders = readBotOrders(adapter, call, json)
  const named = nameOrders(adapter, call, json, orders, clientOrderId)
  expect(named.order).toEqual(readOrderKey(named.call))
  return named.call
}

/** Traces of one order for each place where exchanges keep orders, as tests begin with them. */
export const mxSpot: OrderKey = {
  exchange: 'mx',
  family: 'mexc-spot',
  market: 'spot',
  action: 'place',
  symbol: 'BTCUSDT',
  clientOrderId: 'a-1',
}
export const mxFutures: OrderKey = {
  ...mxSpot,
  family: 'mexc-futures',
  market: 'futures',
  symbol: 'BTC_USDT',
}
export const bgSpot: OrderKey = { ...mxSpot, exchange: 'bg', family: 'bitget' }
export const bgMix: OrderKey = { ...bgSpot, market: 'futures', productType: 'USDT-FUTURES' }
export const unified: OrderKey = { ...bgMix, isUnified: true }

/** The rows of a table that has them below the call that they are about. */
export const rowsOf = <Row extends readonly unknown[]>(table: Record<string, readonly Row[]>) =>
  Object.entries(table).flatMap(([line, rows]) => rows.map((row) => [line, ...row] as const))

/** An order of BTCUSDT that says nothing of its own side, size and price, and `more`. */
export const orderEffect = (more: object) => ({
  ...{ kind: 'order', market: 'spot', symbol: 'BTCUSDT', rests: true, reduces: false },
  ...{ side: undefined, size: undefined, price: undefined, ...more },
})

/**
 * The call that a line of a policy allows, with these fields where its family has them: MEXC spot
 * in the query, the others in a JSON body.
 */
export function callOf(line: string, fields: unknown): UpstreamCall {
  const [method = '', path = ''] = line.split(' ')
  const adapter = adapters.all.find(
    ({ botCalls, calls }) => botCalls.ownsPath(path) && calls.kinds.has(line),
  )
  if (adapter === undefined) throw new TypeError(`No policy has ${line}`)
  const isQuery = adapter.family === 'mexc-spot'
  return {
    ...{ family: adapter.family, path, signed: true },
    method: method === 'DELETE' || method === 'GET' ? method : 'POST',
    query: isQuery ? `${new URLSearchParams(Object.entries(fields ?? {}))}` : '',
    body: isQuery || method === 'GET' ? null : JSON.stringify(fields),
  }
}

/** The call has this one effect, in the fields that are given. */
export function expectEffect(line: string, fields: unknown, effect: object): void {
  expect(effectsOf(callOf(line, fields))).toEqual([expect.objectContaining(effect)])
}

/** The call, or the first of its orders, is `unbounded`. */
export function expectUnbounded(call: UpstreamCall): void {
  expect(effectsOf(call)[0], `${call.query} ${call.body}`).toEqual({
    kind: 'unbounded',
    why: expect.any(String),
  })
}

/** The keys as the journal gives them back. */
export function storedKeys(call: UpstreamCall): readonly OrderKey[] {
  const key = readOrderKey(call)
  return key === undefined ? [] : ordersOf(JSON.parse(JSON.stringify(key)))
}

/** `close long 3 now`. */
export function wordsOf(part: PositionPart | undefined): string {
  if (part === undefined) return 'none'
  const { does, side, size = 'all', exitKind, isNetting, isEitherSide } = part
  const more = [exitKind, isNetting && 'netting', isEitherSide && 'either side'].filter(Boolean)
  return [does, side, size, ...more].join(' ')
}
