import type { Page } from '@playwright/test'
import {
  bgSpotPlaceOrder,
  bgSpotTickers,
  getStats,
  getToken,
  issueClientToken,
  mxDropIn,
  mxSubmitOrder,
} from 'schema'
import { expectAccessible } from '../support/axe.ts'
import type { Gateway } from '../support/stub-gateway.ts'
import { expect, goWithin, SESSION, test } from '../support/test.ts'
import {
  CLIENT_TOKEN,
  choose,
  curlOf,
  fieldOf,
  fill,
  formOf,
  press,
  responseOf,
  statusOf,
} from '../support/try-it.ts'

const SPOT = '/bitget/trading/spot'

const recentOf = (page: Page) =>
  page.getByRole('region', { name: 'Recent requests' }).getByRole('listitem')
const keysOf = (gateway: Gateway) =>
  Promise.all(gateway.calls(bgSpotPlaceOrder).map((call) => call.headerValue('idempotency-key')))
const retryDialog = (page: Page) =>
  page.getByRole('dialog', { name: 'The last order may have been placed' })

test.beforeEach(({ signedIn }) => void signedIn)

/** A limit order that only has to be sent. */
const prepare = (page: Page) => fill(page, { 'JWT token': CLIENT_TOKEN, price: '60000' })

test('278. 285. each order has a key of its own, the same order keeps its key', async ({
  page,
  gateway,
}) => {
  await page.goto(SPOT)
  await prepare(page)
  await test.step('278. each order has a key of its own, which the command shows', async () => {
    gateway.respond(bgSpotPlaceOrder, { body: { success: true } })
    const shown = /Idempotency-Key: (console-[0-9a-f]{32})'/.exec(
      (await curlOf(page).textContent()) ?? '',
    )?.[1]
    await press(page)
    await expect(statusOf(page)).toHaveText(/^200 /)
    expect(await keysOf(gateway)).toEqual([shown])
    await expect(curlOf(page)).not.toContainText(shown ?? '')
    await press(page)
    await expect.poll(async () => new Set(await keysOf(gateway)).size).toBe(2)
  })
  await test.step('278. an order that failed keeps its key as long as it is the same', async () => {
    gateway.respond(bgSpotPlaceOrder, { status: 503, body: { outcome: 'not-sent' } })
    for (const times of [3, 4]) {
      await press(page)
      await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(times)
      await expect(statusOf(page)).toHaveText(/^503 /)
    }
    await fill(page, { price: '60001' })
    await press(page)
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(5)
    const [first, second, third] = (await keysOf(gateway)).slice(2)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })
})

test('278. 285. after an unknown outcome it has to be said whether it is the same order', async ({
  page,
  gateway,
}) => {
  const retry = () =>
    retryDialog(page).getByRole('button', { name: 'Retry the same order' }).click()
  gateway.respond(bgSpotPlaceOrder, 'offline')
  await page.goto(SPOT)
  await prepare(page)
  await test.step('278. the question can be left, and sends nothing', async () => {
    await press(page)
    await expect(responseOf(page)).toContainText('It is unknown whether the order was placed')
    await expect(recentOf(page)).toHaveCount(1)
    await fill(page, { price: '60001' })
    await press(page)
    await expect(retryDialog(page)).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    expect(gateway.calls(bgSpotPlaceOrder)).toHaveLength(1)
  })
  await test.step('285. a retry is remembered as it was sent, not as the form shows it now', async () => {
    await press(page)
    await retry()
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(2)
    await expect(responseOf(page)).toContainText('Failed to fetch')
    await expect(recentOf(page)).toHaveCount(2)
    await recentOf(page).first().getByRole('button', { name: 'Fill in' }).click()
    await expect(fieldOf(page, 'price')).toHaveValue('60000')
  })
  await test.step('278. a retry is the same order with its key, a new order is not', async () => {
    await fill(page, { price: '60001' })
    gateway.respond(bgSpotPlaceOrder, { body: { success: true } })
    await press(page)
    await retryDialog(page).getByRole('button', { name: 'New order' }).click()
    await expect(statusOf(page)).toHaveText(/^200 /)
    const [first, again, other] = await keysOf(gateway)
    expect(again).toBe(first)
    expect(other).not.toBe(first)
    const prices = gateway.calls(bgSpotPlaceOrder).map((call) => call.postDataJSON().price)
    expect(prices).toEqual(['60000', '60000', '60001'])
  })
  await test.step('278. a rejected retry leaves the outcome of the order unknown', async () => {
    gateway.respond(bgSpotPlaceOrder, { status: 504, body: { outcome: 'unknown' } })
    await press(page)
    await expect(statusOf(page)).toHaveText(/^504 /)
    gateway.respond(bgSpotPlaceOrder, { status: 401, body: { code: 'TOKEN_EXPIRED' } })
    await press(page)
    await retry()
    await expect(statusOf(page)).toHaveText(/^401 /)
    await press(page)
    await expect(retryDialog(page)).toBeVisible()
    expect(gateway.calls(bgSpotPlaceOrder)).toHaveLength(5)
  })
})

