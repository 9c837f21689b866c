import { describe, expect, it } from 'vitest'
import { effectsOf } from './call-effects.ts'
import type { UpstreamCall } from './exchange.ts'

const spot = (query: string, body: string | null = null, isForm = false): UpstreamCall => ({
  ...{ family: 'mexc-spot', method: 'POST', path: '/api/v3/order', query, body, isForm },
  signed: true,
})
const posted = (family: UpstreamCall['family'], path: string, body: unknown): UpstreamCall => ({
  ...{ family, method: 'POST', path, query: '', signed: true },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const LIMIT = 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=2&price=100.5'

describe('effectsOf', () => {
  it('reads an order of MEXC spot from its query, or from a form', () => {
    const effect = {
      ...{ kind: 'order', market: 'spot', symbol: 'BTCUSDT', side: 'buy', size: '2' },
      ...{ price: '100.5', reduces: false, rests: true },
    }
    expect(effectsOf(spot(LIMIT))).toEqual([effect])
    expect(effectsOf(spot('newClientOrderId=a', LIMIT, true))).toEqual([effect])
    expect(
      effectsOf(spot('symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=10&price=5')),
    ).toMatchObject([{ quoteSize: '10', size: undefined, price: undefined, rests: false }])
    expect(effectsOf(spot('symbol=BTCUSDT&side=SELL&type=MARKET&quantity=10'))).toMatchObject([
      { size: '10', price: undefined, reduces: true },
    ])
  })

  it('takes a field that occurs twice for anything', () => {
    for (const call of [
      spot(`${LIMIT}&quantity=2`),
      spot(LIMIT, 'quantity=3', true),
      spot(LIMIT, '{"quantity":"3"}'),
      spot(`${LIMIT}&Quantity=3`),
      spot(`${LIMIT}&stpMode=a;quantity=3`),
    ])
      expect(effectsOf(call)).toMatchObject([{ kind: 'unbounded' }])
  })

  it('reads orders of MEXC futures', () => {
    const order = { symbol: 'BTC_USDT', side: 4, type: 5, vol: 3, leverage: 20, openType: 2 }
    expect(effectsOf(posted('mexc-futures', '/api/v1/private/order/create', order))).toEqual([
      {
        ...{ kind: 'order', market: 'futures', symbol: 'BTC_USDT', side: 'sell', size: '3' },
        ...{ price: undefined, leverage: 20, reduces: true, rests: false },
      },
    ])
    const batch = [order, { ...order, side: 1, price: '5', type: '1' }, { ...order, vol: -1 }]
    expect(
      effectsOf(posted('mexc-futures', '/api/v1/private/order/submit_batch', batch)),
    ).toMatchObject([
      { side: 'sell', reduces: true },
      { side: 'buy', price: '5', rests: true, reduces: false },
      { kind: 'unbounded' },
    ])
  })

  it('reads orders of both kinds of Bitget accounts', () => {
    const classic = {
      ...{ symbol: 'btcusdt', productType: 'USDT-FUTURES', marginCoin: 'USDT', size: '0.1' },
      ...{ side: 'buy', orderType: 'limit', price: '9', force: 'ioc', marginMode: 'crossed' },
    }
    const path = '/api/v2/mix/order/place-order'
    expect(effectsOf(posted('bitget', path, classic))).toEqual([
      {
        ...{ kind: 'order', market: 'futures', symbol: 'BTCUSDT', side: 'buy', size: '0.1' },
        ...{ productType: 'USDT-FUTURES', price: '9', reduces: false, rests: false },
      },
    ])
    expect(effectsOf(posted('bitget', path, { ...classic, tradeSide: 'Close' }))).toMatchObject([
      { side: undefined, reduces: false },
    ])
    const unified = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'market' }
    expect(
      effectsOf(posted('bitget', '/api/v3/trade/place-order', { ...unified, qty: '7' })),
    ).toMatchObject([{ market: 'spot', quoteSize: '7', size: undefined }])
  })
})
