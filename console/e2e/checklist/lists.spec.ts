import type { Page } from '@playwright/test'
import { listApiKeys, listClients, saveApiKey, testApiKey } from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { openFrozen, stepUntilVisible } from '../support/freeze-clock.ts'
import { apiKeyOf, clientOf } from '../support/samples.ts'
import { settle } from '../support/stub-gateway.ts'
import {
  choose,
  excessOf,
  expect,
  goWithin,
  isNarrow,
  refresh,
  test,
  toastOf,
} from '../support/test.ts'

const clientsOf = (page: Page) => page.getByRole('button', { name: /^Delete / })
const keyRowsOf = (page: Page) => page.getByRole('table').locator('tbody').getByRole('row')

test.beforeEach(({ signedIn }) => void signedIn)

/** The ids in the order of the list. */
async function idsOf(page: Page): Promise<string[]> {
  const names = await clientsOf(page).evaluateAll((buttons) =>
    buttons.map((button) => button.getAttribute('aria-label') ?? ''),
  )
  return names.map((name) => name.replace('Delete ', ''))
}

const at = (day: number) => `2026-03-0${day}T00:00:00.000Z`

test('237. 240. clients are searched and sorted, and lead to their keys and logs', {
  tag: '@both',
}, async ({ page, gateway }) => {
  await page.goto('/client-credentials')
  await expect(clientsOf(page)).toHaveCount(3)
  const search = page.getByLabel('Search clients')
  await test.step('237. search finds ids and descriptions', async () => {
    await settle(page)
    const before = gateway.all().length
    await search.fill('both EXCH')
    await expect(clientsOf(page)).toHaveCount(1)
    expect(await idsOf(page)).toEqual(['arbitrage'])
    await expect(page.getByText('Showing 1 of 3 clients')).toBeVisible()
    await expect(
      page.getByRole('heading', { name: 'Client Credentials (3)', exact: true }),
    ).toBeVisible()
    expect(gateway.all()).toHaveLength(before)
    await search.fill('nobody')
    await expect(page.getByText('No client matches')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(clientsOf(page)).toHaveCount(3)
    await expect(page).toHaveURL('/client-credentials')
  })
  await test.step('240. a row shows where its client has keys, and leads there', async () => {
    const row = page.getByRole('listitem').filter({ hasText: 'grid-bot' })
    await expect(row.getByRole('link', { name: 'Logs of grid-bot' })).toHaveAttribute(
      'href',
      '/logs?client=grid-bot',
    )
    const none = page.getByRole('listitem').filter({ hasText: 'market-maker' })
    await expect(none).toContainText('No API keys')
    await row.getByRole('link', { name: 'Bitget API keys of grid-bot' }).click()
    await expect(page).toHaveURL('/api-key-management?client=grid-bot&exchange=bg')
    await expect(keyRowsOf(page)).toHaveCount(1)
  })
  await test.step('237. the list is sorted by created, id and state', async () => {
    gateway.respond(listClients, {
      body: [
        clientOf({ id: 3, clientId: 'bot-10', createdAt: at(3) }),
        clientOf({ id: 2, clientId: 'bot-9', createdAt: at(2), isActive: false }),
        clientOf({ id: 1, clientId: 'Arb', createdAt: at(1) }),
      ],
    })
    await goWithin(page, '/client-credentials')
    await refresh(page)
    // The other orders: filter-clients.test.ts.
    for (const [order, ids] of [
      ['Oldest first', ['Arb', 'bot-9', 'bot-10']],
      ['By id, Z to A', ['bot-10', 'bot-9', 'Arb']],
      ['Inactive first', ['bot-9', 'bot-10', 'Arb']],
    ] as const) {
      await page.getByLabel('Sort clients').selectOption(order)
      await expect.poll(() => idsOf(page), order).toEqual(ids)
    }
    await expect(page).toHaveURL('/client-credentials?sort=-state')
  })
  await test.step('237. search and order are kept in the address', async () => {
    await search.fill('BOT-')
    await expect(clientsOf(page)).toHaveCount(2)
    await page.reload()
    await expect(clientsOf(page)).toHaveCount(2)
    expect(await idsOf(page)).toEqual(['bot-9', 'bot-10'])
  })
})

test('237. 240. clients are filtered by state, also without a response about keys', async ({
  page,
  gateway,
}) => {
  gateway.respond(listApiKeys, { status: 500, body: 'boom' })
  await page.goto('/client-credentials')
  await expect(clientsOf(page)).toHaveCount(3)
  await test.step('240. without a response about keys nothing is said of them', async () => {
    await expect(page.getByRole('list').last()).not.toContainText('Keys:')
  })
  await test.step('237. the list is filtered by state', async () => {
    await page.getByLabel('Filter by state').selectOption('Inactive')
    await expect(clientsOf(page)).toHaveCount(1)
    expect(await idsOf(page)).toEqual(['market-maker'])
    await expect(page).toHaveURL('/client-credentials?state=inactive')
  })
  // A search that knows the first page only would not find the others.
  await test.step('237. a list of credentials in pages is shown and searched as a whole', async () => {
    const all = Array.from({ length: 250 }, (_, index) =>
      clientOf({ id: 250 - index, clientId: `bot-${250 - index}` }),
    )
    gateway.respond(listClients, (request) => {
      const before = Number(new URL(request.url()).searchParams.get('before') ?? 1_000)
      return {
        body: all.filter(({ id }) => id < before).slice(0, 100),
        headers: { 'x-total-count': '250' },
      }
    })
    await goWithin(page, '/client-credentials')
    await refresh(page)
    await page.getByRole('searchbox').fill('bot-7')
    await expect(page.getByText('bot-77', { exact: true })).toBeVisible()
    await expect(page.getByText('Showing 11 of 250')).toBeVisible()
  })
})

test('238. 240. the table of keys is sorted by its headers and leads to clients and logs', {
  tag: '@both',
}, async ({ page, gateway }) => {
  gateway.respond(listApiKeys, {
    body: [
      apiKeyOf({ clientId: 'bot-10', createdAt: at(1) }),
      apiKeyOf({ clientId: 'bot-9', createdAt: at(3), exchange: 'bg' }),
      apiKeyOf({ clientId: 'arb', createdAt: at(2), testStatus: 'failure' }),
    ],
  })
  gateway.respond(listClients, {
    body: [clientOf({ id: 4, clientId: 'arb-2' }), clientOf({ id: 3, clientId: 'arb' })],
  })
  await page.goto('/api-keys')
  await expect(keyRowsOf(page)).toHaveCount(3)
  const header = (name: string) => page.getByRole('columnheader', { name, exact: true })
  if (isNarrow(page))
    await test.step('every key is a card, and nothing scrolls sideways', async () => {
      const [box, cell] = await Promise.all([
        page.getByRole('table').boundingBox(),
        keyRowsOf(page).first().getByRole('cell').last().boundingBox(),
      ])
      expect((cell?.x ?? 999) + (cell?.width ?? 0)).toBeLessThanOrEqual(
        (box?.x ?? 0) + (box?.width ?? 0),
      )
      expect(await excessOf(page)).toBe(0)
    })
  await test.step('238. a header that sorts says so and how the table is sorted', async () => {
    const order = () =>
      keyRowsOf(page)
        .getByRole('link', { name: /^(bot|arb)/ })
        .allTextContents()
    await expect(header('Client')).toHaveAttribute('aria-sort', 'none')
    await expect(header('Note')).not.toHaveAttribute('aria-sort')
    await header('Client').getByRole('button').click()
    await expect(header('Client')).toHaveAttribute('aria-sort', 'ascending')
    expect(await order()).toEqual(['arb', 'bot-9', 'bot-10'])
    await header('Client').getByRole('button').press('Enter')
    await expect(header('Client')).toHaveAttribute('aria-sort', 'descending')
    expect(await order()).toEqual(['bot-10', 'bot-9', 'arb'])
    await header('Created').getByRole('button').click()
    await expect(header('Client')).toHaveAttribute('aria-sort', 'none')
    expect(await order()).toEqual(['bot-9', 'arb', 'bot-10'])
    await header('Status').getByRole('button').click()
    expect((await order())[0]).toBe('arb')
    await expect(page).toHaveURL('/api-keys?sort=status')
    await page.reload()
    await expect(header('Status')).toHaveAttribute('aria-sort', 'ascending')
    await expectAccessible(page)
  })
  await test.step('keys are filtered by what they need, those that expire with the next first', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    gateway.respond(listApiKeys, {
      body: [
        apiKeyOf({ clientId: 'later', expiresAt: inDays(20), testStatus: 'failure' }),
        apiKeyOf({ clientId: 'sooner', expiresAt: inDays(3) }),
        apiKeyOf({ clientId: 'new', testStatus: 'untested' }),
      ],
    })
    await refresh(page)
    const links = keyRowsOf(page).getByRole('link', { name: /^(later|sooner|new)$/ })
    for (const [need, ids] of [
      ['Expire within 7 days', ['sooner']],
      ['Expire, the next first', ['sooner', 'later']],
      ['Test failed', ['later']],
      ['Not tested yet', ['new']],
    ] as const) {
      await choose(page, page.getByRole('combobox', { name: 'Filter by need' }), need)
      await expect(links, need).toHaveText([...ids])
    }
    await expect(page).toHaveURL('/api-keys?need=untested')
    await choose(page, page.getByRole('combobox', { name: 'Filter by need' }), 'All keys')
    gateway.respond(listApiKeys, { body: [apiKeyOf({ clientId: 'arb' })] })
    await refresh(page)
  })
  await test.step('240. a key row leads to its client and to its logs', async () => {
    const row = keyRowsOf(page).filter({ hasText: 'arb' })
    await expect(row.getByRole('link', { name: 'Logs of arb' })).toHaveAttribute(
      'href',
      '/logs?client=arb',
    )
    await row.getByRole('link', { name: 'arb', exact: true }).click()
    // To itself: another client's id may begin with the same letters.
    await expect(page).toHaveURL('/client-credentials/3')
    await expect(page.getByRole('heading', { level: 1, name: 'arb', exact: true })).toBeVisible()
  })
})

