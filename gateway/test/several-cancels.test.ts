import { beforeEach, expect, test } from 'vitest'
import type { Bot } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { lostOrders } from './support/lost-orders.ts'

// Cancels and replacements of several orders in one call, sent through the exchanges' own paths.

const world = lostOrders()
let bot: Bot
beforeEach(async () => {
  bot = await world.newBot()
})

const send = (url: string, payload: object, key?: string) =>
  bot.post(url, payload, key === undefined ? {} : { 'idempotency-key': key })
const lose = (url: string, when: 'before' | 'after') =>
  world.lose(when, url.slice(1, 3) === 'mx' ? 'mx' : 'bg', url.slice(3))

type Exchange = 'mx' | 'bg'
const statesOf = (exchange: Exchange) =>
  Object.fromEntries(
    bot.orders(exchange).map(({ clientOrderId, status }) => [clientOrderId, status]),
  )

interface Family {
  readonly name: string
  readonly exchange: Exchange
  readonly place: { readonly url: string; readonly order: object; readonly idName: string }
  /** An order that is filled at once. */
  readonly taking: object
  readonly url: string
  readonly body: (ids: readonly { orderId: string; own: string }[]) => object
}

const mexcOrder = {
  url: '/mx/api/v1/private/order/create',
  order: { symbol: 'BTC_USDT', price: 50000, vol: 100, side: 1, type: 1, openType: 2, leverage: 1 },
  idName: 'externalOid',
}
const bitgetTerms = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' }
const spotOrder = {
  url: '/bg/api/v2/spot/trade/place-order',
  order: { ...bitgetTerms, price: '50000', size: '0.01' },
  idName: 'clientOid',
}
const product = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const atMexc = { exchange: 'mx', place: mexcOrder, taking: { type: 5 } } as const
const atBitget = { exchange: 'bg', place: spotOrder, taking: { price: '70000' } } as const
const families: readonly Family[] = [
  {
    ...{ ...atMexc, name: 'MEXC futures, by their ids', url: '/mx/api/v1/private/order/cancel' },
    body: (ids) => ids.map(({ orderId }) => orderId),
  },
  {
    ...{ ...atMexc, name: 'MEXC futures, by the bot’s own ids' },
    url: '/mx/api/v1/private/order/batch_cancel_with_external',
    body: (ids) => ids.map(({ own }) => ({ symbol: 'BTC_USDT', externalOid: own })),
  },
  {
    ...{ ...atBitget, name: 'Bitget spot', url: '/bg/api/v2/spot/trade/batch-cancel-order' },
    body: (ids) => ({
      symbol: 'BTCUSDT',
      orderList: ids.map(({ own, orderId }, at) => (at === 0 ? { clientOid: own } : { orderId })),
    }),
  },
  {
    ...{ ...atBitget, name: 'Bitget futures', url: '/bg/api/v2/mix/order/batch-cancel-orders' },
    place: {
      ...{ ...spotOrder, url: '/bg/api/v2/mix/order/place-order' },
      order: { ...spotOrder.order, ...product, marginMode: 'crossed' },
    },
    body: (ids) => ({ ...product, orderIdList: ids.map(({ orderId }) => ({ orderId })) }),
  },
]

/** Three orders, `a`, `b` and `c`, the last of which is filled already when that is asked for. */
async function placed({ exchange, place, taking }: Family, isLastFilled = false) {
  for (const own of ['a', 'b', 'c']) {
    const terms = own === 'c' && isLastFilled ? taking : {}
    const response = await send(place.url, { ...place.order, ...terms, [place.idName]: own })
    expect(response.statusCode).toBe(200)
  }
  return bot.orders(exchange).map(({ orderId, clientOrderId: own }) => ({ orderId, own }))
}

test.each(families)(
  '$name: cancels whose response was lost are known once all orders are gone',
  async (family) => {
    const body = family.body(await placed(family))
    lose(family.url, 'after')
    const response = await send(family.url, body, 'k')
    expect(response.statusCode).toBe(200)
    expect(response.body).not.toContain('Not cancelled')
    expect(statesOf(family.exchange)).toEqual({ a: 'cancelled', b: 'cancelled', c: 'cancelled' })
    const again = await send(family.url, body, 'k')
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body).toBe(response.body)
  },
)

