import { expect } from 'vitest'
import { nameOrders, readBotOrders } from '../bot-orders.ts'
import type { Family, UpstreamCall } from '../exchange.ts'
import { lookupsOfAll } from '../order-lookups.ts'
import { readJson } from '../protocol/json-text.ts'
import { adapters } from '../registry.ts'
import { toOrderKey } from './order-call.ts'
import type { Lookup, OrderKey } from './order-key.ts'

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
