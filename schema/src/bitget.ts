import Type, { type Static } from 'typebox'
import { decimal, ExchangeObject, epochMs, OrderId, symbolOf } from './common.ts'
import { type Endpoint, endpoint } from './endpoint.ts'

const symbol = symbolOf('BTCUSDT', 'Trading pair, for example `BTCUSDT`')
const ClientOid = Type.String({
  pattern: '^[0-9A-Za-z_#+-]+$',
  minLength: 1,
  maxLength: 49,
  description: 'Your own id for the order; the gateway makes one when there is none',
})
const productType = Type.Enum(['USDT-FUTURES'], {
  default: 'USDT-FUTURES',
  description: 'Always `USDT-FUTURES`',
})
const marginCoin = Type.Enum(['USDT'], { default: 'USDT', description: 'Always `USDT`' })
const side = Type.Enum(['buy', 'sell'])
const orderType = Type.Enum(['limit', 'market'])
const force = Type.Enum(['gtc', 'ioc', 'fok', 'post_only'], {
  default: 'gtc',
  description: 'How long a limit order stays; ignored for market orders',
})
const triggerType = Type.Enum(['mark_price', 'fill_price'], {
  description: 'Which price triggers; `mark_price` is the robust choice',
})
const PRICE_NOTE = 'Price is required for limit orders.'
const QUEUE_NOTE = 'At most 2 requests per second go to Bitget, one after another.'
const ANY_ORDER_NOTE = 'Give orderId or clientOid; orderId wins when both are there.'

export const BgOrderResult = Type.Object({
  success: Type.Boolean(),
  data: Type.Object({
    orderId: Type.Union([Type.String(), Type.Null()], {
      description: 'Null when Bitget gives none: a one-way reduce-only order that displaces others',
    }),
    clientOid: Type.String(),
  }),
  message: Type.Optional(
    Type.String({ description: 'What of the request could not be done although the order stands' }),
  ),
})
export type BgOrderResult = Static<typeof BgOrderResult>
export const BgList = Type.Object({ success: Type.Boolean(), data: Type.Array(ExchangeObject) })
export const BgOne = Type.Object({ success: Type.Boolean(), data: ExchangeObject })

const orderAnswer = {
  success: true,
  data: { orderId: '1253261109769874438', clientOid: 'grid-7-42' },
}
const byOrder = {
  orderId: Type.Optional(OrderId),
  clientOid: Type.Optional(Type.String({ ...ClientOid, description: 'Instead of orderId' })),
}
const page = {
  startTime: Type.Optional(epochMs('Unix milliseconds; at most 90 days ago')),
  endTime: Type.Optional(epochMs('Unix milliseconds')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
  idLessThan: Type.Optional(
    Type.String({
      pattern: '^[0-9]+$',
      maxLength: 30,
      description: 'Only orders older than this id: the next page',
    }),
  ),
}
const trade = (requestClass: 'order' | 'cancel') =>
  ({ exchange: 'bg', permission: 'trade', requestClass }) as const
const account = { exchange: 'bg', permission: 'account', requestClass: 'account' } as const
const marketData = { exchange: 'bg', permission: 'market', requestClass: 'market' } as const

export const BgSpotOrder = Type.Object(
  {
    symbol,
    side,
    orderType,
    size: decimal('In the base coin; for a market buy in the quote coin'),
    price: Type.Optional(decimal('Required for limit orders')),
    force: Type.Optional(force),
    clientOid: Type.Optional(ClientOid),
  },
  { additionalProperties: false },
)
export type BgSpotOrder = Static<typeof BgSpotOrder>

export const bgSpotPlaceOrder = endpoint({
  id: 'bgSpotPlaceOrder',
  method: 'POST',
  path: '/api/bg/v1/spot/trade/place-order',
  tag: 'Bitget',
  summary: 'Place a spot order',
  notes: [PRICE_NOTE, 'The minimum size is 0.000001 BTC.', QUEUE_NOTE],
  access: 'client',
  proxy: trade('order'),
  body: BgSpotOrder,
  response: BgOrderResult,
  sample: {
    body: {
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      size: '0.001',
      price: '60000',
      force: 'gtc',
    },
    response: orderAnswer,
  },
})

export const bgSpotCancelOrder = endpoint({
  id: 'bgSpotCancelOrder',
  method: 'POST',
  path: '/api/bg/v1/spot/trade/cancel-order',
  tag: 'Bitget',
  summary: 'Cancel a spot order',
  notes: [ANY_ORDER_NOTE, 'A cancel overtakes orders that wait in the queue.'],
  access: 'client',
  proxy: trade('cancel'),
  body: Type.Object({ symbol, ...byOrder }, { additionalProperties: false }),
  response: BgOrderResult,
  sample: { body: { symbol: 'BTCUSDT', orderId: '1253261109769874438' }, response: orderAnswer },
})

export const bgSpotHistory = endpoint({
  id: 'bgSpotHistory',
  method: 'GET',
  path: '/api/bg/v1/spot/trade/history',
  tag: 'Bitget',
  summary: 'Past spot orders, newest first',
  access: 'client',
  proxy: account,
  query: Type.Object({ symbol: Type.Optional(symbol), ...page }, { additionalProperties: false }),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT', limit: 100 },
    response: {
      success: true,
      data: [
        { orderId: '1253261109769874438', symbol: 'BTCUSDT', size: '0.001', status: 'filled' },
      ],
    },
  },
})

