import type { BgFuturesOrder, BgModifyOrder, MxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { futuresOrderProblems, modifyOrderProblems } from './bitget/documented.ts'
import { submitOrderProblems as mexcFuturesProblems } from './mexc-futures/documented.ts'
import { submitOrderProblems as mexcSpotProblems } from './mexc-spot/documented.ts'

const mexc: MxSubmitOrder = { symbol: 'BTC_USDT', side: 'BUY', type: 'MARKET', quantity: '1' }
const futures: BgFuturesOrder = {
  ...{ symbol: 'BTCUSDT', marginMode: 'crossed', size: '1', side: 'buy', orderType: 'market' },
}
const change: BgModifyOrder = { symbol: 'BTCUSDT', orderId: '1' }
const fields = (problems: { field: string }[]) => problems.map(({ field }) => field)

test('an order whose parts go together has no problem', () => {
  const isolated = { ...mexc, leverage: 5, openType: 'isolated', reduceOnly: false } as const
  expect(mexcFuturesProblems(isolated)).toEqual([])
  expect(mexcSpotProblems({ ...mexc, symbol: 'BTCUSDT' })).toEqual([])
  const opening = { ...futures, stopLossTriggerPrice: '1', tradeSide: 'open' } as const
  expect(futuresOrderProblems(opening)).toEqual([])
  expect(modifyOrderProblems({ ...change, newSize: '1', newPrice: '1' })).toEqual([])
  expect(modifyOrderProblems({ ...change, newPresetStopLossPrice: '0' })).toEqual([])
})

test('a spot order has no leverage, margin mode or reduce-only', () => {
  const order: MxSubmitOrder = { ...mexc, symbol: 'BTCUSDT', leverage: 5, reduceOnly: false }
  expect(fields(mexcSpotProblems(order))).toEqual(['leverage', 'reduceOnly'])
})

test('isolated margin needs a leverage unless the order only closes', () => {
  expect(fields(mexcFuturesProblems({ ...mexc, openType: 'isolated' }))).toEqual(['leverage'])
  expect(mexcFuturesProblems({ ...mexc, openType: 'isolated', reduceOnly: true })).toEqual([])
})

test('a trigger type without its price is reported', () => {
  const types = { stopSurplusTriggerType: 'mark_price', stopLossTriggerType: 'mark_price' } as const
  expect(fields(futuresOrderProblems({ ...futures, ...types }))).toEqual(Object.keys(types))
})

test('one order cannot be for both position modes', () => {
  const both = { ...futures, tradeSide: 'close', reduceOnly: true } as const
  expect(fields(futuresOrderProblems(both))).toEqual(['reduceOnly'])
})

test.each<[Partial<BgModifyOrder>, string[]]>([
  [{ newSize: '1' }, ['newPrice']],
  [{ newPrice: '1' }, ['newSize']],
  [{}, ['newSize']],
  [{ newSize: '1', newPrice: '1', newPresetStopLossPrice: '1' }, ['newPresetStopLossPrice']],
  [{ newSize: '1', newPrice: '1', newPresetStopSurplusPrice: '1' }, ['newPresetStopSurplusPrice']],
  [{ newSize: '1', newPrice: '1', clientOid: 'a', newClientOid: 'a' }, ['newClientOid']],
])('a change with %j has a problem with %j', (part, wanted) => {
  expect(fields(modifyOrderProblems({ ...change, ...part }))).toEqual(wanted)
})
