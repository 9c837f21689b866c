import type { Json, JsonObject, ReceivedJson } from '../exact-numbers.ts'
import { fieldNames, isObject } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { type PlanOrder, trailedPrice } from '../trigger-book.ts'
import { DRAFT_FIELDS, EXIT_FIELDS, toDraft } from './futures-draft.ts'
import { FuturesRejection, futuresProblems } from './futures-family.ts'
import { perTwoSeconds } from './futures-market.ts'
import { listBody, pageOf } from './futures-orders.ts'
import { contractName, contractNamed, toVol } from './futures-views.ts'

/** ccxt writes `type` and what follows `trend` of a plain order as well. */
const PLAN_FIELDS = fieldNames(
  DRAFT_FIELDS,
  EXIT_FIELDS,
  'price triggerPrice triggerType executeCycle orderType trend type',
  'positionId externalOid timeInForce',
)
const TRACK_FIELDS = fieldNames(DRAFT_FIELDS, 'trend activePrice backType backValue')
const MARKET = 5
const HOUR_MS = 3_600_000
/** By `executeCycle`. */
const CYCLE_HOURS: Readonly<Record<number, number>> = { 1: 24, 2: 168 }

/**
 * Trigger orders and trailing orders of MEXC futures, below `/api/v1` (mexc-futures.md,
 * 4.7). A cancel says the same whether it found its order or not: what the real one says of an
 * order that is not there is not documented [?].
 */
export const futuresPlanEndpoints: readonly Endpoint[] = [
  // The older path responds with a number.
  signedPost('/private/planorder/place', perTwoSeconds(4), (call) => BigInt(placePlan(call).id)),
  signedPost('/private/planorder/place/v2', perTwoSeconds(4), (call) => placePlan(call).id),
  signedGet('/private/planorder/list/orders', perTwoSeconds(20), listPlans),
  signedPost('/private/planorder/cancel', perTwoSeconds(20), cancelPlans),
  signedPost('/private/planorder/cancel_all', perTwoSeconds(20), (call) =>
    cancelAll(call, 'fixed'),
  ),
  signedPost('/private/trackorder/place', perTwoSeconds(4), (call) => placeTrack(call).id),
  signedGet('/private/trackorder/list/orders', perTwoSeconds(20), listTracks),
  signedPost('/private/trackorder/cancel', perTwoSeconds(20), cancelTrack),
]

function placePlan(call: SignedCall): PlanOrder {
  const { venue, params } = call
  params.only(PLAN_FIELDS)
  const price = params.decimal('triggerPrice')
  if (price === undefined || price.isZero()) throw new FuturesRejection(3003, 'Trigger price error')
  const triggerType = params.requiredInteger('triggerType')
  if (triggerType !== 1 && triggerType !== 2) throw new FuturesRejection(3002, 'Trigger type error')
  const hours = CYCLE_HOURS[params.requiredInteger('executeCycle')]
  if (hours === undefined) throw new FuturesRejection(3004, 'Execute cycle error')
  const trend = trendOf(call)
  return venue.plans.add({
    draft: toDraft(call, params.requiredInteger('orderType')),
    trigger: { kind: 'fixed', price, isAbove: triggerType === 1 },
    expiresAtMs: venue.nowMs() + hours * HOUR_MS,
    labels: { trend, hours: `${hours}` },
  })
}

function placeTrack(call: SignedCall): PlanOrder {
  const { venue, params } = call
  params.only(TRACK_FIELDS)
  const backType = params.requiredInteger('backType')
  if (backType !== 1 && backType !== 2) throw futuresProblems.malformed('backType')
  const back = params.decimal('backValue')
  if (back === undefined || back.isZero()) throw futuresProblems.malformed('backValue')
  const activation = params.decimal('activePrice')
  return venue.plans.add({
    draft: toDraft(call, MARKET),
    trigger: {
      kind: 'trailing',
      activation: activation === undefined || activation.isZero() ? null : activation,
      back,
      isRatio: backType === 1,
    },
    expiresAtMs: null,
    labels: { trend: trendOf(call), backType: `${backType}` },
  })
}

function trendOf({ params }: SignedCall): string {
  const trend = params.requiredInteger('trend')
  if (trend < 1 || trend > 3) throw new FuturesRejection(3001, 'Trigger price type error')
  return `${trend}`
}

function plansOf(call: SignedCall, kind: PlanOrder['trigger']['kind']): readonly PlanOrder[] {
  const { venue, account, params } = call
  const symbol = params.text('symbol')
  const market = symbol === undefined ? undefined : contractNamed(venue, symbol)
  return venue.plans.orders
    .of(account.name)
    .filter(({ trigger }) => trigger.kind === kind)
    .filter(({ draft }) => market === undefined || draft.market === market)
}

