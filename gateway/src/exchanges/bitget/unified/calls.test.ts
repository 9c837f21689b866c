import type { BgFuturesOrder } from 'schema'
import { describe, expect, test } from 'vitest'
import type { UpstreamCall } from '../../exchange.ts'
import {
  cancelFuturesOrderCall,
  futuresOrderCall,
  modifyOrderCall,
  positionStopsCall,
} from './futures-calls.ts'
import { leverageChange } from './leverage.ts'
import { cancelSpotOrderCall, spotOrderCall } from './spot-calls.ts'

const bodyOf = (call: UpstreamCall | undefined) => JSON.parse(call?.body ?? 'null')

const futures: BgFuturesOrder = {
  symbol: 'BTCUSDT',
  marginMode: 'crossed',
  side: 'buy',
  orderType: 'limit',
  size: '0.01',
  price: '60000',
}

describe('spot orders', () => {
  test('a limit order', () => {
    const { call, order } = spotOrderCall(
      { symbol: 'BTCUSDT', side: 'sell', orderType: 'limit', size: '0.001', price: 70000 },
      'a-1',
    )
    expect(call).toMatchObject({ method: 'POST', path: '/api/v3/trade/place-order', signed: true })
    expect(bodyOf(call)).toEqual({
      ...{ category: 'SPOT', symbol: 'BTCUSDT', side: 'sell', orderType: 'limit' },
      ...{ qty: '0.001', price: '70000', timeInForce: 'gtc', clientOid: 'a-1' },
    })
    expect(order).toMatchObject({ isUnified: true, market: 'spot', clientOrderId: 'a-1' })
  })

  test('a market order has neither a price nor a time in force', () => {
    const { call } = spotOrderCall(
      { symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '600', price: 1, force: 'ioc' },
      'a-1',
    )
    expect(bodyOf(call)).toEqual({
      ...{ category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'market' },
      ...{ qty: '600', clientOid: 'a-1' },
    })
  })

  test('a cancel', () => {
    const { call } = cancelSpotOrderCall({ symbol: 'BTCUSDT', orderId: '12', clientOid: 'a-1' })
    expect(call.path).toBe('/api/v3/trade/cancel-order')
    expect(bodyOf(call)).toEqual({ category: 'SPOT', symbol: 'BTCUSDT', orderId: '12' })
  })
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
  const { side, posSide } = bodyOf(
    futuresOrderCall({ ...futures, ...direction } as BgFuturesOrder, 'a-1').call,
  )
  expect({ side, posSide }).toEqual({ posSide: undefined, ...sent })
})

test('a futures order with everything that hangs on it', () => {
  const { call, order } = futuresOrderCall(
    {
      ...{ ...futures, marginMode: 'isolated', force: 'post_only', reduceOnly: true },
      ...{ presetStopSurplusPrice: '90000', presetStopLossPrice: 40000.5 },
    },
    'a-1',
  )
  expect(bodyOf(call)).toEqual({
    ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'isolated', side: 'buy' },
    ...{ orderType: 'limit', qty: '0.01', price: '60000', timeInForce: 'post_only' },
    ...{ clientOid: 'a-1', reduceOnly: 'yes', takeProfit: '90000', stopLoss: '40000.5' },
  })
  expect(order).toMatchObject({ isUnified: true, market: 'futures', productType: 'USDT-FUTURES' })
})

test.each([
  { order: { side: 'buy' }, posSide: 'long' },
  { order: { side: 'sell' }, posSide: 'short' },
  { order: { side: 'sell', reduceOnly: true }, posSide: 'long' },
  { order: { side: 'buy', tradeSide: 'close' }, posSide: 'long' },
  { order: { side: 'sell', tradeSide: 'open' }, posSide: 'short' },
] as const)('the stops of the position of $order are those of $posSide', ({ order, posSide }) => {
  const call = positionStopsCall({
    ...futures,
    ...order,
    ...{ stopSurplusTriggerPrice: '90000', stopSurplusTriggerType: 'fill_price' },
    stopLossTriggerPrice: '40000',
  })
  expect(call?.path).toBe('/api/v3/trade/place-strategy-order')
  expect(bodyOf(call)).toEqual({
    ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', type: 'tpsl', tpslMode: 'full', posSide },
    ...{ takeProfit: '90000', tpTriggerBy: 'market', stopLoss: '40000', slTriggerBy: 'mark' },
  })
})

test('an order without stops needs no further call', () => {
  expect(positionStopsCall(futures)).toBeUndefined()
})

test('a change names the order by one id, and its key says that the order keeps it', () => {
  const ref = { symbol: 'BTCUSDT', clientOid: 'a-1' }
  const { call, order } = modifyOrderCall({ ...ref, newSize: '0.02', newPrice: '59000' })
  expect(call.path).toBe('/api/v3/trade/modify-order')
  expect(bodyOf(call)).toEqual({
    ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', clientOid: 'a-1' },
    ...{ qty: '0.02', price: '59000' },
  })
  expect(order).toMatchObject({
    ...{ action: 'modify', isInPlace: true, clientOrderId: 'a-1' },
    terms: { size: '0.02', price: '59000' },
  })
  const stops = modifyOrderCall({ ...ref, newPresetStopLossPrice: '0' })
  expect(bodyOf(stops.call)).toMatchObject({ stopLoss: '0' })
})

test('a futures cancel', () => {
  const { call } = cancelFuturesOrderCall({ symbol: 'BTCUSDT', clientOid: 'a-1' })
  expect(bodyOf(call)).toEqual({
    ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', clientOid: 'a-1' },
  })
})

describe('leverage', () => {
  const symbolConfig = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'crossed' }
  const settings = (leverage: string, holdMode = 'one_way_mode') => ({
    holdMode,
    symbolConfigList: [{ ...symbolConfig, leverage }],
  })

  test('is left alone when the account has it', () => {
    expect(leverageChange({ ...futures, leverage: 7 }, settings('7'))).toBeUndefined()
    expect(leverageChange(futures, settings('20'))).toBeUndefined()
  })

  test.each([
    { when: 'it differs', state: settings('20') },
    { when: 'the symbol is not listed', state: { symbolConfigList: null } },
    { when: 'the settings cannot be read', state: undefined },
  ])('is set when $when', ({ state }) => {
    const call = leverageChange({ ...futures, leverage: 7 }, state)
    expect(call?.path).toBe('/api/v3/account/set-leverage')
    expect(bodyOf(call)).toEqual({
      ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '7', marginMode: 'crossed' },
    })
  })

  test('of an isolated position in hedge mode is set for its side', () => {
    const order = { ...futures, marginMode: 'isolated', tradeSide: 'open', leverage: 7 } as const
    expect(bodyOf(leverageChange(order, settings('7', 'hedge_mode')))).toMatchObject({
      ...{ marginMode: 'isolated', posSide: 'long' },
    })
  })
})
