import {
  bgAllPositions,
  bgFuturesPlaceOrder,
  bgGetAccountInfo,
  bgSpotOrderbook,
  bgSpotPlaceOrder,
} from 'schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { futuresTickerCall, spotOrderbookCall, spotTickersCall } from './call.ts'
import {
  accountIdCall,
  allPositionsCall,
  futuresAccountsCall,
  futuresRows,
  singlePositionCall,
  spotAssetsCall,
  spotRows,
} from './classic/documented.ts'
import {
  accountIdOf,
  listOf,
  oneOrder,
  orderbook,
  orderResult,
  placedSpotOrder,
} from './documented.ts'

const NOW_MS = 1_772_721_022_000

test('the response to an order has both of its ids', () => {
  const data = { orderId: '1253261109769874438', clientOid: 'b' }
  const result = placedSpotOrder(data, 'a')
  expect(result).toEqual({ success: true, data })
  expect(Value.Check(bgSpotPlaceOrder.response, result)).toBe(true)
})

test('a futures order may come without an id, a spot order may not', () => {
  const result = orderResult({ clientOid: null }, 'a')
  expect(result).toEqual({ success: true, data: { orderId: null, clientOid: 'a' } })
  expect(Value.Check(bgFuturesPlaceOrder.response, result)).toBe(true)
  const unclear = expect.objectContaining({ code: 'EXCHANGE_ANSWER_UNCLEAR', sent: true })
  expect(() => placedSpotOrder({}, 'a')).toThrow(unclear)
  expect(() => orderResult(null, 'a')).toThrow(unclear)
})

test('an empty list means that there is no such order', () => {
  expect(oneOrder([{ orderId: '1', size: '2' }])).toEqual({ orderId: '1', size: '2' })
  expect(oneOrder({ orderId: '1' })).toEqual({ orderId: '1' })
  const missing = expect.objectContaining({ code: 'EXCHANGE_ORDER_NOT_FOUND', statusCode: 404 })
  expect(() => oneOrder([])).toThrow(missing)
})

test('lists come as a list, wrapped, or as null', () => {
  expect(listOf([{ a: 1 }])).toEqual([{ a: '1' }])
  expect(listOf({ entrustedList: [{ a: '1' }], endId: '9' })).toEqual([{ a: '1' }])
  expect(listOf({ entrustedList: null, endId: null })).toEqual([])
  expect(listOf(null)).toEqual([])
  const response = { success: true, data: listOf([{ a: 1 }]) }
  expect(Value.Check(bgAllPositions.response, response)).toBe(true)
})

test('an order book is text all through', () => {
  const data = orderbook({ asks: [['61234.6', 0.42], 'x'], bids: null, ts: NOW_MS })
  expect(data).toEqual({ asks: [['61234.6', '0.42']], bids: [], ts: `${NOW_MS}` })
  expect(Value.Check(bgSpotOrderbook.response, { success: true, data })).toBe(true)
})

test('the account list has its seven fields although no call of Bitget has them together', () => {
  const accountId = accountIdOf({ userId: 7462219110, authorities: [] })
  const spot = spotRows(
    accountId,
    [
      { coin: 'USDT', available: '1250.50', frozen: '100', locked: '0', uTime: '1772721000' },
      { coin: 'BTC', available: '0.1', frozen: '0', uTime: '1772721000123' },
      { coin: 'MX', available: 'x', frozen: '0', locked: '0', uTime: 'never' },
    ],
    NOW_MS,
  )
  expect(spot).toEqual([
    {
      ...{ accountId: '7462219110', accountType: 'spot', coin: 'USDT', available: '1250.5' },
      ...{ frozen: '100', locked: '0', uTime: '1772721000000' },
    },
    expect.objectContaining({ coin: 'BTC', locked: '0', uTime: '1772721000123' }),
    expect.objectContaining({ coin: 'MX', available: '0', uTime: '1772721022000' }),
  ])
  const futures = futuresRows(
    accountId,
    [{ marginCoin: 'USDT', available: '5', locked: '1', accountEquity: '6' }],
    NOW_MS,
  )
  expect(futures).toEqual([
    {
      ...{ accountId: '7462219110', accountType: 'futures', coin: 'USDT', available: '5' },
      ...{ frozen: '0', locked: '1', uTime: '1772721022000' },
    },
  ])
  const response = { success: true, data: [...spot, ...futures] }
  expect(Value.Check(bgGetAccountInfo.response, response)).toBe(true)
  expect(() => accountIdOf({})).toThrow('but no account id')
})

const MIX = '/api/v2/mix'
test.each([
  [accountIdCall(), '/api/v2/spot/account/info ', true],
  [spotAssetsCall(), '/api/v2/spot/account/assets ', true],
  [futuresAccountsCall(), `${MIX}/account/accounts productType=USDT-FUTURES`, true],
  [allPositionsCall({}), `${MIX}/position/all-position productType=USDT-FUTURES`, true],
  [
    singlePositionCall({ symbol: 'BTCUSDT' }),
    `${MIX}/position/single-position symbol=BTCUSDT&productType=USDT-FUTURES&marginCoin=USDT`,
    true,
  ],
  [spotTickersCall({}), '/api/v2/spot/market/tickers ', false],
  [
    futuresTickerCall({ symbol: 'BTCUSDT' }),
    `${MIX}/market/ticker productType=USDT-FUTURES&symbol=BTCUSDT`,
    false,
  ],
  [
    spotOrderbookCall({ symbol: 'BTCUSDT', type: 'step0', limit: 5 }),
    '/api/v2/spot/market/orderbook symbol=BTCUSDT&type=step0&limit=5',
    false,
  ],
])('reads of the account are signed, reads of the market are not: $path', (call, text, signed) => {
  expect(`${call.path} ${call.query}`).toBe(text)
  expect(call.signed).toBe(signed)
})
