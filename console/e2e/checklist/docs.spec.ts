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

/** The sample response of the first endpoint of a page, read back. */
async function sampleResponse(page: Page, path: string): Promise<unknown> {
  await page.goto(path)
  const sample = page.getByRole('figure', { name: 'Sample success response' }).first()
  return JSON.parse((await sample.locator('pre').textContent()) ?? '')
}

for (const [path, call] of Object.entries(MAIN_CALLS)) {
  test(`188. ${path} has all parts of a documentation page`, async ({ page }) => {
    await page.goto(path)
    const main = page.getByRole('main')
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
  })
}

for (const path of ['/mexc/auth/token', '/bitget/auth/token']) {
  test(`189. ${path} documents the token request and its response`, async ({ page }) => {
    expect(await sampleResponse(page, path)).toEqual({
      token: expect.any(String),
      expiresAt: expect.any(String),
      expiresInSeconds: 600,
    })
    const request = page.getByRole('figure', { name: 'Sample request' })
    await expect(request).toContainText(getToken.path)
    for (const part of ['"clientId"', '"clientSecret"', '"expiresIn": 3600'])
      await expect(request).toContainText(part)
  })
}

test('190. order samples response as the exchanges pages say', async ({ page }) => {
  expect(await sampleResponse(page, '/mexc/trading/place-order')).toEqual({
    success: true,
    orderId: expect.any(String),
    message: expect.any(String),
  })
  for (const path of ['/bitget/trading/spot', '/bitget/trading/futures']) {
    expect(await sampleResponse(page, path)).toEqual({
      success: true,
      data: { orderId: expect.any(String), clientOid: expect.any(String) },
    })
  }
})

test('191. the account sample has entries with all fields', async ({ page }) => {
  const text = expect.any(String)
  expect(await sampleResponse(page, '/bitget/account/info')).toEqual({
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
})

test('192. the MEXC order page documents the raw order', async ({ page }) => {
  await page.goto('/mexc/trading/place-order')
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
})

test('193. the MEXC order page says how long orders may take', async ({ page }) => {
  await page.goto('/mexc/trading/place-order')
  await expect(page.getByRole('main')).toContainText(/60 to 180 seconds under load/)
})

for (const [check, path, calls] of [
  [
    '194.',
    '/bitget/trading/spot',
    ['POST /api/bg/v1/spot/trade/cancel-order', 'GET /api/bg/v1/spot/trade/history'],
  ],
  [
    '195.',
    '/bitget/trading/futures',
    [
      'POST /api/bg/v1/futures/trade/modify-order',
      'POST /api/bg/v1/futures/trade/cancel-order',
      'GET /api/bg/v1/futures/trade/detail',
    ],
  ],
] as const) {
  test(`${check} ${path} lists its other calls too`, async ({ page }) => {
    await page.goto(path)
    for (const call of calls) {
      const [method = '', address = ''] = call.split(' ')
      const listed = page
        .getByRole('region')
        .filter({ has: page.getByText(address, { exact: true }) })
      await expect(listed.getByText(method, { exact: true })).toBeVisible()
    }
  })
}

test('196. minimum sizes, leverage and margin mode are named', async ({ page }) => {
  await page.goto('/bitget/trading/spot')
  await expect(page.getByRole('main')).toContainText('0.000001 BTC')
  await page.goto('/bitget/trading/futures')
  const main = page.getByRole('main')
  for (const text of ['0.001 BTC', '125x', 'crossed is the recommended margin mode'])
    await expect(main).toContainText(text)
})

for (const path of [
  '/mexc/trading/place-order',
  '/bitget/trading/spot',
  '/bitget/trading/futures',
]) {
  test(`197. ${path} says that limit orders need a price`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByText('Price is required for limit orders.').first()).toBeVisible()
  })
}

test('289. every parameter has an address of its own', async ({ page }) => {
  await page.goto(`/bitget/trading/futures#${bgFuturesPlaceOrder.id}.leverage`)
  const row = page.locator('tr:target')
  await expect(row).toBeInViewport()
  await expect(row).toContainText('integer, 1 to 125')
})

for (const path of Object.keys(MAIN_CALLS)) {
  test(`axe finds nothing on ${path}, and nothing is wider than the page`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByRole('button', { name: 'Send Request' })).toBeVisible()
    await expectAccessible(page)
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
  })
}
