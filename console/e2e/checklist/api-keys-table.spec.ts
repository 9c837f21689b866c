import type { Locator, Page } from '@playwright/test'
import { listApiKeys, saveApiKey } from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from '../support/axe.ts'
import { apiKeyOf, samples } from '../support/samples.ts'
import { choose, expect, expectNoExcess, expectVisible, refresh, test } from '../support/test.ts'

const rowsOf = (page: Page) => page.getByRole('table').getByRole('row')
const rowOf = (page: Page, client: string, exchange: string) =>
  rowsOf(page).filter({ hasText: client }).filter({ hasText: exchange })

const filterOf = (page: Page, filter: 'client' | 'exchange') =>
  page.getByRole('combobox', { name: `Filter by ${filter}` })

test.beforeEach(({ signedIn: _ }) => {})

test('127. to 131., 135., 137. the page, its filters and its table', async ({ page, gateway }) => {
  const release = gateway.hold(listApiKeys)
  await page.goto('/api-key-management')
  await test.step('137. while the keys are being read there is a text that says so', async () => {
    await expect(page.getByText('Loading...', { exact: true })).toBeVisible()
    release()
    await expect(page.getByRole('table')).toBeVisible()
    await expect(page.getByText('Loading...', { exact: true })).toHaveCount(0)
  })
  const mexc = rowOf(page, 'grid-bot', 'MEXC')
  await expectVisible({
    '127. a title': page.getByRole('heading', { level: 1, name: 'API Key Management' }),
    '127. a button to add keys': page.getByRole('button', { name: 'Add API Keys' }),
    '130. a title of the table': page.getByRole('heading', { name: 'Configured API Keys' }),
    '131. an empty note': rowOf(page, 'grid-bot', 'Bitget').getByText('No note'),
    '131. a note': mexc.getByText('main account'),
    '135. the date of creation': mexc.getByText('Mar 05, 2026'),
  })
  const columns = ['Client', 'Note', 'Exchange', 'Status', 'Credentials', 'Created', 'Actions']
  await expect(page.getByRole('columnheader'), '130. seven columns').toHaveText(columns)
  await test.step('128. the filters offer each client and each exchange', async () => {
    const [client, exchange] = [filterOf(page, 'client'), filterOf(page, 'exchange')]
    await expect(client).toHaveValue('All clients')
    await expect(exchange).toHaveValue('All exchanges')
    await client.click()
    const clients = samples.clients.map(({ clientId }) => clientId)
    await expect(page.getByRole('option')).toHaveText(['All clients', ...clients])
    await expectAccessibleAtBothWidths(page)
    await page.keyboard.press('Escape')
    await exchange.click()
    await expect(page.getByRole('option')).toHaveText(['All exchanges', 'MEXC', 'Bitget'])
    await page.keyboard.press('Escape')
  })
  await test.step('129. they narrow the table, alone and together, without a call', async () => {
    await expect(rowsOf(page)).toHaveCount(4)
    const before = gateway.all().length
    await choose(page, filterOf(page, 'exchange'), 'Bitget')
    await expect(rowsOf(page)).toHaveCount(3)
    await choose(page, filterOf(page, 'client'), 'grid-bot')
    await expect(rowsOf(page)).toHaveCount(2)
    await expect(rowOf(page, 'grid-bot', 'Bitget')).toBeVisible()
    await choose(page, filterOf(page, 'exchange'), 'All exchanges')
    await expect(rowsOf(page)).toHaveCount(3)
    expect(gateway.all()).toHaveLength(before)
  })
})

test('129. 133. 138. 139. kept filters, badges, no keys, and new ones that stay secret', async ({
  page,
  gateway,
}) => {
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))
  await page.goto('/api-keys?client=grid-bot&exchange=bg')
  await test.step('129. the filters are in the address and survive a reload', async () => {
    await expect(rowsOf(page)).toHaveCount(2)
    await choose(page, filterOf(page, 'client'), 'market-maker')
    await expect(page.getByText('No API keys match the filters')).toBeVisible()
    await expectAccessibleAtBothWidths(page)
    await expect(page).toHaveURL('/api-keys?client=market-maker&exchange=bg')
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(rowsOf(page)).toHaveCount(4)
    await expect(page).toHaveURL('/api-keys')
  })
  const { testStatus: _, ...untold } = apiKeyOf({ clientId: 'a-none' })
  const shown = [
    ['success', { testStatus: 'success' }, 'Success', ''],
    ['failure', { testStatus: 'failure', testMessage: 'Invalid key' }, 'Failed', 'Invalid key'],
    ['untested', { testStatus: 'untested' }, 'Failed', 'Not tested yet'],
    ['none', {}, 'Failed', ''],
  ] as const
  const keys = shown
    .slice(0, -1)
    .map(([name, changes]) => apiKeyOf({ ...changes, clientId: `a-${name}` }))
  gateway.respond(listApiKeys, { body: [...keys, untold] })
  await refresh(page)
  for (const [name, , badge, hint] of shown)
    await test.step(`133. a test status of ${name} shows the badge ${badge}`, async () => {
      const row = rowOf(page, `a-${name}`, 'MEXC')
      await expect(row.getByText(badge, { exact: true })).toBeVisible()
      await expect(row).toContainText(hint)
    })
  gateway.respond(listApiKeys, { body: [] })
  await refresh(page)
  for (const text of ['No API keys configured', 'Add API keys for your clients to enable trading'])
    await expect(page.getByText(text, { exact: true }), '138. an empty table').toBeVisible()
  await test.step('139. what was sent is nowhere in the browser afterwards', async () => {
    const secrets = ['sent-api-key', 'sent-api-secret', 'sent-passphrase']
    gateway.respond(saveApiKey, { status: 201, body: apiKeyOf({ exchange: 'bg' }) })
    await page.getByRole('button', { name: 'Add API Keys' }).click()
    const dialog = page.getByRole('dialog')
    await choose(page, dialog.getByRole('combobox', { name: 'Exchange' }), 'Bitget')
    await choose(page, dialog.getByRole('combobox', { name: 'Client ID' }), 'grid-bot')
    for (const [index, label] of ['API Key', 'API Secret', 'Passphrase (optional)'].entries())
      await dialog.getByLabel(label, { exact: true }).fill(secrets[index] ?? '')
    await dialog.getByRole('button', { name: 'Save API Keys' }).click()
    await expect(dialog).toHaveCount(0)
    const everything = await page.evaluate(() => {
      const fields = [...document.querySelectorAll('input')].map((input) => input.value)
      const stores = [localStorage, sessionStorage].map((store) => JSON.stringify(store))
      return [document.documentElement.outerHTML, ...fields, ...stores, location.href].join('\n')
    })
    for (const secret of secrets) {
      expect(everything).not.toContain(secret)
      expect(logged.join('\n')).not.toContain(secret)
    }
  })
})

