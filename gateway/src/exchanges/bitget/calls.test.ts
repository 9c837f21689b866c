import { describe, expect, test } from 'vitest'
import type { UpstreamCall } from '../exchange.ts'
import * as classic from './classic/documented.ts'
import { type FuturesOrder, futuresOrderOf, modifyOrderOf, spotOrderOf } from './documented.ts'
import * as unified from './unified/documented.ts'

const bodyOf = (call: UpstreamCall | undefined) => JSON.parse(call?.body ?? 'null')
const terms = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' } as const
const order = spotOrderOf({ ...terms, size: '0.0010', price: 60000.5 })
const limit = { ...terms, marginMode: 'crossed', size: '0.01', price: '60000' } as const
const futures = futuresOrderOf(limit)
const common = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const category = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
const MISSING = expect.objectContaining({ code: 'ORDER_ID_MISSING', statusCode: 400 })

describe('in a classic account', () => {
  test('a spot order is JSON text, amounts as text, good till cancelled unless said otherwise', () => {
    expect(classic.spotOrderCall(order, 'grid-7').call).toEqual({
      ...{ family: 'bitget', method: 'POST', path: '/api/v2/spot/trade/place-order', query: '' },
      body: '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"60000.5","size":"0.0010","clientOid":"grid-7"}',
      signed: true,
    })
    const market = classic.spotOrderCall({ ...order, orderType: 'market' }, 'a').call
    expect(bodyOf(market)).toEqual({
      ...{ ...terms, orderType: 'market', force: 'gtc', size: '0.0010', clientOid: 'a' },
    })
  })

  test('a call cancels or reads one order, by either id, and the id of the exchange wins', () => {
    const both = { symbol: 'BTCUSDT', orderId: '12', clientOid: 'a' }
    expect(classic.cancelSpotOrderCall(both).call).toMatchObject({
      path: '/api/v2/spot/trade/cancel-order',
      body: '{"symbol":"BTCUSDT","orderId":"12"}',
    })
    expect(classic.spotOrderInfoCall({ clientOid: 'a' })).toMatchObject({
      ...{ method: 'GET', path: '/api/v2/spot/trade/orderInfo', query: 'clientOid=a', body: null },
    })
    expect(bodyOf(classic.cancelFuturesOrderCall(both).call)).toEqual({ ...common, orderId: '12' })
    expect(classic.futuresDetailCall({ symbol: 'BTCUSDT', clientOid: 'a' })).toMatchObject({
      path: '/api/v2/mix/order/detail',
      query: 'symbol=BTCUSDT&productType=USDT-FUTURES&clientOid=a',
    })
  })

  test.each([
    () => classic.cancelSpotOrderCall({ symbol: 'A' }),
    () => classic.spotOrderInfoCall({}),
    () => classic.cancelFuturesOrderCall({ symbol: 'A' }),
    () => classic.futuresDetailCall({ symbol: 'A' }),
    () => classic.modifyOrderCall({ symbol: 'A' }, 'a'),
  ])('a call without an order id is rejected: %s', (call) => {
    expect(call).toThrow(MISSING)
  })

  test('a history call has the given parameters and no others', () => {
    const page = { symbol: 'BTCUSDT', limit: 20, idLessThan: '99' }
    expect(classic.spotHistoryCall(page)).toMatchObject({
      path: '/api/v2/spot/trade/history-orders',
      query: 'symbol=BTCUSDT&limit=20&idLessThan=99',
    })
    expect(classic.spotHistoryCall({}).query).toBe('')
    expect(classic.futuresHistoryCall({ limit: 10 })).toMatchObject({
      path: '/api/v2/mix/order/orders-history',
      query: 'productType=USDT-FUTURES&limit=10',
    })
  })

  test('a futures order names product type and margin coin even when the caller does not', () => {
    const { call } = classic.futuresOrderCall(futures, 'grid-7')
    expect(call).toMatchObject({ method: 'POST', path: '/api/v2/mix/order/place-order' })
    expect(call.signed).toBe(true)
    expect(bodyOf(call)).toEqual({
      ...{ ...common, ...terms, marginMode: 'crossed', size: '0.01', price: '60000' },
      ...{ force: 'gtc', clientOid: 'grid-7' },
    })
  })

  test('each take profit and stop loss goes where Bitget applies it: on the order or on the position', () => {
    const stops = { presetStopSurplusPrice: '65000', presetStopLossPrice: 55000 }
    const withStops = futuresOrderOf({
      ...{ ...limit, ...stops, stopSurplusTriggerPrice: '66000', stopLossTriggerPrice: '54000' },
      stopLossTriggerType: 'fill_price',
    })
    const placed = bodyOf(classic.futuresOrderCall(withStops, 'a').call)
    expect(placed).toMatchObject({ ...stops, presetStopLossPrice: '55000' })
    expect(JSON.stringify(placed)).not.toContain('Trigger')
    expect(classic.positionStopsCall(withStops)?.path).toBe('/api/v2/mix/order/place-pos-tpsl')
    expect(bodyOf(classic.positionStopsCall(withStops))).toEqual({
      ...{ ...common, holdSide: 'buy' },
      ...{ stopSurplusTriggerPrice: '66000', stopSurplusTriggerType: 'mark_price' },
      ...{ stopLossTriggerPrice: '54000', stopLossTriggerType: 'fill_price' },
    })
    expect(classic.positionStopsCall({ ...futures, presetStopLossPrice: '1' })).toBeUndefined()
  })

  test('closing, hedge mode and market orders are written as Bitget wants them', () => {
    const market = { ...futures, orderType: 'market', reduceOnly: true } as const
    const closing = bodyOf(classic.futuresOrderCall(market, 'a').call)
    expect(closing).toMatchObject({ reduceOnly: 'YES', orderType: 'market' })
    expect(closing).not.toHaveProperty('price')
    expect(closing).not.toHaveProperty('force')
    const opening = classic.futuresOrderCall({ ...futures, tradeSide: 'open' }, 'a').call
    expect(bodyOf(opening)).toMatchObject({ tradeSide: 'open' })
  })

  test('a change names the old order, a new id, and only what changes', () => {
    const change = { symbol: 'BTCUSDT', clientOid: 'old', newSize: '0.02', newPrice: 59900 }
    const { call } = classic.modifyOrderCall(modifyOrderOf(change), 'new')
    expect(call.path).toBe('/api/v2/mix/order/modify-order')
    expect(bodyOf(call)).toEqual({
      ...{ ...common, clientOid: 'old', newClientOid: 'new', newSize: '0.02', newPrice: '59900' },
    })
  })
})

