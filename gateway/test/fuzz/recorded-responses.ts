import type { UpstreamCall } from '../../src/exchanges/exchange.ts'

/** A call, and the form in which the exchange responds to it (docs/exchanges). */
export interface RecordedResponse {
  readonly call: UpstreamCall
  readonly body: unknown
}

const call = (
  family: UpstreamCall['family'],
  line: string,
  body: object | null = null,
): UpstreamCall => {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', query = ''] = target.split('?')
  return {
    family,
    method: method as UpstreamCall['method'],
    path,
    query,
    body: body === null ? null : JSON.stringify(body),
    signed: true,
  }
}

const spotOrder = {
  ...{ symbol: 'BTCUSDT', orderId: 'C02__443776347957968896088', clientOrderId: 'own-1' },
  ...{ price: '50000.00', origQty: '0.0100', executedQty: '0.0000', status: 'NEW' },
  ...{ type: 'LIMIT', side: 'BUY', time: 1790000000123, transactTime: 1790000000123 },
}
const futuresOrder = {
  ...{ orderId: '739113577038255616', symbol: 'BTC_USDT', externalOid: 'own-1', state: 2 },
  ...{ price: 50000.1, vol: 1, dealVol: 0, side: 1, orderType: 1, createTime: 1790000000123 },
}
const bitgetOrder = {
  ...{ orderId: '1098394344925597696', clientOid: 'own-1', symbol: 'BTCUSDT', status: 'live' },
  ...{ price: '50000', size: '0.01', side: 'buy', orderType: 'limit', baseVolume: '0' },
  ...{ force: 'gtc', state: 'live', cTime: '1790000000123', uTime: '1790000000124' },
}
const bitget = (data: unknown) => ({
  ...{ code: '00000', msg: 'success', requestTime: 1790000000123 },
  data,
})
const futures = (data: unknown) => ({ success: true, code: 0, data })

const SPOT = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' }
const spotPlace = { ...SPOT, price: '50000', size: '0.01', clientOid: 'own-1' }
const FUTURES = { symbol: 'BTC_USDT', price: 50000.1, vol: 1, side: 1, type: 1, openType: 1 }
const futuresPlace = { ...FUTURES, externalOid: 'own-1' }
const LINE = 'side=BUY&type=LIMIT&quantity=0.01&price=50000&newClientOrderId=own-1'

