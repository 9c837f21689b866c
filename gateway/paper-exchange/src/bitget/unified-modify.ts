import type { Decimal } from '../decimal.ts'
import { OrderRejectedError } from '../errors.ts'
import type { SignedCall } from '../family.ts'
import { fieldNames } from '../params.ts'
import type { Exit, Exits } from '../trigger-book.ts'
import { BitgetRejection } from './rejection.ts'
import { noExitsHere, onlyOpening } from './unified-draft.ts'
import { EXIT_FIELDS, exitNamed } from './unified-exits.ts'
import { cancel, toIds, wantedOrder } from './unified-lookup.ts'
import { isContractOrder, type UnifiedOrder } from './unified-scope.ts'

const CHANGE_FIELDS = fieldNames(
  'category symbol orderId clientOid qty price autoCancel',
  EXIT_FIELDS,
)

interface Change {
  readonly price: Decimal
  /** That it is the new total and not what is added is assumed by every library [?]. */
  readonly size: Decimal
  readonly exits: Exits | null
}

/**
 * The order stays what it is, with its ids, and gets another size, price, take profit or stop loss
 * (docs/exchanges/bitget-unified.md, 4.3). With `autoCancel` it is gone when the change is
 * rejected.
 * @throws BitgetRejection or OrderRejectedError
 */
export function modifyOrder(call: SignedCall): ReturnType<typeof toIds> {
  call.params.only(CHANGE_FIELDS)
  const order = wantedOrder(call)
  const isAutoCancel = call.params.choice('autoCancel', ['yes', 'no']) === 'yes'
  const change = changeOf(call, order)
  try {
    if (isOtherAmount(order, change)) amend(call, order, change)
    else if (!isOtherExit(order, change)) throw notChanged()
  } catch (error) {
    const isRejected = error instanceof OrderRejectedError || error instanceof BitgetRejection
    if (isRejected && isAutoCancel && order.status === 'open') cancel(call, order)
    throw error
  }
  if (isContractOrder(order) && change.exits !== null)
    call.venue.contracts.setExits(order, change.exits)
  return toIds(order)
}

const notChangeable = () =>
  new BitgetRejection('25568', 'The order does not meet the modification requirements.')
const notChanged = () =>
  new BitgetRejection('25571', 'The modification price and qty is the same as the original value.')

function changeOf(call: SignedCall, order: UnifiedOrder): Change {
  const { params } = call
  const exits = changedExits(call, order)
  if (!params.has('qty') && !params.has('price') && exits === null)
    throw params.problems.missing('qty')
  if (order.status !== 'open' || order.price === null) throw notChangeable()
  const change = {
    price: params.decimal('price') ?? order.price,
    size: params.decimal('qty') ?? order.size,
    exits,
  }
  if (!order.filledSize.isZero() && change.size.lte(order.filledSize)) throw notChangeable()
  return change
}

/** Null when the call names none; one that it does not name stays, and 0 takes one away. */
function changedExits(call: SignedCall, order: UnifiedOrder): Exits | null {
  const { params } = call
  if (!params.has('takeProfit') && !params.has('stopLoss')) return null
  if (!isContractOrder(order)) throw noExitsHere()
  if (order.isReduceOnly) throw onlyOpening()
  const exitOf = (name: keyof Exits): Exit | null => {
    const exit = exitNamed(call, name, order.market)
    return exit === undefined ? order.exits[name] : exit
  }
  return { takeProfit: exitOf('takeProfit'), stopLoss: exitOf('stopLoss') }
}

const isOtherAmount = (order: UnifiedOrder, { price, size }: Change): boolean =>
  order.price?.eq(price) !== true || !order.size.eq(size)

const isOtherExit = (order: UnifiedOrder, { exits }: Change): boolean =>
  exits !== null && isContractOrder(order) && JSON.stringify(exits) !== JSON.stringify(order.exits)

function amend({ venue }: SignedCall, order: UnifiedOrder, change: Change): void {
  if (isContractOrder(order)) venue.contracts.amend(order, change)
  else venue.spot.amend(order, change)
}
