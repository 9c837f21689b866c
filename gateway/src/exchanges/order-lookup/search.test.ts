import { expect, test } from 'vitest'
import {
  bgMix,
  bgSpot,
  lookupsOf,
  mxFutures,
  mxSpot,
  unified,
} from '../../../test/support/exchange-orders.ts'
import { readResponse } from '../read-response.ts'
import type { FoundOrder, Lookup, OrderKey } from './order-key.ts'

const SENT = 1_800_000_000_000
const NOW = SENT + 90_000
const DAY_MS = 86_400_000
const ID = '101716841474621953'

type Finding = ReturnType<Lookup['read']>

/** The result that the n-th look-up reads from a response with this body. */
function readBy(key: OrderKey, place: number, body: unknown, status = 200, nowMs = NOW): Finding {
  const lookup = lookupsOf(key, SENT, nowMs)[place]
  if (lookup === undefined) throw new Error('No such lookup')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = { status, headers: {}, body: Buffer.from(text), upstreamMs: 0 }
  return lookup.read(readResponse(lookup.call, response))
}

const futures = (data: unknown) => ({ success: true, code: 0, data })
const bitget = (data: unknown) => ({ code: '00000', msg: 'success', requestTime: NOW, data })
const inMixList = (...rows: unknown[]) => bitget({ entrustedList: rows })
const inList = (...rows: unknown[]) => bitget({ list: rows })
const refusedBy = (code: string) => ({ code, msg: '', data: null })
const spotRow = {
  ...{ symbol: 'BTCUSDT', orderId: 'C02__1', clientOrderId: 'a-1', status: 'NEW' },
  ...{ executedQty: '0', time: SENT + 5 },
}
const futuresRow = { orderId: ID, externalOid: 'a-1', state: 2, dealVol: 0, createTime: SENT + 5 }
const bgIds = { orderId: ID, clientOid: 'a-1' }
const bgRow = { ...bgIds, status: 'live', baseVolume: '0', cTime: `${SENT + 5}` }
const unifiedRow = { ...bgIds, orderStatus: 'new', cumExecQty: '0', createdTime: `${SENT + 5}` }

test.each<[where: string, key: OrderKey, place: number, body: unknown]>([
  ['MEXC spot by id', mxSpot, 0, spotRow],
  ['MEXC spot open', mxSpot, 1, [{ ...spotRow, clientOrderId: 'b' }, spotRow]],
  ['MEXC spot past', mxSpot, 2, [spotRow]],
  ['MEXC futures by id', mxFutures, 0, futures(futuresRow)],
  ['MEXC futures open', mxFutures, 1, futures([futuresRow])],
  ['MEXC futures past', mxFutures, 2, futures({ resultList: [futuresRow] })],
  ['Bitget spot by id', bgSpot, 0, bitget([bgRow])],
  ['Bitget spot open', bgSpot, 1, bitget([bgRow])],
  ['Bitget spot past', bgSpot, 2, bitget([bgRow])],
  ['Bitget futures by id', bgMix, 0, bitget({ ...bgRow, state: 'live', status: '' })],
  ['Bitget futures live', bgMix, 1, inMixList(bgRow)],
  ['Bitget futures partly filled', bgMix, 2, inMixList(bgRow)],
  ['Bitget futures past', bgMix, 3, inMixList(bgRow)],
  ['unified by id', unified, 0, bitget(unifiedRow)],
  ['unified open', unified, 1, bitget({ list: [unifiedRow], cursor: '1' })],
  ['unified past', unified, 2, inList(unifiedRow)],
])('%s: the order is found', (_where, key, place, body) => {
  const orderId = key === mxSpot ? 'C02__1' : ID
  const found = { orderId, clientOrderId: 'a-1', state: 'open', filledSize: '0' }
  expect(readBy(key, place, body)).toMatchObject(found)
})

test('an id above 2^53 that comes as a number keeps its digits', () => {
  const text = JSON.stringify(futures(futuresRow)).replace(`"${ID}"`, ID)
  expect(readBy(mxFutures, 0, text)).toMatchObject({ orderId: ID })
  const cancel = { ...mxFutures, action: 'cancel', orderId: ID } as const
  expect(readBy(cancel, 0, text)).toMatchObject({ orderId: ID })
  expect(readBy({ ...cancel, orderId: '101716841474621952' }, 0, text)).toBe('unclear')
})