function listPlans(call: SignedCall): Json {
  const { params } = call
  const states = params.text('states')?.split(',').map(Number)
  const [fromMs, toMs] = [params.requiredInteger('start_time'), params.requiredInteger('end_time')]
  const wanted = plansOf(call, 'fixed')
    .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs <= toMs)
    .filter((order) => states === undefined || states.includes(planState(order)))
  return pageOf(call, wanted).map(toPlanView)
}

function listTracks(call: SignedCall): Json {
  const states = call.params.required('states').split(',').map(Number)
  const wanted = plansOf(call, 'trailing').filter((order) => states.includes(trackState(order)))
  return pageOf(call, wanted, ['pageIndex', 'pageSize']).map(toTrackView)
}

const planState = ({ status, failure }: PlanOrder): number =>
  failure === null ? { open: 1, cancelled: 2, filled: 3 }[status] : failure === 'expired' ? 4 : 5

const trackState = ({ status, failure, best }: PlanOrder): number =>
  failure === null ? { open: best === null ? 0 : 1, filled: 2, cancelled: 4 }[status] : 3

function commonView(order: PlanOrder) {
  const { draft, labels } = order
  return {
    id: order.id,
    symbol: contractName(draft.market),
    leverage: draft.leverage,
    side: Number(draft.labels.side),
    vol: toVol(draft.market, draft.size),
    openType: draft.marginMode === 'isolated' ? 1 : 2,
    trend: Number(labels.trend),
    errorCode: order.failure === 'rejected' ? 2 : 0,
    createTime: order.createdAtMs,
    updateTime: order.updatedAtMs,
    positionMode: draft.slot === 'net' ? 2 : 1,
    reduceOnly: draft.isReduceOnly && draft.slot === 'net',
  }
}

export function toPlanView(order: PlanOrder): JsonObject {
  const { draft, trigger, labels, madeOrderId } = order
  return {
    ...commonView(order),
    triggerPrice: trigger.kind === 'fixed' ? trigger.price : null,
    triggerType: trigger.kind === 'fixed' && trigger.isAbove ? 1 : 2,
    price: draft.price ?? 0,
    state: planState(order),
    executeCycle: Number(labels.hours),
    orderType: Number(draft.labels.type),
    orderId: madeOrderId === '' ? undefined : madeOrderId,
  }
}

export function toTrackView(order: PlanOrder): JsonObject {
  const { draft, trigger, best, labels, madeOrderId } = order
  const isTrailing = trigger.kind === 'trailing'
  return {
    ...commonView(order),
    activePrice: (isTrailing ? trigger.activation : null) ?? 0,
    markPrice: best ?? 0,
    backType: Number(labels.backType),
    backValue: isTrailing ? trigger.back : 0,
    triggerPrice: trailedPrice(order) ?? 0,
    triggerType: draft.side === 'sell' ? 2 : 1,
    state: trackState(order),
    orderId: madeOrderId === '' ? 0 : madeOrderId,
  }
}

/** Entries of `symbol` and `orderId`; ccxt sends bare ids. */
function cancelPlans(call: SignedCall): undefined {
  for (const entry of listBody(call)) {
    const order = planNamed(call, entry, 'fixed')
    if (order !== undefined) call.venue.plans.cancel(order)
  }
}

/** Without an id all of the symbol, or of the account: not documented [?], the worst is assumed. */
function cancelTrack(call: SignedCall): undefined {
  const { venue, params } = call
  const orderId = params.text('trackOrderId')
  if (orderId === undefined) return cancelAll(call, 'trailing')
  const symbol = params.text('symbol')
  const entry = symbol === undefined ? { orderId } : { orderId, symbol }
  const order = planNamed(call, entry, 'trailing')
  if (order !== undefined) venue.plans.cancel(order)
}

function cancelAll(call: SignedCall, kind: PlanOrder['trigger']['kind']): undefined {
  for (const order of plansOf(call, kind))
    if (order.status === 'open') call.venue.plans.cancel(order)
}

/** An open order; undefined also when it is of another symbol. */
function planNamed(
  { venue, account }: SignedCall,
  entry: ReceivedJson,
  kind: PlanOrder['trigger']['kind'],
): PlanOrder | undefined {
  const { orderId: id, symbol }: Record<string, ReceivedJson> = isObject(entry)
    ? entry
    : { orderId: entry }
  if (typeof id !== 'string') throw futuresProblems.malformed('orderId')
  const order = venue.plans.orders.byId(account.name, id)
  if (order?.status !== 'open' || order.trigger.kind !== kind) return undefined
  return symbol === undefined || contractName(order.draft.market) === symbol ? order : undefined
}
