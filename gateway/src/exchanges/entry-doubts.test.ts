import { expect, test } from 'vitest'
import type { OrderKey } from './order-lookup/order-key.ts'
import { entryDoubts } from './order-results.ts'
import type { Verdict } from './protocol/verdict.ts'

const single: OrderKey = {
  ...{ exchange: 'bg', family: 'bitget', market: 'spot', action: 'place' },
  clientOrderId: 'a',
}
const several: OrderKey = { ...single, orders: [single], several: 'two-lists' }
const futures: OrderKey = { ...several, family: 'mexc-futures', several: 'entries' }
const spot: OrderKey = { ...futures, family: 'mexc-spot' }
const ok = (data: unknown): Verdict => ({ kind: 'ok', data })
const rejected = (rejectionClass: 'duplicate' | 'balance'): Verdict => ({
  kind: 'rejected',
  rejection: { class: rejectionClass, exchangeCode: '1', exchangeMessage: '' },
})

const made = { orderId: '1', clientOid: 'b' }
const busy = { newClientOrderId: 'b', msg: 'x', code: 504 }
const cancelled: OrderKey = { ...single, action: 'cancel' }
const replacing: OrderKey = { ...several, orders: [cancelled, single], several: 'replacement' }
const NAMELESS = ['duplicate ']

test.each<[string, Verdict, OrderKey | undefined, readonly string[]]>([
  ['a single order', rejected('duplicate'), single, ['duplicate a']],
  ['another rejection', rejected('balance'), single, []],
  ['a call that names no order', rejected('duplicate'), undefined, ['duplicate ']],
  ['an outcome that is in doubt as a whole', { kind: 'unknown', why: '' }, several, []],
  [
    "Bitget's list of failures",
    ok({
      successList: [{ orderId: '1', clientOid: 'x' }],
      failureList: [
        { clientOid: 'a', errorCode: '43118', errorMsg: '' },
        { clientOid: 'b', errorMsg: 'clientOrderId duplicate' },
        { clientOid: 'c', errorCode: '43012', errorMsg: 'Insufficient balance' },
        { clientOid: 'd', errorCode: '45001', errorMsg: 'Unknown error' },
      ],
    }),
    several,
    ['duplicate a', 'duplicate b', 'unknown d'],
  ],
  [
    'the unified account',
    ok([{ clientOid: 'a', code: '25212', msg: 'x' }, made]),
    ...([several, ['duplicate a']] as const),
  ],
  [
    'MEXC futures',
    ok([
      { externalOid: 'a', errorCode: 603 },
      { externalOid: 'b', errorCode: 2042, errorMsg: 'The order id is taken' },
      { errorCode: 0, errorMsg: 'success' },
    ]),
    futures,
    ['unknown a', 'duplicate b'],
  ],
  [
    'MEXC spot',
    ok([{ symbol: 'AB', orderId: '1' }, busy, { code: 30002 }]),
    ...([spot, ['unknown b']] as const),
  ],
  ['an entry without an id', ok([{ msg: 'Duplicate order sent.', code: -2010 }]), spot, NAMELESS],
  [
    'an order that was to replace another one',
    ok({ orderId: null, clientOid: null, success: 'failure', msg: 'clientOrderId duplicate' }),
    ...([replacing, ['duplicate a']] as const),
  ],
  [
    'an order that replaced another one',
    ok({ orderId: '1', clientOid: 'a', success: 'success', msg: null }),
    ...([replacing, []] as const),
  ],
  ['the data of a single order', ok([{ code: '43118' }]), single, []],
])('orders that may exist are found in a response: %s', (_what, verdict, key, doubts) => {
  const found = entryDoubts(verdict, key)
  expect(found.map(({ kind, clientOrderId }) => `${kind} ${clientOrderId}`)).toEqual(doubts)
})
