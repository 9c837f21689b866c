import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import {
  docPages,
  EXCHANGE_NAMES,
  getOperations,
  getStats,
  listApiKeys,
  listClients,
  listLogs,
} from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { expect, expectVisible, SESSION, shellOf, test } from '../support/test.ts'

// As the checklist has it (console-checklist.md, 56 to 62); not taken from the catalogue,
// which the sidebar is drawn from.
const SECTIONS: readonly [check: string, group: string, section: string, ...items: string[]][] = [
  ['56.', 'MEXC', 'Authentication', 'Get Token /mexc/auth/token'],
  [
    ...(['57.', 'MEXC', 'Trading APIs'] as const),
    'Place Order /mexc/trading/place-order',
    'Cancel Order /mexc/trading/cancel-order',
    'Order History /mexc/trading/history',
    'Order Status /mexc/trading/status',
    'Account Info /mexc/trading/account',
  ],
  ['58.', 'MEXC', 'Market Data', 'Price Ticker /mexc/market/ticker'],
  ['59.', 'Bitget', 'Authentication', 'Get Token /bitget/auth/token'],
  [
    ...(['60.', 'Bitget', 'Trading APIs'] as const),
    'Spot Orders3 /bitget/trading/spot',
    'Futures Orders4 /bitget/trading/futures',
    'Order Details /bitget/trading/details',
    'Order History /bitget/trading/history',
    'Cancel Orders2 /bitget/trading/cancel',
  ],
  [
    ...(['61.', 'Bitget', 'Account APIs'] as const),
    'Account Info /bitget/account/info',
    'Positions2 /bitget/account/positions',
  ],
  [
    ...(['62.', 'Bitget', 'Market Data'] as const),
    'Price Ticker2 /bitget/market/ticker',
    'Market Depth1 /bitget/market/depth',
  ],
]

const groupOf = (sidebar: Locator, name: string) =>
  sidebar.getByRole('button', { name, exact: true })
const itemsOf = (sidebar: Locator) =>
  sidebar.getByRole('navigation', { name: 'Exchange APIs' }).getByRole('link')

const LINKS = [
  ['Dashboard', '/'],
  ['Client Credentials', '/client-credentials'],
  ['API Key Management', '/api-key-management'],
  ['Logs', '/logs'],
] as const

