import type { OrderFields } from '../order-lookup/order-call.ts'
import {
  type CancelAllForm,
  type CancelledAll,
  type CancelReach,
  symbolsIn,
  type ToCancel,
} from '../order-lookup/order-protocol.ts'
import { textOf } from '../protocol/untrusted.ts'
import { cancelledPlanDetails } from './classic/order-forms.ts'

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
    successList: cancelled.map(idsOf),
    failureList: failed.map((order) => ({
      ...{ ...idsOf(order), errorMsg: order.message, errorCode: NOT_CANCELLED },
    })),
  })
}

function entries({ cancelled, failed }: CancelledAll, _: OrderFields, nowMs: number): object {
  return success(nowMs, {
    list: [
      ...cancelled.map((order) => ({ ...idsOf(order), code: '00000', msg: 'success' })),
      ...failed.map((order) => ({ ...idsOf(order), code: NOT_CANCELLED, msg: order.message })),
    ],
  })
}

function idsOf({ orderId, clientOrderId }: Pick<ToCancel, 'orderId' | 'clientOrderId'>) {
  return { orderId: orderId ?? '', clientOid: clientOrderId ?? '' }
}

function success(nowMs: number, data: object): object {
  return { code: '00000', msg: 'success', requestTime: nowMs, data }
}
