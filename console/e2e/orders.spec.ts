import type { Page } from '@playwright/test'
import { getOrderLife, listLogs, listOrders } from 'schema'
import { expectAccessible } from './support/axe.ts'
import { lifeOf, orderOf } from './support/order-samples.ts'
import { expect, test } from './support/test.ts'

const ADDRESS = `/orders/${orderOf().id}`
const FOUND = { headers: { 'x-kept-days': '30' } }
const lineOf = (page: Page) => page.getByRole('region', { name: 'What happened' })
const fieldOf = (page: Page) => page.getByRole('combobox', { name: /order/ })
const findButton = (page: Page) => page.getByRole('button', { name: 'Search', exact: true })

test.beforeEach(({ signedIn: _, gateway }) => {
  gateway.respond(getOrderLife, { body: lifeOf() })
  gateway.respond(listOrders, { body: [orderOf()], ...FOUND })
})

test('the life of an order: each step, its facts, and the response digit for digit', {
  tag: '@both',
}, async ({ page }) => {
  await page.goto(ADDRESS)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Order grid-7-42')
  const steps = lineOf(page).getByRole('listitem')
  await expect(steps).toHaveCount(12)
  await expect(steps.nth(2)).toContainText(
    '63 were already waiting: 2 cancels, 61 orders; 3 of this client, 60 of others. Place 43 in the queue.',
  )
  await expect(steps.nth(4)).toContainText('With the time of MEXC: 13:30:43.384 UTC')
  await expect(steps.nth(6)).toContainText('MEXC did not respond within 30 s')
  await expect(steps.nth(8)).toContainText('Looked up: found, open')
  await expect(steps.nth(10)).toContainText('The bot got HTTP 200')
  await expect(steps.nth(11)).toContainText('Reason: no heartbeat for 30 s')
  const response = page.getByRole('region', { name: 'Response', exact: true })
  await expect(response.locator('pre')).toContainText('739113577038255616')
  await response.getByRole('button', { name: 'Format' }).click()
  await expect(response.locator('pre')).toHaveText(lifeOf().response?.body ?? '')
  const facts = page.getByRole('region', { name: 'Facts' })
  await expect(facts.getByRole('link', { name: 'client_1772721022000_k3v9x2m4q' })).toHaveAttribute(
    'href',
    '/client-credentials/7',
  )
  await expect(facts.getByRole('link', { name: 'Show the row' })).toHaveAttribute(
    'href',
    `/logs?q=${orderOf().id}`,
  )
  await expectAccessible(page)
})

test('an unknown order that cannot be looked up says who must check it', async ({
  page,
  gateway,
}) => {
  const body = lifeOf({ state: 'unknown', canBeLookedUp: false, response: null, settledAt: null })
  gateway.respond(getOrderLife, { body })
  await page.goto(ADDRESS)
  await expect(page.getByText('names no order')).toContainText('at MEXC')
  await expect(
    page.getByText('No final response is stored: the outcome is not settled.'),
  ).toBeVisible()
})

test('the slash key opens the field, and one match opens the order', async ({ page, gateway }) => {
  await page.goto('/api-keys')
  await expect(findButton(page)).toBeVisible()
  await page.keyboard.press('/')
  await expect(fieldOf(page)).toBeFocused()
  await fieldOf(page).fill(' "grid-7-42" ')
  await fieldOf(page).press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Order grid-7-42')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const [call] = gateway.calls(listOrders)
  expect(new URL(call?.url() ?? '').searchParams.get('find')).toBe('grid-7-42')
})

test('several matches are listed, and each leads to its order', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  const cancel = orderOf({ id: 'r-2', endpoint: '/api/mx/v1/cancelOrder', state: 'answered' })
  gateway.respond(listOrders, { body: [cancel, orderOf()], ...FOUND })
  await page.goto('/api-keys')
  await findButton(page).click()
  await fieldOf(page).fill('739113577038255616')
  await fieldOf(page).press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('status')).toContainText('2 requests have this id')
  await expectAccessible(page)
  await dialog.getByRole('option', { name: 'POST /api/mx/v1/cancelOrder' }).click()
  await expect(page).toHaveURL(/\/orders\/r-2$/)
  await expect(dialog).toHaveCount(0)
})

test('nothing found: what was searched, and how long orders are kept', async ({
  page,
  gateway,
}) => {
  gateway.respond(listOrders, { body: [], ...FOUND })
  await page.goto('/orders?find=grid-8')
  await expect(page.getByText('No order has the id “grid-8”')).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'grid-8' })).toContainText(
    'kept for 30 days',
  )
  await expectAccessible(page)
})

test('a search that fails says so, and can be repeated', async ({ page, gateway }) => {
  gateway.respond(listOrders, { status: 500, body: { message: 'boom', requestId: 'r' } })
  await page.goto('/orders?find=grid-8')
  await expect(page.getByRole('alert')).toContainText('boom')
  gateway.respond(listOrders, { body: [orderOf()], ...FOUND })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page).toHaveURL(new RegExp(`${ADDRESS}$`))
})

test('the slash key goes to the search of a page that has one', async ({ page }) => {
  await page.goto('/logs')
  const search = page.locator('#main input[type="search"]')
  await expect(search).toBeVisible()
  await page.keyboard.press('/')
  await expect(search).toBeFocused()
  await expect(search).toHaveValue('')
})

test('a log row of an order leads to its life', async ({ page, gateway }) => {
  const [row] = listLogs.sample.response
  gateway.respond(listLogs, { body: [{ ...row, timestamp: new Date().toISOString() }] })
  await page.goto('/logs')
  await page
    .getByRole('button', { name: /\d\d:\d\d:\d\d/ })
    .first()
    .click()
  await page.getByRole('link', { name: 'Show what happened to it' }).click()
  await expect(page).toHaveURL(new RegExp(`${ADDRESS}$`))
})

test('an order does not scroll sideways at any width', async ({ page, gateway }) => {
  gateway.respond(getOrderLife, { body: lifeOf({ clientOrderId: 'x'.repeat(64) }) })
  await page.setViewportSize({ width: 320, height: 800 })
  await page.goto(ADDRESS)
  await expect(lineOf(page)).toBeVisible()
  for (const width of [320, 390, 768, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(lineOf(page)).toBeVisible()
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
    expect.soft(scrollWidth, `${width} px`).toBe(width)
  }
})
