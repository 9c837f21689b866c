import type { Page } from '@playwright/test'
import { changeClientLimits, getClientLimits, listClients, NO_LIMITS } from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from './support/axe.ts'
import { NOW, openFrozen, passMs } from './support/freeze-clock.ts'
import { clientOf, limitsOf } from './support/samples.ts'
import { type Gateway, settle } from './support/stub-gateway.ts'
import { expect, test, toastOf } from './support/test.ts'

const ADDRESS = '/client-credentials/7'

const stateOf = (page: Page) => page.getByRole('radiogroup', { name: 'State of the client' })
const choose = (page: Page, name: string) => stateOf(page).getByText(name, { exact: true }).click()
const enforce = (page: Page) => page.getByRole('switch', { name: /Enforce the limits/ })
const save = (page: Page) => page.getByRole('button', { name: 'Save limits' })
const sentBodies = (gateway: Gateway) =>
  gateway.calls(changeClientLimits).map((request) => request.postDataJSON())

async function open(page: Page): Promise<void> {
  await page.goto(ADDRESS)
  await expect(page.getByRole('heading', { level: 1, name: 'grid-bot' })).toBeVisible()
  await expect(stateOf(page)).toBeVisible()
}

test.beforeEach(({ signedIn: _ }) => {})

test("a client's name leads to its page, and a link back to the list", { tag: '@both' }, async ({
  page,
}) => {
  await page.goto('/client-credentials')
  await page.getByRole('link', { name: 'grid-bot', exact: true }).click()
  await expect(page).toHaveURL(ADDRESS)
  const heading = page.getByRole('heading', { level: 1, name: 'grid-bot' })
  await expect(heading).toBeVisible()
  await expect(page).toHaveTitle('grid-bot · Sluice')
  await page.reload()
  await expect(heading).toBeVisible()
  await page.getByRole('link', { name: 'All clients' }).click()
  await expect(page).toHaveURL('/client-credentials')
  await page.getByRole('link', { name: 'Limits of arbitrage' }).click()
  await expect(page).toHaveURL('/client-credentials/9')
})

test('the whole of a shortened id appears on the focus of its link, which leads to the page', async ({
  page,
  gateway,
}) => {
  const clientId = 'client_1772721022000_k3v9x2m4qz'
  gateway.respond(listClients, { body: [clientOf({ clientId })] })
  await page.goto('/client-credentials')
  const link = page.getByRole('link', { name: 'clien...2m4qz' })
  await link.focus()
  await expect(page.getByRole('tooltip', { name: clientId })).toBeVisible()
  await link.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: clientId })).toBeVisible()
})

test("a client's page belongs to the client credentials in the navigation", async ({
  page,
  sidebar,
}) => {
  await open(page)
  const link = (await sidebar()).getByRole('link', { name: 'Client Credentials' })
  await expect(link).toHaveAttribute('aria-current', 'page')
})

test('an id that no client has says so; what is no id is no page', async ({ page }) => {
  await page.goto('/client-credentials/12345')
  await expect(page.getByText('There is no such client')).toBeVisible()
  await page.goto('/client-credentials/abc')
  await expect(page.getByText('Page Not Found')).toBeVisible()
})

test('a row of the list shows a state that is not active, and the nearest limit', async ({
  page,
  gateway,
}) => {
  const body = [
    clientOf({ state: 'active', nearestLimit: { limit: 'maxDayValue', percent: 41 } }),
    clientOf({
      ...{ id: 8, clientId: 'halted-bot', state: 'halted' },
      nearestLimit: { limit: 'maxDayValue', percent: 82 },
    }),
    clientOf({
      ...{ id: 9, clientId: 'full-bot', state: 'stopped' },
      nearestLimit: { limit: 'maxOpenOrders', percent: 100 },
    }),
    clientOf({ id: 10, clientId: 'idle-bot', state: 'active', nearestLimit: null }),
  ]
  gateway.respond(listClients, { body })
  await page.goto('/client-credentials')
  const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await expect(rowOf('grid-bot')).toContainText('Day value 41 %')
  await expect(rowOf('grid-bot')).not.toContainText('near the limit')
  await expect(rowOf('halted-bot').getByText('Halted', { exact: true })).toBeVisible()
  await expect(rowOf('halted-bot')).toContainText('Day value 82 %, near the limit')
  await expect(rowOf('full-bot').getByText('Stopped', { exact: true })).toBeVisible()
  await expect(rowOf('full-bot')).toContainText('Open orders 100 %, limit reached')
  await expect(rowOf('idle-bot')).not.toContainText('%')
  await expectAccessible(page)
})

