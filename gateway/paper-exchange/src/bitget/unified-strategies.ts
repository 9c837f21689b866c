import { type Position, positionAt } from '../account.ts'
import { isMultipleOf, type Json, ZERO } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { EXIT_NAMES, type Exits, isAbove, type TriggerOrder } from '../trigger-book.ts'
import { BitgetRejection, pageOf, perSecond, toIds } from './calls.ts'
import { contractRulesOf } from './mix-views.ts'
import { EXIT_FIELDS, newExits, noExitsHere } from './unified-draft.ts'
import { exitFields, requiredCategory, unifiedClientOid, unifiedMarket } from './unified-views.ts'

const STRATEGY_FIELDS = fieldNames(
  'category symbol type tpslMode qty side posSide reduceOnly clientOid',
  EXIT_FIELDS,
  'triggerPrice triggerBy triggerOrderType triggerOrderPrice',
)
// A client id stays taken so long; its page does not fully guarantee it.
const ID_TAKEN_MS = 6 * 3_600_000

/** Codes for a trigger price on the wrong side of the price that it is compared with. */
const WRONG_SIDE = {
  long: {
    takeProfit: { last: '25585', mark: '25589' },
    stopLoss: { last: '25586', mark: '25590' },
  },
  short: {
    takeProfit: { last: '25587', mark: '25591' },
    stopLoss: { last: '25588', mark: '25592' },
  },
} as const

/** Orders that end a position at a price, on Bitget v3, below `/api/v3/trade`. */
export const unifiedStrategyEndpoints: readonly Endpoint[] = [
  signedPost('/place-strategy-order', perSecond(10), place),
  signedPost('/cancel-strategy-order', perSecond(10), cancel),
]

/**
 * Take profit and stop loss of a position: one order for both. The type `trigger`, and orders of
 * other categories than futures, are not on the paper exchange.
 */
function place(call: SignedCall): Json {
  const { venue, account, params } = call
  params.only(STRATEGY_FIELDS)
  if (requiredCategory(call) === 'SPOT') throw noExitsHere()
  if ((params.choice('type', ['tpsl', 'trigger']) ?? 'tpsl') === 'trigger')
    throw new BitgetRejection('25240', 'trigger does not support this operation')
  const held = heldPosition(call)
  const exits = newExits(call, held.market, { takeProfit: '25602', stopLoss: '25603' })
  if (exits.takeProfit === null && exits.stopLoss === null)
    throw params.problems.missing('takeProfit')
  checkSides(call, held, exits)
  const size = partOf(call, held)
  const clientId = unifiedClientOid(call)
  const taken = venue.triggers.orders.byClientId(account.name, clientId)
  const isRejecting = venue.habits.bitgetDuplicates === 'reject'
  if (isRejecting && taken.some(({ createdAtMs }) => venue.nowMs() - createdAtMs < ID_TAKEN_MS))
    throw new BitgetRejection('25212', 'Duplicate clientOid')
  const { market, slot, side } = held
  return toIds(venue.triggers.add({ account, market, slot, side, exits, size, clientId }))
}

function cancel({ venue, account, params }: SignedCall): Json {
  const [orderId, clientOid] = [params.text('orderId'), params.text('clientOid')]
  if (orderId === undefined && clientOid === undefined) throw params.problems.missing('orderId')
  const { orders } = venue.triggers
  const found =
    orderId === undefined
      ? orders.byClientId(account.name, clientOid ?? '')[0]
      : orders.byId(account.name, orderId)
  if (found?.status !== 'open')
    throw new BitgetRejection('25597', 'Strategy does not exist or has already been stopped')
  venue.triggers.cancel(found)
  return null
}

function heldPosition(call: SignedCall): Position {
  const { account, params } = call
  const market = unifiedMarket(call)
  const posSide = params.requiredChoice('posSide', ['long', 'short'])
  const slot = account.futures.positionMode === 'hedge' ? posSide : 'net'
  const held = positionAt(account, market, slot)
  if (held?.side !== posSide)
    throw new BitgetRejection('25601', 'Position does not exist; cannot set TP/SL')
  return held
}

