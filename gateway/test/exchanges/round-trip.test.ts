import type { BgFuturesOrder, BgSpotOrder, MxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import {
  accountIdCall,
  allPositionsCall,
  futuresAccountsCall,
  singlePositionCall,
  spotAssetsCall,
} from '../../src/exchanges/bitget/classic/account-calls.ts'
import { futuresRows, spotRows } from '../../src/exchanges/bitget/classic/account-rows.ts'
import * as mix from '../../src/exchanges/bitget/classic/futures-calls.ts'
import { leverageChange, leverageQuestion } from '../../src/exchanges/bitget/classic/leverage.ts'
import * as spot from '../../src/exchanges/bitget/classic/spot-calls.ts'
import {
  futuresTickerCall,
  spotOrderbookCall,
  spotTickersCall,
} from '../../src/exchanges/bitget/market-calls.ts'
import * as bitget from '../../src/exchanges/bitget/results.ts'
import { checkOrder, toContracts } from '../../src/exchanges/check-order.ts'
import * as futuresBalances from '../../src/exchanges/mexc-futures/balances.ts'
import * as mexcFutures from '../../src/exchanges/mexc-futures/calls.ts'
import * as mexc from '../../src/exchanges/mexc-results.ts'
import * as spotBalances from '../../src/exchanges/mexc-spot/balances.ts'
import * as mexcSpot from '../../src/exchanges/mexc-spot/calls.ts'
import { eventually } from '../support/eventually.ts'
import { createPaperSession } from './paper-session.ts'

const families = ['mexc-spot', 'mexc-futures', 'bitget'] as const
const accountCalls = {
  'mexc-spot': mexcSpot.accountCall,
  'mexc-futures': mexcFutures.accountCall,
  bitget: accountIdCall,
}

test.each(families)('the clock of %s is measured although it is an hour off', async (family) => {
  const { measure } = await createPaperSession()
  const offsetMs = await measure(family)
  expect(Math.abs(offsetMs + 3_600_000)).toBeLessThan(500)
})

test.each(families)('without its clock %s rejects for the time, and says so', async (family) => {
  const { verdictOf } = await createPaperSession()
  const call = accountCalls[family]()
  expect(await verdictOf(call)).toMatchObject({ kind: 'rejected', rejection: { class: 'time' } })
})

test.each(families)('a wrong secret is rejected by %s as a bad signature', async (family) => {
  const { measure, verdictOf } = await createPaperSession({
    mx: { apiKey: 'mx-key', apiSecret: 'wrong' },
    bg: { apiKey: 'bg-key', apiSecret: 'wrong', passphrase: 'words' },
  })
  await measure(family)
  const call = accountCalls[family]()
  expect(await verdictOf(call)).toMatchObject({
    kind: 'rejected',
    rejection: { class: 'signature' },
  })
})

test('a MEXC spot order is placed, read, cancelled and found in the history', async () => {
  const { measure, ask, verdictOf, rulesOf } = await createPaperSession()
  await measure('mexc-spot')
  const rules = await rulesOf({ exchange: 'mx', market: 'spot', symbol: 'BTCUSDT' })
  const order: MxSubmitOrder = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.001',
    price: '50000',
  }
  const check = { side: 'buy', orderType: 'limit', size: '0.001', price: '50000' } as const
  expect(rules && checkOrder(rules, check)).toEqual([])
  const placed = mexc.placedOrder(await ask(mexcSpot.submitOrderCall(order, 'sl-1').call), 'sl-1')
  const byOwn = { symbol: 'BTCUSDT', clientOrderId: 'sl-1' }
  expect(mexc.oneOrder(await ask(mexcSpot.orderStatusCall(byOwn)))).toMatchObject({
    orderId: placed.orderId,
    clientOrderId: 'sl-1',
    status: 'NEW',
  })
  const cancelled = mexc.cancelledOrder(await ask(mexcSpot.cancelOrderCall(byOwn).call), byOwn)
  expect(cancelled.orderId).toBe(placed.orderId)
  const history = mexc.orderList(await ask(mexcSpot.orderHistoryCall({ symbol: 'BTCUSDT' })))
  expect(history).toMatchObject([{ orderId: placed.orderId, status: 'CANCELED' }])
  expect(
    await verdictOf(mexcSpot.cancelOrderCall({ symbol: 'BTCUSDT', orderId: '1' }).call),
  ).toMatchObject({
    kind: 'rejected',
    rejection: { class: 'order-not-found' },
  })
  const balances = spotBalances.balances(await ask(mexcSpot.accountCall()))
  expect(balances).toContainEqual(expect.objectContaining({ coin: 'USDT', available: '100000' }))
})