test('248. keys are saved and tested in one dialog', async ({ page, gateway }) => {
  gateway.respond(listApiKeys, { body: [apiKeyOf({ clientId: 'arb' })] })
  await page.goto('/api-keys')
  await page.getByRole('button', { name: 'Add API Keys' }).click()
  const add = page.getByRole('dialog', { name: 'Add Exchange API Keys' })
  const save = () => add.getByRole('button', { name: 'Save and Test' }).click()
  await test.step('248. keys that could not be saved are not tested', async () => {
    await save()
    await expect(add.getByText('API Key is required')).toBeVisible()
    await choose(page, add.getByRole('combobox', { name: 'Client ID' }), 'grid-bot')
    await add.getByLabel('API Key', { exact: true }).fill('k')
    await add.getByLabel('API Secret', { exact: true }).fill('s')
    gateway.respond(saveApiKey, { status: 500 })
    await save()
    await expect(toastOf(page)).toContainText('Failed to save API keys')
    await expect(add).toBeVisible()
    expect(gateway.calls(testApiKey)).toEqual([])
  })
  await test.step('248. after saving keys the same dialog continues with their test', async () => {
    gateway.respond(saveApiKey, { status: 201, body: apiKeyOf({ clientId: 'grid-bot' }) })
    gateway.respond(testApiKey, { body: testApiKey.sample.response })
    await save()
    const tested = page.getByRole('dialog', { name: 'Test API Credentials' })
    await expect(tested.getByText('Credentials tested successfully!')).toBeVisible()
    // The failed one, and this one.
    expect(gateway.calls(saveApiKey)).toHaveLength(2)
    expect(gateway.calls(testApiKey)[0]?.postDataJSON()).toEqual({
      clientId: 'grid-bot',
      exchange: 'mx',
    })
    expect(gateway.calls(testApiKey)).toHaveLength(1)
  })
})

test('239. the lists are read again on demand and show when they were read last', async ({
  page,
  gateway,
}) => {
  const read = page.getByText(/^Updated 14:30:\d\d$/)
  await openFrozen(page, '/client-credentials', read)
  for (const [address, endpoint, again] of [
    ['/client-credentials', listClients, /^Updated 14:40:\d\d$/],
    ['/api-keys', listApiKeys, /^Updated 14:50:\d\d$/],
  ] as const)
    await test.step(`239. ${address} is read again`, async () => {
      await goWithin(page, address)
      await stepUntilVisible(page, page.getByText(/^Updated/))
      await page.clock.fastForward('10:00')
      const before = gateway.calls(endpoint).length
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect(page.getByText(again)).toBeVisible()
      expect(gateway.calls(endpoint)).toHaveLength(before + 1)
    })
})
