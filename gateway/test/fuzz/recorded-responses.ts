import type { UpstreamCall } from '../../src/exchanges/exchange.ts'

/** A call, and the form in which the exchange responds to it (docs/exchanges). */
export interface RecordedResponse {
  readonly call: UpstreamCall
  readonly body: unknown
}

/** What the body of a response has around its data. */
const ENVELOPES: Readonly<Record<UpstreamCall['family'], (data: unknown) => unknown>> = {
  'mexc-spot': (data) => data,
  'mexc-futures': (data) => ({ success: true, code: 0, data }),
  bitget: (data) => ({ code: '00000', msg: 'success', requestTime: 1790000000123, data }),
}

/** @param line method and target; @param sent its body, as text or to be written */
const recorded = (
  family: UpstreamCall['family'],
  line: string,
  sent: object | string | null,
  data: unknown,
): RecordedResponse => {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', query = ''] = target.split('?')
  const body = sent === null || typeof sent === 'string' ? sent : JSON.stringify(sent)
  const call = { family, method: method as UpstreamCall['method'], path, query, body, signed: true }
  return { call, body: ENVELOPES[family](data) }
}
const spot = (line: string, data: unknown) => recorded('mexc-spot', line, null, data)
const futures = (line: string, sent: object | string | null, data: unknown) =>
  recorded('mexc-futures', line, sent, data)
const bitget = (line: string, sent: object | null, data: unknown) =>
  recorded('bitget', line, sent, data)

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
const SPOT = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' }
const spotPlace = { ...SPOT, price: '50000', size: '0.01', clientOid: 'own-1' }
const FUTURES = { symbol: 'BTC_USDT', price: 50000.1, vol: 1, side: 1, type: 1, openType: 1 }
const futuresPlace = { ...FUTURES, externalOid: 'own-1' }
const LINE = 'side=BUY&type=LIMIT&quantity=0.01&price=50000&newClientOrderId=own-1'

const CANCEL = 'DELETE /api/v3/order?symbol=BTCUSDT&orderId=C02__443776347957968896088'
const [FUTURES_ID, BITGET_ID] = ['739113577038255616', '1098394344925597696']
const bitgetIds = { orderId: BITGET_ID, clientOid: 'own-1' }
const cancelled = { orderId: FUTURES_ID, errorCode: 0, errorMsg: 'success' }
const unified = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }

/** Orders and cancels: what their responses mean decides about money. */
export const orderResponses: readonly RecordedResponse[] = [
  spot(`POST /api/v3/order?symbol=BTCUSDT&${LINE}`, spotOrder),
  spot(CANCEL, { ...spotOrder, status: 'CANCELED' }),
  futures('POST /api/v1/private/order/create', futuresPlace, {
    ...{ orderId: FUTURES_ID, ts: 1790000000123 },
  }),
  futures('POST /api/v1/private/order/submit', futuresPlace, FUTURES_ID),
  futures('POST /api/v1/private/order/cancel', `["${FUTURES_ID}"]`, [cancelled]),
  bitget('POST /api/v2/spot/trade/place-order', spotPlace, bitgetIds),
  bitget(
    'POST /api/v2/spot/trade/batch-orders',
    { symbol: 'BTCUSDT', orderList: [spotPlace, { ...spotPlace, clientOid: 'own-2' }] },
    {
      successList: [bitgetIds],
      failureList: [{ clientOid: 'own-2', errorCode: '43012', errorMsg: 'Insufficient balance' }],
    },
  ),
  bitget(
    'POST /api/v2/spot/trade/cancel-order',
    { symbol: 'BTCUSDT', orderId: BITGET_ID },
    bitgetIds,
  ),
  bitget(
    'POST /api/v3/trade/place-order',
    { ...unified, qty: '0.01', price: '50000', clientOid: 'own-1' },
    bitgetIds,
  ),
]

