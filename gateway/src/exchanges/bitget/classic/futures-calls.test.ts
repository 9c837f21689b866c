import type { BgFuturesOrder } from 'schema'
import { expect, test } from 'vitest'
import type { UpstreamCall } from '../../exchange.ts'
import {
  cancelFuturesOrderCall,
  futuresDetailCall,
  futuresHistoryCall,
  futuresOrderCall,
  modifyOrderCall,
  positionStopsCall,
} from './futures-calls.ts'
import { leverageChange, leverageQuestion } from './leverage.ts'

const order: BgFuturesOrder = {
  symbol: 'BTCUSDT',
  marginMode: 'crossed',
  size: '0.01',
  price: '60000',
  side: 'buy',
  orderType: 'limit',
}
const bodyOf = (call: UpstreamCall | undefined): unknown => JSON.parse(call?.body ?? 'null')
const common = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }

test('a futures order names product type and margin coin even when the caller does not', () => {
  const call = futuresOrderCall(order, 'grid-7').call
  expect(call).toMatchObject({
    method: 'POST',
    path: '/api/v2/mix/order/place-order',
    signed: true,
  })
  expect(bodyOf(call)).toEqual({
    ...common,
    marginMode: 'crossed',
    size: '0.01',
    price: '60000',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    clientOid: 'grid-7',
  })
})

test('each take profit and stop loss goes where Bitget applies it: on the order or on the position', () => {
  const withStops: BgFuturesOrder = {
    ...order,
    presetStopSurplusPrice: '65000',
    presetStopLossPrice: 55000,
    stopSurplusTriggerPrice: '66000',
    stopLossTriggerPrice: '54000',
    stopLossTriggerType: 'fill_price',
  }
  const placed = bodyOf(futuresOrderCall(withStops, 'a').call)
  expect(placed).toMatchObject({ presetStopSurplusPrice: '65000', presetStopLossPrice: '55000' })
  expect(JSON.stringify(placed)).not.toContain('Trigger')
  expect(positionStopsCall(withStops)?.path).toBe('/api/v2/mix/order/place-pos-tpsl')
  expect(bodyOf(positionStopsCall(withStops))).toEqual({
    ...common,
    holdSide: 'buy',
    stopSurplusTriggerPrice: '66000',
    stopSurplusTriggerType: 'mark_price',
    stopLossTriggerPrice: '54000',
    stopLossTriggerType: 'fill_price',
  })
})

test('an order without stops for the position needs no second call', () => {
  expect(positionStopsCall({ ...order, presetStopLossPrice: '1' })).toBeUndefined()
})

test.each<[Partial<BgFuturesOrder>, string]>([
  [{ side: 'buy' }, 'buy'],
  [{ side: 'sell' }, 'sell'],
  [{ side: 'sell', reduceOnly: true }, 'buy'],
  [{ side: 'buy', reduceOnly: true }, 'sell'],
  [{ side: 'buy', tradeSide: 'open' }, 'long'],
  [{ side: 'buy', tradeSide: 'close' }, 'long'],
  [{ side: 'sell', tradeSide: 'open' }, 'short'],
])('the stops of %j belong to the position %s', (part, holdSide) => {
  const call = positionStopsCall({ ...order, ...part, stopLossTriggerPrice: '1' })
  expect(bodyOf(call)).toMatchObject({ holdSide })
})

test('closing, hedge mode and market orders are written as Bitget wants them', () => {
  const closing = bodyOf(
    futuresOrderCall({ ...order, orderType: 'market', reduceOnly: true }, 'a').call,
  )
  expect(closing).toMatchObject({ reduceOnly: 'YES', orderType: 'market' })
  expect(closing).not.toHaveProperty('price')
  expect(closing).not.toHaveProperty('force')
  expect(bodyOf(futuresOrderCall({ ...order, tradeSide: 'open' }, 'a').call)).toMatchObject({
    tradeSide: 'open',
  })
})

test('the gateway reads the leverage of the symbol and changes it only when it differs', () => {
  expect(leverageQuestion(order)).toMatchObject({
    method: 'GET',
    path: '/api/v2/mix/account/account',
    query: 'symbol=BTCUSDT&productType=USDT-FUTURES&marginCoin=USDT',
  })
  const account = { crossedMarginLeverage: '10', posMode: 'one_way_mode' }
  expect(leverageChange(order, account)).toBeUndefined()
  expect(leverageChange({ ...order, leverage: 10 }, account)).toBeUndefined()
  expect(leverageChange({ ...order, leverage: 20 }, account)?.path).toBe(
    '/api/v2/mix/account/set-leverage',
  )
  expect(bodyOf(leverageChange({ ...order, leverage: 20 }, account))).toEqual({
    ...common,
    leverage: '20',
  })
})

test('isolated margin in hedge mode has a leverage for each side', () => {
  const isolated: BgFuturesOrder = { ...order, marginMode: 'isolated', leverage: 5 }
  const account = { isolatedLongLever: 5, isolatedShortLever: '7', posMode: 'hedge_mode' }
  expect(leverageChange(isolated, account)).toBeUndefined()
  expect(bodyOf(leverageChange({ ...isolated, side: 'sell' }, account))).toEqual({
    ...common,
    leverage: '5',
    holdSide: 'short',
  })
  const oneWay = { ...account, posMode: 'one_way_mode' }
  expect(bodyOf(leverageChange({ ...isolated, side: 'sell' }, oneWay))).not.toHaveProperty(
    'holdSide',
  )
})

test('the gateway sets the leverage when Bitget does not report the present one', () => {
  expect(bodyOf(leverageChange({ ...order, leverage: 3 }, null))).toMatchObject({ leverage: '3' })
})

test('a change names the old order, a new id, and only what changes', () => {
  const call = modifyOrderCall(
    { symbol: 'BTCUSDT', clientOid: 'old', newSize: '0.02', newPrice: 59900 },
    'new',
  ).call
  expect(call.path).toBe('/api/v2/mix/order/modify-order')
  expect(bodyOf(call)).toEqual({
    ...common,
    clientOid: 'old',
    newClientOid: 'new',
    newSize: '0.02',
    newPrice: '59900',
  })
})

test('a call cancels or reads one order, never all of them', () => {
  expect(
    bodyOf(cancelFuturesOrderCall({ symbol: 'BTCUSDT', orderId: '12', clientOid: 'a' }).call),
  ).toEqual({ ...common, orderId: '12' })
  expect(futuresDetailCall({ symbol: 'BTCUSDT', clientOid: 'a' })).toMatchObject({
    path: '/api/v2/mix/order/detail',
    query: 'symbol=BTCUSDT&productType=USDT-FUTURES&clientOid=a',
  })
  for (const call of [cancelFuturesOrderCall, futuresDetailCall]) {
    expect(() => call({ symbol: 'BTCUSDT' })).toThrow('Give orderId or clientOid')
  }
  expect(() => modifyOrderCall({ symbol: 'BTCUSDT' }, 'a').call).toThrow(
    'Give orderId or clientOid',
  )
})

test('history is read for the product type', () => {
  expect(futuresHistoryCall({ limit: 10 })).toMatchObject({
    path: '/api/v2/mix/order/orders-history',
    query: 'productType=USDT-FUTURES&limit=10',
  })
})