test.each<[Partial<FuturesOrder>, string, string]>([
  [{ side: 'buy' }, 'buy', 'long'],
  [{ side: 'sell' }, 'sell', 'short'],
  [{ side: 'sell', reduceOnly: true }, 'buy', 'long'],
  [{ side: 'buy', reduceOnly: true }, 'sell', 'short'],
  [{ side: 'buy', tradeSide: 'open' }, 'long', 'long'],
  [{ side: 'buy', tradeSide: 'close' }, 'long', 'long'],
  [{ side: 'sell', tradeSide: 'open' }, 'short', 'short'],
])('the stops of %j are of the position %s, if unified %s', (part, holdSide, posSide) => {
  const stopped = { ...futures, ...part, stopLossTriggerPrice: '1' }
  expect(bodyOf(classic.positionStopsCall(stopped))).toMatchObject({ holdSide })
  expect(bodyOf(unified.positionStopsCall(stopped))).toMatchObject({ posSide })
})

describe('in a unified account', () => {
  test('a limit order of spot', () => {
    const sell = { ...order, side: 'sell', price: '70000' } as const
    const { call, order: key } = unified.spotOrderCall(sell, 'a-1')
    expect(call).toMatchObject({ method: 'POST', path: '/api/v3/trade/place-order', signed: true })
    expect(bodyOf(call)).toEqual({
      ...{ ...terms, category: 'SPOT', side: 'sell' },
      ...{ qty: '0.0010', price: '70000', timeInForce: 'gtc', clientOid: 'a-1' },
    })
    expect(key).toMatchObject({ isUnified: true, market: 'spot', clientOrderId: 'a-1' })
  })

  test('a market order has neither a price nor a time in force', () => {
    const market = { ...order, orderType: 'market', force: 'ioc' } as const
    expect(bodyOf(unified.spotOrderCall(market, 'a-1').call)).toEqual({
      ...{ ...terms, category: 'SPOT', orderType: 'market', qty: '0.0010', clientOid: 'a-1' },
    })
  })

  test('a cancel', () => {
    const both = { symbol: 'BTCUSDT', orderId: '12', clientOid: 'a-1' }
    const { call } = unified.cancelSpotOrderCall(both)
    expect(call.path).toBe('/api/v3/trade/cancel-order')
    expect(bodyOf(call)).toEqual({ category: 'SPOT', symbol: 'BTCUSDT', orderId: '12' })
    const own = unified.cancelFuturesOrderCall({ symbol: 'BTCUSDT', clientOid: 'a-1' })
    expect(bodyOf(own.call)).toEqual({ ...category, clientOid: 'a-1' })
  })

  // docs/exchanges/bitget-unified.md, 7: where a wrong word opens a position instead of closing it.
  test.each([
    { side: 'buy', tradeSide: 'open', sent: { side: 'buy', posSide: 'long' } },
    { side: 'buy', tradeSide: 'close', sent: { side: 'sell', posSide: 'long' } },
    { side: 'sell', tradeSide: 'open', sent: { side: 'sell', posSide: 'short' } },
    { side: 'sell', tradeSide: 'close', sent: { side: 'buy', posSide: 'short' } },
    { side: 'buy', tradeSide: undefined, sent: { side: 'buy' } },
    { side: 'sell', tradeSide: undefined, sent: { side: 'sell' } },
  ] as const)('$side with tradeSide $tradeSide is sent as $sent', ({ sent, ...direction }) => {
    const directed = { ...futures, ...direction } as FuturesOrder
    const { side, posSide } = bodyOf(unified.futuresOrderCall(directed, 'a-1').call)
    expect({ side, posSide }).toEqual({ posSide: undefined, ...sent })
  })

  test('a futures order with everything that hangs on it', () => {
    const full = futuresOrderOf({
      ...{ ...limit, marginMode: 'isolated', force: 'post_only', reduceOnly: true },
      ...{ presetStopSurplusPrice: '90000', presetStopLossPrice: 40000.5 },
    })
    const { call, order: key } = unified.futuresOrderCall(full, 'a-1')
    expect(bodyOf(call)).toEqual({
      ...{ ...category, ...terms, marginMode: 'isolated', qty: '0.01', price: '60000' },
      ...{ timeInForce: 'post_only', clientOid: 'a-1', reduceOnly: 'yes' },
      ...{ takeProfit: '90000', stopLoss: '40000.5' },
    })
    expect(key).toMatchObject({ isUnified: true, market: 'futures', productType: 'USDT-FUTURES' })
  })

  test('the stops of a position have a call of their own', () => {
    const call = unified.positionStopsCall({
      ...{ ...futures, stopSurplusTriggerPrice: '90000', stopSurplusTriggerType: 'fill_price' },
      stopLossTriggerPrice: '40000',
    })
    expect(call?.path).toBe('/api/v3/trade/place-strategy-order')
    expect(bodyOf(call)).toEqual({
      ...{ ...category, type: 'tpsl', tpslMode: 'full', posSide: 'long' },
      ...{ takeProfit: '90000', tpTriggerBy: 'market', stopLoss: '40000', slTriggerBy: 'mark' },
    })
    expect(unified.positionStopsCall(futures)).toBeUndefined()
  })

  test('a change names the order by one id, and its key says that the order keeps it', () => {
    const ref = { symbol: 'BTCUSDT', clientOid: 'a-1' }
    const change = { ...ref, newSize: '0.02', newPrice: '59000' }
    const { call, order: key } = unified.modifyOrderCall(change)
    expect(call.path).toBe('/api/v3/trade/modify-order')
    expect(bodyOf(call)).toEqual({ ...category, clientOid: 'a-1', qty: '0.02', price: '59000' })
    expect(key).toMatchObject({
      ...{ action: 'modify', isInPlace: true, clientOrderId: 'a-1' },
      terms: { size: '0.02', price: '59000' },
    })
    const stops = unified.modifyOrderCall({ ...ref, newPresetStopLossPrice: '0' })
    expect(bodyOf(stops.call)).toMatchObject({ stopLoss: '0' })
  })
})

