import type { Page } from '@playwright/test'
import { exportOrders, getOrderLife, getOrderSums, listClients, listLogs, listOrders } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { lifeOf, orderOf } from './support/order-samples.ts'
import { clientOf } from './support/samples.ts'
import { expect, expectNoExcess, goWithin, test } from './support/test.ts'

const ADDRESS = `/orders/${orderOf().id}`
const FOUND = { headers: { 'x-kept-days': '30' } }
const lineOf = (page: Page) => page.getByRole('region', { name: 'What happened' })
const fieldOf = (page: Page) => page.getByRole('combobox', { name: /order/ })
const findButton = (page: Page) => page.getByRole('button', { name: 'Search', exact: true })

test.beforeEach(({ signedIn: _, gateway }) => {
  gateway.respond(getOrderLife, { body: lifeOf() })
  gateway.respond(listOrders, { body: [orderOf()], ...FOUND })
})

test('the life of an order, and several matches', async ({ page, gateway }) => {
  await page.goto(ADDRESS)
  await test.step('the life of an order: each step, its facts, and the response digit for digit', async () => {
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
    await expect(
      facts.getByRole('link', { name: 'client_1772721022000_k3v9x2m4q' }),
    ).toHaveAttribute('href', '/client-credentials/7')
    await expect(facts.getByRole('link', { name: 'Show the row' })).toHaveAttribute(
      'href',
      `/logs?q=${orderOf().id}`,
    )
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('several matches are listed, and each leads to its order', async () => {
    const cancel = orderOf({ id: 'r-2', endpoint: '/api/mx/v1/cancelOrder', state: 'answered' })
    gateway.respond(listOrders, { body: [cancel, orderOf()], ...FOUND })
    await findButton(page).click()
    await fieldOf(page).fill('739113577038255616')
    await fieldOf(page).press('Enter')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('status')).toContainText('2 requests have this id')
    await expectAccessibleAtBothWidths(page)
    await dialog.getByRole('option', { name: 'POST /api/mx/v1/cancelOrder' }).click()
    await expect(page).toHaveURL(/\/orders\/r-2$/)
    await expect(dialog).toHaveCount(0)
  })
})

const orderNumber = (number: number) =>
  orderOf({
    ...{ id: `r-${number}`, clientId: 'grid-bot', symbol: 'BTCUSDT', quantity: `0.${number}` },
    createdAt: new Date(Date.parse('2026-03-05T14:00:00.000Z') - number * 1_000).toISOString(),
  })

test('the list of orders: what came last, by each filter, and what it comes to', async ({
  page,
  gateway,
}) => {
  const rows = page.getByRole('table', { name: 'Orders' }).getByRole('row')
  const askedFor = async (endpoint: typeof listOrders | typeof getOrderSums) =>
    new URL(gateway.calls(endpoint).at(-1)?.url() ?? '').search
  gateway.respond(listClients, { body: [clientOf({ clientId: 'grid-bot' })] })
  const first = [orderNumber(1), orderOf({ ...orderNumber(2), mayBeOpen: true, value: '901.85' })]
  const next = { 'x-next-before': '1772719198000-r-2' }
  gateway.respond(listOrders, (call) =>
    call.url().includes('before=') ? { body: [orderNumber(3)] } : { body: first, headers: next },
  )
  await test.step('each order in a row, with what it asks for, and the sums of the last hour', async () => {
    await page.goto('/orders')
    await expect(rows).toHaveCount(3)
    await expect(rows.nth(2)).toContainText('Buy BTCUSDT')
    await expect(rows.nth(2)).toContainText('901.85 USDT')
    await expect(rows.nth(2)).toContainText('Open')
    const sums = page.getByRole('region', { name: 'Sums' })
    await expect(sums).toContainText('Last hour: 12 orders, 3,400.5 USDT (2 not valued)')
    await expect(sums).toContainText('filled 300 USDT (3 known) · 1 refused · 4 cancels')
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('older orders are added below, and the newest stay live', async () => {
    await page.getByRole('button', { name: /^Show orders before/ }).click()
    await expect(rows).toHaveCount(4)
    const isOlder = (url: string) => url.includes('before=1772719198000-r-2')
    expect(gateway.calls(listOrders).some((call) => isOlder(call.url()))).toBe(true)
  })
  await test.step('a filter is in the address and goes to the gateway, a symbol of the sums too', async () => {
    gateway.respond(listOrders, { body: first })
    await page.getByRole('radiogroup').getByText('Open now').click()
    await page.getByRole('combobox', { name: 'Client' }).click()
    await page.getByRole('option', { name: 'grid-bot' }).click()
    await page.getByRole('button', { name: 'MEXC BTCUSDT' }).click()
    await expect(page).toHaveURL(/\/orders\?state=open&client=grid-bot&symbol=BTCUSDT$/)
    await expect
      .poll(() => askedFor(listOrders))
      .toBe('?clientId=grid-bot&symbol=BTCUSDT&state=open')
    await expect.poll(() => askedFor(getOrderSums)).toContain('symbol=BTCUSDT&state=open&from=')
  })
  await test.step('the export has the filter', async () => {
    gateway.respond(exportOrders, {
      body: 'Time,Client ID\r\n',
      headers: { 'content-type': 'text/csv' },
    })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    expect((await download).suggestedFilename()).toMatch(/^orders-.*\.csv$/)
    const { search } = new URL(gateway.calls(exportOrders).at(-1)?.url() ?? '')
    expect(search).toContain('symbol=BTCUSDT')
  })
  await test.step('a row leads to what happened to the order', async () => {
    await rows.nth(1).getByText('0.1').click()
    await expect(page).toHaveURL(/\/orders\/r-1$/)
  })
})

test('the ways to an order', async ({ page, gateway }) => {
  const atOrder = () => expect(page).toHaveURL(new RegExp(`${ADDRESS}$`))
  await test.step('a search that fails says so, and can be repeated', async () => {
    gateway.respond(listOrders, { status: 500, body: { message: 'boom', requestId: 'r' } })
    await page.goto('/orders?find=grid-8')
    await expect(page.getByRole('alert')).toContainText('boom')
    gateway.respond(listOrders, { body: [orderOf()], ...FOUND })
    await page.getByRole('button', { name: 'Try again' }).click()
    await atOrder()
  })
  await test.step('the slash key opens the field, and one match opens the order', async () => {
    await goWithin(page, '/api-keys')
    await expect(page.getByRole('heading', { level: 1, name: 'API Key' })).toBeVisible()
    const before = gateway.calls(listOrders).length
    await page.keyboard.press('/')
    await expect(fieldOf(page)).toBeFocused()
    await fieldOf(page).fill(' "grid-7-42" ')
    await fieldOf(page).press('Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Order grid-7-42')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    const call = gateway.calls(listOrders)[before]
    expect(new URL(call?.url() ?? '').searchParams.get('find')).toBe('grid-7-42')
  })
  await test.step('nothing found: what was searched, and how long orders are kept', async () => {
    gateway.respond(listOrders, { body: [], ...FOUND })
    await goWithin(page, '/orders?find=grid-9')
    await expect(page.getByText('No order has the id “grid-9”')).toBeVisible()
    const note = page.getByRole('status').filter({ hasText: 'grid-9' })
    await expect(note).toContainText('kept for 30 days')
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('the slash key goes to the search of a page that has one', async () => {
    const [row] = listLogs.sample.response
    gateway.respond(listLogs, { body: [{ ...row, timestamp: new Date().toISOString() }] })
    await goWithin(page, '/logs')
    const search = page.locator('#main input[type="search"]')
    await expect(search).toBeVisible()
    await page.keyboard.press('/')
    await expect(search).toBeFocused()
    await expect(search).toHaveValue('')
  })
  await test.step('a log row of an order leads to its life', async () => {
    gateway.respond(listOrders, { body: [orderOf()], ...FOUND })
    await page.locator('[data-opens]').first().click()
    await page.getByRole('link', { name: 'Show what happened to it' }).click()
    await atOrder()
  })
  await test.step('an unknown order that cannot be looked up says who must check it', async () => {
    const unknown = { canBeLookedUp: false, response: null, settledAt: null }
    gateway.respond(getOrderLife, { body: lifeOf({ state: 'unknown', ...unknown }) })
    await goWithin(page, '/orders/r-3')
    await expect(page.getByText('cannot look this call up')).toContainText('at MEXC')
    const unsettled = 'No final response is stored: the outcome is not settled.'
    await expect(page.getByText(unsettled)).toBeVisible()
  })
  await test.step('a refusal says who refused, and only a temporary one may succeed later', async () => {
    const message = 'quantity 0.00000001 BTC is less than the smallest size, 0.0001'
    const refusal = { by: 'gateway', code: 'ORDER_INVALID', message, isTemporary: false } as const
    const of = (changes: object) => lifeOf({ state: 'dropped', refusal, ...changes })
    gateway.respond(getOrderLife, { body: of({}) })
    await goWithin(page, '/orders/r-5')
    await expect(page.getByText(`Sluice refused it: ${message}. Nothing was sent.`)).toBeVisible()
    await expect(page.getByText('may be accepted later')).toHaveCount(0)
    const full = { by: 'exchange', message: 'Insufficient balance' }
    gateway.respond(getOrderLife, {
      body: of({ refusal: { ...refusal, ...full }, state: 'refused' }),
    })
    await goWithin(page, '/orders/r-6')
    await expect(page.getByText('MEXC refused it: Insufficient balance.')).toBeVisible()
    gateway.respond(getOrderLife, {
      body: of({ refusal: { ...refusal, ...full, isTemporary: true } }),
    })
    await goWithin(page, '/orders/r-7')
    await expect(page.getByText('The same order may be accepted later.')).toBeVisible()
  })
  const clientOrderId = 'x'.repeat(64)
  gateway.respond(getOrderLife, { body: lifeOf({ clientOrderId }) })
  await goWithin(page, '/orders/r-4')
  await expect(page.getByRole('heading', { level: 1 })).toContainText(clientOrderId)
  await expect(lineOf(page)).toBeVisible()
  await expectNoExcess(page, 320, 390, 768, 1440)
})