/** What the gateway asks by itself: look-ups, rules, prices, keys, the time. */
export const readResponses: readonly RecordedResponse[] = [
  spot('GET /api/v3/order?symbol=BTCUSDT', spotOrder),
  spot('GET /api/v3/openOrders?symbol=BTCUSDT', [spotOrder]),
  spot('GET /api/v3/time', { serverTime: 1790000000123 }),
  spot('GET /api/v3/exchangeInfo?symbol=BTCUSDT', {
    symbols: [
      {
        ...{ symbol: 'BTCUSDT', status: '1', baseAsset: 'BTC', quoteAsset: 'USDT' },
        ...{ baseAssetPrecision: 6, quoteAssetPrecision: 2, baseSizePrecision: '0.000001' },
        ...{ quoteAmountPrecision: '1', maxQuoteAmount: '2000000', tradeSideType: 1 },
        ...{ orderTypes: ['LIMIT', 'MARKET'], isSpotTradingAllowed: true },
      },
    ],
  }),
  spot('GET /api/v3/ticker/24hr?symbol=BTCUSDT', {
    ...{ symbol: 'BTCUSDT', lastPrice: '50000.1', bidPrice: '50000', askPrice: null },
  }),
  futures(`GET /api/v1/private/order/get/${FUTURES_ID}`, null, futuresOrder),
  futures('GET /api/v1/private/order/list/open_orders', null, [futuresOrder]),
  futures('GET /api/v1/contract/detail?symbol=BTC_USDT', null, {
    ...{ symbol: 'BTC_USDT', baseCoin: 'BTC', quoteCoin: 'USDT', contractSize: 0.0001 },
    ...{ priceUnit: 0.1, volUnit: 1, minVol: 1, maxVol: 1000000, state: 0, apiAllowed: true },
    ...{ minLeverage: 1, maxLeverage: 200 },
  }),
  futures('GET /api/v1/contract/ticker?symbol=BTC_USDT', null, {
    ...{ symbol: 'BTC_USDT', fairPrice: 50000.1, lastPrice: 50000, bid1: 1e-8 },
  }),
  bitget('GET /api/v2/spot/trade/orderInfo?clientOid=own-1', null, [bitgetOrder]),
  bitget('GET /api/v2/mix/order/detail?symbol=BTCUSDT', null, bitgetOrder),
  bitget('GET /api/v3/trade/order-info?clientOid=own-1', null, {
    ...{ ...bitgetOrder, orderStatus: 'live', qty: '0.01', cumExecQty: '0' },
  }),
  bitget('GET /api/v2/public/time', null, { serverTime: '1790000000123' }),
  bitget('GET /api/v2/spot/public/symbols?symbol=BTCUSDT', null, [
    {
      ...{ symbol: 'BTCUSDT', baseCoin: 'BTC', quoteCoin: 'USDT', status: 'online' },
      ...{ minTradeAmount: '0', maxTradeAmount: '900000', pricePrecision: '2' },
      ...{ quantityPrecision: '6', quotePrecision: '8', minTradeUSDT: '1' },
    },
  ]),
  bitget('GET /api/v2/mix/market/contracts?symbol=BTCUSDT', null, [
    {
      ...{ symbol: 'BTCUSDT', baseCoin: 'BTC', quoteCoin: 'USDT', symbolStatus: 'normal' },
      ...{ minTradeNum: '0.001', priceEndStep: '5', pricePlace: '1', volumePlace: '3' },
      ...{ sizeMultiplier: '0.001', minTradeUSDT: '5', maxLever: '125', minLever: '1' },
    },
  ]),
  bitget('GET /api/v2/spot/market/tickers?symbol=BTCUSDT', null, [
    { symbol: 'BTCUSDT', lastPr: '50000.1', bidPr: '50000', askPr: '' },
  ]),
  bitget('GET /api/v2/spot/account/info', null, {
    ...{ userId: '1', authorities: ['trade', 'readonly'], ips: '1.2.3.4,5.6.7.8' },
  }),
]
