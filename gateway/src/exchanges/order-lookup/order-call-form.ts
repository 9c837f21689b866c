import type { UpstreamCall } from '../exchange.ts'
import { textOf } from '../protocol/untrusted.ts'
import type { TermNames } from './terms.ts'

/**
 * How a call about several orders is answered: in Bitget's `successList` and `failureList`, entry by entry, with
 * the order that took another one's place, which is about two orders, or with the two legs of a position's end.
 */
export type SeveralForm = 'two-lists' | 'entries' | 'replacement' | 'replacements' | 'legs'

/**
 * Where Bitget has its trigger orders: on futures in the list of the type that the call names, or of
 * all that end a position; on spot; in the unified account.
 */
export type PlanForm = 'by-type' | 'profit_loss' | 'spot' | 'strategy'

/** How a call that is about orders is written. */
export interface OrderCallForm {
  readonly action: 'place' | 'cancel' | 'modify'
  readonly market: 'spot' | 'futures'
  /** The field of the client order id; absent where the call has none. */
  readonly clientIdName?: string
  /** Bitget's unified account, where the market is in the field `category`. */
  readonly isUnified?: true
  /** The fields that say what the new order is to do; absent where the call makes none of its own. */
  readonly terms?: TermNames
  /** Where the list of its orders is, and how many that may be. Absent where it is about one. */
  readonly list?: OrderList
  readonly several?: SeveralForm
  /** It places a trigger order. */
  readonly plan?: PlanForm
}

export interface OrderList {
  /** Absent: the body itself is the list. */
  readonly field?: string
  /** More orders than this the exchange refuses. */
  readonly max: number
}

// docs/exchanges/mexc.md, 3 and 4.4. Uncertain for cancel_with_external and batch_cancel_with_external: no number
// is documented, so they have that of cancel.
const MEXC_SPOT_MAX = 20
const MEXC_FUTURES_MAX = 50
// docs/exchanges/bitget.md, 3 and 4: 50 by the pages of the calls, 20 by the best-practice page. Bitget itself decides
// in between. Uncertain for batch-cancel-order and batch-cancel-replace-order: no number is documented.
const BITGET_MAX = 50
// docs/exchanges/bitget-unified.md, 9.
const BITGET_UNIFIED_MAX = 20

const FUTURES = '/api/v1/private/order'
const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'
const inBody = (max: number) => ({ list: { max }, several: 'entries' }) as const
const inField = (field: string) =>
  ({ list: { field, max: BITGET_MAX }, several: 'two-lists' }) as const
const byExternalOid = { market: 'futures', clientIdName: 'externalOid' } as const
const futuresOrder: OrderCallForm = {
  ...byExternalOid,
  action: 'place',
  terms: { side: 'side', kind: 'type', price: 'price', size: 'vol' },
}
const bitgetTerms = { side: 'side', kind: 'orderType', price: 'price' } as const
const spotTerms = { ...bitgetTerms, size: 'size' } as const
const mixTerms = { ...spotTerms, position: 'tradeSide' } as const
const unifiedTerms = { ...bitgetTerms, size: 'qty', position: 'posSide' } as const

const mexcSpotOrder: OrderCallForm = {
  action: 'place',
  market: 'spot',
  clientIdName: 'newClientOrderId',
  terms: { side: 'side', kind: 'type', price: 'price', size: 'quantity' },
}
/** The old order goes, and one with another price and size comes. */
const replacing = {
  action: 'place',
  market: 'spot',
  clientIdName: 'newClientOid',
  terms: { price: 'price', size: 'size' },
} as const
/** The prices at which a position ends, not the side: that follows from the position. */
const endingTerms = { price: 'executePrice', size: 'size', trigger: 'triggerPrice' } as const
const ending = {
  action: 'place',
  market: 'futures',
  clientIdName: 'clientOid',
  terms: endingTerms,
  plan: 'profit_loss',
} as const
const external: OrderCallForm = {
  ...byExternalOid,
  ...inBody(MEXC_FUTURES_MAX),
  action: 'cancel',
}

