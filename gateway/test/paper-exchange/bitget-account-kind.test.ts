import { expect, test } from 'vitest'
import type { NewPaperAccount } from '../../paper-exchange/src/account.ts'
import {
  type Answer,
  balances,
  bitget,
  bitgetKeys,
  bitgetUnified,
  callsOf,
  control,
  paperExchange,
} from './paper.ts'

const account = (more: Partial<NewPaperAccount>): NewPaperAccount => ({
  ...{ exchange: 'bg', name: 'bitget', ...bitgetKeys, balances, ...more },
})
const classic = () => paperExchange({ accounts: [account({})] })
const unified = () => paperExchange({ accounts: [account({ unified: true })] })

const spotBuy = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '59000' }
const limitBuy = { ...spotBuy, force: 'gtc', size: '0.01' }
const margin = { productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }
const contractBuy = { ...limitBuy, ...margin }
const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }

const seen = ({ status, json }: Answer) => [status, json.code]
const coinOf = (assets: { coin: string }[], coin: string) =>
  assets.find((asset) => asset.coin === coin)

test.each([
  ['the right keys', bitgetKeys],
  ['a wrong secret', { ...bitgetKeys, apiSecret: 'other' }],
  ['a wrong passphrase', { ...bitgetKeys, passphrase: 'other' }],
])('the family that does not fit the account is rejected first, with %s', async (_name, keys) => {
  const asksV2 = await bitget(await unified(), 'GET', '/spot/account/assets', {}, { keys })
  expect(seen(asksV2)).toEqual([400, '40085'])
  const asksV3 = await bitgetUnified(await classic(), 'GET', '/account/settings', {}, { keys })
  expect(seen(asksV3)).toEqual([400, '40084'])
})

test('an unknown key is 40037 in both families, whatever the kind of the account', async () => {
  const paper = await unified()
  const keys = { ...bitgetKeys, apiKey: 'bg_other' }
  for (const asked of [
    bitget(paper, 'GET', '/spot/account/assets', {}, { keys }),
    bitgetUnified(paper, 'GET', '/account/settings', {}, { keys }),
  ])
    expect(seen(await asked)).toEqual([400, '40037'])
})

test('an account that becomes unified keeps its money, its open orders and its position', async () => {
  const paper = await classic()
  const open = { ...limitBuy, clientOid: 'before' }
  const placed = (await bitget(paper, 'POST', '/spot/trade/place-order', open)).json.data
  const marketBuy = { ...contractBuy, orderType: 'market', size: '0.1' }
  await bitget(paper, 'POST', '/mix/order/place-order', marketBuy)
  const resting = { ...contractBuy, clientOid: 'futures', reduceOnly: 'NO' }
  await bitget(paper, 'POST', '/mix/order/place-order', resting)

  expect(paper.accounts.migrate('bitget', 'unified')).toMatchObject({ unified: true })

  expect(seen(await bitget(paper, 'GET', '/spot/account/assets'))).toEqual([400, '40085'])
  const read = async (path: string, fields = {}) =>
    (await bitgetUnified(paper, 'GET', path, fields)).json.data
  expect(await read('/trade/order-info', { clientOid: 'before' })).toMatchObject({
    ...{ orderId: placed.orderId, category: 'SPOT', timeInForce: 'gtc', orderStatus: 'live' },
  })
  expect((await read('/trade/unfilled-orders')).list).toMatchObject([
    { clientOid: 'futures', category: 'USDT-FUTURES', side: 'buy' },
    { clientOid: 'before', category: 'SPOT' },
  ])
  expect((await read('/position/current-position', contract)).list).toMatchObject([
    { posSide: 'long', total: '0.1' },
  ])
  const { assets } = await read('/account/assets')
  // 200,000 of both accounts, without what the spot order, the futures order and the position hold.
  const usdt = coinOf(assets, 'USDT') as { available: string; balance: string } | undefined
  expect(Number(usdt?.balance)).toBeGreaterThan(199_990)
  expect(Number(usdt?.available)).toBeLessThan(200_000 - 590 - 300)

  const { post } = callsOf(bitgetUnified, paper)
  const cancel = { orderId: placed.orderId }
  expect((await post('/trade/cancel-order', cancel)).code).toBe('00000')
  const close = { ...contract, side: 'sell', orderType: 'market', qty: '0.1', reduceOnly: 'yes' }
  expect((await post('/trade/place-order', close)).code).toBe('00000')
  expect((await read('/position/current-position', contract)).list ?? []).toEqual([])
})

test('an account that goes back to classic has half of its free margin coin for futures', async () => {
  const paper = await unified()
  const v3 = { timeInForce: 'gtc', qty: '0.01', category: 'SPOT', clientOid: 'v3' }
  const open = { ...spotBuy, ...v3 }
  await bitgetUnified(paper, 'POST', '/trade/place-order', open)
  expect(paper.accounts.migrate('bitget', 'classic')).toMatchObject({ unified: false })

  expect(seen(await bitgetUnified(paper, 'GET', '/account/settings'))).toEqual([400, '40084'])
  const { get } = callsOf(bitget, paper)
  const order = await get('/spot/trade/orderInfo', { clientOid: 'v3' })
  expect(order.data).toMatchObject([{ clientOid: 'v3', status: 'live', force: 'gtc' }])
  const assets = await get('/spot/account/assets')
  expect(coinOf(assets.data, 'USDT')).toMatchObject({ available: '49705', frozen: '590' })
  const futures = await get('/mix/account/accounts', { productType: 'USDT-FUTURES' })
  expect(futures.data).toMatchObject([{ marginCoin: 'USDT', available: '49705' }])
})

test('an account between the two kinds is sent away by both families', async () => {
  const paper = await classic()
  paper.accounts.migrate('bitget', 'switching')
  expect(seen(await bitget(paper, 'GET', '/spot/account/assets'))).toEqual([400, '40085'])
  expect(seen(await bitgetUnified(paper, 'GET', '/account/settings'))).toEqual([400, '40084'])
  paper.accounts.migrate('bitget', 'unified')
  expect((await bitgetUnified(paper, 'GET', '/account/settings')).status).toBe(200)
})

test('over HTTP an account is migrated by its name, and a reset takes it back', async () => {
  const paper = await classic()
  const migrate = (name: string, to: string) => control(paper, `accounts/${name}/migrate`, { to })
  const json = { name: 'bitget', unified: true, switching: false }
  expect(await migrate('bitget', 'unified')).toMatchObject({ status: 200, json })
  expect((await migrate('bitget', 'margin')).status).toBe(400)
  const unknown = { status: 400, json: { code: 'PAPER_CONTROL_INPUT' } }
  expect(await migrate('nobody', 'classic')).toMatchObject(unknown)
  paper.reset()
  expect((await bitget(paper, 'GET', '/spot/account/assets')).status).toBe(200)
  expect(paper.accounts.list()).toMatchObject([
    { unified: false, futures: [{ coin: 'USDT', cash: '100000' }] },
  ])
})

test.each([
  [true, {}, '40099'],
  [true, { paptrading: '1' }, '00000'],
  [false, { paptrading: '1' }, '40099'],
  [false, {}, '00000'],
  [undefined, { paptrading: '1' }, '00000'],
  [undefined, {}, '00000'],
])('demo key %s with headers %j gets %s', async (demo, headers, code) => {
  const paper = await paperExchange({ accounts: [account({ demo })] })
  const asked = await bitget(paper, 'GET', '/spot/account/assets', {}, { headers })
  expect(asked.json.code).toBe(code)
})
