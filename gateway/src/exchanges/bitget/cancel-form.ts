import type { UpstreamCall } from '../exchange.ts'
import { toOrderKey } from '../order-lookup/order-call.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import type { CancelForm } from '../order-lookup/order-protocol.ts'
import { cancelTriggerForm } from './cancel-trigger-form.ts'
import { classicOrderCalls } from './classic/order-calls.ts'
import { unifiedOrderCalls } from './unified/order-calls.ts'

/** What every page agrees on (docs/exchanges/bitget.md, 3 and 4; bitget-unified.md, 9). */
const MAX = 20

/**
 * Up to 20 orders of one symbol, on the unified account of any. Trigger orders have calls of their
 * own.
 */
export function cancelForm(order: OrderKey): CancelForm | undefined {
  const { market, symbol, productType, isUnified = false, demo } = order
  if ((order.orderId ?? order.clientOrderId) === undefined) return undefined
  if (order.plan !== undefined) return cancelTriggerForm(order)
  const form = (group: string, path: string, common: Common, list: string | undefined) => ({
    group: `${group} ${demo}`,
    max: MAX,
    callOf: (orders: readonly OrderKey[]) => listCall(path, demo, common, list, orders),
  })
  if (isUnified) return form('unified', '/api/v3/trade/cancel-batch', {}, undefined)
  if (symbol === undefined) return undefined
  if (market === 'spot') {
    const path = '/api/v2/spot/trade/batch-cancel-order'
    return form(`spot ${symbol}`, path, { symbol }, 'orderList')
  }
  if (productType === undefined) return undefined
  const path = '/api/v2/mix/order/batch-cancel-orders'
  return form(`mix ${symbol} ${productType}`, path, { symbol, productType }, 'orderIdList')
}

type Common = Readonly<Record<string, string>>

const forms = new Map([...classicOrderCalls, ...unifiedOrderCalls])

/** @param list its field; undefined: the body is the list, and entries name the market */
function listCall(
  path: string,
  demo: boolean | undefined,
  common: Common,
  list: string | undefined,
  orders: readonly OrderKey[],
) {
  const entries = orders.map(({ orderId, clientOrderId, symbol, productType }) => ({
    ...(list === undefined ? { category: productType, symbol } : {}),
    ...(orderId === undefined ? { clientOid: clientOrderId } : { orderId }),
  }))
  const call: UpstreamCall = {
    family: 'bitget',
    method: 'POST',
    path,
    query: '',
    body: JSON.stringify(list === undefined ? entries : { ...common, [list]: entries }),
    signed: true,
    ...(demo === undefined ? {} : { demo }),
  }
  const form = forms.get(`POST ${path}`)
  if (form === undefined) throw new Error(`${path} is no call about orders`)
  const fields = entries.map((entry) => ({ ...common, ...entry }))
  return { call, order: toOrderKey('bg', call, form, fields) }
}
