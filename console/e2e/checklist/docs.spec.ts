import type { Page } from '@playwright/test'
import { bgFuturesPlaceOrder, getToken } from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { expect, test } from '../support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const MAIN_CALLS = {
  '/mexc/auth/token': 'POST /auth/token',
  '/mexc/trading/place-order': 'POST /api/mx/v1/submitOrder',
  '/bitget/auth/token': 'POST /auth/token',
  '/bitget/trading/spot': 'POST /api/bg/v1/spot/trade/place-order',
  '/bitget/trading/futures': 'POST /api/bg/v1/futures/trade/place-order',
  '/bitget/account/info': 'GET /api/bg/v1/getAccountInfo',
} as const

const mainOf = (page: Page) => page.getByRole('main')

/** The sample response of the first endpoint of the page, read back. */
async function sampleResponse(page: Page): Promise<unknown> {
  const sample = page.getByRole('figure', { name: 'Sample success response' }).first()
  return JSON.parse((await sample.locator('pre').textContent()) ?? '')
}

async function expectTokenRequest(page: Page): Promise<void> {
  expect(await sampleResponse(page)).toEqual({
    token: expect.any(String),
    expiresAt: expect.any(String),
    expiresInSeconds: 600,
  })
  const request = page.getByRole('figure', { name: 'Sample request' })
  await expect(request).toContainText(getToken.path)
  for (const part of ['"clientId"', '"clientSecret"', '"expiresIn": 3600'])
    await expect(request).toContainText(part)
}

async function expectBitgetOrder(page: Page): Promise<void> {
  expect(await sampleResponse(page)).toEqual({
    success: true,
    data: { orderId: expect.any(String), clientOid: expect.any(String) },
  })
}

const expectCalls = (calls: readonly string[]) => async (page: Page) => {
  for (const call of calls) {
    const [method = '', address = ''] = call.split(' ')
    const listed = page
      .getByRole('region')
      .filter({ has: page.getByText(address, { exact: true }) })
    await expect(listed.getByText(method, { exact: true })).toBeVisible()
  }
}

const expectInMain =
  (...texts: readonly (string | RegExp)[]) =>
  async (page: Page) => {
    for (const text of texts) await expect(mainOf(page)).toContainText(text)
  }

const expectPriceRule = (page: Page) =>
  expect(page.getByText('Price is required for limit orders.').first()).toBeVisible()

type Checks = Readonly<Record<string, (page: Page) => Promise<void>>>

/** What the checklist says of one page. */
const OF_PAGE: Readonly<Record<keyof typeof MAIN_CALLS, Checks>> = {
  '/mexc/auth/token': { '189. the token request and its response': expectTokenRequest },
  '/bitget/auth/token': { '189. the token request and its response': expectTokenRequest },
  '/mexc/trading/place-order': {
    '190. the sample responds as the page of the exchange says': async (page) => {
      expect(await sampleResponse(page)).toEqual({
        success: true,
        orderId: expect.any(String),
        message: expect.any(String),
      })
    },
    '192. the raw order is documented': async (page) => {
      const raw = page.getByRole('region', { name: "A futures order in the exchange's own form" })
      await expect(raw).toContainText('POST')
      await expect(raw.getByText('/api/v1/private/order/submit', { exact: true })).toBeVisible()
      const request = raw.getByRole('figure', { name: 'Sample request' })
      await expect(request).toContainText('Authorization: Bearer')
      await expect(request).toContainText('"symbol": "BTC_USDT"')
      for (const name of ['price', 'vol', 'leverage', 'side', 'type', 'openType']) {
        await expect(request).toContainText(`"${name}":`)
        await expect(raw.getByRole('link', { name, exact: true })).toBeVisible()
      }
    },
    '193. how long orders may take': expectInMain(/60 to 180 seconds under load/),
    '197. limit orders need a price': expectPriceRule,
  },
  '/bitget/trading/spot': {
    '190. the sample responds as the page of the exchange says': expectBitgetOrder,
    '194. the other calls are listed too': expectCalls([
      'POST /api/bg/v1/spot/trade/cancel-order',
      'GET /api/bg/v1/spot/trade/history',
    ]),
    '196. the minimum size is named': expectInMain('0.000001 BTC'),
    '197. limit orders need a price': expectPriceRule,
  },
  '/bitget/trading/futures': {
    '190. the sample responds as the page of the exchange says': expectBitgetOrder,
    '195. the other calls are listed too': expectCalls([
      'POST /api/bg/v1/futures/trade/modify-order',
      'POST /api/bg/v1/futures/trade/cancel-order',
      'GET /api/bg/v1/futures/trade/detail',
    ]),
    '196. minimum size, leverage and margin mode are named': expectInMain(
      '0.001 BTC',
      '125x',
      'crossed is the recommended margin mode',
    ),
    '197. limit orders need a price': expectPriceRule,
  },
  '/bitget/account/info': {
    '191. the account sample has entries with all fields': async (page) => {
      const text = expect.any(String)
      expect(await sampleResponse(page)).toEqual({
        success: true,
        data: [
          {
            accountId: text,
            accountType: text,
            coin: text,
            available: text,
            frozen: text,
            locked: text,
            uTime: text,
          },
        ],
      })
    },
  },
}

for (const [path, call] of Object.entries(MAIN_CALLS)) {
  test(`188. ${path} has all parts of a documentation page`, async ({ page }) => {
    await page.goto(path)
    const main = mainOf(page)
    const [method, address] = call.split(' ') as [string, string]
    await expect(main.getByText(method, { exact: true }).first()).toBeVisible()
    await expect(main.getByText(address, { exact: true }).first()).toBeVisible()
    await expect(main.getByRole('table').first()).toBeVisible()
    await expect(main.getByRole('columnheader', { name: 'Description' }).first()).toBeAttached()
    await expect(main.getByRole('figure', { name: 'Sample success response' })).not.toHaveCount(0)
    await expect(main.getByLabel('JWT token').first()).toBeVisible()
    await expect(main.getByRole('button', { name: 'Send Request' })).toBeVisible()
    const curl = main.getByRole('figure', { name: 'cURL command' })
    await expect(curl).toContainText(address)
    await expect(curl.getByRole('button', { name: 'Copy cURL command' })).toBeVisible()
    await expect(main.getByRole('region', { name: 'Response' })).toBeVisible()
    for (const [name, check] of Object.entries(OF_PAGE[path as keyof typeof MAIN_CALLS]))
      await test.step(name, () => check(page))
    await test.step('axe finds nothing, and nothing is wider than the page', async () => {
      await expectAccessible(page)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow).toBe(0)
    })
  })
}

test('289. every parameter has an address of its own', async ({ page }) => {
  await page.goto(`/bitget/trading/futures#${bgFuturesPlaceOrder.id}.leverage`)
  const row = page.locator('tr:target')
  await expect(row).toBeInViewport()
  await expect(row).toContainText('integer, 1 to 125')
})
