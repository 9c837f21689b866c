import { type Position, positionAt } from '../account.ts'
import { type Decimal, isMultipleOf, type Json, type JsonObject } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import {
  EXIT_NAMES,
  type Exit,
  type Exits,
  isAbove,
  noExits,
  type TriggerOrder,
} from '../trigger-book.ts'
import { BitgetRejection, clientOidOf, pageOf, perSecond, toIds } from './calls.ts'
import { exitAt } from './mix-draft.ts'
import {
  checkMarginCoin,
  contractOf,
  contractRulesOf,
  isOfProduct,
  productTypeOf,
} from './mix-views.ts'

const PLAN_TYPES = ['profit_plan', 'loss_plan', 'pos_profit', 'pos_loss'] as const
const TRIGGER_TYPES = ['fill_price', 'mark_price'] as const
const LEGS = [
  { name: 'takeProfit', prefix: 'stopSurplus' },
  { name: 'stopLoss', prefix: 'stopLoss' },
] as const

const COMMON_FIELDS = 'symbol productType marginCoin holdSide stpMode requestTime receiveWindow'
/** With fields that ccxt has from a plain order. */
const ONE_FIELDS = fieldNames(
  COMMON_FIELDS,
  'planType triggerPrice triggerType executePrice size rangeRate clientOid orderType force',
)
const CHANGE_FIELDS = fieldNames(
  'orderId clientOid symbol productType marginCoin requestTime receiveWindow',
  'triggerPrice triggerType executePrice size rangeRate',
)
const BOTH_FIELDS = fieldNames(
  COMMON_FIELDS,
  ...LEGS.flatMap(({ prefix }) =>
    ['TriggerPrice', 'TriggerType', 'ExecutePrice', 'Size', 'ClientOid'].map(
      (name) => `${prefix}${name}`,
    ),
  ),
)

/** Take profit and stop loss of positions on Bitget futures, below `/api/v2/mix`. */
export const mixTpslEndpoints: readonly Endpoint[] = [
  signedPost('/order/place-tpsl-order', perSecond(10), placeOne),
  signedPost('/order/place-pos-tpsl', perSecond(10), placeBoth),
  signedPost('/order/modify-tpsl-order', perSecond(10), change),
  signedPost('/order/cancel-plan-order', perSecond(10), cancel),
]

/** One leg. `moving_plan`, the trailing stop, is not on the paper exchange. */
function placeOne(call: SignedCall): Json {
  const { venue, params } = call
  params.only(ONE_FIELDS)
  const held = heldPosition(call)
  const planType = params.requiredChoice('planType', PLAN_TYPES)
  if (!params.has('triggerPrice')) throw params.problems.missing('triggerPrice')
  const watches = watchedPrice(call, 'triggerType')
  const exit = exitAt(call, 'triggerPrice', 'executePrice', watches)
  if (exit === null) throw params.problems.malformed('triggerPrice')
  const isWhole = planType.startsWith('pos_')
  const size = params.decimal('size')
  if (!isWhole && size === undefined) throw params.problems.missing('size')
  const name = planType.includes('profit') ? 'takeProfit' : 'stopLoss'
  checkExit(call, held, { exit, name })
  const order = venue.triggers.add({
    ...placeOf(call, held),
    exits: { ...noExits, [name]: exit },
    size: isWhole ? null : checkedSize(call, held, size),
    clientId: clientOidOf(call),
  })
  return toIds(order)
}

/** Both legs, or one of them, for the whole position: an order for each. */
function placeBoth(call: SignedCall): Json {
  const { venue, params } = call
  params.only(BOTH_FIELDS)
  const held = heldPosition(call)
  const given = LEGS.flatMap(({ name, prefix }) => {
    const watches = watchedPrice(call, `${prefix}TriggerType`)
    const exit = exitAt(call, `${prefix}TriggerPrice`, `${prefix}ExecutePrice`, watches)
    return exit === null ? [] : [{ name, prefix, exit }]
  })
  if (given.length === 0) throw params.problems.missing('stopSurplusTriggerPrice')
  for (const leg of given) checkExit(call, held, leg)
  const placed = given.map(({ name, prefix, exit }) => {
    const order = venue.triggers.add({
      ...placeOf(call, held),
      exits: { ...noExits, [name]: exit },
      size: params.decimal(`${prefix}Size`) ?? null,
      clientId: clientOidOf(call, `${prefix}ClientOid`),
    })
    return { order, idName: `${prefix}ClientOid` }
  })
  // Each entry names the ids of all (page of 2025-12).
  const ids = Object.fromEntries(placed.map(({ order, idName }) => [idName, order.clientId]))
  return placed.map(({ order }) => ({ orderId: order.id, ...ids }))
}

