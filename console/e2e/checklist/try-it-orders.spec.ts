import type { Page } from '@playwright/test'
import { bgSpotPlaceOrder, getStats, getToken, mxSubmitOrder } from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { openFrozen, passMs } from '../support/freeze-clock.ts'
import type { Gateway } from '../support/stub-gateway.ts'
import { expect, goWithin, test } from '../support/test.ts'

const SPOT = '/bitget/trading/spot'
const CLIENT_TOKEN = ['e30', btoa(JSON.stringify({ exp: 4_102_444_800 })), 'sig'].join('.')

const form = (page: Page) => page.getByRole('form')
const fill = (page: Page, name: string, value: string) =>
  form(page).getByLabel(name, { exact: true }).fill(value)
const send = (page: Page) => page.getByRole('button', { name: 'Send Request' }).click()
const response = (page: Page) => page.getByRole('region', { name: 'Response', exact: true })
/**
 * Status and reason of the response that is shown; numbers of its body and its times do not count.
 */
const statusLine = (page: Page) => response(page).getByRole('status').first()
const curl = (page: Page) => page.getByRole('figure', { name: 'cURL command' }).locator('pre')
const recentOf = (page: Page) =>
  page.getByRole('region', { name: 'Recent requests' }).getByRole('listitem')
const keysOf = (gateway: Gateway) =>
  Promise.all(gateway.calls(bgSpotPlaceOrder).map((call) => call.headerValue('idempotency-key')))
const retryDialog = (page: Page) =>
  page.getByRole('dialog', { name: 'The last order may have been placed' })

test.beforeEach(({ signedIn }) => void signedIn)

/** A limit order that only has to be sent. */
async function prepare(page: Page) {
  await fill(page, 'JWT token', CLIENT_TOKEN)
  await fill(page, 'price', '60000')
}

test('278. 285. each order has a key of its own, the same order keeps its key', async ({
  page,
  gateway,
}) => {
  await page.goto(SPOT)
  await prepare(page)
  await test.step('278. each order has a key of its own, which the command shows', async () => {
    gateway.respond(bgSpotPlaceOrder, { body: { success: true } })
    const shown = /Idempotency-Key: (console-[0-9a-f]{32})'/.exec(
      (await curl(page).textContent()) ?? '',
    )?.[1]
    await send(page)
    await expect(statusLine(page)).toHaveText(/^200 /)
    expect(await keysOf(gateway)).toEqual([shown])
    await expect(curl(page)).not.toContainText(shown ?? '')
    await send(page)
    await expect.poll(async () => new Set(await keysOf(gateway)).size).toBe(2)
  })
  await test.step('278. an order that failed keeps its key as long as it is the same', async () => {
    gateway.respond(bgSpotPlaceOrder, { status: 503, body: { outcome: 'not-sent' } })
    for (const times of [3, 4]) {
      await send(page)
      await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(times)
      await expect(statusLine(page)).toHaveText(/^503 /)
    }
    await fill(page, 'price', '60001')
    await send(page)
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
    await send(page)
    await expect(response(page)).toContainText('It is unknown whether the order was placed')
    await expect(recentOf(page)).toHaveCount(1)
    await fill(page, 'price', '60001')
    await send(page)
    await expect(retryDialog(page)).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    expect(gateway.calls(bgSpotPlaceOrder)).toHaveLength(1)
  })
  await test.step('285. a retry is remembered as it was sent, not as the form shows it now', async () => {
    await send(page)
    await retry()
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(2)
    await expect(response(page)).toContainText('Failed to fetch')
    await expect(recentOf(page)).toHaveCount(2)
    await recentOf(page).first().getByRole('button', { name: 'Fill in' }).click()
    await expect(form(page).getByLabel('price', { exact: true })).toHaveValue('60000')
  })
  await test.step('278. a retry is the same order with its key, a new order is not', async () => {
    await fill(page, 'price', '60001')
    gateway.respond(bgSpotPlaceOrder, { body: { success: true } })
    await send(page)
    await retryDialog(page).getByRole('button', { name: 'New order' }).click()
    await expect(statusLine(page)).toHaveText(/^200 /)
    const [first, again, other] = await keysOf(gateway)
    expect(again).toBe(first)
    expect(other).not.toBe(first)
    const prices = gateway.calls(bgSpotPlaceOrder).map((call) => call.postDataJSON().price)
    expect(prices).toEqual(['60000', '60000', '60001'])
  })
  await test.step('278. a rejected retry leaves the outcome of the order unknown', async () => {
    gateway.respond(bgSpotPlaceOrder, { status: 504, body: { outcome: 'unknown' } })
    await send(page)
    await expect(statusLine(page)).toHaveText(/^504 /)
    gateway.respond(bgSpotPlaceOrder, { status: 401, body: { code: 'TOKEN_EXPIRED' } })
    await send(page)
    await retry()
    await expect(statusLine(page)).toHaveText(/^401 /)
    await send(page)
    await expect(retryDialog(page)).toBeVisible()
    expect(gateway.calls(bgSpotPlaceOrder)).toHaveLength(5)
  })
})