export const bgSpotOrderInfo = endpoint({
  id: 'bgSpotOrderInfo',
  method: 'GET',
  path: '/api/bg/v1/spot/trade/orderInfo',
  tag: 'Bitget',
  summary: 'One spot order',
  notes: [ANY_ORDER_NOTE, 'By clientOid Bitget finds only orders of the last 2 hours.'],
  access: 'client',
  proxy: account,
  query: Type.Object(byOrder, { additionalProperties: false }),
  response: BgOne,
  sample: {
    query: { orderId: '1253261109769874438' },
    response: {
      success: true,
      data: { orderId: '1253261109769874438', symbol: 'BTCUSDT', size: '0.001', status: 'live' },
    },
  },
})

export const BgFuturesOrder = Type.Object(
  {
    symbol,
    productType: Type.Optional(productType),
    marginMode: Type.Enum(['crossed', 'isolated'], { description: '`crossed` is recommended' }),
    marginCoin: Type.Optional(marginCoin),
    size: decimal('In the base coin'),
    price: Type.Optional(decimal('Required for limit orders')),
    side,
    orderType,
    force: Type.Optional(force),
    leverage: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 125,
        description: 'Up to 125, by contract; set first when the account has another',
      }),
    ),
    presetStopSurplusPrice: Type.Optional(decimal('Take profit that is attached to this order')),
    stopSurplusTriggerPrice: Type.Optional(
      decimal('Take profit of the whole position, placed after the order'),
    ),
    stopSurplusTriggerType: Type.Optional(triggerType),
    presetStopLossPrice: Type.Optional(decimal('Stop loss that is attached to this order')),
    stopLossTriggerPrice: Type.Optional(
      decimal('Stop loss of the whole position, placed after the order'),
    ),
    stopLossTriggerType: Type.Optional(triggerType),
    tradeSide: Type.Optional(
      Type.Enum(['open', 'close'], {
        description: 'Only for accounts in hedge mode, where `side` names the position',
      }),
    ),
    reduceOnly: Type.Optional(Type.Boolean({ description: 'Only for accounts in one-way mode' })),
    clientOid: Type.Optional(ClientOid),
  },
  { additionalProperties: false },
)
export type BgFuturesOrder = Static<typeof BgFuturesOrder>

export const bgFuturesPlaceOrder = endpoint({
  id: 'bgFuturesPlaceOrder',
  method: 'POST',
  path: '/api/bg/v1/futures/trade/place-order',
  tag: 'Bitget',
  summary: 'Place a futures order',
  description:
    'With `leverage` the account is asked first and changed when it differs; with a trigger price the position gets its take profit or stop loss after the order. Each step takes a turn in the queue.',
  notes: [
    PRICE_NOTE,
    'The minimum size is 0.001 BTC.',
    'Leverage goes up to 125x, by contract.',
    '`crossed` is the recommended margin mode.',
    'A take profit or stop loss of the position needs a position: with a limit order that rests Bitget refuses it, and the answer says so.',
    QUEUE_NOTE,
  ],
  access: 'client',
  proxy: trade('order'),
  body: BgFuturesOrder,
  response: BgOrderResult,
  sample: {
    body: {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginMode: 'crossed',
      marginCoin: 'USDT',
      size: '0.01',
      price: '60000',
      side: 'buy',
      orderType: 'limit',
      force: 'gtc',
      leverage: 10,
    },
    response: orderAnswer,
  },
})

