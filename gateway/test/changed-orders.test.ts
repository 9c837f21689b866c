import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownErrorOf } from './support/call.ts'
import { IS_LONG } from './support/is-long.ts'
import { type Keyring, thiefWorld } from './thief/world.ts'

// A change is judged by the order that it changes: exchanges number spot and futures apart, so two
// orders of one client, or of two clients with one key, may have the same client order id.

const LIMITS = {
  ...{ maxOrderValue: '70', maxDayValue: '500', symbols: ['XRPUSDT', 'BTCUSDT'] },
  // Another client has the same key: without it, an order that is not known is not touched.
  manageForeign: true,
}
const SPOT = '/bg/api/v2/spot/trade'
const MIX = '/bg/api/v2/mix/order'
const scope = { productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const resting = { orderType: 'limit', force: 'gtc' }
const btc = { ...scope, symbol: 'BTCUSDT' }
const xrpBuy = { ...resting, side: 'buy', symbol: 'XRPUSDT', size: '10', price: '2.4' }
const btcSale = {
  ...{ ...resting, ...btc, marginMode: 'crossed', side: 'sell' },
  size: '0.001',
  price: '62000',
}
const REFUSED = {
  ...{ code: 'LIMIT_UNVALUED', outcome: 'not-sent' },
  message: expect.stringContaining('do not name exactly one'),
}

async function limited(unified = false) {
  const world = await thiefWorld()
  world.paper.setPrice('XRPUSDT', '2.5')
  const { thief, owner } = await world.clients('bot', unified)
  await world.setLimits(thief, LIMITS)
  const post = async (url: string, fields: object, from: Keyring = thief) =>
    ownErrorOf((await world.send(from, { url, fields: { ...fields } })).json())
  const done = async (url: string, fields: object, from?: Keyring) => {
    const response = await post(url, fields, from)
    expect(response).toMatchObject({ code: '00000' })
    return response.data
  }
  const working = () =>
    world.paper
      .orders('bg')
      .filter(({ status }) => status === 'open')
      .map(({ market, symbol, size, price }) => `${market} ${symbol} ${size} @ ${price}`)
  return { ...world, thief, owner, post, done, working }
}

test.each([
  [`${MIX}/modify-order`, { newSize: '25', newPrice: '2' }],
  ['/api/bg/v1/futures/trade/modify-order', { newSize: '25', newPrice: '2' }],
  [`${MIX}/modify-plan-order`, { newSize: '25', newPrice: '2', newTriggerPrice: '3' }],
  [`${MIX}/modify-tpsl-order`, { size: '25', triggerPrice: '3' }],
])('%s: an order of another market with the same id does not let it pass', async (path, change) => {
  const { post, done, working } = await limited()
  await done(`${SPOT}/place-order`, { ...xrpBuy, clientOid: 'z' })
  const before = working()
  expect(await post(path, { ...btc, clientOid: 'z', ...change })).toMatchObject(REFUSED)
  expect(working()).toEqual(before)
})

test('a change is checked as the only order that its ids, market and symbol name', async () => {
  const { post, done, working } = await limited()
  await done(`${SPOT}/place-order`, { ...xrpBuy, clientOid: 'z' })
  await done(`${MIX}/place-order`, { ...btcSale, clientOid: 'z' })
  const change = { ...btc, clientOid: 'z', newClientOid: 'y', newPrice: '61000' }
  expect(await post(`${MIX}/modify-order`, { ...change, newSize: '25' })).toMatchObject({
    ...{ code: 'LIMIT_ORDER_VALUE', outcome: 'not-sent' },
  })
  await done(`${MIX}/modify-order`, { ...change, newSize: '0.001' })
  await expect
    .poll(() => working().toSorted())
    .toEqual(['futures BTCUSDT 0.001 @ 61000', 'spot XRPUSDT 10 @ 2.4'])

  // The symbol is not that of the order.
  const other = { clientOid: 'z', newClientOid: 'x', symbol: 'BTCUSDT', price: '61000' }
  const replaced = await post(`${SPOT}/cancel-replace-order`, { ...other, size: '0.001' })
  expect(replaced).toMatchObject(REFUSED)
  // The two ids name different orders.
  const { orderId } = await done(`${MIX}/place-order`, { ...btcSale, clientOid: 'w' })
  const both = { ...change, orderId, clientOid: 'y', newClientOid: 'v', newSize: '0.001' }
  expect(await post(`${MIX}/modify-order`, both)).toMatchObject(REFUSED)
})

test('an id that was used before names the order that is open now', async () => {
  const { done, paper, working } = await limited()
  const again = { ...xrpBuy, clientOid: 'mm-bid' }
  await done(`${SPOT}/place-order`, again)
  paper.setPrice('XRPUSDT', '2.3')
  paper.tick()
  expect(working()).toEqual([])
  paper.setPrice('XRPUSDT', '2.5')
  await done(`${SPOT}/place-order`, again)
  const change = { symbol: 'XRPUSDT', clientOid: 'mm-bid', size: '20', price: '2.2' }
  await done(`${SPOT}/cancel-replace-order`, change)
  expect(working()).toEqual(['spot XRPUSDT 20 @ 2.2'])
})

const V3 = '/bg/api/v3/trade'
const unifiedBuy = {
  ...{ orderType: 'limit', category: 'SPOT', side: 'buy', symbol: 'XRPUSDT' },
  ...{ clientOid: 'z', qty: '10', price: '2.4' },
}

test('a change on a unified account passes only in the category of its order', async () => {
  const { post, done, working } = await limited(true)
  await done(`${V3}/place-order`, unifiedBuy)
  const change = { clientOid: 'z', qty: '5', price: '2.4' }
  for (const where of [
    { category: 'USDT-FUTURES', symbol: 'XRPUSDT' },
    { category: 'SPOT', symbol: 'BTCUSDT' },
  ])
    expect(await post(`${V3}/modify-order`, { ...where, ...change })).toMatchObject(REFUSED)
  await done(`${V3}/modify-order`, { category: 'SPOT', symbol: 'XRPUSDT', ...change })
  expect(working()).toEqual(['spot XRPUSDT 5 @ 2.4'])
})

test('a change on a unified account without a category names its own order by the id of the exchange', async () => {
  const { post, done, working, owner } = await limited(true)
  const { orderId } = await done(`${V3}/place-order`, unifiedBuy)
  const others = await done(`${V3}/place-order`, { ...unifiedBuy, clientOid: 'y' }, owner)
  const change = { qty: '5', price: '2.4' }
  const changed = (ids: object) => post(`${V3}/modify-order`, { ...change, ...ids })
  expect(await changed({ clientOid: 'z' })).toMatchObject({ code: 'LIMIT_UNVALUED' })
  expect(await changed({ orderId: others.orderId })).toMatchObject({ outcome: 'not-sent' })
  expect(await changed({ orderId, symbol: 'BTCUSDT' })).toMatchObject(REFUSED)
  expect(working()).toEqual(Array(2).fill('spot XRPUSDT 10 @ 2.4'))
  expect(await changed({ orderId, qty: '40' })).toMatchObject({ code: 'LIMIT_ORDER_VALUE' })
  expect(await changed({ orderId })).toMatchObject({ code: '00000' })
  expect(working().toSorted()).toEqual(['spot XRPUSDT 10 @ 2.4', 'spot XRPUSDT 5 @ 2.4'])
})

test.each(['BTCUſDT', 'btcuſdt'])('%s is no other spelling of a symbol', async (symbol) => {
  const { post, working } = await limited()
  const refused = await post(`${MIX}/place-order`, { ...btcSale, symbol })
  expect(refused).toMatchObject({ code: 'LIMIT_SYMBOL', outcome: 'not-sent' })
  expect(working()).toEqual([])
})

const steps = fc.array(
  fc.record<Step>({
    who: fc.constantFrom('thief', 'owner'),
    what: fc.constantFrom('place', 'change', 'cancel', 'protect'),
    // Mostly the two orders of which one, at the other's price, looks small.
    at: fc.constantFrom('spot XRP', 'spot XRP', 'futures BTC', 'futures BTC', 'futures XRP'),
    isLarge: fc.boolean(),
  }),
  { minLength: 4, maxLength: 14 },
)

const ORDERS = {
  'spot XRP': { small: ['10', '2.4'], large: ['40', '2.4'] },
  'futures BTC': { small: ['0.001', '62000'], large: ['0.002', '50000'] },
  'futures XRP': { small: ['10', '2.6'], large: ['40', '2.4'] },
} as const

interface Step {
  readonly who: 'thief' | 'owner'
  /** `protect` changes the stop loss alone. */
  readonly what: 'place' | 'change' | 'cancel' | 'protect'
  readonly at: 'spot XRP' | 'futures BTC' | 'futures XRP'
  /** Near the limit of 110. A large sale of BTC is worth 100 at its own price, 120 at BTC's. */
  readonly isLarge: boolean
}

/** What a call sends, on Bitget's classic account. */
function callOf({ what, at, isLarge }: Step, n: number) {
  const [size, price] = ORDERS[at][isLarge ? 'large' : 'small']
  const [market, base] = at.split(' ')
  const clientOid = 'z'
  const symbol = `${base}USDT`
  const isSpot = market === 'spot'
  const place = isSpot ? { symbol } : { ...scope, symbol }
  const newClientOid = `n${n}`
  if (what === 'cancel')
    return { url: `${isSpot ? SPOT : MIX}/cancel-order`, fields: { ...place, clientOid } }
  if (what === 'place')
    return {
      url: `${isSpot ? SPOT : MIX}/place-order`,
      fields: {
        ...{ ...resting, ...place, size, price, clientOid },
        ...(isSpot ? { side: 'buy' } : { side: 'sell', marginMode: 'crossed' }),
      },
    }
  if (what === 'protect')
    return {
      url: `${MIX}/modify-order`,
      fields: { ...scope, symbol, clientOid, newClientOid, newPresetStopLossPrice: '99000' },
    }
  return isSpot
    ? {
        url: `${SPOT}/cancel-replace-order`,
        fields: { ...place, clientOid, newClientOid, size, price },
      }
    : {
        url: `${MIX}/modify-order`,
        fields: { ...place, clientOid, newClientOid, newSize: size, newPrice: price },
      }
}

/** The thief changes the owner's order, whose id one of its own orders has too. */
const ATTACK: Step[] = [
  { who: 'owner', what: 'place', at: 'futures BTC', isLarge: false },
  { who: 'thief', what: 'place', at: 'spot XRP', isLarge: false },
  { who: 'thief', what: 'change', at: 'futures BTC', isLarge: true },
]

test('no order exceeds the limits and a stop finds all, whatever two clients with one key place, change and cancel under equal ids', async () => {
  const world = await thiefWorld()
  world.paper.setPrice('XRPUSDT', '2.5')
  let changed = 0
  let runs = 0
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      runs += 1
      const account = `bot-${runs}`
      const { thief, owner, ledger } = await world.clients(account, false)
      for (const client of [thief, owner])
        await world.setLimits(client, { ...LIMITS, maxOrderValue: '110', maxDayValue: '9000' })
      for (const [n, step] of sequence.entries()) {
        const call = callOf(step, n)
        const response = await world.send(step.who === 'thief' ? thief : owner, call)
        if (step.what === 'change' && response.json().code === '00000') changed += 1
        // Bitget changes an order a moment after it responded.
        world.skip(1_000)
        world.paper.tick()
        // The exchange's list of orders, at its current prices.
        const orders = world.paper.orders('bg').filter((order) => order.account === `${account}-bg`)
        for (const { symbol, side, size, price } of orders) {
          const last = symbol.startsWith('BTC') ? world.prices.BTC : 2.5
          const dearest = side === 'buy' ? Number(price) : Math.max(Number(price), last)
          const value = Number(size) * dearest
          expect(value, `${symbol} ${size} @ ${price}`).toBeLessThanOrEqual(110)
        }
      }
      for (const client of [thief, owner]) await world.stop(client)
      await expect.poll(() => ledger.open(), { timeout: 30_000 }).toEqual([])
    }),
    { numRuns: IS_LONG ? 100 : 15, examples: [[ATTACK]] },
  )
  expect(changed).toBeGreaterThan(0)
})