// The calls that name orders (docs/exchanges/mexc.md, 3 and 4.4; docs/exchanges/bitget.md, 3, 4, 5 and 11).
// What is not here names no orders, or none that can be found.
const FORMS: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>([
  ['mexc-spot POST /api/v3/order', mexcSpotOrder],
  [
    'mexc-spot POST /api/v3/batchOrders',
    {
      ...mexcSpotOrder,
      list: { field: 'batchOrders', max: MEXC_SPOT_MAX },
      several: 'entries',
    },
  ],
  [
    'mexc-spot DELETE /api/v3/order',
    { action: 'cancel', market: 'spot', clientIdName: 'origClientOrderId' },
  ],
  [`mexc-futures POST ${FUTURES}/create`, futuresOrder],
  [`mexc-futures POST ${FUTURES}/submit`, futuresOrder],
  [`mexc-futures POST ${FUTURES}/submit_batch`, { ...futuresOrder, ...inBody(MEXC_FUTURES_MAX) }],
  [
    `mexc-futures POST ${FUTURES}/cancel`,
    { action: 'cancel', market: 'futures', ...inBody(MEXC_FUTURES_MAX) },
  ],
  [`mexc-futures POST ${FUTURES}/cancel_with_external`, external],
  [`mexc-futures POST ${FUTURES}/batch_cancel_with_external`, external],
  [`mexc-futures POST ${FUTURES}/change_limit_order`, { action: 'modify', market: 'futures' }],
  ...bitgetForms(SPOT, spotTerms, { market: 'spot' }, [
    ['batch-orders', inField('orderList')],
    ['batch-cancel-order', inField('orderList')],
  ]),
  [`bitget POST ${SPOT}/cancel-replace-order`, { ...replacing, several: 'replacement' }],
  [
    `bitget POST ${SPOT}/batch-cancel-replace-order`,
    { ...replacing, list: { field: 'orderList', max: BITGET_MAX }, several: 'replacements' },
  ],
  ...bitgetForms(MIX, mixTerms, { market: 'futures' }, [
    ['batch-place-order', inField('orderList')],
    ['batch-cancel-orders', inField('orderIdList')],
  ]),
  [
    `bitget POST ${SPOT}/place-plan-order`,
    {
      action: 'place',
      market: 'spot',
      clientIdName: 'clientOid',
      terms: { ...spotTerms, ...endingTerms },
      plan: 'spot',
    },
  ],
  [
    `bitget POST ${MIX}/place-plan-order`,
    { ...ending, terms: { ...mixTerms, trigger: 'triggerPrice' }, plan: 'by-type' },
  ],
  [`bitget POST ${MIX}/place-tpsl-order`, ending],
  [`bitget POST ${MIX}/place-pos-tpsl`, { ...ending, several: 'legs' }],
  [
    'bitget POST /api/v3/trade/place-strategy-order',
    {
      ...ending,
      isUnified: true,
      terms: { position: 'posSide', trigger: 'takeProfit' },
      plan: 'strategy',
    },
  ],
  [
    `bitget POST ${MIX}/modify-order`,
    {
      action: 'modify',
      market: 'futures',
      clientIdName: 'newClientOid',
      terms: { price: 'newPrice', size: 'newSize' },
    },
  ],
  ...bitgetForms('/api/v3/trade', unifiedTerms, { market: 'spot', isUnified: true }, [
    ['place-batch', inBody(BITGET_UNIFIED_MAX)],
    ['cancel-batch', inBody(BITGET_UNIFIED_MAX)],
  ]),
])

/** Undefined when the call is about no orders that it names. */
export function orderCallForm({ family, method, path }: UpstreamCall): OrderCallForm | undefined {
  return FORMS.get(`${family} ${method} ${path}`)
}

/**
 * The field by which the order can be found later; undefined where there is none. Bitget ignores the
 * id of a spot order of `tpslType` tpsl, and gives the new id of a change only to the order that a
 * new size and price make: take profit and stop loss change in place (docs/exchanges/bitget.md, 4.3 and 7).
 */
export function clientOrderIdName(
  { action, clientIdName }: OrderCallForm,
  fields: Readonly<Record<string, unknown>>,
): string | undefined {
  if (action === 'place' && textOf(fields.tpslType)?.toLowerCase() === 'tpsl') return undefined
  const isReplaced = textOf(fields.newSize) !== undefined && textOf(fields.newPrice) !== undefined
  return action === 'modify' && !isReplaced ? undefined : clientIdName
}

function bitgetForms(
  prefix: string,
  terms: TermNames,
  form: Pick<OrderCallForm, 'market' | 'isUnified'>,
  [placing, cancelling]: readonly [SeveralPath, SeveralPath],
): [string, OrderCallForm][] {
  const named = { ...form, clientIdName: 'clientOid' } as const
  const place: OrderCallForm = { ...named, action: 'place', terms }
  const cancel: OrderCallForm = { ...named, action: 'cancel' }
  return [
    [`bitget POST ${prefix}/place-order`, place],
    [`bitget POST ${prefix}/cancel-order`, cancel],
    [`bitget POST ${prefix}/${placing[0]}`, { ...place, ...placing[1] }],
    [`bitget POST ${prefix}/${cancelling[0]}`, { ...cancel, ...cancelling[1] }],
  ]
}

type SeveralPath = readonly [name: string, form: Pick<OrderCallForm, 'list' | 'several'>]