/** Orders and cancels: what their responses mean decides about money. */
export const orderResponses: readonly RecordedResponse[] = [
  { call: call('mexc-spot', `POST /api/v3/order?symbol=BTCUSDT&${LINE}`), body: spotOrder },
  {
    call: call(
      'mexc-spot',
      'DELETE /api/v3/order?symbol=BTCUSDT&orderId=C02__443776347957968896088',
    ),
    body: { ...spotOrder, status: 'CANCELED' },
  },
  {
    call: call('mexc-futures', 'POST /api/v1/private/order/create', futuresPlace),
    body: futures({ orderId: '739113577038255616', ts: 1790000000123 }),
  },
  {
    call: call('mexc-futures', 'POST /api/v1/private/order/submit', futuresPlace),
    body: futures(739113577038255616n.toString()),
  },
  {
    call: {
      ...call('mexc-futures', 'POST /api/v1/private/order/cancel'),
      body: '["739113577038255616"]',
    },
    body: futures([{ orderId: '739113577038255616', errorCode: 0, errorMsg: 'success' }]),
  },
  {
    call: call('bitget', 'POST /api/v2/spot/trade/place-order', spotPlace),
    body: bitget({ orderId: '1098394344925597696', clientOid: 'own-1' }),
  },
  {
    call: call('bitget', 'POST /api/v2/spot/trade/batch-orders', {
      symbol: 'BTCUSDT',
      orderList: [spotPlace, { ...spotPlace, clientOid: 'own-2' }],
    }),
    body: bitget({
      successList: [{ orderId: '1098394344925597696', clientOid: 'own-1' }],
      failureList: [{ clientOid: 'own-2', errorCode: '43012', errorMsg: 'Insufficient balance' }],
    }),
  },
  {
    call: call('bitget', 'POST /api/v2/spot/trade/cancel-order', {
      symbol: 'BTCUSDT',
      orderId: '1098394344925597696',
    }),
    body: bitget({ orderId: '1098394344925597696', clientOid: 'own-1' }),
  },
  {
    call: call('bitget', 'POST /api/v3/trade/place-order', {
      ...{ category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01' },
      ...{ price: '50000', clientOid: 'own-1' },
    }),
    body: bitget({ orderId: '1098394344925597696', clientOid: 'own-1' }),
  },
]

/** What the gateway asks by itself: look-ups, rules, prices, keys, the time. */
export const readResponses: readonly RecordedResponse[] = [
  { call: call('mexc-spot', 'GET /api/v3/order?symbol=BTCUSDT'), body: spotOrder },
  { call: call('mexc-spot', 'GET /api/v3/openOrders?symbol=BTCUSDT'), body: [spotOrder] },
  { call: call('mexc-spot', 'GET /api/v3/time'), body: { serverTime: 1790000000123 } },
  {
    call: call('mexc-spot', 'GET /api/v3/exchangeInfo?symbol=BTCUSDT'),
    body: {
      symbols: [
        {
          ...{ symbol: 'BTCUSDT', status: '1', baseAsset: 'BTC', quoteAsset: 'USDT' },
          ...{ baseAssetPrecision: 6, quoteAssetPrecision: 2, baseSizePrecision: '0.000001' },
          ...{ quoteAmountPrecision: '1', maxQuoteAmount: '2000000', tradeSideType: 1 },
          ...{ orderTypes: ['LIMIT', 'MARKET'], isSpotTradingAllowed: true },
        },
      ],
    },
  },
  {
    call: call('mexc-spot', 'GET /api/v3/ticker/24hr?symbol=BTCUSDT'),
    body: { symbol: 'BTCUSDT', lastPrice: '50000.1', bidPrice: '50000', askPrice: null },
  },
  {
    call: call('mexc-futures', 'GET /api/v1/private/order/get/739113577038255616'),
    body: futures(futuresOrder),
  },
  {
    call: call('mexc-futures', 'GET /api/v1/private/order/list/open_orders'),
    body: futures([futuresOrder]),
  },
  {
    call: call('mexc-futures', 'GET /api/v1/contract/detail?symbol=BTC_USDT'),
    body: futures({
      ...{ symbol: 'BTC_USDT', baseCoin: 'BTC', quoteCoin: 'USDT', contractSize: 0.0001 },
      ...{ priceUnit: 0.1, volUnit: 1, minVol: 1, maxVol: 1000000, state: 0, apiAllowed: true },
      ...{ minLeverage: 1, maxLeverage: 200 },
    }),
  },
  {
    call: call('mexc-futures', 'GET /api/v1/contract/ticker?symbol=BTC_USDT'),
    body: futures({ symbol: 'BTC_USDT', fairPrice: 50000.1, lastPrice: 50000, bid1: 1e-8 }),
  },
  {
    call: call('bitget', 'GET /api/v2/spot/trade/orderInfo?clientOid=own-1'),
    body: bitget([bitgetOrder]),
  },
  {
    call: call('bitget', 'GET /api/v2/mix/order/detail?symbol=BTCUSDT'),
    body: bitget(bitgetOrder),
  },
  {
    call: call('bitget', 'GET /api/v3/trade/order-info?clientOid=own-1'),
    body: bitget({ ...bitgetOrder, orderStatus: 'live', qty: '0.01', cumExecQty: '0' }),
  },
  {
    call: call('bitget', 'GET /api/v2/public/time'),
    body: bitget({ serverTime: '1790000000123' }),
  },
  {
    call: call('bitget', 'GET /api/v2/spot/public/symbols?symbol=BTCUSDT'),
    body: bitget([
      {
        ...{ symbol: 'BTCUSDT', baseCoin: 'BTC', quoteCoin: 'USDT', status: 'online' },
        ...{ minTradeAmount: '0', maxTradeAmount: '900000', pricePrecision: '2' },
        ...{ quantityPrecision: '6', quotePrecision: '8', minTradeUSDT: '1' },
      },
    ]),
  },
  {
    call: call('bitget', 'GET /api/v2/mix/market/contracts?symbol=BTCUSDT'),
    body: bitget([
      {
        ...{ symbol: 'BTCUSDT', baseCoin: 'BTC', quoteCoin: 'USDT', symbolStatus: 'normal' },
        ...{ minTradeNum: '0.001', priceEndStep: '5', pricePlace: '1', volumePlace: '3' },
        ...{ sizeMultiplier: '0.001', minTradeUSDT: '5', maxLever: '125', minLever: '1' },
      },
    ]),
  },
  {
    call: call('bitget', 'GET /api/v2/spot/market/tickers?symbol=BTCUSDT'),
    body: bitget([{ symbol: 'BTCUSDT', lastPr: '50000.1', bidPr: '50000', askPr: '' }]),
  },
  {
    call: call('bitget', 'GET /api/v2/spot/account/info'),
    body: bitget({ userId: '1', authorities: ['trade', 'readonly'], ips: '1.2.3.4,5.6.7.8' }),
  },
]