/**
 * Null for the whole position, which can have one such order; otherwise the size that the order
 * closes.
 */
function partOf(call: SignedCall, { market, slot, size: held }: Position) {
  const { venue, account, params } = call
  const own = venue.triggers.orders
    .open(account.name)
    .filter((order) => order.market === market && order.slot === slot)
  if ((params.choice('tpslMode', ['full', 'partial']) ?? 'full') === 'full') {
    if (own.every(({ size }) => size !== null)) return null
    throw new BitgetRejection(
      '25594',
      'Only one TP/SL can be set for all positions of the current symbol',
    )
  }
  const qty = params.decimal('qty')
  if (qty === undefined || qty.isZero()) throw params.problems.missing('qty')
  if (!isMultipleOf(qty, contractRulesOf(market).sizeStep))
    throw new BitgetRejection('25610', 'Order amount does not meet precision requirements')
  const taken = own.reduce((sum, { size }) => sum.plus(size ?? ZERO), qty)
  if (taken.gt(held))
    throw new BitgetRejection(
      '25595',
      'The total TP/SL quantity for partial positions exceeds the position amount',
    )
  return qty
}

function checkSides({ venue }: SignedCall, { market, side }: Position, exits: Exits): void {
  const { last } = venue.prices.of(market)
  for (const name of EXIT_NAMES) {
    const exit = exits[name]
    if (exit === null) continue
    if (isAbove(side, name) ? exit.trigger.gt(last) : exit.trigger.lt(last)) continue
    const words = isAbove(side, name) ? 'greater' : 'less'
    throw new BitgetRejection(
      WRONG_SIDE[side][name][exit.watches],
      `The ${name} trigger price must be ${words} than the ${exit.watches} price`,
    )
  }
}

const STATUS_WORDS = { open: 'pending', filled: 'success', cancelled: 'cancelled' } as const

/** The lists of strategy orders on Bitget v3, below `/api/v3/trade`. */
export const unifiedStrategyListEndpoints: readonly Endpoint[] = [
  // A plain list, unlike that of the open orders.
  signedGet('/unfilled-strategy-orders', perSecond(20), (call) =>
    wanted(call, ({ status }) => status === 'open').map(toStrategyView),
  ),
  signedGet('/history-strategy-orders', perSecond(20), (call) => {
    const orders = wanted(call, ({ status }) => status !== 'open')
    const page = pageOf(call, orders, 'cursor')
    const last = page.at(-1)
    return last === undefined
      ? { list: null, cursor: null }
      : { list: page.map(toStrategyView), cursor: last.id }
  }),
]

/** All of this exchange are of the type `tpsl` and the category USDT-FUTURES. */
function wanted(
  call: SignedCall,
  isWanted: (order: TriggerOrder) => boolean,
): readonly TriggerOrder[] {
  const { venue, account, params } = call
  const isOther =
    requiredCategory(call) !== 'USDT-FUTURES' ||
    params.choice('type', ['tpsl', 'trigger']) === 'trigger'
  return isOther ? [] : venue.triggers.orders.of(account.name).filter(isWanted)
}

/**
 * The strategy order of v3. What it has as `qty` for a whole position is not documented: empty
 * here [?].
 */
export function toStrategyView(order: TriggerOrder): Json {
  return {
    orderId: order.id,
    clientOid: order.clientId,
    category: 'USDT-FUTURES',
    symbol: order.market.name,
    qty: order.size?.toFixed() ?? '',
    posSide: order.side,
    status: STATUS_WORDS[order.status],
    ...(order.reached === null ? {} : { triggerType: order.reached }),
    ...exitFields(order.exits),
    createdTime: `${order.createdAtMs}`,
    updatedTime: `${order.updatedAtMs}`,
  }
}
