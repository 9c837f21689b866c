import type { Locator } from '@playwright/test'
import { docPages, EXCHANGE_NAMES, getStats, listApiKeys, listClients, listLogs } from 'schema'
import { expect, shellOf, test } from '../support/test.ts'

// As the checklist has it (docs/console-checklist.md, 56 to 62); not taken from the catalogue,
// which the sidebar is drawn from.
const ITEMS = {
  MEXC: {
    Authentication: [['Get Token', '/mexc/auth/token']],
    'Trading APIs': [
      ['Place Order', '/mexc/trading/place-order'],
      ['Cancel Order', '/mexc/trading/cancel-order'],
      ['Order History', '/mexc/trading/history'],
      ['Order Status', '/mexc/trading/status'],
      ['Account Info', '/mexc/trading/account'],
    ],
    'Market Data': [['Price Ticker', '/mexc/market/ticker']],
  },
  Bitget: {
    Authentication: [['Get Token', '/bitget/auth/token']],
    'Trading APIs': [
      ['Spot Orders', '/bitget/trading/spot', '3'],
      ['Futures Orders', '/bitget/trading/futures', '4'],
      ['Order Details', '/bitget/trading/details'],
      ['Order History', '/bitget/trading/history'],
      ['Cancel Orders', '/bitget/trading/cancel', '2'],
    ],
    'Account APIs': [
      ['Account Info', '/bitget/account/info'],
      ['Positions', '/bitget/account/positions', '2'],
    ],
    'Market Data': [
      ['Price Ticker', '/bitget/market/ticker', '2'],
      ['Market Depth', '/bitget/market/depth', '1'],
    ],
  },
} as const
const SECTIONS = [
  ['56.', 'MEXC', 'Authentication'],
  ['57.', 'MEXC', 'Trading APIs'],
  ['58.', 'MEXC', 'Market Data'],
  ['59.', 'Bitget', 'Authentication'],
  ['60.', 'Bitget', 'Trading APIs'],
  ['61.', 'Bitget', 'Account APIs'],
  ['62.', 'Bitget', 'Market Data'],
] as const

const groupOf = (sidebar: Locator, name: string) =>
  sidebar.getByRole('button', { name, exact: true })
const itemsOf = (sidebar: Locator) =>
  sidebar.getByRole('navigation', { name: 'Exchange APIs' }).getByRole('link')

test.beforeEach(({ signedIn }) => void signedIn)

