import type { BgFuturesOrder, BgModifyOrder, BgSpotOrder, MxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { readOrderKey } from '../../../test/support/exchange-orders.ts'
import * as classic from '../bitget/classic/documented.ts'
import { futuresOrderOf, modifyOrderOf, spotOrderOf } from '../bitget/documented.ts'
import * as mexcFutures from '../mexc-futures/documented.ts'
import * as mexcSpot from '../mexc-spot/documented.ts'
import { inTexts } from '../protocol/decimals.ts'
import type { OrderCall } from './order-key.ts'

// A built call comes with the key of its order. Reading the same call as if a bot had written it
// has to give the same key: look-ups of documented orders and of orders from raw routes are the
// same.

const AMOUNTS = ['0.01', '61234.50', 1e-7, 17, '1e-8'] as const
const ids = ['sl-aB_9', 'a b&c=d+e', '日本', '0', 'x'.repeat(40)]

const mexcOrders: MxSubmitOrder[] = AMOUNTS.flatMap((amount) =>
  (['BUY', 'SELL'] as const).flatMap((side) => [
    { symbol: 'A_B', side, type: 'LIMIT', quantity: amount, price: amount, leverage: '10' },
    { symbol: 'A_B', side, type: 'MARKET', quantity: amount, price: amount, reduceOnly: true },
    { symbol: 'A_B', side, type: 'LIMIT', quantity: amount, openType: 'isolated', leverage: 3 },
  ]),
)
const bitgetSpotOrders: BgSpotOrder[] = AMOUNTS.flatMap((size) =>
  (['buy', 'sell'] as const).flatMap((side) => [
    { symbol: 'AB', side, orderType: 'limit', size, price: size, force: 'post_only' },
    { symbol: '$AB', side, orderType: 'market', size, price: size },
  ]),
)
const bitgetFuturesOrders: BgFuturesOrder[] = bitgetSpotOrders.flatMap((order) => {
  const { force: _force, ...futures } = { ...order, marginMode: 'crossed' as const }
  return [
    futures,
    { ...futures, tradeSide: 'open' },
    { ...futures, tradeSide: 'close', productType: 'USDT-FUTURES' },
    { ...futures, reduceOnly: true, presetStopLossPrice: '1' },
  ]
})
const changes: BgModifyOrder[] = [
  { symbol: 'AB', orderId: '7', newSize: '1', newPrice: 2.5 },
  { symbol: 'AB', clientOid: 'old', newSize: '1.0', newPrice: '2' },
  { symbol: 'AB', orderId: '7', newPresetStopLossPrice: '3' },
]
const orderRefs = [{ orderId: '101716841474621953' }, { orderId: '7', own: 'o' }, { own: 'o & p' }]

const built: OrderCall[] = [
  ...ids.flatMap((id) => [
    ...mexcOrders
      .map((order) => inTexts(order, ['quantity', 'price']))
      .flatMap((order) => [
        mexcSpot.submitOrderCall({ ...order, symbol: 'AB' }, id),
        mexcFutures.submitOrderCall(order, '5', id),
      ]),
    ...bitgetSpotOrders.map((order) => classic.spotOrderCall(spotOrderOf(order), id)),
    ...bitgetFuturesOrders.map((order) => classic.futuresOrderCall(futuresOrderOf(order), id)),
    ...changes.map((change) => classic.modifyOrderCall(modifyOrderOf(change), id)),
  ]),
  ...orderRefs.flatMap(({ orderId, own }) => {
    const byId = orderId === undefined ? {} : { orderId }
    const mexcRef = { ...byId, ...(own === undefined ? {} : { clientOrderId: own }) }
    const bitgetRef = { symbol: 'AB', ...byId, ...(own === undefined ? {} : { clientOid: own }) }
    return [
      mexcSpot.cancelOrderCall({ symbol: 'AB', ...mexcRef }),
      mexcFutures.cancelOrderCall({ symbol: 'A_B', ...mexcRef }),
      classic.cancelSpotOrderCall(bitgetRef),
      classic.cancelFuturesOrderCall(bitgetRef),
    ]
  }),
]

test(`each of ${built.length} built calls comes with the key that reading it gives`, () => {
  for (const { call, order } of built) {
    expect(order, call.path).toBeDefined()
    expect(JSON.parse(JSON.stringify(order))).toEqual(
      JSON.parse(JSON.stringify(readOrderKey(call))),
    )
  }
})
