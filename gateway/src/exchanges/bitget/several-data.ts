import type { EndedOrder } from '../order-lookup/order-key.ts'
import { notDoneOf, type SeveralForm } from '../order-lookup/order-key.ts'

/** Such an order is not there, or can no longer be cancelled (docs/exchanges/bitget.md, 8). */
const CODES = { 'order-not-found': '43001', 'order-state': '45055' } as const

/**
 * What Bitget responds to a call about several orders (pages of 2025-12).
 * @param nowMs exchange time
 */
export function severalResponse(
  several: SeveralForm | undefined,
  ended: readonly EndedOrder[],
  nowMs: number,
): object {
  const data = severalData(several, ended)
  return { code: '00000', msg: 'success', requestTime: nowMs, data }
}

function severalData(several: SeveralForm | undefined, ended: readonly EndedOrder[]): object {
  switch (several) {
    case 'replacement':
      return replacementOf(ended)
    case 'replacements':
      return ended.flatMap((_, at) =>
        at % 2 === 0 ? [replacementOf(ended.slice(at, at + 2))] : [],
      )
    case 'two-lists':
      return twoLists(ended)
    case 'legs':
      return legsOf(ended)
    default:
      return ended.map((entry) => {
        const failure = failureOf(entry)
        const { errorCode: code, errorMsg: msg } = failure ?? {}
        return failure === undefined ? idsOf(entry) : { ...idsOf(entry), code, msg }
      })
  }
}

function twoLists(ended: readonly EndedOrder[]): object {
  return {
    successList: ended.filter((entry) => failureOf(entry) === undefined).map(idsOf),
    failureList: ended.flatMap((entry) => {
      const failure = failureOf(entry)
      return failure === undefined ? [] : [{ ...idsOf(entry), ...failure }]
    }),
  }
}

/** Each entry names the ids of both (page of 2025-12, whose sample has no entry that failed). */
function legsOf(ended: readonly EndedOrder[]): object[] {
  const ids = Object.fromEntries(
    ended.map(({ order }) => [`${order.leg}ClientOid`, order.clientOrderId]),
  )
  return ended.map((entry) => ({ orderId: idsOf(entry).orderId, ...ids, ...failureOf(entry) }))
}

/**
 * The old order and the new one. Where the new one is missing, the old one may be gone all the
 * same.
 */
function replacementOf([old, made]: readonly EndedOrder[]): object {
  const failure = made === undefined ? undefined : notDoneOf(made)
  if (made !== undefined && failure === undefined)
    return { ...idsOf(made), success: 'success', msg: null }
  const fate =
    old === undefined || notDoneOf(old) !== undefined ? 'was not cancelled' : 'is cancelled'
  const msg = `${failure?.text}; the order that it was meant to replace ${fate}`
  return { orderId: null, clientOid: null, success: 'failure', msg }
}

function failureOf(entry: EndedOrder): { errorCode: string; errorMsg: string } | undefined {
  const notDone = notDoneOf(entry)
  if (notDone === undefined) return undefined
  return { errorCode: CODES[notDone.class], errorMsg: notDone.text }
}

function idsOf({ order, end }: EndedOrder): { orderId: string; clientOid: string } {
  const found = end === 'absent' ? order : end
  return {
    orderId: found.orderId ?? '',
    clientOid: found.clientOrderId ?? order.clientOrderId ?? '',
  }
}