test.each<[OrderKey, unknown, FoundOrder['state'] | 'unclear']>([
  [mxSpot, { ...spotRow, status: 'PARTIALLY_FILLED' }, 'partially-filled'],
  [mxSpot, { ...spotRow, status: 'FILLED' }, 'filled'],
  [mxSpot, { ...spotRow, status: 'CANCELED' }, 'cancelled'],
  [mxSpot, { ...spotRow, status: 'PARTIALLY_CANCELED', executedQty: '1' }, 'cancelled'],
  [mxSpot, { ...spotRow, status: 'constructor' }, 'unclear'],
  [mxSpot, { ...spotRow, status: null }, 'unclear'],
  [mxFutures, futures({ ...futuresRow, state: 1 }), 'open'],
  [mxFutures, futures({ ...futuresRow, dealVol: 0.5 }), 'partially-filled'],
  [mxFutures, futures({ ...futuresRow, state: 3, dealVol: 7 }), 'filled'],
  [mxFutures, futures({ ...futuresRow, state: '4' }), 'cancelled'],
  [mxFutures, futures({ ...futuresRow, state: 5 }), 'rejected'],
  [mxFutures, futures({ ...futuresRow, state: 6 }), 'unclear'],
  [bgMix, bitget({ ...bgRow, state: 'canceled' }), 'cancelled'],
  [bgMix, bitget({ ...bgRow, state: 'cancelled' }), 'cancelled'],
  [bgMix, bitget({ ...bgRow, status: 'partially_filled' }), 'partially-filled'],
  [bgSpot, bitget([{ ...bgRow, status: 'full_fill' }]), 'filled'],
  [unified, bitget({ ...unifiedRow, orderStatus: 'filled', cumExecQty: '1' }), 'filled'],
])('of %j the response %j says %s', (key, body, state) => {
  const found = readBy(key, 0, body)
  expect(typeof found === 'string' ? found : found.state).toBe(state)
})

test.each<[string, OrderKey, number, unknown, number]>([
  ['-2013', mxSpot, 0, { code: -2013, msg: 'Order does not exist.' }, 400],
  ['-2011', mxSpot, 0, { code: -2011, msg: 'Unknown order sent.' }, 400],
  ['no open orders', mxSpot, 1, [], 200],
  ['other orders only', mxSpot, 2, [{ ...spotRow, clientOrderId: 'b' }], 200],
  ['an older order with the same id', mxSpot, 2, [{ ...spotRow, time: SENT - 60_001 }], 200],
  ['by its own id, an older one', mxSpot, 0, { ...spotRow, time: SENT - 60_001 }, 200],
  ['2040', mxFutures, 0, { success: false, code: 2040, message: '' }, 200],
  ['a code in no table', mxFutures, 0, { success: false, code: 7777, message: '' }, 200],
  ['a rejection without a code', mxFutures, 0, { success: false }, 200],
  ['success and null', mxFutures, 0, futures(null), 200],
  ['success and nothing', mxFutures, 0, { success: true, code: 0 }, 200],
  ['success and an empty object', mxFutures, 0, futures({}), 200],
  ['an empty list', mxFutures, 1, futures([]), 200],
  ['an empty list', bgSpot, 0, bitget([]), 200],
  ['43001', bgSpot, 0, refusedBy('43001'), 400],
  ['other orders only', bgSpot, 1, bitget([{ ...bgRow, clientOid: 'b' }]), 200],
  ['40109', bgMix, 0, refusedBy('40109'), 400],
  ['a list that is null', bgMix, 1, bitget({ entrustedList: null, endId: null }), 200],
  ['an empty list', bgMix, 3, inMixList(), 200],
  ['25204', unified, 0, refusedBy('25204'), 400],
  ['an empty list', unified, 1, bitget({ list: [], cursor: null }), 200],
])('%s says that the order is not there', (_what, key, place, body, status) => {
  expect(readBy(key, place, body, status)).toBe('absent')
})

