import type { OrderCallForm } from '../order-lookup/order-call.ts'
import { textOf } from '../protocol/untrusted.ts'
import { modeOf, orderClosing } from './closing.ts'
import { triggerCalls } from './trigger-calls.ts'

/**
 * How many orders one call may have (docs/exchanges/mexc.md, 4.4). Uncertain for
 * cancel_with_external and batch_cancel_with_external: no number is documented, so they have that
 * of cancel.
 */
const MAX = 50

const PREFIX = '/api/v1/private/order'
const inBody = { list: { max: MAX }, several: 'entries' } as const

export const placing: OrderCallForm = {
  action: 'place',
  market: 'futures',
  clientIdName: 'externalOid',
  terms: { side: 'side', kind: 'type', price: 'price', size: 'vol' },
  closes: orderClosing,
  details: modeOf,
  // IOC and FOK (docs/exchanges/mexc.md, 4.5).
  isImmediate: ({ type }) => /^[34]$/.test(textOf(type) ?? ''),
}

/**
 * Error 2030 gives the length (one source); which characters are taken is not established. An
 * official sample of `submit_batch` has ids of 36, so there the exchange decides
 * (docs/exchanges/mexc.md, 5).
 */
const placingOne: OrderCallForm = {
  ...placing,
  clientIdRule: { pattern: /^.{1,32}$/su, words: 'at most 32 characters' },
}

/** Answered with a list in any case. */
export const cancelling: OrderCallForm = {
  ...inBody,
  action: 'cancel',
  market: 'futures',
  isSingleByOne: true,
}

export const cancellingByOwnId: OrderCallForm = { ...cancelling, clientIdName: 'externalOid' }

/**
 * The calls that name orders (docs/exchanges/mexc.md, 4.4). What is not here names none, or none
 * that can be found.
 */
export const orderCalls: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>([
  [`POST ${PREFIX}/create`, placingOne],
  [`POST ${PREFIX}/submit`, placingOne],
  [`POST ${PREFIX}/submit_batch`, { ...placing, ...inBody }],
  [`POST ${PREFIX}/cancel`, cancelling],
  [`POST ${PREFIX}/cancel_with_external`, cancellingByOwnId],
  [`POST ${PREFIX}/batch_cancel_with_external`, cancellingByOwnId],
  [`POST ${PREFIX}/change_limit_order`, { action: 'modify', market: 'futures', askedName: 'vol' }],
  ...triggerCalls,
])