test('a MEXC futures order is placed and read back with its quantity in base coin', async () => {
  const { measure, ask, verdictOf, rulesOf } = await createPaperSession()
  await measure('mexc-futures')
  const rules = await rulesOf({ exchange: 'mx', market: 'futures', symbol: 'BTC_USDT' })
  if (rules === undefined) throw new Error('BTC_USDT has no rules')
  const contracts = toContracts(rules, '0.01')
  expect(contracts).toEqual({ contracts: '100' })
  const order: MxSubmitOrder = {
    symbol: 'BTC_USDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
    price: '50000',
    leverage: 10,
  }
  const call = mexcFutures.submitOrderCall(order, '100', 'sl-2').call
  const placed = mexc.placedOrder(await ask(call), 'sl-2')
  const byOwn = { symbol: 'BTC_USDT', clientOrderId: 'sl-2' }
  expect(mexc.oneOrder(await ask(mexcFutures.orderStatusCall(byOwn)))).toMatchObject({
    orderId: placed.orderId,
    vol: '100',
    side: '1',
    positionMode: '2',
  })
  await ask(mexcFutures.cancelOrderCall(byOwn).call)
  const again = { symbol: 'BTC_USDT', orderId: placed.orderId }
  expect(await verdictOf(mexcFutures.cancelOrderCall(again).call)).toMatchObject({
    kind: 'rejected',
    rejection: { class: 'order-state' },
  })
  const history = mexc.orderList(await ask(mexcFutures.orderHistoryCall({ symbol: 'BTC_USDT' })))
  expect(history).toMatchObject([{ orderId: placed.orderId, state: '4' }])
  const balances = futuresBalances.balances(await ask(mexcFutures.accountCall()))
  expect(balances).toContainEqual(expect.objectContaining({ coin: 'USDT', accountType: 'futures' }))
})

test('a Bitget spot order is placed, read and cancelled', async () => {
  const { measure, ask, rulesOf, verdictOf } = await createPaperSession()
  await measure('bitget')
  const rules = await rulesOf({ exchange: 'bg', market: 'spot', symbol: 'BTCUSDT' })
  expect(rules).toMatchObject({ tradable: true, baseCoin: 'BTC' })
  const order: BgSpotOrder = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    size: '0.001',
    price: '50000',
  }
  const placed = bitget.placedSpotOrder(await ask(spot.spotOrderCall(order, 'sl-3').call), 'sl-3')
  const info = spot.spotOrderInfoCall({ clientOid: 'sl-3' })
  expect(bitget.oneOrder(await ask(info))).toMatchObject({
    orderId: placed.data.orderId,
    status: 'live',
  })
  const byOwn = { symbol: 'BTCUSDT', clientOid: 'sl-3' }
  expect(bitget.orderResult(await ask(spot.cancelSpotOrderCall(byOwn).call), 'sl-3')).toEqual(
    placed,
  )
  const history = bitget.listOf(await ask(spot.spotHistoryCall({ symbol: 'BTCUSDT' })))
  expect(history).toMatchObject([{ orderId: placed.data.orderId, status: 'cancelled' }])
  expect(await verdictOf(spot.spotOrderCall({ ...order, size: '20' }, 'sl-4').call)).toMatchObject({
    kind: 'rejected',
    rejection: { class: 'balance' },
  })
})

