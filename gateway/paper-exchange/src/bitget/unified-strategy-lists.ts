import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import type { TriggerOrder } from '../trigger-book.ts'
import { pageOf } from './paging.ts'
import { perSecond } from './spot-market.ts'
import { requiredCategory } from './unified-scope.ts'
import { exitFields } from './unified-views.ts'

const STATUS_WORDS = { open: 'pending', filled: 'success', cancelled: 'cancelled' } as const

/** The lists of strategy orders on Bitget v3, below `/api/v3/trade`. */
export const unifiedStrategyListEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/unfilled-strategy-orders',
    access: 'read',
    limit: perSecond(20),
    // A plain list, unlike that of the open orders.
    respond: (call) => wanted(call, ({ status }) => status === 'open').map(toStrategyView),
  },
  {
    method: 'GET',
    path: '/history-strategy-orders',
    access: 'read',
    limit: perSecond(20),
    respond(call) {
      const orders = wanted(call, ({ status }) => status !== 'open')
      const keyOf = ({ id, createdAtMs }: TriggerOrder) => ({ id, atMs: createdAtMs })
      const page = pageOf(call, orders, keyOf, 'cursor')
      const last = page.at(-1)
      return last === undefined
        ? { list: null, cursor: null }
        : { list: page.map(toStrategyView), cursor: last.id }
    },
  },
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
function toStrategyView(order: TriggerOrder): Json {
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