test('278. 285. the last ten requests fill their forms again; what does not trade has no key', async ({
  page,
  gateway,
  sidebar,
}) => {
  gateway.respond(mxSubmitOrder, { body: { success: true } })
  gateway.respond(getToken, { status: 401, body: {} })
  await page.goto('/mexc/auth/token')
  await expect(curlOf(page)).not.toContainText('Idempotency-Key')
  await fill(page, { clientId: 'grid-bot', clientSecret: 'sls_secret' })
  await press(page)
  await expect(statusOf(page)).toHaveText(/^401 /)
  expect(await gateway.calls(getToken)[0]?.headerValue('idempotency-key')).toBeNull()

  const open = async (section: string, link: string) => {
    const bar = await sidebar()
    for (const name of ['MEXC', section]) {
      const group = bar.getByRole('button', { name, exact: true })
      if ((await group.getAttribute('aria-expanded')) === 'false') await group.click()
    }
    await bar.getByRole('link', { name: link, exact: true }).click()
  }
  await open('Trading APIs', 'Place Order')
  await fill(page, { 'JWT token': CLIENT_TOKEN })
  const recent = recentOf(page)
  for (let price = 1; price <= 9; price += 1) {
    await fill(page, { price: `${price}` })
    await press(page)
    await expect(recent).toHaveCount(price + 1)
  }
  await recent.nth(6).getByRole('button', { name: 'Fill in' }).click()
  await expect(fieldOf(page, 'price')).toHaveValue('3')
  await expectAccessible(page)

  await recent.last().getByRole('button', { name: 'Fill in' }).click()
  await expect(page).toHaveURL('/mexc/auth/token')
  await expect(fieldOf(page, 'clientId')).toHaveValue('grid-bot')
  await expect(fieldOf(page, 'clientSecret')).toHaveValue('')
  await open('Trading APIs', 'Place Order')
  await fill(page, { price: '10' })
  await press(page)
  await expect(recent).toHaveCount(10)
  await expect(recent.last()).toContainText('/api/mx/v1/submitOrder')
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(
    CLIENT_TOKEN,
  )
})

