import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { EXIT_NAMES, type TriggerOrder } from '../trigger-book.ts'
import { contractOf, isOfProduct, productTypeOf } from './mix-scope.ts'
import { pageOf } from './paging.ts'
import { perSecond } from './spot-market.ts'

/** Lists of trigger orders on Bitget futures, below `/api/v2/mix`. */
export const mixPlanListEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/order/orders-plan-pending',
    access: 'read',
    limit: perSecond(10),
    respond: (call) => listed(call, ({ status }) => status === 'open'),
  },
  {
    method: 'GET',
    path: '/order/orders-plan-history',
    access: 'read',
    limit: perSecond(10),
    respond: (call) => listed(call, ({ status }) => status !== 'open'),
  },
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
  const page = pageOf(call, wanted, ({ id, createdAtMs }) => ({ id, atMs: createdAtMs }))
  return {
    entrustedList: page.flatMap(toRows),
    endId: page.at(-1)?.id ?? null,
    total: `${venue.triggers.orders.open(account.name).length}`,
  }
}

/** A row for each exit: one order has both when it was placed over v3. */
function toRows(order: TriggerOrder): Json[] {
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
