import type { Page } from '@playwright/test'
import {
  createClient,
  getOperations,
  getStats,
  listApiKeys,
  listClients,
  listLogs,
  toggleClient,
} from 'schema'
import { openFrozen, passMs } from './support/freeze-clock.ts'
import { BROKEN, trouble } from './support/operations-samples.ts'
import { expect, isNarrow, test, toastOf } from './support/test.ts'

const stripOf = (page: Page) => page.getByRole('navigation', { name: 'State of the exchanges' })
const ADDRESS = '/client-credentials'

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(getOperations, { body: trouble() })
})

test('the strip of every page says what waits and what is broken, and leads to Operations', {
  tag: '@both',
}, async ({ page }) => {
  await page.goto(ADDRESS)
  const isShort = isNarrow(page)
  await expect(stripOf(page).getByRole('link', { name: 'MEXC' })).toContainText(
    isShort ? /79, 39\ss/ : /79 waiting, about 39\ss/,
    { useInnerText: true },
  )
  await expect(stripOf(page).getByRole('link', { name: 'Bitget' })).toContainText(
    isShort ? /broken 3\smin/ : /broken for 3\smin/,
    { useInnerText: true },
  )
  await expect(stripOf(page).getByRole('link', { name: 'Unknown' })).toBeVisible()
  await stripOf(page).getByRole('link', { name: 'Bitget' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
})

// On a phone the panel of Bitget is three screens below the top of the page.
test('each link of the strip shows its part of the Operations page, also when that is open', async ({
  page,
}) => {
  await page.goto(ADDRESS)
  const heading = (name: RegExp) => page.getByRole('heading', { level: 2, name })
  await stripOf(page).getByRole('link', { name: 'Unknown' }).click()
  await expect(heading(/^Open outcomes/)).toBeInViewport()
  await stripOf(page).getByRole('link', { name: 'Bitget' }).click()
  await expect(heading(/^Bitget/)).toBeInViewport()
  await stripOf(page).getByRole('link', { name: 'Unknown' }).click()
  await expect(heading(/^Open outcomes/)).toBeInViewport()
})

test('a wait under a second is not called "about under 1 s"', async ({ page, gateway }) => {
  const busy = trouble()
  const exchanges = busy.exchanges.map((each) => ({ ...each, estimatedWaitMs: 596 }))
  gateway.respond(getOperations, { body: { ...busy, exchanges } })
  await page.goto(ADDRESS)
  await expect(stripOf(page).getByRole('link', { name: 'MEXC' })).toContainText(
    isNarrow(page) ? /79, under 1\ss/ : /79 waiting, under 1\ss/,
    { useInnerText: true },
  )
})

test('the reason of a broken exchange is there by keyboard and by touch', { tag: '@both' }, async ({
  page,
}) => {
  await page.goto(ADDRESS)
  await stripOf(page).getByRole('link', { name: 'Bitget' }).focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  // The one that the keyboard has left may still fade.
  const tooltip = page.getByRole('tooltip').filter({ hasText: BROKEN.reason ?? '' })
  await expect(tooltip).toBeVisible()
})

test('the strip reads every 5 s, and says how old its data is', async ({ page, gateway }) => {
  await openFrozen(page, ADDRESS, stripOf(page).getByRole('link', { name: 'MEXC' }))
  const before = gateway.calls(getOperations).length
  await passMs(page, 5000)
  expect(gateway.calls(getOperations)).toHaveLength(before + 1)
  const release = gateway.hold(getOperations)
  await passMs(page, 7000)
  await expect(stripOf(page).getByText(/updated \d+\ss ago/)).toBeAttached()
  release()
})

test('a gateway that does not respond is offline since the last good response', async ({
  page,
  gateway,
}) => {
  await openFrozen(page, ADDRESS, stripOf(page).getByRole('link', { name: 'MEXC' }))
  gateway.respond(getOperations, 'offline')
  await passMs(page, 5000)
  await expect(stripOf(page).getByText(/^offline since 14:30:/)).toBeVisible()
  gateway.respond(getOperations, { status: 500, body: { message: 'boom' } })
  await passMs(page, 5000)
  await expect(stripOf(page).getByText(/^no data since 14:30:/)).toBeVisible()
  gateway.respond(getOperations, { body: trouble() })
  await passMs(page, 5000)
  await expect(stripOf(page).getByText(/updated/)).toBeAttached()
})

// The logs said "Live" as long as the browser had no network: nothing was read, so nothing failed.
test('without a network no page says that it is live', async ({ page, context }) => {
  await page.goto('/logs')
  await expect(page.getByText(/^Live, last read at/)).toBeVisible()
  await context.setOffline(true)
  await expect(page.getByText(/^Offline since/)).toBeVisible()
  await expect(stripOf(page).getByText(/^offline since/)).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText(/^Live, last read at/)).toBeVisible()
})

test('the Operations page reads every 2 s, and the strip shows what it reads', async ({
  page,
  gateway,
}) => {
  await openFrozen(page, '/operations', stripOf(page).getByRole('link', { name: 'MEXC' }))
  const before = gateway.calls(getOperations).length
  await passMs(page, 10_000)
  expect(gateway.calls(getOperations)).toHaveLength(before + 5)
  expect(gateway.calls(listLogs)).toHaveLength(0)
})

// A Refresh that failed changed nothing on the page.
for (const [address, endpoint] of [
  ['/client-credentials', listClients],
  ['/api-keys', listApiKeys],
] as const) {
  test(`a Refresh of ${address} that fails says so, and keeps the rows`, async ({
    page,
    gateway,
  }) => {
    await page.goto(address)
    await expect(page.getByText(/^Read at/)).toBeVisible()
    gateway.respond(endpoint, { status: 500, body: { message: 'boom' } })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByRole('alert')).toContainText('Could not be read again. Read at')
    await expect(
      page.getByText('market-maker').or(page.getByText('main account')).first(),
    ).toBeAttached()
    gateway.respond(endpoint, { body: [] })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByText('Could not be read again')).toHaveCount(0)
  })
}

