import type { PaperOrder } from '../../paper-exchange/src/control.ts'
import {
  coinFields,
  contractFields,
  type Draft,
  forms,
  mixFields,
  orderBy,
  queryOf,
  spotFields,
  type ThiefCall,
  to,
  twist,
  unifiedFields,
} from './calls.ts'
import type { Dice } from './dice.ts'

/** What an attack can see and do. */
interface Means {
  readonly dice: Dice
  /** An order worth up to some share of the thief's day, or far more. */
  readonly draft: () => Draft
  readonly open: () => readonly PaperOrder[]
  readonly send: (call: ThiefCall) => Promise<unknown>
}

type Attack = (means: Means) => Promise<unknown>

const MIX = { productType: 'USDT-FUTURES', marginMode: 'crossed', marginCoin: 'USDT' }
const FUTURES = '/mx/api/v1/private'
const together = (means: Means, calls: readonly ThiefCall[]) =>
  Promise.all(calls.map((call) => means.send(call)))
const anyOrder = ({ dice, draft }: Means) => orderBy(dice.pick(forms), draft())
const many = <Item>(dice: Dice, most: number, make: () => Item) =>
  Array.from({ length: dice.below(most + 1) }, make)

/** Everything that a thief with a token and time may try, by name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  order: (means) => means.send(anyOrder(means)),
  twist: (means) => means.send(twist(means.dice, anyOrder(means))),
  'several at once': (means) =>
    together(
      means,
      many(means.dice, 8, () => anyOrder(means)),
    ),
  'one order many times at once': (means) => {
    const call = anyOrder(means)
    return together(means, Array<ThiefCall>(8).fill(call))
  },
  'one key for several orders': (means) => {
    const headers = { 'idempotency-key': `k${means.dice.below(50)}` }
    const call = { ...anyOrder(means), headers }
    return together(means, [call, call, { ...anyOrder(means), headers }, call])
  },
  'without waiting for the response': (means) =>
    together(
      means,
      many(means.dice, 4, () => ({
        ...anyOrder(means),
        headers: { prefer: 'respond-async', 'idempotency-key': `p${means.dice.next()}` },
      })),
    ),
  batch: (means) => means.send(batchOf(means)),
  'twisted batch': (means) => means.send(twist(means.dice, batchOf(means))),
  change: async (means) => {
    const target = means.open()
    if (target.length === 0) return
    await means.send(changeOf(means, means.dice.pick(target)))
  },
  'change twice at once': async (means) => {
    const target = means.open()
    if (target.length === 0) return
    const order = means.dice.pick(target)
    await together(means, [changeOf(means, order), changeOf(means, order)])
  },
  'cancel and order again': async (means) => {
    for (const order of means.open().slice(0, 3)) await means.send(cancelOf(order))
    await means.send(anyOrder(means))
  },
  'cancel while it is sent': async (means) => {
    const open = means.open().slice(0, 2).map(cancelOf)
    await together(means, [anyOrder(means), ...open, anyOrder(means)])
  },
  'with exits': (means) => means.send(withExits(means)),
  trigger: (means) => means.send(triggerOf(means)),
  close: (means) => means.send(closeOf(means)),
  setting: (means) => means.send(settingOf(means)),
  door: (means) => means.send(doorOf(means)),
}

function batchOf({ dice, draft }: Means): ThiefCall {
  const drafts = many(dice, dice.chance(0.1) ? 25 : 5, draft)
  const symbol = `${drafts[0]?.base ?? 'BTC'}USDT`
  return dice.pick<() => ThiefCall>([
    () => ({
      url: `/mx/api/v3/batchOrders?${queryOf({ batchOrders: JSON.stringify(drafts.map(spotFields)) })}`,
    }),
    () => to(`${FUTURES}/order/submit_batch`, drafts.map(contractFields)),
    () =>
      to('/bg/api/v2/spot/trade/batch-orders', {
        ...{ symbol, batchMode: dice.pick(['single', 'multiple']) },
        orderList: drafts.map(coinFields),
      }),
    () =>
      to('/bg/api/v2/mix/order/batch-place-order', {
        ...MIX,
        symbol,
        orderList: drafts.map(mixFields).map(({ symbol: _, ...more }) => more),
      }),
    () =>
      to(
        '/bg/api/v3/trade/place-batch',
        drafts.map((each) => unifiedFields(each, dice.pick(['SPOT', 'USDT-FUTURES']))),
      ),
  ])()
}

function changeOf({ dice, draft }: Means, order: PaperOrder): ThiefCall {
  const { size, price = '1' } = draft()
  const symbol = dice.chance(0.8) ? order.symbol : dice.pick(['DOGEUSDT', 'BTCUSDT', 'ETHBTC'])
  const id = dice.chance(0.8)
    ? { orderId: order.orderId }
    : { clientOid: order.clientOrderId, orderId: dice.chance(0.5) ? undefined : '1' }
  const newClientOid = `c${dice.below(1e9)}`
  const spot = { symbol, size, price, newClientOid, ...id }
  return dice.pick<ThiefCall>([
    to('/bg/api/v2/mix/order/modify-order', {
      ...{ ...MIX, marginMode: undefined, symbol, newSize: size, newPrice: price, newClientOid },
      ...id,
    }),
    to('/api/bg/v1/futures/trade/modify-order', {
      ...{ symbol, newSize: size, newPrice: price, newClientOid, orderId: order.orderId },
    }),
    to('/bg/api/v2/spot/trade/cancel-replace-order', spot),
    to('/bg/api/v2/spot/trade/batch-cancel-replace-order', {
      orderList: [spot, { ...spot, newClientOid: `${newClientOid}b` }],
    }),
    to('/bg/api/v3/trade/modify-order', {
      ...{ category: order.market === 'spot' ? 'SPOT' : 'USDT-FUTURES', symbol, ...id },
      ...dice.pick([{ qty: size }, { price }, { qty: size, price }]),
    }),
    to(`${FUTURES}/order/change_limit_order`, { orderId: order.orderId, price, vol: 100_000 }),
    to(`${FUTURES}/order/chase_limit_order`, { orderId: order.orderId }),
  ])
}

function cancelOf({ exchange, market, symbol, orderId }: PaperOrder): ThiefCall {
  if (exchange === 'mx')
    return market === 'spot'
      ? {
          method: 'DELETE',
          url: `/mx/api/v3/order?${queryOf({ symbol, orderId: `C02__${orderId}` })}`,
        }
      : to(`${FUTURES}/order/cancel`, [orderId])
  const area = market === 'spot' ? 'spot' : 'futures'
  return to(`/api/bg/v1/${area}/trade/cancel-order`, { symbol, orderId })
}

/** Take profit and stop loss that are reached at once, or far away. */
function withExits({ dice, draft }: Means): ThiefCall {
  const order = draft()
  const far = () => dice.pick(['1', '70000', '1000000', '59000', '0.1', '2600'])
  const preset = { presetStopSurplusPrice: far(), presetStopLossPrice: far() }
  return dice.pick<ThiefCall>([
    to('/bg/api/v2/mix/order/place-order', { ...MIX, ...mixFields(order), ...preset }),
    to('/api/bg/v1/futures/trade/place-order', { ...MIX, ...mixFields(order), ...preset }),
    to('/api/bg/v1/futures/trade/place-order', {
      ...{ ...MIX, ...mixFields(order), stopLossTriggerPrice: far() },
      leverage: dice.pick([2, 100]),
    }),
    to('/bg/api/v3/trade/place-order', {
      ...{ ...unifiedFields(order, 'USDT-FUTURES'), takeProfit: far(), stopLoss: far() },
    }),
    to(`${FUTURES}/order/create`, {
      ...{ ...contractFields(order), stopLossPrice: far(), takeProfitPrice: far() },
    }),
    to('/bg/api/v2/spot/trade/place-order', { ...coinFields(order), presetTakeProfitPrice: far() }),
  ])
}

