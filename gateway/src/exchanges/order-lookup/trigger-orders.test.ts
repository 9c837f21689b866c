import { expect, test } from 'vitest'
import { keyOf, postTo, withClientOrderId } from '../../../test/support/exchange-orders.ts'
import type { UpstreamCall } from '../exchange.ts'
import { canBeLookedUp, foundResponseFor, lookupsOfAll, madeOrderOf } from '../order-lookups.ts'
import { parseLossless } from '../protocol/lossless.ts'
import type { Verdict } from '../protocol/verdict.ts'
import { type OrderKey, ordersOf } from './order-key.ts'

const SENT = 1_800_000_000_000
const NOW = SENT + 90_000
const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'

const post = (path: string, fields: object) => postTo('bitget')(path, JSON.stringify(fields))
const ok = (data: unknown): Verdict => ({ kind: 'ok', data })

const plan = {
  ...{ symbol: 'AB', productType: 'P', planType: 'Normal_plan', side: 'buy', orderType: 'limit' },
  ...{ size: '2', price: '10.0', triggerPrice: '11', clientOid: 'c' },
}
const planRow = {
  ...{ orderId: '7', clientOid: 'c', side: 'buy', orderType: 'limit', size: '2' },
  ...{ executePrice: '10', triggerPrice: '11', planStatus: 'live', cTime: `${SENT}` },
}
const tpsl = {
  ...{ symbol: 'AB', productType: 'P', planType: 'loss_plan', holdSide: 'long' },
  ...{ size: '2', executePrice: '0', triggerPrice: '11', clientOid: 'c' },
}
const tpslRow = { ...planRow, side: 'sell', orderType: 'market', executePrice: '0' }
const spotPlan = {
  ...{ symbol: 'AB', side: 'buy', orderType: 'limit', size: '2', executePrice: '10' },
  ...{ triggerPrice: '11', clientOid: 'c' },
}
const spotRow = { ...planRow, planStatus: undefined, status: 'not_trigger' }

interface Kind {
  readonly name: string
  readonly call: UpstreamCall
  readonly places: readonly [pending: string, past: string]
  readonly listed: (rows: readonly object[] | null) => unknown
  readonly row: object
}
const planPlaces = (planType: string) =>
  [
    `${MIX}/orders-plan-pending?planType=${planType}&productType=P`,
    `${MIX}/orders-plan-history?planType=${planType}&productType=P`,
  ] as const
const inList = (entrustedList: readonly object[] | null) => ({ entrustedList, endId: null })
const kinds: readonly Kind[] = [
  {
    ...{ name: 'a trigger order of futures', call: post(`${MIX}/place-plan-order`, plan) },
    ...{ places: planPlaces('normal_plan'), listed: inList, row: planRow },
  },
  {
    ...{ name: 'a part of a position’s end', call: post(`${MIX}/place-tpsl-order`, tpsl) },
    ...{ places: planPlaces('profit_loss'), listed: inList, row: tpslRow },
  },
  {
    ...{ name: 'a trigger order of spot', call: post(`${SPOT}/place-plan-order`, spotPlan) },
    places: [`${SPOT}/current-plan-order?symbol=AB`, `${SPOT}/history-plan-order?symbol=AB`],
    ...{ listed: (orderList) => ({ nextFlag: false, orderList }), row: spotRow },
  },
]

test.each(kinds)('$name is looked for in its own lists, and nowhere else', ({ call, places }) => {
  const [only] = lookupsOfAll(keyOf(call), SENT, NOW)
  const asked = only?.lookups.map((lookup) => `${lookup.call.path}?${lookup.call.query}`)
  expect(asked).toHaveLength(2)
  for (const [at, place] of places.entries()) expect(asked?.[at]).toContain(place)
})