test.each(families)(
  '$name: an order that could not be cancelled is reported as such after a minute',
  async (family) => {
    const body = family.body(await placed(family, true))
    lose(family.url, 'after')
    const first = await send(family.url, body, 'k')
    expect(ownErrorOf(first.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
    await world.aMinuteLater(bot, first)
    const response = await send(family.url, body, 'k')
    expect(response.statusCode).toBe(200)
    const words = 'Not cancelled: the gateway lost the response and found the order filled'
    expect(response.body.split(words)).toHaveLength(2)
    expect(statesOf(family.exchange)).toEqual({ a: 'cancelled', b: 'cancelled', c: 'filled' })
  },
)

test.each(families)('$name: cancels that never arrived are not carried out', async (family) => {
  const body = family.body(await placed(family))
  lose(family.url, 'before')
  const first = await send(family.url, body, 'k')
  expect(ownErrorOf(first.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  await world.aMinuteLater(bot, first)
  const response = await send(family.url, body, 'k')
  expect(ownErrorOf(response.json())).toMatchObject({
    code: 'NOT_CARRIED_OUT',
    outcome: 'not-done',
  })
  expect(statesOf(family.exchange)).toEqual({ a: 'open', b: 'open', c: 'open' })
})

const REPLACE = '/bg/api/v2/spot/trade/cancel-replace-order'
const REPLACE_SEVERAL = '/bg/api/v2/spot/trade/batch-cancel-replace-order'
const replacement = { symbol: 'BTCUSDT', clientOid: 'old', price: '49000', size: '0.02' }
const placeOld = (own = 'old') => send(spotOrder.url, { ...spotOrder.order, clientOid: own })

test('a replacement order is returned although its response was lost', async () => {
  await placeOld()
  lose(REPLACE, 'after')
  const response = await send(REPLACE, replacement, 'k')
  const [, made] = bot.orders('bg').toSorted((a, b) => a.orderId.localeCompare(b.orderId))
  expect(made?.clientOrderId).toMatch(/^sl-[\w-]{24}$/)
  expect(response.json().data).toEqual({
    ...{ orderId: made?.orderId, clientOid: made?.clientOrderId, success: 'success', msg: null },
  })
  expect(bot.orders('bg')).toHaveLength(2)
})

test('when an order was cancelled and its replacement not placed, the response says so', async () => {
  await placeOld()
  lose(REPLACE, 'after')
  const tooLarge = { ...replacement, size: '9000' }
  const first = await send(REPLACE, tooLarge, 'k')
  expect(ownErrorOf(first.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  await world.aMinuteLater(bot, first)
  const response = await send(REPLACE, tooLarge, 'k')
  expect(response.statusCode).toBe(200)
  expect(response.json().data).toMatchObject({ orderId: null, clientOid: null, success: 'failure' })
  expect(response.json().data.msg).toMatch(
    /^Not placed: .*; the order that it was meant to replace is cancelled$/,
  )
  expect(statesOf('bg')).toEqual({ old: 'cancelled' })
})

test('a replacement that never arrived is not carried out, and the old order still exists', async () => {
  await placeOld()
  lose(REPLACE, 'before')
  const first = await send(REPLACE, replacement, 'k')
  await world.aMinuteLater(bot, first)
  expect(ownErrorOf((await send(REPLACE, replacement, 'k')).json())).toMatchObject({
    code: 'NOT_CARRIED_OUT',
  })
  expect(statesOf('bg')).toEqual({ old: 'open' })
})

test('the outcomes of several replacements are returned one by one', async () => {
  await placeOld('old')
  await placeOld('older')
  lose(REPLACE_SEVERAL, 'after')
  const body = { orderList: [replacement, { ...replacement, clientOid: 'older' }] }
  const response = await send(REPLACE_SEVERAL, body, 'k')
  const made = bot.orders('bg').filter(({ status }) => status === 'open')
  expect(response.json().data).toHaveLength(2)
  expect(response.json().data).toMatchObject([{ success: 'success' }, { success: 'success' }])
  expect(made.map(({ clientOrderId }) => clientOrderId.slice(-2)).toSorted()).toEqual(['-0', '-1'])
  for (const { orderId } of made) expect(response.body).toContain(orderId)
})
