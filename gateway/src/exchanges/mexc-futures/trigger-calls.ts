import type { OrderCallForm, OrderDetails, OrderFields } from '../order-lookup/order-call.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import { textOf } from '../protocol/untrusted.ts'
import { modeOf, planClosing, stopClosing, trackClosing } from './closing.ts'

/** The kinds of trigger orders, each with calls and lists of its own. */
export const TRIGGER_KINDS = ['planorder', 'stoporder', 'trackorder'] as const
export type TriggerKind = (typeof TRIGGER_KINDS)[number]

export const TRIGGER_PREFIX = '/api/v1/private'

/** Orders in one cancel (docs/exchanges/mexc.md, 4.7). */
export const TRIGGER_CANCELS_MAX = 50

/** The kind of a trigger order; undefined for any other order. */
export function triggerKindOf({ plan }: OrderKey): TriggerKind | undefined {
  return TRIGGER_KINDS.find((kind) => kind === plan)
}

const inBody = { list: { max: TRIGGER_CANCELS_MAX }, several: 'entries' } as const
const base = { market: 'futures' } as const
const inKind = (plan: TriggerKind) => ({ ...base, details: () => ({ plan }) })
const placing = (plan: TriggerKind) =>
  ({
    ...base,
    action: 'place',
    details: (fields) => ({ plan, ...modeOf(fields) }),
  }) as const satisfies OrderCallForm

const planPlacing: OrderCallForm = {
  ...placing('planorder'),
  terms: {
    ...{ side: 'side', kind: 'orderType', price: 'price', size: 'vol' },
    trigger: 'triggerPrice',
  },
  closes: planClosing,
}

/** A response names no order, and says the same whether one was cancelled or not. */
export const triggerCancels: Readonly<Record<TriggerKind, OrderCallForm>> = {
  planorder: { ...inKind('planorder'), ...inBody, action: 'cancel', isSingleByOne: true },
  stoporder: {
    ...base,
    ...inBody,
    action: 'cancel',
    isSingleByOne: true,
    details: named('stoporder', 'stopPlanOrderId'),
  },
  // The id is documented as optional; what a call without one cancels is not.
  trackorder: { ...base, action: 'cancel', details: named('trackorder', 'trackOrderId') },
}

/**
 * The calls about trigger orders (docs/exchanges/mexc.md, 4.7). They have no client order id: one
 * whose response is lost cannot be found.
 */
export const triggerCalls: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>([
  [`POST ${TRIGGER_PREFIX}/planorder/place`, planPlacing],
  [`POST ${TRIGGER_PREFIX}/planorder/place/v2`, planPlacing],
  [
    `POST ${TRIGGER_PREFIX}/stoporder/place`,
    { ...placing('stoporder'), terms: { size: 'vol' }, closes: stopClosing },
  ],
  [
    `POST ${TRIGGER_PREFIX}/trackorder/place`,
    {
      ...placing('trackorder'),
      terms: { side: 'side', size: 'vol', trigger: 'activePrice' },
      closes: trackClosing,
    },
  ],
  [
    `POST ${TRIGGER_PREFIX}/trackorder/change_order`,
    { ...base, action: 'modify', terms: { size: 'vol' }, details: changedTrack },
  ],
  ...TRIGGER_KINDS.map(
    (kind) => [`POST ${TRIGGER_PREFIX}/${kind}/cancel`, triggerCancels[kind]] as const,
  ),
])

function changedTrack({ trackOrderId }: OrderFields): OrderDetails {
  return { plan: 'trackorder', orderId: textOf(trackOrderId), isInPlace: true }
}

function named(plan: TriggerKind, idName: string): (fields: OrderFields) => OrderDetails {
  return (fields) => ({ plan, orderId: textOf(fields[idName]) })
}
