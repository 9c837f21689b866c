import type { Page } from '@playwright/test'
import { bgFuturesPlaceOrder, docPages, getToken } from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from '../support/axe.ts'
import { expect, expectNoExcess, goWithin, shellOf, test } from '../support/test.ts'

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

const text = expect.any(String)

async function expectTokenRequest(page: Page): Promise<void> {
  expect(await sampleResponse(page)).toEqual({
    ...{ token: text, expiresAt: text, expiresInSeconds: 600 },
  })
  const request = page.getByRole('figure', { name: 'Sample request' })
  await expect(request).toContainText(getToken.path)
  for (const part of ['"clientId"', '"clientSecret"', '"expiresIn": 3600'])
    await expect(request).toContainText(part)
}

async function expectBitgetOrder(page: Page): Promise<void> {
  expect(await sampleResponse(page)).toEqual({
    success: true,
    data: { orderId: text, clientOid: text },
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
      expect(await sampleResponse(page)).toEqual({ success: true, orderId: text, message: text })
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
      const names = ['accountId', 'accountType', 'coin', 'available', 'frozen', 'locked', 'uTime']
      const entry = Object.fromEntries(names.map((name) => [name, text]))
      expect(await sampleResponse(page)).toEqual({ success: true, data: [entry] })
    },
  },
}

test('66. 67. 188. to 197. 287. each documentation page names what it documents, and has all its parts', async ({
  page,
}) => {
  await page.goto('/nope')
  const main = mainOf(page)
  for (const { path, label, endpoints, badge } of docPages)
    await test.step(`66. 67. ${path} shows a page that names ${label}`, async () => {
      await goWithin(page, path)
      await expect(page.getByRole('heading', { level: 1 })).toContainText(label)
      await expect(page).toHaveTitle(new RegExp(label))
      // What the sidebar counts is what the page documents (console-checklist-beyond.md, 287).
      expect(badge ?? endpoints.length).toBe(endpoints.length)
      for (const endpoint of endpoints)
        await expect(main.getByText(endpoint.path, { exact: true }).first()).toBeVisible()
      // A page with several forms.
      if (path === '/bitget/market/ticker') await expectAccessibleAtBothWidths(page)
    })
  for (const [path, call] of Object.entries(MAIN_CALLS)) {
    await test.step(`188. ${path} has all parts of a documentation page`, async () => {
      await goWithin(page, path)
      await expectCalls([call])(page)
      for (const part of [
        main.getByRole('table'),
        main.getByLabel('JWT token'),
        main.getByRole('button', { name: 'Send Request' }),
        main.getByRole('button', { name: 'Copy cURL command' }),
        main.getByRole('region', { name: 'Response' }),
      ])
        await expect(part.first()).toBeVisible()
      await expect(main.getByRole('columnheader', { name: 'Description' }).first()).toBeAttached()
      await expect(main.getByRole('figure', { name: 'Sample success response' })).not.toHaveCount(0)
      await expect(main.getByRole('figure', { name: 'cURL command' })).toContainText(
        call.split(' ')[1] ?? '',
      )
    })
    for (const [name, check] of Object.entries(OF_PAGE[path as keyof typeof MAIN_CALLS]))
      await test.step(`${name} (${path})`, () => check(page))
    await test.step(`axe finds nothing on ${path}, and nothing is wider than the page`, async () => {
      await expectAccessible(page)
      await expectNoExcess(page)
    })
  }
  await test.step("every field of MEXC's raw order says what it is", async () => {
    await goWithin(page, '/mexc/trading/place-order')
    const fields = page.locator('[id^="mxRawOrder."]')
    await expect(fields).toHaveCount(7)
    for (const field of await fields.all())
      await expect(field.getByRole('cell').last()).not.toHaveText('')
  })
  await test.step('a page of several endpoints begins with links to them', async () => {
    const [longest] = docPages.toSorted((a, b) => b.endpoints.length - a.endpoints.length)
    if (longest === undefined) throw new Error('There is no page')
    await goWithin(page, longest.path)
    const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('link')
    await expect(links).toHaveText(longest.endpoints.map(({ summary }) => summary))
    const last = longest.endpoints.at(-1)
    await links.last().click()
    await expect(page).toHaveURL(new RegExp(`#${last?.id}$`))
    await expect(page.getByRole('region', { name: last?.summary ?? '' })).toBeInViewport()
  })
})

test('68. an unknown path is not found, inside the shell, with a way back', async ({ page }) => {
  for (const path of ['/nope', '/logs/x', '/mexc'])
    await test.step(`68. ${path}`, async () => {
      await page.goto(path)
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page Not Found')
      await expect(page).toHaveTitle(/Page Not Found/)
      await expect(shellOf(page)).toBeVisible()
      if (path === '/nope') await expectAccessible(page)
      await page.getByRole('main').getByRole('link').click()
      await expect(page).toHaveURL('/')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
    })
})

test('66. 289. after a direct load the groups show where one is, and each parameter has an address', async ({
  page,
  sidebar,
}) => {
  await page.goto(`/bitget/trading/futures#${bgFuturesPlaceOrder.id}.leverage`)
  await test.step('289. every parameter has an address of its own', async () => {
    const row = page.locator('tr:target')
    await expect(row).toBeInViewport()
    await expect(row).toContainText('integer, 1 to 125')
  })
  await test.step('the groups of the current page are open, and show where one is when folded', async () => {
    const bar = await sidebar()
    const group = (name: string) => bar.getByRole('button', { name, exact: true })
    await expect(group('MEXC')).toHaveAttribute('aria-expanded', 'false')
    await expect(group('Trading APIs')).not.toHaveAttribute('aria-current')
    await group('Trading APIs').click()
    await expect(group('Trading APIs')).toHaveAttribute('aria-current', 'true')
    await group('Bitget').click()
    await expect(group('Bitget')).toHaveAttribute('aria-current', 'true')
    await group('Bitget').click()
    const link = bar.getByRole('link', { name: /^Futures Orders/ })
    await expect(link).toHaveAttribute('aria-current', 'page')
    await expect(bar.locator('[aria-current]')).toHaveCount(1)
  })
})
