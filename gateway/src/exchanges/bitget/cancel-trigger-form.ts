import type { UpstreamCall } from '../exchange.ts'
import { type OrderCallForm, toOrderKey } from '../order-lookup/order-call.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import type { CancelForm } from '../order-lookup/order-protocol.ts'
import { mixCancelling, spotCancelling } from './classic/order-calls.ts'
import { unifiedCancelling } from './unified/order-calls.ts'

/** The page of cancel-plan-order has no number; 20 is what Bitget advises for every list. */
const MAX = 20

/**
 * How a trigger order is cancelled: of futures up to 20 of one symbol and type, of spot and of the
 * unified account one at a time (docs/exchanges/bitget.md, 3 and 5; bitget-unified.md, 12).
 */
export function cancelTriggerForm(order: OrderKey): CancelForm | undefined {
  const { plan, market, demo } = order
  switch (plan) {
    case 'strategy':
      return oneByOne(order, '/api/v3/trade/cancel-strategy-order', unifiedCancelling)
    case 'spot':
      return oneByOne(order, '/api/v2/spot/trade/cancel-plan-order', spotCancelling)
    default: {
      const { symbol, productType } = order
      const planType = planTypeOf(order)
      if (market !== 'futures' || symbol === undefined || productType === undefined)
        return undefined
      if (planType === undefined) return undefined
      return {
        group: `plan ${symbol} ${productType} ${planType} ${demo}`,
        max: MAX,
        callOf: (orders) => listCall({ symbol, productType, planType }, orders),
      }
    }
  }
}

/** The type by which it is cancelled, which is not always that of its list. */
function planTypeOf({ plan, planType }: OrderKey): string | undefined {
  return plan === 'normal_plan' || plan === 'track_plan' ? plan : planType
}

function oneByOne(order: OrderKey, path: string, form: OrderCallForm): CancelForm {
  return {
    group: `${order.plan} ${order.demo}`,
    max: 1,
    callOf([first = order]) {
      const ids = idsOf(first)
      const call = postCall(path, first, ids)
      const fields = { ...ids, symbol: first.symbol }
      return {
        call,
        order: toOrderKey('bg', call, { ...form, details: detailsOf(first) }, [fields]),
      }
    },
  }
}

type PlanList = Readonly<Record<'symbol' | 'productType' | 'planType', string>>

/** Without a list, Bitget cancels all orders of the symbol: it has at least one entry. */
function listCall(common: PlanList, orders: readonly OrderKey[]) {
  const [first] = orders
  if (first === undefined) throw new Error('A cancel names at least one order')
  const path = '/api/v2/mix/order/cancel-plan-order'
  const orderIdList = orders.map(idsOf)
  const call = postCall(path, first, { ...common, orderIdList })
  const form: OrderCallForm = {
    ...mixCancelling,
    several: 'two-lists',
    details: detailsOf(first),
  }
  const fields = orderIdList.map((ids) => ({ ...ids, symbol: common.symbol }))
  return { call, order: toOrderKey('bg', call, form, fields) }
}

function idsOf({ orderId, clientOrderId }: OrderKey) {
  return orderId === undefined ? { clientOid: clientOrderId } : { orderId }
}

/** What the key of the cancel has in common with the order's: where it is looked up. */
function detailsOf({ market, productType, plan, planType, isUnified }: OrderKey) {
  const details = { market, productType, plan, planType }
  return () => (isUnified === true ? { ...details, isUnified } : details)
}

function postCall(path: string, { demo }: OrderKey, body: object): UpstreamCall {
  return {
    family: 'bitget',
    method: 'POST',
    path,
    query: '',
    body: JSON.stringify(body),
    signed: true,
    ...(demo === undefined ? {} : { demo }),
  }
}
