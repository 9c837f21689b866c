import { test } from 'vitest'
import {
  expectEffect,
  rowsOf,
  orderEffect as spot,
} from '../../../../test/support/exchange-orders.ts'

const SPOT = 'POST /api/v2/spot/trade'
const MIX = 'POST /api/v2/mix/order'
const ACCOUNT = 'POST /api/v2/mix/account'
const product = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }
const mix = (more: object) =>
  spot({ market: 'futures', productType: 'USDT-FUTURES', symbol: 'BTCUSDT', ...more })
const bought = { side: 'buy', size: '2', price: '9.5' }
const buy = { symbol: 'BTCUSDT', side: 'buy', size: '2' }
const cs = { ...buy, orderType: 'limit', price: '9.5', force: 'gtc' }
const cm = { ...cs, productType: 'usdt-futures', marginCoin: 'USDT', marginMode: 'crossed' }
const plan = { ...cm, planType: 'normal_plan', triggerPrice: '9' }
const ending = { ...product, marginCoin: 'USDT', triggerPrice: '8', size: '2' }
const unsided = { ...bought, side: undefined }

test.each(
  rowsOf<[fields: object, effect: object]>({
    [`${SPOT}/place-order`]: [
      [{ ...cs, presetStopLossPrice: '8' }, spot(bought)],
      [
        { ...cs, side: 'sell', force: 'IOC' },
        spot({ ...bought, side: 'sell', reduces: true, rests: false }),
      ],
      [{ ...cs, orderType: 'market' }, spot({ side: 'buy', quoteSize: '2', rests: false })],
      [
        { ...cs, orderType: 'market', side: 'sell', tpslType: 'tpsl', triggerPrice: '8' },
        spot({ side: 'sell', size: '2', trigger: '8', reduces: true }),
      ],
    ],
    [`${SPOT}/cancel-replace-order`]: [
      [
        {
          ...{ ...cs, force: undefined, side: undefined, orderId: '', clientOid: 'mine' },
          newClientOid: 'b',
        },
        spot({ ...unsided, changes: { clientOrderId: 'mine' } }),
      ],
    ],
    [`${SPOT}/place-plan-order`]: [
      [
        {
          ...{ ...buy, orderType: 'limit', triggerPrice: 9, executePrice: '9.5' },
          triggerType: 'mark_price',
        },
        spot({ ...bought, trigger: '9' }),
      ],
      [
        { ...buy, orderType: 'market', triggerPrice: '9', planType: 'total' },
        spot({ side: 'buy', quoteSize: '2', trigger: '9' }),
      ],
      // As ccxt writes it.
      [
        {
          ...{ ...cs, planType: 'amount', triggerType: 'mark_price', triggerPrice: 9 },
          executePrice: '9.5',
        },
        spot({ ...bought, trigger: '9' }),
      ],
    ],
    [`${MIX}/place-order`]: [
      [cm, mix(bought)],
      [{ ...cm, reduceOnly: 'YES' }, mix({ ...bought, reduces: true })],
      [{ ...cm, reduceOnly: 'yes' }, mix(bought)],
      [{ ...cm, tradeSide: 'Open' }, mix(bought)],
      [{ ...cm, tradeSide: 'Open', reduceOnly: 'YES' }, mix(bought)],
      [{ ...cm, tradeSide: 'close' }, mix(unsided)],
      [{ ...cm, tradeSide: 'close', reduceOnly: 'YES' }, mix({ ...unsided, reduces: true })],
    ],
    [`${MIX}/modify-order`]: [
      [
        {
          ...{ ...product, orderId: '7', clientOid: 'a', newClientOid: 'b', newSize: '2' },
          newPrice: '9.5',
        },
        mix({ ...unsided, changes: { orderId: '7', clientOrderId: 'a' } }),
      ],
      [
        { ...product, clientOid: 'a', newClientOid: 'b', newPresetStopLossPrice: '0' },
        mix({ changes: { clientOrderId: 'a' } }),
      ],
    ],
    [`${MIX}/close-positions`]: [
      [product, mix({ reduces: true, rests: false })],
      [{ productType: 'USDT-FUTURES' }, mix({ symbol: undefined, reduces: true, rests: false })],
    ],
    [`${MIX}/place-plan-order`]: [
      [
        { ...plan, triggerType: 'mark_price', stopLossTriggerPrice: '8' },
        mix({ ...bought, trigger: '9' }),
      ],
      [
        { ...plan, planType: 'track_plan', price: '', callbackRatio: '1', orderType: 'market' },
        mix({ side: 'buy', size: '2', trigger: '9' }),
      ],
      // As ccxt writes it.
      [{ ...plan, triggerPrice: 9, executePrice: '9.5' }, mix({ ...bought, trigger: '9' })],
    ],
    [`${MIX}/modify-plan-order`]: [
      [
        {
          ...{ ...product, orderId: '7', newSize: '2', newPrice: '', newTriggerPrice: '9' },
          triggerPrice: '8.9',
        },
        mix({ size: '2', trigger: '9', changes: { orderId: '7', plan: 'normal_plan' } }),
      ],
      [
        { ...product, orderId: '7', newSize: '2', newTriggerPrice: '9', newCallbackRatio: '1' },
        mix({ size: '2', trigger: '9', changes: { orderId: '7', plan: 'track_plan' } }),
      ],
    ],
    [`${MIX}/place-tpsl-order`]: [
      [
        { ...ending, planType: 'loss_plan', holdSide: 'buy', executePrice: '0' },
        mix({ side: 'sell', size: '2', trigger: '8', reduces: true }),
      ],
      [
        { ...ending, planType: 'pos_profit', holdSide: 'short', executePrice: '7' },
        mix({ side: 'buy', price: '7', trigger: '8', reduces: true }),
      ],
      // As ccxt writes it.
      [
        {
          ...{ ...ending, orderType: 'limit', force: 'GTC', executePrice: '9.5', holdSide: 'buy' },
          planType: 'pos_loss',
        },
        mix({ side: 'sell', price: '9.5', trigger: '8', reduces: true }),
      ],
    ],
    [`${MIX}/modify-tpsl-order`]: [
      [
        { ...product, orderId: '7', triggerPrice: '8', size: '', executePrice: '' },
        mix({ trigger: '8', reduces: true, changes: { orderId: '7', plan: 'profit_loss' } }),
      ],
    ],
    [`${ACCOUNT}/set-leverage`]: [
      [
        { ...product, marginCoin: 'USDT', leverage: '5', longLeverage: '7', shortLeverage: 50 },
        { kind: 'leverage', symbol: 'BTCUSDT', leverage: 50 },
      ],
    ],
    [`${ACCOUNT}/set-all-leverage`]: [
      [
        { productType: 'USDT-FUTURES', leverage: '5' },
        { kind: 'leverage', symbol: undefined, leverage: 5 },
      ],
    ],
    [`${ACCOUNT}/set-margin`]: [
      [
        { ...product, symbol: 'btcusdt', marginCoin: 'USDT', amount: '-9' },
        { kind: 'margin', market: 'futures', symbol: 'BTCUSDT' },
      ],
    ],
  }),
)('%s %j', expectEffect)