test("132. 134. 136. a row's exchange, actions, flags and days", { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  const bitget = rowOf(page, 'grid-bot', 'Bitget')
  await test.step('the days that a key has left stand out when they are few', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000 - 60_000).toISOString()
    gateway.respond(listApiKeys, {
      body: [
        apiKeyOf({ expiresAt: inDays(82) }),
        apiKeyOf({ clientId: 'market-maker', expiresAt: inDays(7) }),
        apiKeyOf({ clientId: 'arbitrage', exchange: 'bg', expiresAt: null }),
        apiKeyOf({ clientId: 'too-late', expiresAt: '2026-01-01T00:00:00.000Z' }),
      ],
    })
    await page.goto('/api-keys')
    const daysOf = (client: string, days: number) =>
      rowOf(page, client, 'MEXC').getByText(`Expires in ${days} days`, { exact: true })
    const later = daysOf('grid-bot', 82)
    await expect(later).toBeVisible()
    // Before any click, as by keyboard: the explanation is not shown for a pointer's focus.
    await later.focus()
    await expect(later).toHaveAccessibleDescription(/until \w{3} \d{2}, \d{4}, .*needs a new key/)
    const colorOf = (days: Locator) => days.evaluate((node) => getComputedStyle(node).color)
    expect(await colorOf(daysOf('market-maker', 7))).not.toBe(await colorOf(later))
    await expect(rowOf(page, 'arbitrage', 'Bitget')).not.toContainText('Expire')
    await expect(
      rowOf(page, 'too-late', 'MEXC').getByText('Expired', { exact: true }),
    ).toBeVisible()
    await expectAccessible(page)
  })
  gateway.respond(listApiKeys, {
    body: [
      apiKeyOf({ hasApiSecret: false, hasPassphrase: true }),
      apiKeyOf({ exchange: 'bg', hasPassphrase: false }),
      apiKeyOf({ clientId: 'arbitrage', exchange: 'bg', hasPassphrase: true }),
    ],
  })
  await refresh(page)
  const actionOf = (name: string) =>
    bitget.getByRole('button', { name: `${name} Bitget API keys of grid-bot` })
  await expectVisible({
    '132. MEXC': rowOf(page, 'grid-bot', 'MEXC').getByText('MEXC', { exact: true }),
    '132. Bitget': rowOf(page, 'arbitrage', 'Bitget').getByText('Bitget', { exact: true }),
    '136. the test of a row': actionOf('Test'),
    '136. the deletion of a row': actionOf('Delete'),
  })
  await expect(bitget.getByRole('button'), '136. two actions').toHaveCount(2)
  await test.step('134. the indicators follow the flags, and Pass is for Bitget only', async () => {
    const flagsOf = (row: Locator) => row.locator('[data-stored]')
    const mexc = rowOf(page, 'grid-bot', 'MEXC')
    await expect(flagsOf(mexc)).toHaveText([/Key stored/, /Secret missing/])
    await expect(flagsOf(bitget)).toHaveText([/Key stored/, /Secret stored/, /Pass missing/])
    await expect(flagsOf(rowOf(page, 'arbitrage', 'Bitget')).last()).toHaveText(/Pass stored/)
  })
  await test.step('the flags of Bitget keys fit on one line', async () => {
    gateway.respond(listApiKeys, { body: [apiKeyOf({ exchange: 'bg', hasPassphrase: true })] })
    await refresh(page)
    await expect(rowsOf(page)).toHaveCount(2)
    const tops = new Set<number>()
    for (const flag of ['Key', 'Secret', 'Pass']) {
      const box = await bitget.getByText(new RegExp(`^${flag} stored$`)).boundingBox()
      tops.add(Math.round(box?.y ?? -1))
    }
    expect(tops.size).toBe(1)
    await expectNoExcess(page)
  })
})