const nowhereListed = { ...unified, productType: undefined }
const olderUnified = bitget({ ...unifiedRow, createdTime: `${SENT - 60_001}` })
const many = (count: number, row: object) => Array.from({ length: count }, () => row)

test.each<[string, OrderKey, number, unknown, number]>([
  ['server trouble', mxSpot, 0, { code: 500, msg: '' }, 500],
  ['a page of the firewall', mxSpot, 0, '<html>', 403],
  ['no JSON', mxSpot, 1, '[', 200],
  ['an error of the clock', mxSpot, 0, { code: 700003, msg: '' }, 400],
  ['too many requests', mxSpot, 1, { code: 429, msg: '' }, 429],
  ['an object in place of a list', mxSpot, 1, {}, 200],
  ['an empty object', mxSpot, 0, {}, 200],
  ['another order', mxSpot, 0, { ...spotRow, clientOrderId: 'b' }, 200],
  ['an older one, where no list has the past', nowhereListed, 0, olderUnified, 200],
  ['an order without its id', mxSpot, 0, { ...spotRow, orderId: null }, 200],
  ['a list with something else in it', mxSpot, 1, [null], 200],
  ['as many open orders as there can be', mxSpot, 1, many(500, { clientOrderId: 'b' }), 200],
  ['a full page', mxSpot, 2, many(1_000, { clientOrderId: 'b' }), 200],
  ['a bad signature', mxFutures, 0, { success: false, code: 602, message: '' }, 200],
  ['a missing permission', mxFutures, 0, { success: false, code: 703, message: '' }, 200],
  ['an unknown outcome', mxFutures, 0, { success: false, code: 9999, message: '' }, 200],
  ['a page that is not there', mxFutures, 0, {}, 404],
  ['several orders', mxFutures, 0, futures([futuresRow, futuresRow]), 200],
  ['a list that is null', mxFutures, 1, futures(null), 200],
  ['a full page', mxFutures, 1, futures(many(100, { externalOid: 'b' })), 200],
  ['a code that says nothing of the order', bgSpot, 0, { code: '40404', msg: '' }, 400],
  ['something else than a list', bgSpot, 0, bitget(null), 200],
  ['a full page', bgSpot, 2, bitget(many(100, { clientOid: 'b' })), 200],
  ['no order', bgMix, 0, bitget(null), 200],
  ['no list', bgMix, 1, bitget({}), 200],
  ['a full page', bgMix, 3, inMixList(...many(100, { clientOid: 'b' })), 200],
  ['a classic account', unified, 0, refusedBy('25245'), 400],
  ['a full page', unified, 2, inList(...many(100, { clientOid: 'b' })), 200],
])('%s proves nothing', (_what, key, place, body, status) => {
  expect(readBy(key, place, body, status)).toBe('unclear')
})

test('an order is found in a list that may be cut, and by a response that does not repeat its id', () => {
  const found = { orderId: 'C02__1' }
  expect(readBy(mxSpot, 2, [...many(999, { clientOrderId: 'b' }), spotRow])).toMatchObject(found)
  expect(readBy(mxSpot, 0, { ...spotRow, clientOrderId: '' })).toMatchObject(found)
  expect(readBy(mxSpot, 1, [{ ...spotRow, clientOrderId: '' }])).toBe('absent')
})

test('an order made a little before it was sent, by a clock that is not exact, is the one; one to cancel may be of any age', () => {
  const open = { state: 'open' }
  expect(readBy(mxSpot, 0, { ...spotRow, time: SENT - 59_000 })).toMatchObject(open)
  const old = { ...spotRow, time: SENT - 80 * DAY_MS }
  expect(readBy({ ...mxSpot, action: 'cancel' }, 0, old)).toMatchObject(open)
})

test.each<[string, OrderKey, number, unknown, number]>([
  ['MEXC spot', mxSpot, 2, [], 7],
  ['MEXC futures', mxFutures, 2, futures([]), 7],
  ['Bitget spot', bgSpot, 1, bitget([]), 89],
  ['Bitget futures', bgMix, 3, inMixList(), 89],
  ['unified', unified, 2, inList(), 30],
])('%s: a history that ends before now proves nothing', (_where, key, place, body, days) => {
  const reached = SENT + days * DAY_MS - 60_000
  expect(readBy(key, place, body, 200, reached)).toBe('absent')
  expect(readBy(key, place, body, 200, reached + 1)).toBe('unclear')
})