test.each(kinds)('$name is found, or proven to be nowhere', ({ call, listed, row }) => {
  const [only] = lookupsOfAll(keyOf(call), SENT, NOW)
  const read = (rows: readonly object[] | null) =>
    only?.lookups.map((each) => each.read(ok(listed(rows))))
  const open = { orderId: '7', clientOrderId: 'c', state: 'open' }
  expect(read([row])).toMatchObject([open, { orderId: '7' }])
  expect(read([])).toEqual(['absent', 'absent'])
  expect(read(null)).toEqual(['absent', 'absent'])
  expect(read([{ ...row, triggerPrice: '12' }])).toEqual(['unclear', 'unclear'])
  expect(read([{ ...row, size: '3' }])).toEqual(['unclear', 'unclear'])
  expect(read([{ ...row, cTime: `${SENT - 3_600_000}` }])).toEqual(['absent', 'absent'])
})

test.each([
  ['executed', 'filled'],
  ['fail_execute', 'cancelled'],
  ['cancelled', 'cancelled'],
  ['executing', 'open'],
  ['not_trigger', 'open'],
  ['new word', 'unclear'],
])(
  'a trigger order that is %s counts as %s, whatever the state of the order that it created',
  (planStatus, state) => {
    const [only] = lookupsOfAll(keyOf(post(`${MIX}/place-plan-order`, plan)), SENT, NOW)
    const found = only?.lookups[1]?.read(ok(inList([{ ...planRow, planStatus }])))
    expect(typeof found === 'object' ? found.state : found).toBe(state)
  },
)

test('a stop for a whole position can be found but never proven absent: it may have changed another one', () => {
  const { size: _none, ...whole } = { ...tpsl, planType: 'pos_loss' }
  const [only] = lookupsOfAll(keyOf(post(`${MIX}/place-tpsl-order`, whole)), SENT, NOW)
  const read = (rows: readonly object[]) => only?.lookups.map((each) => each.read(ok(inList(rows))))
  expect(read([{ ...tpslRow, size: '' }])).toMatchObject([{ orderId: '7' }, { orderId: '7' }])
  expect(read([])).toEqual(['unclear', 'unclear'])
})

const scope = { symbol: 'AB', productType: 'P' }
test.each([
  [`${MIX}/modify-plan-order`, { ...scope, newSize: '2' }, 'normal_plan'],
  [`${MIX}/modify-plan-order`, { ...scope, newSize: '2', newCallbackRatio: '1' }, 'track_plan'],
  [`${MIX}/modify-plan-order`, { ...scope, newSize: '2', planType: 'Track_plan' }, 'track_plan'],
  [`${MIX}/modify-tpsl-order`, { ...scope, size: '2' }, 'profit_loss'],
  ['/api/v3/trade/modify-strategy-order', { qty: '2' }, 'strategy'],
])('%s %j changes the size of an order, which keeps its ids', (path, body, list) => {
  for (const ids of [{ orderId: '7' }, { clientOid: 'own' }]) {
    const key = keyOf(post(path, { ...body, ...ids }))
    expect(key).toMatchObject({ action: 'modify', isInPlace: true, plan: list })
    expect(key.terms).toMatchObject({ size: '2' })
    expect([key.orderId, key.clientOrderId]).toEqual([
      'orderId' in ids ? '7' : undefined,
      'clientOid' in ids ? 'own' : undefined,
    ])
    // Nothing shows whether it was changed.
    expect(canBeLookedUp(key)).toBe(false)
  }
})

test('an order of a type without a list is not looked up', () => {
  const call = post(`${MIX}/place-plan-order`, { ...plan, planType: 'x' })
  const [only] = lookupsOfAll(keyOf(call), SENT, NOW)
  expect(only?.lookups).toEqual([])
})

