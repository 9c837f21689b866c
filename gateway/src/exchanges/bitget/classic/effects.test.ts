import { test } from 'vitest'
import { expectEffect, NOTHING_OF_ITS_OWN } from '../../test-effects.ts'

const BS = '/api/v2/spot/trade'
const BM = '/api/v2/mix/order'
const spot = { kind: 'order', market: 'spot', symbol: 'BTCUSDT', rests: true, reduces: false }
const mix = { ...spot, market: 'futures', productType: 'USDT-FUTURES' }
const bought = { side: 'buy', size: '2', price: '9.5' }
const cs = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' },
  ...{ size: '2', price: '9.5', force: 'gtc' },
}
const cm = { ...cs, productType: 'usdt-futures', marginCoin: 'USDT', marginMode: 'crossed' }

test.each<[line: string, fields: object, effect: object]>([
  [`POST ${BS}/place-order`, { ...cs, presetStopLossPrice: '8' }, { ...spot, ...bought }],
  [
    `POST ${BS}/place-order`,
    { ...cs, side: 'sell', force: 'IOC' },
    { side: 'sell', reduces: true, rests: false },
  ],
  [
    `POST ${BS}/place-order`,
    { ...cs, orderType: 'market' },
    { ...spot, ...NOTHING_OF_ITS_OWN, side: 'buy', quoteSize: '2', rests: false },
  ],
  [
    `POST ${BS}/place-order`,
    { ...cs, orderType: 'market', side: 'sell', tpslType: 'tpsl', triggerPrice: '8' },
    { ...spot, ...NOTHING_OF_ITS_OWN, side: 'sell', size: '2', trigger: '8', reduces: true },
  ],
  [
    `POST ${BS}/cancel-replace-order`,
    {
      symbol: 'BTCUSDT',
      price: '9.5',
      size: '2',
      orderId: '',
      clientOid: 'mine',
      newClientOid: 'b',
      orderType: 'limit',
    },
    { ...spot, ...bought, side: undefined, changes: { clientOrderId: 'mine' } },
  ],
  [
    `POST ${BS}/place-plan-order`,
    {
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      triggerPrice: 9,
      executePrice: '9.5',
      size: 2,
      triggerType: 'mark_price',
    },
    { ...spot, ...bought, trigger: '9' },
  ],
  [
    `POST ${BS}/place-plan-order`,
    {
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'market',
      triggerPrice: '9',
      size: '2',
      planType: 'total',
    },
    { ...spot, ...NOTHING_OF_ITS_OWN, side: 'buy', quoteSize: '2', trigger: '9' },
  ],
  [`POST ${BM}/place-order`, cm, { ...mix, ...bought }],
  [`POST ${BM}/place-order`, { ...cm, reduceOnly: 'YES' }, { ...mix, ...bought, reduces: true }],
  [`POST ${BM}/place-order`, { ...cm, reduceOnly: 'yes' }, { ...mix, ...bought }],
  [`POST ${BM}/place-order`, { ...cm, tradeSide: 'Open' }, { ...mix, ...bought }],
  [
    `POST ${BM}/place-order`,
    { ...cm, tradeSide: 'Open', reduceOnly: 'YES' },
    { ...mix, ...bought },
  ],
  [`POST ${BM}/place-order`, { ...cm, tradeSide: 'close' }, { ...mix, ...bought, side: undefined }],
  [
    `POST ${BM}/place-order`,
    { ...cm, tradeSide: 'close', reduceOnly: 'YES' },
    { ...mix, ...bought, side: undefined, reduces: true },
  ],
  [
    `POST ${BM}/modify-order`,
    {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      orderId: '7',
      clientOid: 'a',
      newClientOid: 'b',
      newSize: '2',
      newPrice: '9.5',
    },
    { ...mix, ...bought, side: undefined, changes: { orderId: '7', clientOrderId: 'a' } },
  ],
  [
    `POST ${BM}/modify-order`,
    {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      clientOid: 'a',
      newClientOid: 'b',
      newPresetStopLossPrice: '0',
    },
    { ...mix, ...NOTHING_OF_ITS_OWN, changes: { clientOrderId: 'a' } },
  ],
  [
    `POST ${BM}/close-positions`,
    { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' },
    { ...mix, ...NOTHING_OF_ITS_OWN, reduces: true, rests: false },
  ],
  [
    `POST ${BM}/close-positions`,
    { productType: 'USDT-FUTURES' },
    { ...mix, ...NOTHING_OF_ITS_OWN, symbol: undefined, reduces: true, rests: false },
  ],
  [
    `POST ${BM}/place-plan-order`,
    {
      ...cm,
      planType: 'normal_plan',
      triggerPrice: '9',
      triggerType: 'mark_price',
      stopLossTriggerPrice: '8',
    },
    { ...mix, ...bought, trigger: '9' },
  ],
  [
    `POST ${BM}/place-plan-order`,
    {
      ...cm,
      planType: 'track_plan',
      price: '',
      callbackRatio: '1',
      triggerPrice: '9',
      orderType: 'market',
    },
    { ...mix, ...NOTHING_OF_ITS_OWN, side: 'buy', size: '2', trigger: '9' },
  ],
  [
    `POST ${BM}/modify-plan-order`,
    {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      orderId: '7',
      newSize: '2',
      newPrice: '',
      newTriggerPrice: '9',
      triggerPrice: '8.9',
    },
    {
      ...mix,
      ...NOTHING_OF_ITS_OWN,
      size: '2',
      trigger: '9',
      changes: { orderId: '7', plan: 'normal_plan' },
    },
  ],
  [
    `POST ${BM}/modify-plan-order`,
    {
      ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', orderId: '7' },
      ...{ newSize: '2', newTriggerPrice: '9', newCallbackRatio: '1' },
    },
    {
      ...{ ...mix, ...NOTHING_OF_ITS_OWN, size: '2', trigger: '9' },
      changes: { orderId: '7', plan: 'track_plan' },
    },
  ],
  [
    `POST ${BM}/place-tpsl-order`,
    {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginCoin: 'USDT',
      planType: 'loss_plan',
      triggerPrice: '8',
      holdSide: 'buy',
      size: '2',
      executePrice: '0',
    },
    { ...mix, ...NOTHING_OF_ITS_OWN, side: 'sell', size: '2', trigger: '8', reduces: true },
  ],
  [
    `POST ${BM}/place-tpsl-order`,
    {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginCoin: 'USDT',
      planType: 'pos_profit',
      triggerPrice: '8',
      holdSide: 'short',
      size: '2',
      executePrice: '7',
    },
    { ...mix, ...NOTHING_OF_ITS_OWN, side: 'buy', price: '7', trigger: '8', reduces: true },
  ],
  [
    `POST ${BM}/modify-tpsl-order`,
    {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      orderId: '7',
      triggerPrice: '8',
      size: '',
      executePrice: '',
    },
    {
      ...mix,
      ...NOTHING_OF_ITS_OWN,
      trigger: '8',
      reduces: true,
      changes: { orderId: '7', plan: 'profit_loss' },
    },
  ],
  [
    'POST /api/v2/mix/account/set-leverage',
    {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginCoin: 'USDT',
      leverage: '5',
      longLeverage: '7',
      shortLeverage: 50,
    },
    { kind: 'leverage', symbol: 'BTCUSDT', leverage: 50 },
  ],
  [
    'POST /api/v2/mix/account/set-all-leverage',
    { productType: 'USDT-FUTURES', leverage: '5' },
    { kind: 'leverage', symbol: undefined, leverage: 5 },
  ],
  [
    'POST /api/v2/mix/account/set-margin',
    { symbol: 'btcusdt', productType: 'USDT-FUTURES', marginCoin: 'USDT', amount: '-9' },
    { kind: 'margin', market: 'futures', symbol: 'BTCUSDT' },
  ],
  // As ccxt writes them.
  [
    `POST ${BS}/place-plan-order`,
    { ...cs, planType: 'amount', triggerType: 'mark_price', triggerPrice: 9, executePrice: '9.5' },
    { ...spot, ...bought, trigger: '9' },
  ],
  [
    `POST ${BM}/place-plan-order`,
    { ...cm, planType: 'normal_plan', triggerPrice: 9, executePrice: '9.5' },
    { ...mix, ...bought, trigger: '9' },
  ],
  [
    `POST ${BM}/place-tpsl-order`,
    {
      ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', size: '2' },
      ...{ orderType: 'limit', force: 'GTC', executePrice: '9.5', holdSide: 'buy' },
      ...{ triggerPrice: '9', planType: 'pos_loss' },
    },
    { ...mix, side: 'sell', size: undefined, price: '9.5', trigger: '9', reduces: true },
  ],
])('%s %j', expectEffect)