const menuOf = (page: Page) => page.getByRole('button', { name: 'Menu' })
const linksOf = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link')

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
    const sections = bar.getByRole('navigation', { name: 'Sections' })
    for (const [name, address] of [
      ['Overview', '/'],
      ['Client Credentials', '/client-credentials'],
      ['API Keys', '/api-keys'],
      ['Request Logs', '/logs'],
    ] as const)
      await expect(sections.getByRole('link', { name, exact: true })).toHaveAttribute(
        'href',
        address,
      )
    for (const [name, ...links] of [
      ['Run', 'Overview', 'Operations', 'Request Logs', 'Orders'],
      ['Set up', 'Client Credentials', 'API Keys', 'Connect', 'Event stream'],
      ['Govern', 'People', 'Audit'],
    ] as const)
      await expect(sections.getByRole('group', { name }).getByRole('link')).toHaveText(links)
  })
  await test.step('52. the footer names the version', async () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    const version = bar.getByText(`Version ${JSON.parse(manifest).version}`, { exact: true })
    await expect(version).toBeVisible()
    await expect(version).toHaveAttribute('title', /^(Commit [\da-f]{12}|Unknown commit)$/)
    const documentation = bar.getByRole('link', { name: 'Documentation', exact: true })
    await expect(documentation).toHaveAttribute('href', '/docs/guide/')
  })
  await test.step('approvals are an entry where a second admin is required', async () => {
    const body = { ...getOperations.sample.response, requiresSecondAdmin: true }
    gateway.respond(getOperations, { body })
    await page.reload()
    bar = await sidebar()
    const govern = bar.getByRole('group', { name: 'Govern' })
    await expect(govern.getByRole('link')).toHaveText(['People', 'Approvals', 'Audit'])
  })
  await test.step('53. there is one group per exchange', async () => {
    const nav = bar.getByRole('navigation', { name: 'Exchange APIs' })
    await expect(nav.getByRole('heading', { name: 'Exchange APIs' })).toBeVisible()
    await expect(nav.getByRole('button')).toHaveText(['MEXC', 'Bitget'])
  })
  for (const [check, group, section, ...items] of SECTIONS)
    await test.step(`${check} 63. ${group}, ${section}: each item with its count`, async () => {
      await groupOf(bar, group).click()
      await groupOf(bar, section).click()
      await expect(itemsOf(bar)).toHaveCount(items.length)
      const shown = await itemsOf(bar).evaluateAll((links) =>
        links.map((link) => `${link.textContent} ${link.getAttribute('href')}`),
      )
      expect(shown).toEqual(items)
      await groupOf(bar, section).click()
      await groupOf(bar, group).click()
    })
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
  await expectVisible({
    '46. a title': bar.getByText('Sluice', { exact: true }),
    '46. its subtitle': bar.getByText('API Middleware', { exact: true }),
  })
  await test.step('50. the status panel says what it always says', async () => {
    const panel = bar.getByRole('region', { name: 'System Status' })
    const names = ['System Status', 'MEXC Connection', 'Bitget Connection']
    await expect(panel.getByRole('term')).toHaveText(names)
    await expect(panel.getByRole('definition')).toHaveText(['Online', 'Connected', 'Connected'])
  })
  await test.step('55. groups and sections open and close independently', async () => {
    await groupOf(bar, 'MEXC').click()
    await expect(groupOf(bar, 'Bitget')).toHaveAttribute('aria-expanded', 'false')
    await groupOf(bar, 'Trading APIs').click()
    await groupOf(bar, 'Market Data').click()
    await expect(itemsOf(bar)).toHaveCount(6)
    await expectAccessible(page)
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
  await test.step('the group and the section of the current page are open after a reload', async () => {
    await page.reload()
    bar = await sidebar()
    await expect(groupOf(bar, 'Bitget')).toHaveAttribute('aria-expanded', 'true')
    await expect(itemsOf(bar)).toHaveCount(5)
    await expect(groupOf(bar, 'MEXC')).toHaveAttribute('aria-expanded', 'false')
  })
})

test('41. 42. 43. 45. the links, the e-mail address and Logout', async ({ page }) => {
  await page.goto('/client-credentials')
  await expectVisible({
    "42. the user's e-mail": page.getByText(SESSION.user.email),
    '43. a Logout button': page.getByRole('button', { name: 'Logout' }),
    ...Object.fromEntries(
      LINKS.map(([name]) => [`45. ${name}`, linksOf(page).filter({ hasText: name })]),
    ),
  })
  await expect(menuOf(page), '45. no menu button').toHaveCount(0)
  await expect(linksOf(page), '41. four links').toHaveText(LINKS.map(([name]) => name))
  for (const [index, [, address]] of LINKS.entries())
    await expect(linksOf(page).nth(index), '41. their pages').toHaveAttribute('href', address)
})

test('44. on a narrow screen a menu button opens and closes the links', { tag: '@narrow' }, async ({
  page,
}) => {
  const isOpen = (is: boolean) => expect(menuOf(page)).toHaveAttribute('aria-expanded', String(is))
  await page.goto('/client-credentials')
  await expect(linksOf(page)).toHaveCount(0)
  await menuOf(page).click()
  await isOpen(true)
  await expect(linksOf(page).first()).toBeInViewport()
  await menuOf(page).click()
  await isOpen(false)
  await expect(linksOf(page)).toHaveCount(0)
  await test.step('44. Escape closes the menu and gives the keyboard back', async () => {
    await menuOf(page).click()
    await page.keyboard.press('Escape')
    await isOpen(false)
    await expect(menuOf(page)).toBeFocused()
  })
  await menuOf(page).click()
  await linksOf(page).filter({ hasText: 'API Key Management' }).click()
  await expect(page).toHaveURL('/api-key-management')
  await expect(linksOf(page)).toHaveCount(0)
})