function triggerOf({ dice, draft }: Means): ThiefCall {
  const order = draft()
  const triggerPrice = dice.pick(['1', '60000', '1000000', '0', '-1'])
  const { symbol } = mixFields(order)
  const holdSide = dice.pick(['long', 'short', 'buy', 'sell'])
  return dice.pick<ThiefCall>([
    to('/bg/api/v2/spot/trade/place-plan-order', {
      ...{ ...coinFields(order), triggerPrice, triggerType: 'mark_price', planType: 'total' },
    }),
    to('/bg/api/v2/mix/order/place-plan-order', {
      ...{ ...MIX, ...mixFields(order), planType: 'normal_plan', triggerPrice },
    }),
    to('/bg/api/v2/mix/order/place-tpsl-order', {
      ...{ ...MIX, symbol, planType: 'loss_plan', triggerPrice, holdSide, size: order.size },
    }),
    to('/bg/api/v2/mix/order/place-pos-tpsl', {
      ...{ ...MIX, symbol, holdSide, stopLossTriggerPrice: triggerPrice },
    }),
    to('/bg/api/v3/trade/place-strategy-order', {
      ...{ category: 'USDT-FUTURES', symbol, type: dice.pick(['tpsl', 'trigger', 'grid']) },
      ...{ tpslMode: dice.pick(['full', 'partial']), qty: order.size, posSide: holdSide },
      stopLoss: triggerPrice,
    }),
    to(`${FUTURES}/planorder/place`, {
      ...{ ...contractFields(order), triggerPrice, triggerType: 1, orderType: 5, executeCycle: 1 },
      trend: 1,
    }),
    to(`${FUTURES}/trackorder/place`, {
      ...{ ...contractFields(order), backType: 1, backValue: '0.5', trend: 1 },
    }),
    to(`${FUTURES}/stoporder/place`, { positionId: 1, vol: 9999, stopLossPrice: triggerPrice }),
  ])
}