test('a stricter state is set at once', { tag: '@both' }, async ({ page, gateway }) => {
  await open(page)
  gateway.respond(changeClientLimits, { body: limitsOf({ state: 'halted' }) })
  await choose(page, 'Halted')
  await expect(toastOf(page)).toContainText('The client is now halted.')
  expect(sentBodies(gateway)).toEqual([{ state: 'halted' }])
  await expect(stateOf(page).getByRole('radio', { name: /^Halted/ })).toBeChecked()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a laxer state is confirmed first', async ({ page, gateway }) => {
  gateway.respond(getClientLimits, { body: limitsOf({ state: 'halted' }) })
  gateway.respond(changeClientLimits, { body: limitsOf({ state: 'reducing' }) })
  await open(page)
  await choose(page, 'Reducing')
  const dialog = page.getByRole('dialog', { name: 'Make the client reducing?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await settle(page)
  expect(sentBodies(gateway)).toEqual([])
  await expect(stateOf(page).getByRole('radio', { name: /^Halted/ })).toBeChecked()
  await choose(page, 'Reducing')
  await dialog.getByRole('button', { name: 'Make reducing' }).click()
  await expect(toastOf(page)).toContainText('The client is now reducing.')
  expect(sentBodies(gateway)).toEqual([{ state: 'reducing' }])
})

test('the arrow keys change the state, and the keyboard stays there', async ({ page, gateway }) => {
  gateway.respond(changeClientLimits, { body: limitsOf({ state: 'reducing' }) })
  await open(page)
  const reducing = stateOf(page).getByRole('radio', { name: /^Reducing/ })
  await stateOf(page)
    .getByRole('radio', { name: /^Active/ })
    .press('ArrowRight')
  await expect(reducing).toBeChecked()
  await expect(reducing).toBeFocused()
  await reducing.press('ArrowLeft')
  const dialog = page.getByRole('dialog', { name: 'Make the client active?' })
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(reducing).toBeChecked()
  await expect(stateOf(page).locator(':focus')).toHaveCount(1)
  expect(sentBodies(gateway)).toEqual([{ state: 'reducing' }])
})

test('a rejected state is shown, and the control stays where it was', async ({ page, gateway }) => {
  gateway.respond(changeClientLimits, { status: 503, body: { message: 'The disk is full' } })
  await open(page)
  await choose(page, 'Halted')
  await expect(toastOf(page)).toContainText('503: The disk is full')
  await expect(stateOf(page).getByRole('radio', { name: /^Active/ })).toBeChecked()
})

test('shadow mode is confirmed, enforcing is not', async ({ page, gateway }) => {
  gateway.respond(changeClientLimits, { body: limitsOf({ mode: 'shadow' }) })
  await open(page)
  await expect(enforce(page)).toBeChecked()
  await enforce(page).press('Space')
  await page.getByRole('button', { name: 'Use shadow mode' }).click()
  await expect(enforce(page)).not.toBeChecked()
  await expect(page.getByText('Shadow mode', { exact: true })).toBeVisible()
  gateway.respond(changeClientLimits, { body: limitsOf() })
  await enforce(page).press('Space')
  await expect(enforce(page)).toBeChecked()
  expect(sentBodies(gateway)).toEqual([{ mode: 'shadow' }, { mode: 'enforce' }])
})

test('in shadow mode a state says that it refuses nothing', async ({ page, gateway }) => {
  gateway.respond(getClientLimits, { body: limitsOf({ mode: 'shadow', state: 'halted' }) })
  await open(page)
  await expect(page.getByText('this state refuses nothing')).toBeVisible()
})

test('for a client without limits the page says what they are for, and the client may start in shadow mode', async ({
  page,
  gateway,
}) => {
  gateway.respond(getClientLimits, { body: limitsOf(NO_LIMITS) })
  gateway.respond(changeClientLimits, { body: limitsOf({ ...NO_LIMITS, mode: 'shadow' }) })
  await open(page)
  await expect(page.getByText('This client has no limits')).toBeVisible()
  await expect(page.getByText('no limit', { exact: false }).first()).toBeVisible()
  await expect(page.getByRole('meter')).toHaveCount(0)
  await page.getByRole('button', { name: 'Start in shadow mode' }).click()
  await page.getByRole('button', { name: 'Use shadow mode' }).click()
  await expect(enforce(page)).not.toBeChecked()
  await expect(page.getByRole('button', { name: 'Start in shadow mode' })).toHaveCount(0)
})

test('only changed limits are sent, and an empty field removes one', async ({ page, gateway }) => {
  await open(page)
  await page.getByLabel('Value of a day').fill(' 2500.5 ')
  await page.getByLabel('Leverage').fill('')
  await page.getByLabel('Markets').selectOption('Futures only')
  await page.getByLabel('Expires at (your time, Europe/Berlin)').fill('2027-06-01T02:30')
  await expect(page.getByText('2027-06-01 00:30 UTC')).toBeVisible()
  await page.getByLabel('Symbols', { exact: true }).first().fill('solusdt')
  await page.getByLabel('Symbols', { exact: true }).first().press('Enter')
  await page.getByRole('button', { name: 'Remove BTC_USDT' }).click()
  await expect(page.getByLabel('Symbols', { exact: true }).first()).toBeFocused()
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  gateway.respond(changeClientLimits, { body: limitsOf({ maxDayValue: '2500.5' }) })
  await save(page).click()
  await expect(toastOf(page)).toContainText('Limits Saved')
  expect(sentBodies(gateway)).toEqual([
    {
      symbols: ['BTCUSDT', 'ETH*', 'SOLUSDT'],
      markets: ['futures'],
      maxDayValue: '2500.5',
      maxLeverage: null,
      expiresAt: '2027-06-01T00:30:00Z',
    },
  ])
  await expect(page.getByLabel('Value of a day')).toHaveValue('2500.5')
  await expect(page.getByText('Unsaved changes')).toHaveCount(0)
})

test('a pasted list becomes entries, each once', async ({ page, gateway }) => {
  await open(page)
  const field = page.getByLabel('Addresses', { exact: true }).first()
  await page.evaluate(() => navigator.clipboard.writeText('10.0.0.1, 10.0.0.2\n10.0.0.1'))
  await field.focus()
  await page.keyboard.press('ControlOrMeta+V')
  await save(page).click()
  await expect
    .poll(() => sentBodies(gateway))
    .toEqual([{ allowedIps: ['203.0.113.0/24', '2001:db8::/32', '10.0.0.1', '10.0.0.2'] }])
})

test('an entry that was typed and not added is saved too', async ({ page, gateway }) => {
  await open(page)
  await page.getByLabel('Symbols', { exact: true }).first().fill('XRPUSDT')
  await save(page).click()
  await expect
    .poll(() => sentBodies(gateway))
    .toEqual([{ symbols: ['BTCUSDT', 'BTC_USDT', 'ETH*', 'XRPUSDT'] }])
})

test('wrong limits are reported at their fields and not sent', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  await open(page)
  await page.getByLabel('Value of one order').fill('1,5')
  await page.getByLabel('Orders per minute').fill('0')
  await save(page).click()
  await expect(page.getByLabel('Value of one order')).toBeFocused()
  await expect(page.getByLabel('Value of one order')).toHaveAccessibleDescription(
    /An amount above 0 with at most 6 decimals/,
  )
  await expect(page.getByLabel('Orders per minute')).toHaveAccessibleDescription(
    /A whole number from 1 to 100,000/,
  )
  await settle(page)
  expect(sentBodies(gateway)).toEqual([])
})

test("the gateway's objections appear at their fields, and what was typed stays", async ({
  page,
  gateway,
}) => {
  const fields = [{ field: 'allowedIps.2', message: 'must be an address or a network' }]
  gateway.respond(changeClientLimits, { status: 400, body: { message: 'Not valid', fields } })
  await open(page)
  const addresses = page.getByLabel('Addresses', { exact: true }).first()
  await addresses.fill('10.0.0.0/33')
  await save(page).click()
  await expect(addresses).toHaveAccessibleDescription(/must be an address or a network/)
  await expect(addresses).toBeFocused()
  await expect(page.getByRole('button', { name: 'Remove 10.0.0.0/33' })).toBeVisible()
  await expect(toastOf(page)).toContainText('400: Not valid')
})

test('Reset brings back what is saved', async ({ page }) => {
  await open(page)
  const reset = page.getByRole('button', { name: 'Reset' })
  await expect(reset).toBeDisabled()
  await page.getByLabel('Value of a day').fill('1')
  await page.getByRole('button', { name: 'Remove ETH*' }).click()
  await reset.click()
  await expect(page.getByLabel('Value of a day')).toHaveValue('2000')
  await expect(page.getByRole('button', { name: 'Remove ETH*' })).toBeVisible()
  await expect(reset).toBeDisabled()
})

test('the use of the limits is read every 5 s and shown in words', async ({ page, gateway }) => {
  await openFrozen(page, ADDRESS, stateOf(page))
  const day = page.getByRole('meter', { name: 'Value of the last 24 hours' })
  await expect(day).toHaveAttribute('aria-valuetext', '412.5 of 2,000 USDT, 20 %')
  await expect(page.getByText('Near the limit')).toHaveCount(0)
  gateway.respond(getClientLimits, {
    body: limitsOf({ usage: { dayValue: '1600', openOrders: 20, ordersLastMinute: 29 } }),
  })
  const before = gateway.calls(getClientLimits).length
  await passMs(page, 4900)
  expect(gateway.calls(getClientLimits)).toHaveLength(before)
  await passMs(page, 200)
  await expect(day).toHaveAttribute('aria-valuetext', '1,600 of 2,000 USDT, 80 %')
  await expect(page.getByText('Near the limit')).toHaveCount(2)
  await expect(page.getByText('Limit reached')).toHaveCount(1)
})

test('what somebody else changes appears in the fields that were not touched', async ({
  page,
  gateway,
}) => {
  await openFrozen(page, ADDRESS, stateOf(page))
  await page.getByLabel('Value of a day').fill('9000')
  gateway.respond(getClientLimits, {
    body: limitsOf({ maxDayValue: '1', maxOrderValue: '77', state: 'reducing' }),
  })
  await passMs(page, 5000)
  await expect(page.getByLabel('Value of one order')).toHaveValue('77')
  await expect(page.getByLabel('Value of a day')).toHaveValue('9000')
  await expect(page.getByText('Reducing', { exact: true }).first()).toBeVisible()
  gateway.respond(changeClientLimits, { body: limitsOf({ maxDayValue: '9000' }) })
  await save(page).click()
  await settle(page)
  expect(sentBodies(gateway)).toEqual([{ maxDayValue: '9000' }])
})

test('an expiry that has passed says so', async ({ page, gateway }) => {
  const expiresAt = new Date(NOW.getTime() - 60_000).toISOString()
  gateway.respond(getClientLimits, { body: limitsOf({ expiresAt }) })
  await openFrozen(page, ADDRESS, stateOf(page))
  await expect(page.getByText('Expired', { exact: true })).toBeVisible()
  await expect(page.getByText('2026-03-05 13:29 UTC: this time has passed')).toBeVisible()
})

test('a failed read says so, and Try again reads', async ({ page, gateway }) => {
  gateway.respond(getClientLimits, { status: 500, body: { message: 'boom', requestId: 'r-1' } })
  await page.goto(ADDRESS)
  await expect(page.getByText('Could not read the limits of the client')).toBeVisible()
  gateway.respond(getClientLimits, { body: limitsOf() })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(stateOf(page)).toBeVisible()
})

test('axe finds nothing: limits, near and reached, and wrong input', async ({ page, gateway }) => {
  gateway.respond(getClientLimits, {
    body: limitsOf({
      mode: 'shadow',
      state: 'reducing',
      stopped: { reason: 'Night', at: NOW.toISOString() },
      usage: { dayValue: '1700', openOrders: 21, ordersLastMinute: 1 },
    }),
  })
  await open(page)
  await page.getByLabel('Value of a day').fill('-1')
  await save(page).click()
  await expect(page.getByText('An amount above 0')).toBeVisible()
  await expectAccessibleAtBothWidths(page)
})

test('axe finds nothing: no limits, and the question before shadow mode', async ({
  page,
  gateway,
}) => {
  gateway.respond(getClientLimits, { body: limitsOf(NO_LIMITS) })
  await open(page)
  await expectAccessibleAtBothWidths(page)
  await page.getByRole('button', { name: 'Start in shadow mode' }).click()
  await expect(page.getByRole('button', { name: 'Use shadow mode' })).toBeEnabled()
  await expectAccessibleAtBothWidths(page)
})

test('at 320 px the page does not scroll sideways', { tag: '@narrow' }, async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 })
  await open(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
})
