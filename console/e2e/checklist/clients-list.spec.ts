import type { Locator, Page } from '@playwright/test'
import { listClients } from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from '../support/axe.ts'
import { clientOf, samples } from '../support/samples.ts'
import { clipboardOf, expect, expectVisible, refresh, test, toastOf } from '../support/test.ts'

const LONG = 'client_1772721022000_k3v9x2m4qz'
const SECRET = 'sls_9fQ2Zl0m3bNcVw8yTrXk5sJdHgA1x7Kd'

const rowOf = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })
const secretOf = (row: Locator) => row.getByRole('textbox', { name: /^Client Secret of/ })

test.beforeEach(({ signedIn: _ }) => {})

test('98. 99. 102. 103. 105. 107. 109. what a row says of its client, and the title of all', async ({
  page,
  gateway,
}) => {
  await page.goto('/client-credentials')
  const row = rowOf(page, 'grid-bot')
  await expectVisible({
    '102. an active one': row.getByText('Active', { exact: true }),
    '102. another': rowOf(page, 'market-maker').getByText('Inactive', { exact: true }),
    '103. the description': rowOf(page, 'arbitrage').getByText('Both exchanges'),
    '109. the creation': row.getByText('Mar 05, 2026, 14:30:22'),
  })
  await test.step('105. without its secret a record reveals the preview and why', async () => {
    await row.getByRole('button', { name: 'Show Client Secret' }).click()
    await expect(secretOf(row)).toHaveValue('sls_9fQ2...x7Kd')
    await expect(row).toContainText('shown once, at creation')
  })
  await test.step('107. without the full secret nothing is copied, and that is said', async () => {
    await page.evaluate(() => navigator.clipboard.writeText('before'))
    await page.getByRole('button', { name: 'Copy Client Secret of grid-bot' }).press('Enter')
    await expect(toastOf(page)).toContainText('The full secret was shown once, at creation')
    expect(await clipboardOf(page)).toBe('before')
  })
  const title = (count: number) =>
    page.getByRole('heading', { name: `Client Credentials (${count})`, exact: true })
  await test.step('98. the title counts the records', async () => {
    await expect(title(3)).toBeVisible()
    gateway.respond(listClients, { body: [] })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(title(0)).toBeVisible()
  })
  for (const text of ['No client credentials found', 'Create your first client credential above'])
    await expect(page.getByText(text, { exact: true }), '99. an empty list').toBeVisible()
})

test('100. 101. 106. 110. a row has a switch and a red Delete button, and shortens a long id', {
  tag: '@both',
}, async ({ page, gateway }) => {
  const whole = LONG.slice(0, 30)
  gateway.respond(listClients, {
    body: [clientOf({ clientId: whole }), clientOf({ id: 2, clientId: LONG })],
  })
  await page.goto('/client-credentials')
  const short = page.getByText('clien...2m4qz', { exact: true })
  await test.step('100. an id of 30 characters is shown whole, one of 31 shortened', async () => {
    await expect(page.getByText(whole, { exact: true })).toBeVisible()
    await expect(short).toBeVisible()
    await expect(page.getByText(LONG, { exact: true })).toHaveCount(0)
  })
  await test.step('101. the whole id appears on hover, on focus and in a copy field', async () => {
    const tip = page.getByRole('tooltip', { name: LONG })
    await short.hover()
    await expect(tip).toBeVisible()
    await page.mouse.move(0, 0)
    await expect(tip).toBeHidden()
    await short.focus()
    await expect(tip).toBeVisible()
    await expect(page.getByLabel(`Client ID ${LONG}`, { exact: true })).toHaveValue(LONG)
  })
  await test.step('106. copying the id puts the whole of it on the clipboard', async () => {
    await page.getByRole('button', { name: `Copy Client ID ${LONG}` }).click()
    await expect(toastOf(page)).toContainText(/^Copied.*Client ID copied to clipboard/)
    expect(await clipboardOf(page)).toBe(LONG)
  })
  gateway.respond(listClients, { body: samples.clients })
  await refresh(page)
  await test.step('110. a switch shows the state, and there is a red Delete button', async () => {
    await expect(page.getByRole('switch', { name: 'grid-bot' })).toBeChecked()
    await expect(page.getByRole('switch', { name: 'market-maker' })).not.toBeChecked()
    const button = page.getByRole('button', { name: 'Delete grid-bot' })
    await expect(button).toHaveText('Delete')
    const [red = 0, green = 0] = await button.evaluate((element) =>
      (getComputedStyle(element).color.match(/\d+/g) ?? []).map(Number),
    )
    expect(red).toBeGreaterThan(green * 2)
  })
  await test.step('axe finds nothing: recent messages', async () => {
    await page.keyboard.press('F8')
    await expect(page.getByText('Recent messages')).toBeVisible()
    await expectAccessible(page)
  })
})

test('104. 107. 241. a secret is revealed in its row only, and copied whole; a thousand rows', async ({
  page,
  gateway,
}) => {
  gateway.respond(listClients, {
    body: [
      clientOf({ clientSecret: SECRET }),
      clientOf({ id: 2, clientId: 'other', clientSecret: 'sls_of-the-other-one-here' }),
    ],
  })
  await page.goto('/client-credentials')
  const row = rowOf(page, 'grid-bot')
  await test.step("104. a row's eye reveals that row's secret only, and masks it", async () => {
    await expect(secretOf(row)).toHaveValue(/^•+$/)
    await row.getByRole('button', { name: 'Show Client Secret' }).click()
    await expect(secretOf(row)).toHaveValue(SECRET)
    await expect(secretOf(rowOf(page, 'other'))).toHaveValue(/^•+$/)
    await row.getByRole('button', { name: 'Show Client Secret' }).click()
    await expect(secretOf(row)).toHaveValue(/^•+$/)
  })
  await test.step('107. copying the secret puts the whole of it on the clipboard', async () => {
    await row.getByRole('button', { name: 'Copy Client Secret' }).click()
    await expect(toastOf(page)).toContainText('Client Secret copied to clipboard')
    expect(await clipboardOf(page)).toBe(SECRET)
  })
  await test.step('axe finds nothing: a revealed secret, a shortened id, and more than are in sight', async () => {
    const many = Array.from({ length: 15 }, (_, index) =>
      clientOf({ id: 100 - index, clientId: `${LONG}${index}` }),
    )
    gateway.respond(listClients, { body: many })
    await refresh(page)
    await page.getByRole('button', { name: 'Show Client Secret' }).first().click()
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('241. a thousand credentials appear as they are scrolled to', async () => {
    const many = Array.from({ length: 1000 }, (_, id) => clientOf({ id, clientId: `bot-${id}` }))
    gateway.respond(listClients, { body: many })
    await refresh(page)
    await expect(page.getByText('Client Credentials (1000)')).toBeVisible()
    expect(await page.getByRole('listitem').count()).toBeLessThan(200)
    await expect(async () => {
      await page.getByRole('listitem').last().scrollIntoViewIfNeeded()
      expect(await page.getByRole('button', { name: 'Delete bot-99', exact: true }).count()).toBe(1)
    }).toPass()
  })
})