test('the old order of a MEXC change says something only while it is open', () => {
  const change: OrderKey = { ...mxFutures, action: 'modify', orderId: ID, clientOrderId: undefined }
  expect(readBy(change, 0, futures(futuresRow))).toMatchObject({ orderId: ID, state: 'open' })
  for (const state of [3, 4, 5]) {
    expect(readBy(change, 0, futures({ ...futuresRow, state }))).toBe('unclear')
  }
  expect(readBy(change, 0, futures(null))).toBe('absent')
})

const terms = { side: 'buy', kind: 'limit', price: '1500', size: '0.01' }
const bought = { ...spotRow, side: 'BUY', type: 'LIMIT', price: '1500.00', origQty: '0.010' }
const boughtMix = { side: 'buy', orderType: 'limit', price: '1500.0', size: '0.010' }
const ofFutures = { ...mxFutures, terms: { ...terms, side: '1' } }
const boughtFutures = { ...futuresRow, side: 1, orderType: 1, price: 1500, vol: 0.01 }
const boughtUnified = { ...unifiedRow, ...boughtMix, qty: '0.01' }
const reused: readonly [string, OrderKey, readonly number[], object, (row: object) => unknown][] = [
  ['MEXC spot by id', mxSpot, [0], bought, (row) => row],
  ['MEXC spot lists', mxSpot, [1, 2], bought, (row) => [row]],
  ['MEXC futures by id', ofFutures, [0], boughtFutures, futures],
  [
    ...(['MEXC futures lists', ofFutures, [1, 2], { ...boughtFutures, vol: '0.01' }] as const),
    (row) => futures([row]),
  ],
  ['Bitget spot', bgSpot, [0, 1, 2], { ...bgRow, ...boughtMix }, (row) => bitget([row])],
  ['Bitget futures by id', bgMix, [0], { ...bgRow, ...boughtMix }, bitget],
  ['Bitget futures lists', bgMix, [1, 2, 3], { ...bgRow, ...boughtMix }, (row) => inMixList(row)],
  ['unified by id', unified, [0], boughtUnified, bitget],
  ['unified lists', unified, [1, 2], boughtUnified, (row) => inList(row)],
]

test.each(reused)(
  '%s: of orders with one id, the one that was sent is recognised by what it does',
  (_where, key, places, row, response) => {
    const sent = { ...key, terms: key.terms ?? terms }
    for (const place of places) {
      expect(readBy(sent, place, response(row))).toMatchObject({ state: 'open' })
      const opposite = { ...sent, terms: { ...sent.terms, side: '3' } }
      expect(readBy(opposite, place, response(row))).toBe('absent')
      // No exchange documents how it rounds: another price, size or kind proves nothing and is not
      // reported as done.
      for (const other of [{ price: '1500.5' }, { size: '0.02' }, { kind: 'market' }]) {
        const differing = { ...sent, terms: { ...sent.terms, ...other } }
        expect(readBy(differing, place, response(row))).toBe('unclear')
      }
    }
  },
)

test('in a list the order that was sent is found behind another one with the same id', () => {
  const sent = { ...mxSpot, terms: { ...terms, side: 'sell' } }
  const sold = { ...bought, side: 'SELL', orderId: 'C02__2' }
  expect(readBy(sent, 2, [bought, sold])).toMatchObject({ orderId: 'C02__2' })
})

test('a change is found by its new size and price', () => {
  const changed = { orderId: '7', terms: { price: '1500', size: '0.01' } }
  const change: OrderKey = { ...bgMix, action: 'modify', ...changed }
  const row = { ...bgRow, ...boughtMix }
  expect(readBy(change, 0, bitget(row))).toMatchObject({ state: 'open' })
  expect(readBy(change, 0, bitget({ ...row, price: '1400' }))).toBe('unclear')
})
