import { positionAt } from '../account.ts'
import { type Decimal, isMultipleOf } from '../decimal.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import type { Market } from '../market.ts'
import type { Position, Slot } from '../position.ts'
import type { Exit, TriggerOrder } from '../trigger-book.ts'
import { clientOidOf } from './client-oid.ts'
import { exitAt } from './mix-draft.ts'
import { checkMarginCoin, contractOf, isOfProduct, productTypeOf } from './mix-scope.ts'
import { contractRulesOf } from './mix-views.ts'
import { BitgetRejection, bitgetProblems } from './rejection.ts'
import { perSecond } from './spot-market.ts'

const PLAN_TYPES = ['profit_plan', 'loss_plan', 'pos_profit', 'pos_loss'] as const
const TRIGGER_TYPES = ['fill_price', 'mark_price'] as const

/** Take profit and stop loss of positions on Bitget futures, below `/api/v2/mix`. */
export const mixTpslEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/order/place-tpsl-order',
    access: 'trade',
    limit: perSecond(10),
    respond: placeOne,
  },
  {
    method: 'POST',
    path: '/order/place-pos-tpsl',
    access: 'trade',
    limit: perSecond(10),
    respond: placeBoth,
  },
  {
    method: 'POST',
    path: '/order/cancel-plan-order',
    access: 'trade',
    limit: perSecond(10),
    respond: cancel,
  },
]

/** One leg. `moving_plan`, the trailing stop, is not on the paper exchange. */
function placeOne(call: SignedCall): Json {
  const { venue, params } = call
  const held = heldPosition(call)
  const planType = params.requiredChoice('planType', PLAN_TYPES)
  params.choice('triggerType', TRIGGER_TYPES)
  if (!params.has('triggerPrice')) throw bitgetProblems.missing('triggerPrice')
  const exit = exitAt(call, 'triggerPrice', 'executePrice')
  if (exit === null) throw bitgetProblems.malformed('triggerPrice')
  const isWhole = planType.startsWith('pos_')
  const size = params.decimal('size')
  if (!isWhole && size === undefined) throw bitgetProblems.missing('size')
  const kind =
    planType.endsWith('profit') || planType === 'profit_plan' ? 'take-profit' : 'stop-loss'
  checkExit(call, held, { exit, kind })
  const order = venue.triggers.add({
    ...placeOf(call, held),
    ...exit,
    kind,
    size: isWhole ? null : checkedSize(held, size),
    clientId: clientOidOf(call),
    label: planType,
  })
  return toIds(order)
}

/** Both legs, or one of them, for the whole position. */
function placeBoth(call: SignedCall): Json {
  const { venue, params } = call
  const held = heldPosition(call)
  params.choice('stopSurplusTriggerType', TRIGGER_TYPES)
  params.choice('stopLossTriggerType', TRIGGER_TYPES)
  const legs = [
    [
      'take-profit',
      'pos_profit',
      'stopSurplus',
      exitAt(call, 'stopSurplusTriggerPrice', 'stopSurplusExecutePrice'),
    ],
    [
      'stop-loss',
      'pos_loss',
      'stopLoss',
      exitAt(call, 'stopLossTriggerPrice', 'stopLossExecutePrice'),
    ],
  ] as const
  const given = legs.flatMap(([kind, label, prefix, exit]) =>
    exit === null ? [] : [{ kind, label, prefix, exit }],
  )
  if (given.length === 0) throw bitgetProblems.missing('stopSurplusTriggerPrice')
  for (const leg of given) checkExit(call, held, leg)
  const placed = given.map(({ kind, label, prefix, exit }) => {
    const order = venue.triggers.add({
      ...placeOf(call, held),
      ...exit,
      kind,
      label,
      size: params.decimal(`${prefix}Size`) ?? null,
      clientId: clientOidOf(call, `${prefix}ClientOid`),
    })
    return { order, idName: `${prefix}ClientOid` }
  })
  // Each entry names the ids of all (page of 2025-12).
  const ids = Object.fromEntries(placed.map(({ order, idName }) => [idName, order.clientId]))
  return placed.map(({ order }) => ({ orderId: order.id, ...ids }))
}

/** Those of `orderIdList`, or all of the symbol when there is no list. */
function cancel(call: SignedCall): Json {
  const { venue, params } = call
  const market = params.has('symbol') ? contractOf(call) : undefined
  const list = params
    .objects('orderIdList')
    ?.map((entry) => entry.text('orderId') ?? entry.text('clientOid'))
  const wanted = openTriggers(call)
    .filter((order) => market === undefined || order.market === market)
    .filter(
      ({ id, clientId }) => list === undefined || list.includes(id) || list.includes(clientId),
    )
  for (const order of wanted) venue.triggers.cancel(order)
  return { successList: wanted.map(toIds), failureList: [] }
}

function openTriggers(call: SignedCall): readonly TriggerOrder[] {
  const productType = productTypeOf(call)
  return call.venue.triggers.orders
    .open(call.account.name)
    .filter(({ market }) => isOfProduct(market, productType))
}

const toIds = ({ id, clientId }: TriggerOrder) => ({ orderId: id, clientOid: clientId })

const placeOf = ({ account }: SignedCall, { market, slot }: { market: Market; slot: Slot }) => ({
  account,
  market,
  slot,
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
  { exit, kind }: { exit: Exit; kind: 'take-profit' | 'stop-loss' },
): void {
  const { priceTick } = contractRulesOf(held.market)
  if (!isMultipleOf(exit.trigger, priceTick)) {
    throw new BitgetRejection(
      '45115',
      `The price you enter should be a multiple of ${priceTick.toFixed()}`,
    )
  }
  const { last } = venue.prices.of(held.market)
  const isAbove = (kind === 'take-profit') === (held.side === 'long')
  if (isAbove ? exit.trigger.lte(last) : exit.trigger.gte(last)) {
    // No page has 40915 and 40917 (docs/exchanges/bitget.md, 8); seen in public code only.
    const code = kind === 'take-profit' ? '40915' : '40917'
    throw new BitgetRejection(
      code,
      `The trigger price must be ${isAbove ? '>' : '<'} ${last.toFixed()}`,
    )
  }
}

function checkedSize({ market, size: held }: Position, size: Decimal | undefined): Decimal {
  if (size === undefined) throw bitgetProblems.missing('size')
  if (!isMultipleOf(size, contractRulesOf(market).sizeStep)) throw bitgetProblems.malformed('size')
  if (size.isZero() || size.gt(held))
    throw new BitgetRejection('40757', 'Not enough position is available')
  return size
}
