import { describe, expect, it, test } from 'vitest'
import { callOf, expectUnbounded } from '../../test/support/exchange-orders.ts'
import type { CallEffect } from './call-effect.ts'
import { effectsOf } from './call-effects.ts'
import { namesIn } from './call-table.ts'
import { adapters } from './registry.ts'

const FUTURES = '/api/v1/private'
const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'
const UNIFIED = '/api/v3/trade'
const product = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const ofMexc = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '2', price: '9' }
const ofContract = { symbol: 'BTC_USDT', side: 1, type: 1, vol: 2, price: 9, openType: 2 }
const ofBitget = { side: 'buy', orderType: 'limit', price: '9', force: 'gtc' }
const ofClassic = { ...ofBitget, symbol: 'BTCUSDT', size: '2' }
const ofUnified = {
  ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy' },
  ...{ orderType: 'limit', qty: '2', price: '9' },
}

describe('the effects of a call', () => {
  it('are none for a read, and always the same for cancels and settings', () => {
    expect(effectsOf(callOf('GET /api/v3/account/assets', undefined))).toEqual([])
    const effectOf = (line: string) => effectsOf(callOf(line, {}))
    expect(effectOf(`POST ${UNIFIED}/countdown-cancel-all`)).toEqual([{ kind: 'cancel' }])
    expect(effectOf('DELETE /api/v3/openOrders')).toEqual([{ kind: 'cancel' }])
    expect(effectOf('POST /api/v2/mix/account/set-margin-mode')).toEqual([{ kind: 'setting' }])
  })

  test.each<[line: string, fields: object]>([
    [`POST ${FUTURES}/position/reverse`, { symbol: 'BTC_USDT', positionId: 1, vol: 1 }],
    [`POST ${FUTURES}/order/chase_limit_order`, { orderId: 1 }],
    [`POST ${MIX}/click-backhand`, { ...product, size: '1' }],
    [`POST ${SPOT}/modify-plan-order`, { orderId: '1', size: '1' }],
    [`POST ${UNIFIED}/grid/create-bot`, {}],
    [`POST ${UNIFIED}/place-strategy-order`, { ...ofUnified, type: 'twap' }],
  ])('have no bound when somebody decided so: %s', (line, fields) => {
    expectUnbounded(callOf(line, fields))
  })

  const beside = (order: object, broken: object) => [order, { ...order, ...broken }, order]
  const sized = { ...ofBitget, size: '2' }
  const ofSpot = { symbol: 'BTCUSDT', orderList: beside(sized, { size: '-2' }) }
  const several = { batchMode: 'multiple', orderList: beside(ofClassic, { size: '' }) }
  const inText = JSON.stringify(beside(ofMexc, { quantity: '1e9' }))

  test.each<[line: string, fields: unknown]>([
    ['POST /api/v3/batchOrders', { batchOrders: inText }],
    [`POST ${SPOT}/batch-orders`, ofSpot],
    [`POST ${SPOT}/batch-orders`, several],
    [`POST ${MIX}/batch-place-order`, { ...product, orderList: beside(sized, { size: '0' }) }],
    [`POST ${UNIFIED}/place-batch`, beside(ofUnified, { qty: '0x10' })],
  ])('are one for each order, also beside a broken one: %s', (line, fields) => {
    const order = expect.objectContaining({ kind: 'order', symbol: 'BTCUSDT', size: '2' })
    const broken = { kind: 'unbounded', why: expect.stringMatching(/"(?:size|quantity|qty)"/) }
    expect(effectsOf(callOf(line, fields))).toEqual([order, broken, order])
  })

  const replaced = { symbol: 'BTCUSDT', price: '1', size: '1', orderId: '1' }
  const ends = {
    ...{ stopSurplusTriggerPrice: '12', stopLossTriggerPrice: '8', stopLossExecutePrice: '7' },
  }

  test.each<[line: string, fields: unknown, count: number]>([
    [`POST ${FUTURES}/order/submit_batch`, [ofContract, { ...ofContract, side: 3 }], 2],
    [`POST ${FUTURES}/order/submit_batch`, ofContract, 1],
    [`POST ${SPOT}/batch-cancel-replace-order`, { orderList: [replaced] }, 1],
    [`POST ${UNIFIED}/batch-modify-order`, [{ category: 'SPOT', orderId: '1', qty: '2' }], 1],
    [`POST ${MIX}/place-pos-tpsl`, { ...product, holdSide: 'long', ...ends }, 2],
  ])('have as many as the call has orders: %s', (line, fields, count) => {
    const effects = effectsOf(callOf(line, fields))
    expect(effects).toHaveLength(count)
    expect(effects.every(({ kind }: CallEffect) => kind === 'order')).toBe(true)
  })
})

/** Settings of the account that trade nothing and set no leverage. */
const TRADE_NOTHING = new Set(
  namesIn(`
    set-margin-mode set-position-mode set-asset-mode set-hold-mode
    set-collateral-type change_position_mode change_risk_level
    mxDeduct/enable strategy/group strategy/group/uid`),
)

test('somebody decided about every order, close and setting that is open to clients', () => {
  for (const { calls } of adapters.all)
    for (const [kind, method, below, names, facts] of calls.rows)
      for (const name of namesIn(names)) {
        const mayTrade = kind === 'order' || (kind === 'settings' && !TRADE_NOTHING.has(name))
        if (mayTrade || facts?.closes !== undefined)
          expect(facts?.effect, `${method} ${below}${name}`).toBeDefined()
      }
})

test('only orders and settings have effects, with fields beside a list where there is one', () => {
  for (const { calls } of adapters.all)
    for (const [line, { effect, order }] of calls.facts) {
      if (effect === undefined) continue
      expect(calls.kinds.get(line), line).toMatch(/^(?:order|settings)$/)
      const field = order?.list?.field
      if (typeof effect !== 'string')
        expect(effect.beside !== undefined, line).toBe(field !== undefined)
    }
})

/** The names of sizes. */
const SIZE = /vol|size|qty|quantity|amount/i

test('what changes an order and is no call about one that can be found gives it no size', () => {
  const changes = adapters.all.flatMap(({ calls }) =>
    [...calls.facts].flatMap(([line, { effect, order }]) => {
      if (effect === undefined || typeof effect === 'string' || order !== undefined) return []
      const names = [...effect.fields]
      const isChange = names.some((name) => /orderId$/i.test(name) && !name.startsWith('new'))
      return isChange ? [{ line, sizes: names.filter((name) => SIZE.test(name)) }] : []
    }),
  )
  expect(changes.map(({ sizes }) => sizes)).toEqual(changes.map(() => []))
  expect(changes).toHaveLength(4)
})