export const BgModifyOrder = Type.Object(
  {
    symbol,
    productType: Type.Optional(productType),
    marginCoin: Type.Optional(marginCoin),
    ...byOrder,
    newClientOid: Type.Optional(
      Type.String({
        ...ClientOid,
        description: 'Id of the changed order; must differ from the old one',
      }),
    ),
    newSize: Type.Optional(decimal('Together with newPrice')),
    newPrice: Type.Optional(decimal('Together with newSize')),
    newPresetStopSurplusPrice: Type.Optional(decimal('0 removes it')),
    newPresetStopLossPrice: Type.Optional(decimal('0 removes it')),
  },
  { additionalProperties: false },
)
export type BgModifyOrder = Static<typeof BgModifyOrder>

export const bgFuturesModifyOrder = endpoint({
  id: 'bgFuturesModifyOrder',
  method: 'POST',
  path: '/api/bg/v1/futures/trade/modify-order',
  tag: 'Bitget',
  summary: 'Change a futures order that rests unfilled',
  notes: [
    ANY_ORDER_NOTE,
    'newSize and newPrice go together: Bitget cancels the order and makes a new one, found by newClientOid.',
    'Take profit and stop loss are changed alone, without size and price; giving only one of the two drops the other.',
  ],
  access: 'client',
  proxy: trade('order'),
  body: BgModifyOrder,
  response: BgOrderResult,
  sample: {
    body: { symbol: 'BTCUSDT', orderId: '1253261109769874438', newSize: '0.02', newPrice: '59900' },
    response: orderAnswer,
  },
})

export const bgFuturesCancelOrder = endpoint({
  id: 'bgFuturesCancelOrder',
  method: 'POST',
  path: '/api/bg/v1/futures/trade/cancel-order',
  tag: 'Bitget',
  summary: 'Cancel a futures order',
  notes: [ANY_ORDER_NOTE, 'A cancel overtakes orders that wait in the queue.'],
  access: 'client',
  proxy: trade('cancel'),
  body: Type.Object(
    {
      symbol,
      productType: Type.Optional(productType),
      marginCoin: Type.Optional(marginCoin),
      ...byOrder,
    },
    { additionalProperties: false },
  ),
  response: BgOrderResult,
  sample: { body: { symbol: 'BTCUSDT', orderId: '1253261109769874438' }, response: orderAnswer },
})

export const bgFuturesDetail = endpoint({
  id: 'bgFuturesDetail',
  method: 'GET',
  path: '/api/bg/v1/futures/trade/detail',
  tag: 'Bitget',
  summary: 'One futures order',
  notes: [ANY_ORDER_NOTE],
  access: 'client',
  proxy: account,
  query: Type.Object(
    { symbol, productType: Type.Optional(productType), ...byOrder },
    { additionalProperties: false },
  ),
  response: BgOne,
  sample: {
    query: { symbol: 'BTCUSDT', orderId: '1253261109769874438' },
    response: {
      success: true,
      data: { orderId: '1253261109769874438', symbol: 'BTCUSDT', size: '0.01', state: 'live' },
    },
  },
})

export const bgFuturesHistory = endpoint({
  id: 'bgFuturesHistory',
  method: 'GET',
  path: '/api/bg/v1/futures/trade/history',
  tag: 'Bitget',
  summary: 'Past futures orders, newest first',
  access: 'client',
  proxy: account,
  query: Type.Object(
    { symbol: Type.Optional(symbol), productType: Type.Optional(productType), ...page },
    { additionalProperties: false },
  ),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT', limit: 100 },
    response: {
      success: true,
      data: [{ orderId: '1253261109769874438', symbol: 'BTCUSDT', size: '0.01', status: 'filled' }],
    },
  },
})

export const BgAccountRow = Type.Object({
  accountId: Type.String(),
  accountType: Type.Enum(['spot', 'futures']),
  coin: Type.String(),
  available: Type.String(),
  frozen: Type.String(),
  locked: Type.String(),
  uTime: Type.String({ description: 'Unix milliseconds of the last change, as text' }),
})
export type BgAccountRow = Static<typeof BgAccountRow>

