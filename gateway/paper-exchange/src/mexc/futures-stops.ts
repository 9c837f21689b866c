import { type Position, positionsOf } from '../account.ts'
import { type Decimal, isMultipleOf, type Json, type JsonObject } from '../exact-numbers.ts'
import { fieldNames, isObject } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { type Exit, type Exits, isAbove, type TriggerOrder } from '../trigger-book.ts'
import { EXIT_FIELDS, exitAt } from './futures-draft.ts'
import { FuturesRejection, futuresProblems, noSuchPosition } from './futures-family.ts'
import { perTwoSeconds } from './futures-market.ts'
import { listBody, pageOf } from './futures-orders.ts'
import { contractName, contractNamed, contractRulesOf, toVol } from './futures-views.ts'

const STOP_FIELDS = fieldNames(
  EXIT_FIELDS,
  'symbol positionId vol volType profitLossVolType mtoken takeProfitReverse stopLossReverse',
  'takeProfitType takeProfitOrderPrice takeProfitVol stopLossType stopLossOrderPrice stopLossVol',
)

/**
 * Take profit and stop loss of positions on MEXC futures, below `/api/v1` (mexc-futures.md,
 * 4.7). An order has one of the two prices, or both. Limit prices and sizes of their own for each
 * end are not on the paper exchange.
 */
export const futuresStopEndpoints: readonly Endpoint[] = [
  signedPost('/private/stoporder/place', perTwoSeconds(5), (call) => BigInt(place(call).id)),
  signedGet('/private/stoporder/open_orders', perTwoSeconds(20), (call) =>
    stopsOf(call)
      .filter(({ status }) => status === 'open')
      .map(toStopView),
  ),
  signedGet('/private/stoporder/list/orders', perTwoSeconds(20), list),
  signedPost('/private/stoporder/cancel', perTwoSeconds(20), cancel),
  signedPost('/private/stoporder/cancel_all', perTwoSeconds(20), (call) => {
    for (const order of stopsOf(call))
      if (order.status === 'open') call.venue.triggers.cancel(order)
    return undefined
  }),
]

/** One with the prices of another that waits takes its place, under the same id. */
function place(call: SignedCall): TriggerOrder {
  const { venue, account, params } = call
  params.only(STOP_FIELDS)
  const positionId = params.required('positionId')
  const held = positionsOf(account).find(({ id }) => id === positionId)
  if (held === undefined) throw noSuchPosition()
  const exits: Exits = {
    takeProfit: exitAt(call, 'takeProfitPrice'),
    stopLoss: exitAt(call, 'stopLossPrice'),
  }
  if (exits.takeProfit === null && exits.stopLoss === null)
    throw new FuturesRejection(5003, 'The price of stop-limit order error')
  for (const name of ['takeProfit', 'stopLoss'] as const) checkExit(call, held, name, exits[name])
  const isWhole = params.integer('volType') === 2
  const size = sizeOf(call, held)
  const { market, slot, side } = held
  const known = venue.triggers.orders
    .open(account.name)
    .find((order) => order.market === market && order.side === side && hasExits(order, exits))
  if (known !== undefined) {
    venue.triggers.change(known, { size: isWhole ? null : size })
    return known
  }
  const place = { account, market, slot, side }
  return venue.triggers.add({ ...place, exits, size: isWhole ? null : size, clientId: '' })
}

function hasExits({ exits }: TriggerOrder, wanted: Exits): boolean {
  return (['takeProfit', 'stopLoss'] as const).every((name) => {
    const [one, other] = [exits[name]?.trigger, wanted[name]?.trigger]
    return one === undefined || other === undefined ? one === other : one.eq(other)
  })
}

function checkExit(
  { venue }: SignedCall,
  held: Position,
  name: keyof Exits,
  exit: Exit | null,
): void {
  if (exit === null) return
  const { last } = venue.prices.of(held.market)
  const isAhead = isAbove(held.side, name) ? exit.trigger.gt(last) : exit.trigger.lt(last)
  const isOnTick = isMultipleOf(exit.trigger, contractRulesOf(held.market).priceTick)
  if (!isAhead || !isOnTick) throw new FuturesRejection(5003, 'The price of stop-limit order error')
}

function sizeOf({ params }: SignedCall, { market, size: held }: Position): Decimal {
  const vol = params.decimal('vol')
  const { contractSize, sizeStep } = contractRulesOf(market)
  const size = vol?.times(contractSize)
  if (size === undefined || size.isZero() || !isMultipleOf(size, sizeStep))
    throw new FuturesRejection(2011, 'Order quantity error')
  if (size.gt(held)) throw new FuturesRejection(2008, 'The quantity is insufficient')
  return size
}

function stopsOf({ venue, account, params }: SignedCall): readonly TriggerOrder[] {
  const symbol = params.text('symbol')
  const market = symbol === undefined ? undefined : contractNamed(venue, symbol)
  const held = positionsOf(account).find(({ id }) => id === params.text('positionId'))
  return venue.triggers.orders
    .of(account.name)
    .filter((order) => market === undefined || order.market === market)
    .filter((order) => !params.has('positionId') || isOfPosition(order, held))
}

function isOfPosition({ market, slot }: TriggerOrder, held: Position | undefined): boolean {
  return held !== undefined && market === held.market && slot === held.slot
}

function list(call: SignedCall): Json {
  const { params } = call
  const isFinished = params.integer('is_finished')
  const state = params.integer('state')
  const fromMs = params.integer('start_time') ?? 0
  const toMs = params.integer('end_time') ?? Number.MAX_SAFE_INTEGER
  const wanted = stopsOf(call)
    .filter(({ status }) => isFinished === undefined || (status === 'open') === (isFinished === 0))
    .filter((order) => state === undefined || stateOf(order) === state)
    .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs <= toMs)
  return pageOf(call, wanted).map(toStopView)
}

/** Says the same whether it found its order or not: not documented [?]. */
function cancel(call: SignedCall): undefined {
  const { venue, account } = call
  for (const entry of listBody(call)) {
    const id = isObject(entry) ? entry.stopPlanOrderId : undefined
    if (typeof id !== 'string') throw futuresProblems.malformed('stopPlanOrderId')
    const order = venue.triggers.orders.byId(account.name, id)
    if (order?.status === 'open') venue.triggers.cancel(order)
  }
}

function stateOf({ status, reached }: TriggerOrder): number {
  if (status === 'cancelled') return reached === null ? 2 : 5
  return status === 'open' ? 1 : 3
}

export function toStopView(order: TriggerOrder): JsonObject {
  const { account, market, slot, side, exits, reached, status } = order
  const held = positionsOf(account).find((position) => isOfPosition(order, position))
  const size = order.size ?? held?.size
  const vol = size === undefined ? 0 : toVol(market, size)
  return {
    id: BigInt(order.id),
    orderId: '0',
    symbol: contractName(market),
    positionId: held?.slot === slot ? held.id : '0',
    lossTrend: 1,
    profitTrend: 1,
    stopLossPrice: exits.stopLoss?.trigger,
    takeProfitPrice: exits.takeProfit?.trigger,
    state: stateOf(order),
    triggerSide: reached === null ? 0 : reached === 'takeProfit' ? 1 : 2,
    positionType: side === 'long' ? 1 : 2,
    vol,
    realityVol: status === 'filled' ? vol : 0,
    errorCode: 0,
    isFinished: status === 'open' ? 0 : 1,
    volType: order.size === null ? 2 : 1,
    createTime: order.createdAtMs,
    updateTime: order.updatedAtMs,
  }
}