describe('the leverage', () => {
  const account = { crossedMarginLeverage: '10', posMode: 'one_way_mode' }
  const settings = (leverage: string, holdMode = 'one_way_mode') => ({
    ...{ holdMode, symbolConfigList: [{ ...category, marginMode: 'crossed', leverage }] },
  })
  const changed = (leverage: number | undefined, state: unknown, more: object = {}) => {
    const wanted = { ...futures, ...more, leverage } as FuturesOrder
    return classic.leverageChange(wanted, state)
  }
  const changedInUnified = (leverage: number | undefined, state: unknown, more: object = {}) =>
    unified.leverageChange({ ...futures, ...more, leverage } as FuturesOrder, state)

  test('is read for the symbol, and left alone when the account has it', () => {
    expect(classic.leverageQuestion(futures)).toMatchObject({
      ...{ method: 'GET', path: '/api/v2/mix/account/account' },
      query: 'symbol=BTCUSDT&productType=USDT-FUTURES&marginCoin=USDT',
    })
    for (const leverage of [undefined, 10]) {
      expect(changed(leverage, account)).toBeUndefined()
      expect(changedInUnified(leverage, settings('10'))).toBeUndefined()
    }
  })

  test.each([account, null])('is set in a classic account that says %j', (state) => {
    expect(changed(20, state)?.path).toBe('/api/v2/mix/account/set-leverage')
    expect(bodyOf(changed(20, state))).toEqual({ ...common, leverage: '20' })
  })

  test.each([settings('20'), { symbolConfigList: null }, undefined])(
    'is set in a unified account that says %j',
    (state) => {
      const call = changedInUnified(7, state)
      expect(call?.path).toBe('/api/v3/account/set-leverage')
      expect(bodyOf(call)).toEqual({ ...category, leverage: '7', marginMode: 'crossed' })
    },
  )

  test('of isolated margin in hedge mode is one for each side', () => {
    const isolated = { marginMode: 'isolated' }
    const sides = { isolatedLongLever: 5, isolatedShortLever: '7', posMode: 'hedge_mode' }
    expect(changed(5, sides, isolated)).toBeUndefined()
    const sold = { ...isolated, side: 'sell' }
    const body = { ...common, leverage: '5', holdSide: 'short' }
    expect(bodyOf(changed(5, sides, sold))).toEqual(body)
    const oneWay = { ...sides, posMode: 'one_way_mode' }
    expect(bodyOf(changed(5, oneWay, sold))).not.toHaveProperty('holdSide')
    const opening = { ...isolated, tradeSide: 'open' }
    expect(bodyOf(changedInUnified(7, settings('7', 'hedge_mode'), opening))).toMatchObject({
      ...{ marginMode: 'isolated', posSide: 'long' },
    })
  })
})