export const bgGetAccountInfo = endpoint({
  id: 'bgGetAccountInfo',
  method: 'GET',
  path: '/api/bg/v1/getAccountInfo',
  tag: 'Bitget',
  summary: 'Balances of the spot and futures accounts',
  notes: [
    'Put together from up to three calls, each with its turn in the queue; the account id is asked once and remembered.',
    'Futures rows have no frozen amount of their own (`0`), and their time is that of the answer.',
  ],
  access: 'client',
  proxy: account,
  query: Type.Object(
    {
      accountType: Type.Optional(
        Type.Enum(['spot', 'futures'], { description: 'Only this account; both when absent' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({ success: Type.Boolean(), data: Type.Array(BgAccountRow) }),
  sample: {
    response: {
      success: true,
      data: [
        {
          accountId: '7462219110',
          accountType: 'spot',
          coin: 'USDT',
          available: '1250.5',
          frozen: '100',
          locked: '0',
          uTime: '1772721022000',
        },
      ],
    },
  },
})

export const bgAllPositions = endpoint({
  id: 'bgAllPositions',
  method: 'GET',
  path: '/api/bg/v1/futures/position/all-position',
  tag: 'Bitget',
  summary: 'All open positions',
  access: 'client',
  proxy: account,
  query: Type.Object(
    { productType: Type.Optional(productType), marginCoin: Type.Optional(marginCoin) },
    { additionalProperties: false },
  ),
  response: BgList,
  sample: {
    response: {
      success: true,
      data: [
        {
          symbol: 'BTCUSDT',
          holdSide: 'long',
          total: '0.01',
          leverage: '10',
          marginMode: 'crossed',
        },
      ],
    },
  },
})

export const bgSinglePosition = endpoint({
  id: 'bgSinglePosition',
  method: 'GET',
  path: '/api/bg/v1/futures/position/single-position',
  tag: 'Bitget',
  summary: 'The open positions of one symbol',
  access: 'client',
  proxy: account,
  query: Type.Object(
    { symbol, productType: Type.Optional(productType), marginCoin: Type.Optional(marginCoin) },
    { additionalProperties: false },
  ),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT' },
    response: {
      success: true,
      data: [
        {
          symbol: 'BTCUSDT',
          holdSide: 'long',
          total: '0.01',
          leverage: '10',
          marginMode: 'crossed',
        },
      ],
    },
  },
})

export const bgSpotTickers = endpoint({
  id: 'bgSpotTickers',
  method: 'GET',
  path: '/api/bg/v1/spot/market/tickers',
  tag: 'Bitget',
  summary: 'Spot prices of one pair or of all',
  access: 'client',
  proxy: marketData,
  query: Type.Object({ symbol: Type.Optional(symbol) }, { additionalProperties: false }),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT' },
    response: { success: true, data: [{ symbol: 'BTCUSDT', lastPr: '61234.5', bidPr: '61234.4' }] },
  },
})

export const bgFuturesTicker = endpoint({
  id: 'bgFuturesTicker',
  method: 'GET',
  path: '/api/bg/v1/futures/market/ticker',
  tag: 'Bitget',
  summary: 'Price of one futures contract',
  access: 'client',
  proxy: marketData,
  query: Type.Object(
    { symbol, productType: Type.Optional(productType) },
    { additionalProperties: false },
  ),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT' },
    response: {
      success: true,
      data: [{ symbol: 'BTCUSDT', lastPr: '61240.1', markPrice: '61239.7' }],
    },
  },
})

const level = Type.Array(Type.String(), { description: 'Price and size' })
export const BgOrderbook = Type.Object({
  success: Type.Boolean(),
  data: Type.Object({ asks: Type.Array(level), bids: Type.Array(level), ts: Type.String() }),
})
export type BgOrderbook = Static<typeof BgOrderbook>

export const bgSpotOrderbook = endpoint({
  id: 'bgSpotOrderbook',
  method: 'GET',
  path: '/api/bg/v1/spot/market/orderbook',
  tag: 'Bitget',
  summary: 'Order book of a spot pair',
  access: 'client',
  proxy: marketData,
  query: Type.Object(
    {
      symbol,
      type: Type.Optional(
        Type.Enum(['step0', 'step1', 'step2', 'step3', 'step4', 'step5'], {
          default: 'step0',
          description: 'How far prices are merged; `step0` not at all',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 150, default: 150 })),
    },
    { additionalProperties: false },
  ),
  response: BgOrderbook,
  sample: {
    query: { symbol: 'BTCUSDT', limit: 5 },
    response: {
      success: true,
      data: { asks: [['61234.6', '0.42']], bids: [['61234.4', '1.03']], ts: '1772721022000' },
    },
  },
})

export const bitgetEndpoints = [
  bgSpotPlaceOrder,
  bgSpotCancelOrder,
  bgSpotHistory,
  bgSpotOrderInfo,
  bgFuturesPlaceOrder,
  bgFuturesModifyOrder,
  bgFuturesCancelOrder,
  bgFuturesDetail,
  bgFuturesHistory,
  bgGetAccountInfo,
  bgAllPositions,
  bgSinglePosition,
  bgSpotTickers,
  bgFuturesTicker,
  bgSpotOrderbook,
] as const satisfies readonly Endpoint[]