/**
 * Gives one leg another trigger, and another size where it has one. That its ids stay is an
 * assumption [?]: the page shows the ids of the response alone.
 */
function change(call: SignedCall): Json {
  const { venue, account, params } = call
  params.only(CHANGE_FIELDS)
  const market = contractOf(call)
  const [orderId, clientOid] = [params.text('orderId'), params.text('clientOid')]
  const order = openTriggers(call).find(({ id, clientId }) =>
    orderId === undefined ? clientId === clientOid : id === orderId,
  )
  const held = order && positionAt(account, market, order.slot)
  if (order === undefined || order.market !== market || held === undefined)
    throw new BitgetRejection('43025', 'Plan order does not exist')
  const exit = exitAt(call, 'triggerPrice', 'executePrice', watchedPrice(call, 'triggerType'))
  if (exit === null) throw params.problems.missing('triggerPrice')
  const name = order.exits.takeProfit === null ? 'stopLoss' : 'takeProfit'
  checkExit(call, held, { exit, name })
  const size = order.size === null ? null : checkedSize(call, held, params.decimal('size'))
  venue.triggers.change(order, { exits: { ...order.exits, [name]: exit }, size })
  return toIds(order)
}

const watchedPrice = ({ params }: SignedCall, name: string): Exit['watches'] =>
  params.choice(name, TRIGGER_TYPES) === 'mark_price' ? 'mark' : 'last'

/**
 * Those of `orderIdList`, whose type must be the call's, or all of the symbol when there is no
 * list.
 */
function cancel(call: SignedCall): Json {
  const { venue, params } = call
  const market = params.has('symbol') ? contractOf(call) : undefined
  const open = openTriggers(call).filter((order) => market === undefined || order.market === market)
  const list = params
    .objects('orderIdList')
    ?.map((entry) => entry.text('orderId') ?? entry.text('clientOid'))
  const planType = params.text('planType') ?? 'normal_plan'
  const found = list?.map((id) => ({
    id: id ?? '',
    order: open.find(
      (order) => (order.id === id || order.clientId === id) && planTypesOf(order).has(planType),
    ),
  }))
  const wanted = found?.flatMap(({ order }) => order ?? []) ?? open
  for (const order of wanted) venue.triggers.cancel(order)
  const failed = found?.filter(({ order }) => order === undefined) ?? []
  return {
    successList: wanted.map(toIds),
    failureList: failed.map(({ id }) => ({ orderId: id, clientOid: '', errorMsg: 'notExistend' })),
  }
}

/** One that was placed over v3 has both ends, and so two types. */
function planTypesOf({ exits, size }: TriggerOrder): Set<string> {
  const names = EXIT_NAMES.filter((name) => exits[name] !== null)
  return new Set(
    names.map((name) => {
      const kind = name === 'takeProfit' ? 'profit' : 'loss'
      return size === null ? `pos_${kind}` : `${kind}_plan`
    }),
  )
}

function openTriggers(call: SignedCall): readonly TriggerOrder[] {
  const productType = productTypeOf(call)
  return call.venue.triggers.orders
    .open(call.account.name)
    .filter(({ market }) => isOfProduct(market, productType))
}

const placeOf = ({ account }: SignedCall, { market, slot, side }: Position) => ({
  account,
  market,
  slot,
  side,
})

