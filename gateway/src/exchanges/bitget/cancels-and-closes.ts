import type { OrderCallForm } from '../order-lookup/order-call-form.ts'
import { mixCancelling, spotCancelling } from './classic/order-calls.ts'
import { unifiedCancelling } from './unified/order-calls.ts'

/** The most entries in the list of cancel-plan-order (docs/exchanges/bitget.md, 5). */
const PLAN_LIST_MAX = 50

/**
 * A client's own cancels of trigger orders, which are not looked up afterwards
 * (docs/exchanges/bitget.md, 3 and
 * 5; docs/exchanges/bitget-unified.md, 12). batch-cancel-plan-order is not here: it takes symbols,
 * not ids.
 */
export const otherCancels: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>([
  ['POST /api/v2/spot/trade/cancel-plan-order', spotCancelling],
  [
    'POST /api/v2/mix/order/cancel-plan-order',
    { ...mixCancelling, list: { field: 'orderIdList', max: PLAN_LIST_MAX } },
  ],
  ['POST /api/v3/trade/cancel-strategy-order', unifiedCancelling],
])

/**
 * Calls that close or reverse a position (docs/exchanges/bitget.md, 4 and 11). A reversal without a
 * size reverses the whole position.
 */
export const closes: ReadonlyMap<string, string | undefined> = new Map([
  ['POST /api/v2/mix/order/close-positions', undefined],
  ['POST /api/v2/mix/order/click-backhand', 'size'],
  ['POST /api/v3/trade/close-positions', undefined],
])