test('277. 278. 285. the environment of now, and orders whose page was left', async ({
  page,
  gateway,
  goTo,
}) => {
  const { response: stats } = getStats.sample
  const respondWith = (environment: string) => {
    const exchanges = stats.exchanges.map((each) => ({ ...each, environment }))
    gateway.respond(getStats, { body: { ...stats, exchanges } })
  }
  const leaveBeforeResponse = async () => {
    const release = gateway.hold(bgSpotPlaceOrder)
    const calls = gateway.calls(bgSpotPlaceOrder).length
    await prepare(page)
    await press(page)
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(calls + 1)
    await goTo('Logs')
    await expect(page.getByRole('heading', { level: 1, name: 'Request Logs' })).toBeVisible()
    return release
  }
  await test.step('277. the send button names the exchange as it is now', async () => {
    respondWith('paper')
    await page.goto(SPOT)
    await expect(formOf(page)).toContainText('no real money moves')
    respondWith('real')
    await goWithin(page, '/bitget/trading/futures')
    await expect(formOf(page)).toContainText('an order moves real money')
    await goWithin(page, SPOT)
    await expect(curlOf(page)).toContainText(bgSpotPlaceOrder.path)
    await expect(formOf(page)).toContainText('an order moves real money')
  })
  await test.step('285. a response that comes later fills the form that sent it', async () => {
    const release = await leaveBeforeResponse()
    const responded = page.waitForResponse(`**${bgSpotPlaceOrder.path}`)
    release()
    await (await responded).finished()
    await page.goBack()
    await page.getByRole('button', { name: /^Fill in: / }).click()
    await expect(fieldOf(page, 'price')).toHaveValue('60000')
    await expect(page).toHaveURL(SPOT)
  })
  await test.step('278. an order without a response is asked about on return', async () => {
    const release = await leaveBeforeResponse()
    await page.goBack()
    await fill(page, { price: '60000' })
    await press(page)
    await retryDialog(page).getByRole('button', { name: 'Retry the same order' }).click()
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(3)
    release()
    await expect(statusOf(page)).toHaveText(/^204 /)
    const [, first, second] = await keysOf(gateway)
    expect(second).toBe(first)
  })
})

test('a limit order opens with a price, which is of the market once a client is chosen', async ({
  page,
  gateway,
}) => {
  const lastPriceIs = (lastPr: string) =>
    gateway.respond(bgSpotTickers, { body: { success: true, data: [{ lastPr }] } })
  lastPriceIs('64321.5')
  gateway.respond(issueClientToken, { body: { ...getToken.sample.response, token: CLIENT_TOKEN } })
  await page.goto(SPOT)
  const price = fieldOf(page, 'price')
  await expect(price).toHaveValue('60000')
  await expect(formOf(page)).toContainText('An example')
  await test.step('the token of a client that is active is got in its name', async () => {
    await formOf(page).getByLabel('Use a client').first().click()
    await expect(page.getByRole('option')).toHaveText(['grid-bot', 'arbitrage'])
    await page.getByRole('option', { name: 'grid-bot' }).click()
    await expect(fieldOf(page, 'JWT token')).toHaveValue(CLIENT_TOKEN)
    const [issued] = gateway.calls(issueClientToken)
    expect(issued?.url()).toContain('/client-credentials/7/token')
    expect(await issued?.headerValue('authorization')).toBe(`Bearer ${SESSION.token}`)
  })
  await test.step('the price follows the market and the symbol, and is none of a market order', async () => {
    await expect(price).toHaveValue('64321.5')
    await expect(formOf(page)).toContainText('The last price of the market')
    const [read] = gateway.calls(bgSpotTickers)
    expect(read?.url()).toContain('symbol=BTCUSDT')
    expect(await read?.headerValue('authorization')).toBe(`Bearer ${CLIENT_TOKEN}`)
    lastPriceIs('3210.1')
    await fill(page, { symbol: 'ETHUSDT' })
    await expect(price).toHaveValue('3210.1')
    await choose(page, 'orderType', 'market')
    await expect(price).toHaveValue('')
    await choose(page, 'orderType', 'limit')
    await expect(price).toHaveValue('3210.1')
  })
  await test.step('a price that was typed stays', async () => {
    await fill(page, { price: '3000', symbol: 'BTCUSDT' })
    await press(page)
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(1)
    expect(gateway.calls(bgSpotPlaceOrder)[0]?.postDataJSON()).toMatchObject({ price: '3000' })
  })
  await test.step('a symbol of MEXC futures has the price of its contract', async () => {
    const futuresTicker = { ...mxDropIn, path: '/mx/api/v1/contract/ticker' } as const
    gateway.respond(futuresTicker, {
      body: { success: true, data: { symbol: 'BTC_USDT', lastPrice: 0.0000001234 } },
    })
    await goWithin(page, '/mexc/trading/place-order')
    await expect(fieldOf(page, 'price')).toHaveValue('0.0000001234')
    expect(gateway.calls(futuresTicker)[0]?.url()).toContain('symbol=BTC_USDT')
  })
})