/** `holdSide` is long or short in hedge mode, buy or sell (buy a long) in one-way mode. */
function heldPosition(call: SignedCall): Position {
  const { account, params } = call
  const market = contractOf(call)
  checkMarginCoin(call, market, true)
  const isHedge = account.futures.positionMode === 'hedge'
  const word = params.requiredChoice('holdSide', isHedge ? ['long', 'short'] : ['buy', 'sell'])
  const side = word === 'long' || word === 'buy' ? 'long' : 'short'
  const held = positionAt(account, market, isHedge ? side : 'net')
  if (held === undefined || held.side !== side) {
    // No page has 43023 (docs/exchanges/bitget.md, 8); seen in public code only.
    throw new BitgetRejection('43023', 'Insufficient position, can not set profit or stop loss')
  }
  return held
}

function checkExit(
  { venue }: SignedCall,
  held: Position,
  { exit, name }: { readonly exit: Exit; readonly name: keyof Exits },
): void {
  const { priceTick } = contractRulesOf(held.market)
  if (!isMultipleOf(exit.trigger, priceTick)) {
    throw new BitgetRejection(
      '45115',
      `The price you enter should be a multiple of ${priceTick.toFixed()}`,
    )
  }
  const { last } = venue.prices.of(held.market)
  const waitsAbove = isAbove(held.side, name)
  if (waitsAbove ? exit.trigger.lte(last) : exit.trigger.gte(last)) {
    // No page has 40915 and 40917 (docs/exchanges/bitget.md, 8); seen in public code only.
    const code = name === 'takeProfit' ? '40915' : '40917'
    throw new BitgetRejection(
      code,
      `The trigger price must be ${waitsAbove ? '>' : '<'} ${last.toFixed()}`,
    )
  }
}

function checkedSize(
  { params }: SignedCall,
  { market, size: held }: Position,
  size: Decimal | undefined,
): Decimal {
  if (size === undefined) throw params.problems.missing('size')
  if (!isMultipleOf(size, contractRulesOf(market).sizeStep)) throw params.problems.malformed('size')
  if (size.isZero() || size.gt(held))
    throw new BitgetRejection('40757', 'Not enough position is available')
  return size
}

/** Lists of trigger orders on Bitget futures, below `/api/v2/mix`. */
export const mixPlanListEndpoints: readonly Endpoint[] = [
  signedGet('/order/orders-plan-pending', perSecond(10), (call) =>
    listed(call, ({ status }) => status === 'open'),
  ),
  signedGet('/order/orders-plan-history', perSecond(10), (call) =>
    listed(call, ({ status }) => status !== 'open'),
  ),
]

/** All of this exchange end a position; of the other types it has none. */
function listed(call: SignedCall, isWanted: (order: TriggerOrder) => boolean): Json {
  const { venue, account, params } = call
  const planTypes = ['normal_plan', 'track_plan', 'profit_loss'] as const
  const isEnding = params.requiredChoice('planType', planTypes) === 'profit_loss'
  const productType = productTypeOf(call)
  const symbol = params.has('symbol') ? contractOf(call) : undefined
  const wanted = venue.triggers.orders
    .of(account.name)
    .filter((order) => isEnding && isWanted(order))
    .filter(({ market }) => isOfProduct(market, productType))
    .filter(({ market }) => symbol === undefined || market === symbol)
  const page = pageOf(call, wanted)
  return {
    entrustedList: page.flatMap(toRows),
    endId: page.at(-1)?.id ?? null,
    total: `${venue.triggers.orders.open(account.name).length}`,
  }
}

/** A row for each exit: one order has both when it was placed over v3. */
export function toRows(order: TriggerOrder): JsonObject[] {
  return EXIT_NAMES.flatMap((name) => {
    const exit = order.exits[name]
    if (exit === null) return []
    const kind = name === 'takeProfit' ? 'profit' : 'loss'
    return [
      {
        planType: order.size === null ? `pos_${kind}` : `${kind}_plan`,
        symbol: order.market.name,
        size: order.size?.toFixed() ?? '',
        orderId: order.id,
        clientOid: order.clientId,
        triggerPrice: exit.trigger.toFixed(),
        executePrice: exit.limit?.toFixed() ?? '0',
        planStatus: { open: 'live', filled: 'executed', cancelled: 'cancelled' }[order.status],
        posSide: order.side,
        marginCoin: order.market.quote,
        triggerType: exit.watches === 'mark' ? 'mark_price' : 'fill_price',
        cTime: `${order.createdAtMs}`,
        uTime: `${order.updatedAtMs}`,
      },
    ]
  })
}
