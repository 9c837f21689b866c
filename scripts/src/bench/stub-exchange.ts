import { createServer } from 'node:http'

// The exchange of the gateway benchmark, in a process of its own: it responds to the few calls that
// the benchmark makes, with bodies as long as the real ones, and does no work for them. The paper
// exchange would be slower than what is measured.
const ORDER = {
  symbol: 'BTCUSDT',
  orderId: 'C02__739113577038255616',
  orderListId: -1,
  clientOrderId: 'bench',
  price: '60000',
  origQty: '0.001',
  executedQty: '0',
  cummulativeQuoteQty: '0',
  status: 'NEW',
  timeInForce: null,
  type: 'LIMIT',
  side: 'BUY',
  stopPrice: null,
  icebergQty: null,
  time: 1_772_721_022_000,
  updateTime: 1_772_721_022_000,
  isWorking: true,
  origQuoteOrderQty: '60',
}
const PLACED = { ...{ symbol: 'BTCUSDT', orderId: ORDER.orderId, orderListId: -1 }, price: '60000' }
const SYMBOL = {
  symbol: 'BTCUSDT',
  status: '1',
  baseAsset: 'BTC',
  baseAssetPrecision: 8,
  quoteAsset: 'USDT',
  quoteAssetPrecision: 2,
  orderTypes: ['LIMIT', 'MARKET', 'LIMIT_MAKER'],
  quoteAmountPrecision: '1',
  baseSizePrecision: '0.00001',
  maxQuoteAmount: '4000000',
  tradeSideType: '1',
}
const BITGET_ORDER = {
  userId: '8402153577',
  symbol: 'BTCUSDT',
  orderId: '1253261109769874438',
  clientOid: 'bench',
  price: '60000',
  size: '0.001',
  orderType: 'limit',
  side: 'buy',
  force: 'gtc',
  status: 'live',
  priceAvg: '0',
  baseVolume: '0',
  quoteVolume: '0',
  enterPointSource: 'API',
  orderSource: 'normal',
  feeDetail: '',
  cancelReason: '',
  cTime: '1772721022000',
  uTime: '1772721022000',
}
const BITGET_SYMBOL = {
  symbol: 'BTCUSDT',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  minTradeAmount: '0',
  pricePrecision: '2',
  quantityPrecision: '6',
  quotePrecision: '8',
  minTradeUSDT: '1',
  status: 'online',
}

const bitget = (data: object) =>
  JSON.stringify({ code: '00000', msg: 'success', requestTime: Date.now(), data })

const fixed = new Map([
  ['GET /api/v3/order', JSON.stringify(ORDER)],
  ['POST /api/v3/order', JSON.stringify(PLACED)],
  ['GET /api/v3/exchangeInfo', JSON.stringify({ symbols: [SYMBOL] })],
  ['GET /api/v3/ticker/price', JSON.stringify({ symbol: 'BTCUSDT', price: '60000' })],
  ['GET /api/v2/spot/trade/orderInfo', bitget([BITGET_ORDER])],
  ['POST /api/v2/spot/trade/place-order', bitget({ orderId: BITGET_ORDER.orderId })],
  ['GET /api/v2/spot/public/symbols', bitget([BITGET_SYMBOL])],
])

function responseTo(call: string): string | undefined {
  if (call === 'GET /api/v3/time') return JSON.stringify({ serverTime: Date.now() })
  if (call === 'GET /api/v2/public/time') return bitget({ serverTime: String(Date.now()) })
  return fixed.get(call)
}

const server = createServer((request, response) => {
  const [path] = (request.url ?? '').split('?')
  const body = responseTo(`${request.method} ${path}`)
  request.resume().on('end', () => {
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body ?? ''),
    })
    response.end(body)
  })
})
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => process.send?.({ address: server.address() }))
process.on('disconnect', () => process.exit(0))