/** What says that it only closes. */
function closeOf({ dice, draft }: Means): ThiefCall {
  const order = draft()
  const { symbol } = mixFields(order)
  const holdSide = dice.pick(['long', 'short', undefined])
  return dice.pick<ThiefCall>([
    to('/bg/api/v2/mix/order/close-positions', { ...MIX, symbol, holdSide }),
    to('/bg/api/v2/mix/order/close-positions', { productType: 'USDT-FUTURES' }),
    to('/bg/api/v2/mix/order/click-backhand', { ...MIX, symbol, size: order.size }),
    to('/bg/api/v3/trade/close-positions', { category: 'USDT-FUTURES', symbol }),
    to(`${FUTURES}/position/close_all`, {}),
    to(`${FUTURES}/position/reverse`, { symbol: `${order.base}_USDT`, vol: 1_000 }),
    to(`${FUTURES}/order/create`, {
      ...{ ...contractFields(order), side: dice.pick([2, 4]), reduceOnly: true },
    }),
    to('/bg/api/v2/mix/order/place-order', {
      ...{ ...MIX, ...mixFields(order), reduceOnly: dice.pick(['YES', 'yes', 'true', 'NO']) },
    }),
    to('/bg/api/v2/mix/order/place-order', {
      ...{ ...MIX, ...mixFields(order), tradeSide: dice.pick(['close', 'open', 'CLOSE']) },
    }),
  ])
}

function settingOf({ dice, draft }: Means): ThiefCall {
  const { base } = draft()
  const leverage = dice.pick(['2', '100', '125', '1e2', ''])
  return dice.pick<ThiefCall>([
    to('/bg/api/v2/mix/account/set-leverage', { ...MIX, symbol: `${base}USDT`, leverage }),
    to('/bg/api/v2/mix/account/set-leverage', {
      ...{ ...MIX, symbol: `${base}USDT`, leverage: '2', longLeverage: leverage },
    }),
    to('/bg/api/v2/mix/account/set-all-leverage', { ...MIX, leverage }),
    to('/bg/api/v3/account/set-leverage', {
      ...{ category: 'USDT-FUTURES', symbol: `${base}USDT`, leverage },
    }),
    to(`${FUTURES}/position/change_leverage`, {
      ...{ symbol: `${base}_USDT`, leverage: 100, openType: 2, positionType: 1 },
    }),
    to(`${FUTURES}/position/change_position_mode`, { positionMode: dice.pick([1, 2]) }),
    to('/bg/api/v2/mix/account/set-position-mode', {
      productType: 'USDT-FUTURES',
      posMode: dice.pick(['hedge_mode', 'one_way_mode']),
    }),
    to('/bg/api/v3/trade/grid/create-bot', { symbol: `${base}USDT`, investment: '9999' }),
  ])
}

/** Other ways in: methods, paths, routes that are for others. */
function doorOf(means: Means): ThiefCall {
  const { dice } = means
  const call = anyOrder(means)
  const [path = '', query = ''] = call.url.split('?')
  const again = (other: string) => ({ ...call, url: query === '' ? other : `${other}?${query}` })
  return dice.pick<ThiefCall>([
    { ...call, method: dice.pick(['HEAD', 'PUT', 'PATCH', 'GET', 'DELETE']) },
    again(`${path}/`),
    again(path.replace('/api/', '//api/')),
    again(path.replace('order', '%6frder')),
    again(path.replace('/api/', '/api/./')),
    again(path.toUpperCase()),
    again(path.replace(/^\/(?:mx|bg)/, '')),
    again(path.replace('/trade/', '/trade/../trade/')),
    { ...call, headers: { 'x-http-method-override': 'DELETE', 'transfer-encoding': 'identity' } },
    { method: 'PUT', url: '/api/limits', fields: { maxDayValue: null } },
    { method: 'PUT', url: '/api/heartbeat', fields: { ttlSeconds: 0 } },
    { method: 'PUT', url: '/api/admin/client-credentials/1/limits', fields: { maxDayValue: null } },
    to('/mx/api/v3/capital/withdraw', { coin: 'USDT', address: 'mine', amount: '500' }),
    to('/bg/api/v2/spot/wallet/transfer', {
      ...{ fromType: 'spot', toType: 'usdt_futures', amount: '500', coin: 'USDT' },
    }),
  ])
}
