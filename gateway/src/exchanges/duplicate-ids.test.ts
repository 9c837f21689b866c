import { expect, test } from 'vitest'
import { duplicateIds } from './duplicate-ids.ts'
import type { OrderTrace } from './order-trace.ts'
import type { Verdict } from './verdict.ts'

const single: OrderTrace = {
  ...{ exchange: 'bg', family: 'bitget', market: 'spot', action: 'place' },
  clientOrderId: 'a',
}
const several: OrderTrace = { ...single, orders: [single], several: 'two-lists' }
const ok = (data: unknown): Verdict => ({ kind: 'ok', data })
const refused = (refusalClass: 'duplicate' | 'balance'): Verdict => ({
  kind: 'refused',
  refusal: { class: refusalClass, exchangeCode: '1', exchangeMessage: '' },
})

test.each<[string, Verdict, OrderTrace | undefined, string[]]>([
  ['a single order', refused('duplicate'), single, ['a']],
  ['an order without an id', refused('duplicate'), undefined, ['']],
  ['another refusal', refused('balance'), single, []],
  [
    "Bitget's list of failures",
    ok({
      successList: [{ orderId: '1', clientOid: 'x' }],
      failureList: [
        { clientOid: 'a', errorCode: '43118', errorMsg: '' },
        { clientOid: 'b', errorMsg: 'clientOrderId duplicate' },
        { clientOid: 'c', errorCode: '43012', errorMsg: 'Insufficient balance' },
      ],
    }),
    several,
    ['a', 'b'],
  ],
  [
    'the unified account',
    ok([
      { clientOid: 'a', code: '25212', msg: 'x' },
      { orderId: '1', clientOid: 'b' },
    ]),
    several,
    ['a'],
  ],
  ['MEXC futures', ok([{ externalOid: 'a', errorCode: 603 }, { errorCode: 0 }]), several, ['a']],
  ['an entry without an id', ok([{ msg: 'Duplicate order sent.', code: -2010 }]), several, ['']],
  ['the data of a single order', ok([{ code: '43118' }]), single, []],
])('of %s the ids that are taken are known', (_what, verdict, trace, ids) => {
  expect(duplicateIds(verdict, trace)).toEqual(ids)
})