test('the overview shows why an exchange is broken as text', async ({ page, gateway }) => {
  const { exchanges, ...rest } = getStats.sample.response
  const [mexc] = exchanges
  gateway.respond(getStats, {
    body: { ...rest, exchanges: [{ ...mexc, state: 'broken', reason: BROKEN.reason }] },
  })
  await page.goto('/')
  const table = page.getByRole('table', { name: 'Exchanges' })
  await expect(table.getByText(BROKEN.reason ?? '')).toBeVisible()
})

test('322. offline, a note stays, forms send nothing and say so, and coming back reads again', {
  tag: '@both',
}, async ({ page, context, gateway }) => {
  // A message has to be shown without a network.
  const toastCode = page.waitForResponse(/toast-stack/)
  await page.goto(ADDRESS)
  await page.getByLabel('Client ID', { exact: true }).fill('typed-offline')
  await toastCode
  await context.setOffline(true)
  const note = page.getByRole('status').filter({ hasText: 'You are offline' })
  await expect(note).toBeVisible()
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  await expect(toastOf(page)).toContainText('Nothing was sent')
  expect(gateway.calls(createClient)).toEqual([])
  await expect(page.getByLabel('Client ID', { exact: true })).toHaveValue('typed-offline')
  const reads = gateway.calls(listClients).length
  await context.setOffline(false)
  await expect(note).toBeHidden()
  await expect.poll(() => gateway.calls(listClients).length).toBe(reads + 1)
})

test('322. offline, a button outside a form sends nothing and says so; a stop is still tried', async ({
  page,
  context,
  gateway,
}) => {
  const toastCode = page.waitForResponse(/toast-stack/)
  await page.goto(ADDRESS)
  await toastCode
  await context.setOffline(true)
  await page.getByRole('switch').first().locator('xpath=..').click()
  await expect(toastOf(page)).toContainText('You are offline: nothing was sent')
  expect(gateway.calls(toggleClient)).toEqual([])
  await context.setOffline(false)

  await page.goto('/client-credentials/7')
  await page.getByRole('button', { name: 'Stop client' }).click()
  await context.setOffline(true)
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('strategy misbehaves')
  await dialog.getByRole('button', { name: 'Stop client' }).click()
  expect((await sent).url()).toContain('/stop')
  await context.setOffline(false)
})
