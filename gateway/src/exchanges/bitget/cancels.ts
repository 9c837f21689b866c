import type { UpstreamCall } from '../exchange.ts'
import { type OrderCallForm, type OrderFields, toOrderKey } from '../order-lookup/order-call.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import {
  type CancelAllForm,
  type CancelForm,
  type CancelledAll,
  type CancelReach,
  symbolsIn,
  type ToCancel,
} from '../order-lookup/order-protocol.ts'
import { textOf } from '../protocol/untrusted.ts'
import { tradeCall } from './call.ts'
import { cancelledPlanDetails, mixCancelBatch, mixCancelling } from './classic/order-forms.ts'
import { spotCancelBatch, spotCancelling } from './classic/spot-orders.ts'
import { cancellingBatch, unifiedCancelling } from './unified/order-forms.ts'

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
  const cancel = (group: string, path: string, form: OrderCallForm, common: Common = {}) => ({
    group: `${group} ${demo}`,
    max: MAX,
    callOf: (orders: readonly OrderKey[]) => listCall(path, form, common, orders),
  })
  if (isUnified) return cancel('unified', '/api/v3/trade/cancel-batch', cancellingBatch)
  if (symbol === undefined) return undefined
  if (market === 'spot') {
    const path = '/api/v2/spot/trade/batch-cancel-order'
    return cancel(`spot ${symbol}`, path, spotCancelBatch, { symbol })
  }
  if (productType === undefined) return undefined
  const path = '/api/v2/mix/order/batch-cancel-orders'
  return cancel(`mix ${symbol} ${productType}`, path, mixCancelBatch, { symbol, productType })
}

type Common = Readonly<Record<string, string>>

/** Where the body itself is the list, its entries name the market. */
function listCall(path: string, form: OrderCallForm, common: Common, orders: readonly OrderKey[]) {
  const field = form.list?.field
  const entries = orders.map((order) => ({
    ...(field === undefined ? { category: order.productType, symbol: order.symbol } : {}),
    ...idsOf(order),
  }))
  const body = field === undefined ? entries : { ...common, [field]: entries }
  const call = postCall(path, orders[0]?.demo, body)
  const fields = entries.map((entry) => ({ ...common, ...entry }))
  return { call, order: toOrderKey('bg', call, form, fields) }
}

/** The page of cancel-plan-order has no number; 20 is what Bitget advises for every list. */
const TRIGGERS_MAX = 20

/**
 * How a trigger order is cancelled: of futures up to 20 of one symbol and type, of spot and of the
 * unified account one at a time (docs/exchanges/bitget.md, 3 and 5; bitget-unified.md, 12).
 */
function cancelTriggerForm(order: OrderKey): CancelForm | undefined {
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
        max: TRIGGERS_MAX,
        callOf: (orders) => triggerListCall({ symbol, productType, planType }, orders),
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
      const call = postCall(path, first.demo, ids)
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
function triggerListCall(common: PlanList, orders: readonly OrderKey[]) {
  const [first] = orders
  if (first === undefined) throw new Error('A cancel names at least one order')
  const path = '/api/v2/mix/order/cancel-plan-order'
  const orderIdList = orders.map(idsOf)
  const call = postCall(path, first.demo, { ...common, orderIdList })
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

function postCall(path: string, demo: boolean | undefined, body: object): UpstreamCall {
  const call = tradeCall(path, body)
  return demo === undefined ? call : { ...call, demo }
}

/** Of cancel-symbol-order and close-positions (docs/exchanges/bitget-unified.md, 8). */
const NOT_CANCELLED = '24056'

// The calls that cancel orders of an account without naming them (docs/exchanges/bitget.md, 3 to 5;
// bitget-unified.md, 9).

export const spotOfSymbol: CancelAllForm = {
  reach: (fields) => withSymbol(fields, { market: 'spot' }),
  response: (_, fields, nowMs) => success(nowMs, { symbol: fields.symbol }),
}
export const spotPlans: CancelAllForm = {
  reach: plansOfSpot,
  response: twoLists,
  namesFailed: true,
}
export const mixOrders: CancelAllForm = {
  reach: (fields) => ofProduct(fields, {}),
  response: twoLists,
  namesFailed: true,
}
export const mixPlans: CancelAllForm = {
  reach: plansOfFutures,
  response: twoLists,
  namesFailed: true,
}
export const unifiedOrders: CancelAllForm = {
  reach: ofCategory,
  response: entries,
  namesFailed: true,
}

function withSymbol(fields: OrderFields, reach: CancelReach): CancelReach | undefined {
  const symbols = symbolsIn(fields.symbol)
  return symbols === undefined || symbols.length === 0 ? undefined : { ...reach, symbols }
}

function plansOfSpot({ symbolList = [] }: OrderFields): CancelReach | undefined {
  if (!Array.isArray(symbolList)) return undefined
  const symbols = symbolList.map(textOf).filter((symbol) => symbol !== undefined)
  if (symbols.length < symbolList.length) return undefined
  return { market: 'spot', plan: 'spot', symbols }
}

/** Of futures. A list of ids that says nothing is not taken for one that is absent. */
function ofProduct(
  fields: OrderFields,
  { plan, planType }: Pick<CancelReach, 'plan' | 'planType'>,
): CancelReach | undefined {
  const { orderIdList = null } = fields
  const productType = textOf(fields.productType)
  const symbols = symbolsIn(fields.symbol)
  if (orderIdList !== null || productType === undefined || symbols === undefined) return undefined
  return { market: 'futures', productType, symbols, plan, planType }
}

/** Of the type that it names, and of no list of types. */
function plansOfFutures(fields: OrderFields): CancelReach | undefined {
  const { plan, planType } = cancelledPlanDetails(fields)
  const isOneType =
    planType === undefined || /^(?:(?:profit|loss|moving)_plan|pos_(?:profit|loss))$/.test(planType)
  return isOneType ? ofProduct(fields, { plan, planType }) : undefined
}

function ofCategory(fields: OrderFields): CancelReach | undefined {
  const productType = textOf(fields.category)
  const symbols = symbolsIn(fields.symbol)
  if (productType === undefined || symbols === undefined) return undefined
  const market = /-FUTURES$/i.test(productType) ? 'futures' : 'spot'
  return { market, productType, symbols }
}

function twoLists({ cancelled, failed }: CancelledAll, _: OrderFields, nowMs: number): object {
  return success(nowMs, {
    successList: cancelled.map(cancelledIds),
    failureList: failed.map((order) => ({
      ...{ ...cancelledIds(order), errorMsg: order.message, errorCode: NOT_CANCELLED },
    })),
  })
}

function entries({ cancelled, failed }: CancelledAll, _: OrderFields, nowMs: number): object {
  return success(nowMs, {
    list: [
      ...cancelled.map((order) => ({ ...cancelledIds(order), code: '00000', msg: 'success' })),
      ...failed.map((order) => ({
        ...cancelledIds(order),
        code: NOT_CANCELLED,
        msg: order.message,
      })),
    ],
  })
}

function cancelledIds({ orderId, clientOrderId }: Pick<ToCancel, 'orderId' | 'clientOrderId'>) {
  return { orderId: orderId ?? '', clientOid: clientOrderId ?? '' }
}

function success(nowMs: number, data: object): object {
  return { code: '00000', msg: 'success', requestTime: nowMs, data }
}