test('279. what the gateway reports of a response is shown with it', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  gateway.respond(bgSpotPlaceOrder, {
    body: '{"success":true}',
    headers: {
      'x-request-id': 'req-7',
      'x-queue-wait-ms': '1250',
      ratelimit: '"bg";r=1;t=0',
      'ratelimit-policy': '"bg";q=2;w=1',
    },
  })
  await page.goto(SPOT)
  await prepare(page)
  await send(page)
  for (const text of ['1,250 ms', 'req-7', '"bg";r=1;t=0', '"bg";q=2;w=1', '16 bytes'])
    await expect(response(page)).toContainText(text.replace(' ', '\u202f'))
  await expect(response(page).getByRole('definition').first()).toHaveText(/^\d[\d,.]*\u202fm?s$/)
})

test('284. after 429 and 503 the wait counts down', async ({ page, gateway }) => {
  await openFrozen(page, SPOT, page.getByRole('button', { name: 'Send Request' }))
  await prepare(page)
  for (const status of [429, 503])
    await test.step(`284. after ${status}`, async () => {
      gateway.respond(bgSpotPlaceOrder, {
        status,
        body: { outcome: 'not-sent' },
        headers: { 'retry-after': '3' },
      })
      await send(page)
      await expect(statusLine(page)).toHaveText(new RegExp(`^${status} `))
      const wait = response(page).getByRole('definition').last()
      await expect(wait).toHaveText('3 s')
      await passMs(page, 2000)
      await expect(wait).toHaveText('1 s')
      await passMs(page, 2000)
      await expect(wait).toHaveText('now')
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
  await expect(curl(page)).not.toContainText('Idempotency-Key')
  await fill(page, 'clientId', 'grid-bot')
  await fill(page, 'clientSecret', 'sls_secret')
  await send(page)
  await expect(statusLine(page)).toHaveText(/^401 /)
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
  await fill(page, 'JWT token', CLIENT_TOKEN)
  const recent = recentOf(page)
  for (let price = 1; price <= 9; price += 1) {
    await fill(page, 'price', `${price}`)
    await send(page)
    await expect(recent).toHaveCount(price + 1)
  }
  await recent.nth(6).getByRole('button', { name: 'Fill in' }).click()
  await expect(form(page).getByLabel('price', { exact: true })).toHaveValue('3')
  await expectAccessible(page)

  await recent.last().getByRole('button', { name: 'Fill in' }).click()
  await expect(page).toHaveURL('/mexc/auth/token')
  await expect(form(page).getByLabel('clientId', { exact: true })).toHaveValue('grid-bot')
  await expect(form(page).getByLabel('clientSecret', { exact: true })).toHaveValue('')
  await open('Trading APIs', 'Place Order')
  await fill(page, 'price', '10')
  await send(page)
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
    await send(page)
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(calls + 1)
    await goTo('Logs')
    await expect(page.getByRole('heading', { level: 1, name: 'Request Logs' })).toBeVisible()
    return release
  }
  await test.step('277. the send button names the exchange as it is now', async () => {
    respondWith('paper')
    await page.goto(SPOT)
    await expect(form(page)).toContainText('no real money moves')
    respondWith('real')
    await goWithin(page, '/bitget/trading/futures')
    await expect(form(page)).toContainText('an order moves real money')
    await goWithin(page, SPOT)
    await expect(curl(page)).toContainText(bgSpotPlaceOrder.path)
    await expect(form(page)).toContainText('an order moves real money')
  })
  await test.step('285. a response that comes later fills the form that sent it', async () => {
    const release = await leaveBeforeResponse()
    const responded = page.waitForResponse(`**${bgSpotPlaceOrder.path}`)
    release()
    await (await responded).finished()
    await page.goBack()
    await page.getByRole('button', { name: /^Fill in: / }).click()
    await expect(form(page).getByLabel('price', { exact: true })).toHaveValue('60000')
    await expect(page).toHaveURL(SPOT)
  })
  await test.step('278. an order without a response is asked about on return', async () => {
    const release = await leaveBeforeResponse()
    await page.goBack()
    await fill(page, 'price', '60000')
    await send(page)
    await retryDialog(page).getByRole('button', { name: 'Retry the same order' }).click()
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(3)
    release()
    await expect(statusLine(page)).toHaveText(/^204 /)
    const [, first, second] = await keysOf(gateway)
    expect(second).toBe(first)
  })
})