test('a Bitget futures order is placed and read back: leverage first, stops of the position last', async () => {
  const { measure, ask, verdictOf, rulesOf } = await createPaperSession()
  await measure('bitget')
  const rules = await rulesOf({ exchange: 'bg', market: 'futures', symbol: 'BTCUSDT' })
  expect(rules).toMatchObject({ tradable: true, sizeStep: '0.001' })
  const order: BgFuturesOrder = {
    symbol: 'BTCUSDT',
    marginMode: 'crossed',
    side: 'buy',
    orderType: 'market',
    size: '0.01',
    leverage: 7,
    stopLossTriggerPrice: '40000',
  }
  const change = leverageChange(order, await ask(leverageQuestion(order)))
  if (change !== undefined) await ask(change)
  expect(leverageChange(order, await ask(leverageQuestion(order)))).toBeUndefined()
  await ask(mix.futuresOrderCall(order, 'sl-5').call)
  const positions = bitget.listOf(await ask(allPositionsCall({})))
  expect(positions).toMatchObject([{ symbol: 'BTCUSDT', total: '0.01', leverage: '7' }])
  expect(await ask(singlePositionCall({ symbol: 'BTCUSDT' }))).toHaveLength(1)
  const stops = mix.positionStopsCall(order)
  expect(stops && (await verdictOf(stops))).toMatchObject({ kind: 'ok' })

  const resting: BgFuturesOrder = { ...order, orderType: 'limit', price: '50000' }
  const placed = bitget.orderResult(await ask(mix.futuresOrderCall(resting, 'sl-6').call), 'sl-6')
  const detail = mix.futuresDetailCall({ symbol: 'BTCUSDT', clientOid: 'sl-6' })
  expect(bitget.oneOrder(await ask(detail))).toMatchObject({ orderId: placed.data.orderId })
  const modify = mix.modifyOrderCall(
    { symbol: 'BTCUSDT', clientOid: 'sl-6', newSize: '0.02', newPrice: '49000' },
    'sl-7',
  ).call
  await ask(modify)
  // Bitget creates the changed order some time after its response.
  const cancel = mix.cancelFuturesOrderCall({ symbol: 'BTCUSDT', clientOid: 'sl-7' }).call
  await eventually(() => ask(cancel), 150)
  const history = bitget.listOf(await ask(mix.futuresHistoryCall({ symbol: 'BTCUSDT' })))
  expect(history.map(({ clientOid }) => clientOid)).toEqual(
    expect.arrayContaining(['sl-5', 'sl-6', 'sl-7']),
  )
})

test('the account list of Bitget is combined from three responses', async () => {
  const { measure, ask } = await createPaperSession()
  await measure('bitget')
  const accountId = bitget.accountIdOf(await ask(accountIdCall()))
  const rows = [
    ...spotRows(accountId, await ask(spotAssetsCall()), 1),
    ...futuresRows(accountId, await ask(futuresAccountsCall()), 1),
  ]
  expect(rows).toContainEqual(
    expect.objectContaining({ accountId, accountType: 'spot', coin: 'USDT', available: '100000' }),
  )
  expect(rows).toContainEqual(
    expect.objectContaining({ accountId, accountType: 'futures', coin: 'USDT' }),
  )
})

test('market data of Bitget needs no key', async () => {
  const { ask } = await createPaperSession()
  expect(bitget.listOf(await ask(spotTickersCall({ symbol: '$ALTUSDT' })))).toHaveLength(1)
  expect(bitget.listOf(await ask(futuresTickerCall({ symbol: '龙虾USDT' })))).toHaveLength(1)
  const book = bitget.orderbook(await ask(spotOrderbookCall({ symbol: 'BTCUSDT', limit: 5 })))
  expect(book.asks.length).toBeGreaterThan(0)
})

test('an unknown symbol has no rules', async () => {
  const { rulesOf } = await createPaperSession()
  for (const exchange of ['mx', 'bg'] as const) {
    for (const market of ['spot', 'futures'] as const) {
      const symbol = exchange === 'mx' && market === 'futures' ? 'NO_SUCH' : 'NOSUCH'
      expect(await rulesOf({ exchange, market, symbol })).toBeUndefined()
    }
  }
})