test('a strategy order of the unified account can be found but never proven absent', () => {
  const fields = { category: 'USDT-FUTURES', symbol: 'AB', posSide: 'long', takeProfit: '9' }
  const call = withClientOrderId(post('/api/v3/trade/place-strategy-order', fields), 'sl')
  const [only] = lookupsOfAll(keyOf(call), SENT, NOW)
  const row = { ...{ orderId: '7', clientOid: 'sl', posSide: 'long' }, takeProfit: '9.0' }
  const [pending, past] = only?.lookups ?? []
  expect(pending?.call.path).toBe('/api/v3/trade/unfilled-strategy-orders')
  expect(pending?.call.query).toBe('category=USDT-FUTURES')
  expect(past?.call.path).toBe('/api/v3/trade/history-strategy-orders')
  expect(pending?.read(ok([row]))).toMatchObject({ orderId: '7', state: 'open' })
  expect(past?.read(ok({ list: [row] }))).toMatchObject({ orderId: '7', state: 'filled' })
  expect([pending?.read(ok([])), past?.read(ok({ list: [] }))]).toEqual(['unclear', 'unclear'])
})

test('take profit and stop loss of a position get an id each, under their own names', () => {
  const both = {
    ...{ symbol: 'AB', productType: 'P', stopSurplusTriggerPrice: '12', stopLossTriggerPrice: 8 },
    ...{ stopLossSize: '1', stopSurplusClientOid: '' },
  }
  const named = withClientOrderId(post(`${MIX}/place-pos-tpsl`, both), 'sl')
  expect(named.body).toBe(
    `{"stopLossClientOid":"sl-1",${JSON.stringify({ ...both, stopSurplusClientOid: 'sl-0' }).slice(1)}`,
  )
  const key = keyOf(named)
  expect(ordersOf(key)).toMatchObject([
    { leg: 'stopSurplus', plan: 'profit_loss', clientOrderId: 'sl-0', terms: { trigger: '12' } },
    { leg: 'stopLoss', clientOrderId: 'sl-1', terms: { trigger: '8', size: '1' } },
  ])
  const calls = lookupsOfAll(key, SENT, NOW).map(({ lookups }) => lookups.map(({ call }) => call))
  expect(calls[0]).toEqual(calls[1])
  const { body } = foundResponseFor(key, [{ orderId: '7', state: 'open' }, 'absent'], NOW)
  const ids = { stopSurplusClientOid: 'sl-0', stopLossClientOid: 'sl-1' }
  expect(parseLossless(body)?.value).toMatchObject({
    data: [
      { orderId: '7', ...ids },
      { orderId: '', ...ids, errorMsg: expect.stringMatching(/^Not placed/) },
    ],
  })
})

test('a take profit or stop loss alone gets the first id, and any other field gets none', () => {
  const alone = { stopLossTriggerPrice: '8', stopSurplusTriggerPrice: '' }
  const one = post(`${MIX}/place-pos-tpsl`, alone)
  expect(withClientOrderId(one, 'sl').body).toContain('{"stopLossClientOid":"sl-0",')
  const none = post(`${MIX}/place-pos-tpsl`, { stopLossTriggerPrice: '' })
  expect(withClientOrderId(none, 'sl')).toBe(none)
})

const bitget = { exchange: 'bg', family: 'bitget' } as const
const mexc = { exchange: 'mx', family: 'mexc-futures' } as const

test.each<
  [Pick<OrderKey, 'exchange' | 'family' | 'plan'>, Record<string, string>, string | undefined]
>([
  [{ ...bitget, plan: 'normal_plan' }, { orderId: '7', executeOrderId: '9' }, '9'],
  [{ ...bitget, plan: 'normal_plan' }, { orderId: '7', executeOrderId: '' }, undefined],
  [{ ...mexc, plan: 'planorder' }, { id: '7', orderId: '9' }, '9'],
  [{ ...mexc, plan: 'planorder' }, { id: '7', orderId: '0' }, undefined],
  [{ ...mexc, plan: 'stoporder' }, { id: '7', orderId: '8', placeOrderId: '9' }, '9'],
  // The order that it hangs on.
  [{ ...mexc, plan: 'stoporder' }, { id: '7', orderId: '8' }, undefined],
  [mexc, { orderId: '9' }, undefined],
])('of %j, %j names the order that it made as %s', (names, order, madeId) => {
  const key: OrderKey = { ...names, market: 'futures', action: 'place' }
  expect(madeOrderOf(key, { orderId: '7', state: 'filled', order })?.orderId).toBe(madeId)
})