test('47. 51. to 54. 56. to 63. entries, status, version, and the items of each section', async ({
  page,
  gateway,
  sidebar,
}) => {
  for (const endpoint of [listClients, listApiKeys, getStats, listLogs])
    gateway.respond(endpoint, { status: 500, body: 'boom' })
  await page.goto('/api-keys')
  let bar = await sidebar()
  await test.step('51. the status stays while everything fails, and asks for nothing', async () => {
    const panel = bar.getByRole('region', { name: 'System Status' })
    await expect(panel.getByRole('definition')).toHaveText(['Online', 'Connected', 'Connected'])
    await expect
      .poll(() => new Set(gateway.all().map((request) => new URL(request.url()).pathname)))
      .toEqual(new Set([listClients.path, listApiKeys.path]))
  })
  await test.step('47. four entries lead to the four pages', async () => {
    const entries = bar.getByRole('navigation', { name: 'Sections' }).getByRole('link')
    await expect(entries).toHaveCount(4)
    await expect(entries.first()).toHaveText('Overview')
    for (const [index, address] of ['/', '/client-credentials', '/api-keys', '/logs'].entries()) {
      await expect(entries.nth(index)).toHaveAttribute('href', address)
    }
  })
  await test.step('52. the footer names the version', async () => {
    const version = bar.getByText('Version 1.0.0', { exact: true })
    await expect(version).toBeVisible()
    await expect(version).toHaveAttribute('title', /^(Commit [\da-f]{12}|Unknown commit)$/)
  })
  await test.step('53. there is one group per exchange', async () => {
    const nav = bar.getByRole('navigation', { name: 'Exchange APIs' })
    await expect(nav.getByRole('heading', { name: 'Exchange APIs' })).toBeVisible()
    await expect(nav.getByRole('button')).toHaveText(['MEXC', 'Bitget'])
  })
  for (const [number, group, section] of SECTIONS) {
    const items: readonly (readonly string[])[] =
      (ITEMS[group] as Readonly<Record<string, readonly (readonly string[])[]>>)[section] ?? []
    await test.step(`${number} ${group}, ${section}`, async () => {
      await groupOf(bar, group).click()
      await groupOf(bar, section).click()
      await expect(itemsOf(bar)).toHaveCount(items.length)
      for (const [index, [label, address]] of items.entries()) {
        await expect(itemsOf(bar).nth(index)).toContainText(label ?? '')
        await expect(itemsOf(bar).nth(index)).toHaveAttribute('href', address ?? '')
      }
    })
    await test.step('63. only some items carry a count', async () => {
      const texts = items.map(([label, , badge = '']) => `${label}${badge}`)
      await expect(itemsOf(bar)).toHaveText(texts)
    })
    await groupOf(bar, section).click()
    await groupOf(bar, group).click()
  }
  const all = Object.values(ITEMS).flatMap((sections) => Object.keys(sections))
  expect(SECTIONS.map(([, , section]) => section)).toEqual(all)
  await test.step('63. a count is the number of endpoints of its page', () => {
    for (const { badge, endpoints, label, exchange } of docPages) {
      if (badge !== undefined)
        expect(endpoints, `${EXCHANGE_NAMES[exchange]} ${label}`).toHaveLength(badge)
    }
  })
  await test.step('54. groups and sections start folded, also after a reload', async () => {
    await groupOf(bar, 'MEXC').click()
    await groupOf(bar, 'Trading APIs').click()
    await expect(itemsOf(bar)).toHaveCount(5)
    await page.reload()
    bar = await sidebar()
    await expect(groupOf(bar, 'MEXC')).toHaveAttribute('aria-expanded', 'false')
    await expect(itemsOf(bar)).toHaveCount(0)
    await groupOf(bar, 'Bitget').click()
    await expect(itemsOf(bar)).toHaveCount(0)
    await page.keyboard.press('Tab')
    await expect(groupOf(bar, 'Authentication')).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(groupOf(bar, 'Trading APIs')).toBeFocused()
  })
})

test('46. 50. 55. 64. title, status, and groups that open and whose links navigate', {
  tag: '@both',
}, async ({ page, sidebar }) => {
  await page.goto('/client-credentials')
  await expect(shellOf(page)).toBeVisible()
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  let bar = await sidebar()
  await test.step('46. the title and its subtitle', async () => {
    await expect(bar.getByText('Sluice', { exact: true })).toBeVisible()
    await expect(bar.getByText('API Middleware', { exact: true })).toBeVisible()
  })
  await test.step('50. the status panel says what it always says', async () => {
    const panel = bar.getByRole('region', { name: 'System Status' })
    await expect(panel.getByRole('term')).toHaveText([
      'System Status',
      'MEXC Connection',
      'Bitget Connection',
    ])
    await expect(panel.getByRole('definition')).toHaveText(['Online', 'Connected', 'Connected'])
  })
  await test.step('55. groups and sections open and close independently', async () => {
    await groupOf(bar, 'MEXC').click()
    await expect(groupOf(bar, 'Bitget')).toHaveAttribute('aria-expanded', 'false')
    await groupOf(bar, 'Trading APIs').click()
    await groupOf(bar, 'Market Data').click()
    await expect(itemsOf(bar)).toHaveCount(6)
    await groupOf(bar, 'Trading APIs').click()
    await expect(itemsOf(bar)).toHaveCount(1)
    await expect(groupOf(bar, 'Market Data')).toHaveAttribute('aria-expanded', 'true')
    await groupOf(bar, 'MEXC').click()
  })
  await test.step('64. a link leads on without a page load and is the current one', async () => {
    await groupOf(bar, 'Bitget').click()
    await groupOf(bar, 'Trading APIs').click()
    await itemsOf(bar).filter({ hasText: 'Spot Orders' }).click()
    await expect(page).toHaveURL('/bitget/trading/spot')
    bar = await sidebar()
    await expect(itemsOf(bar).and(bar.locator('[aria-current="page"]'))).toHaveText([
      'Spot Orders3',
    ])
    expect(loads).toBe(0)
  })
})
