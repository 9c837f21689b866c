import type { Page } from '@playwright/test'
import {
  changeClientLimits,
  deleteClient,
  getClientLimits,
  getClientStop,
  getOperations,
  getStats,
  listApiKeys,
  listClientSecrets,
  listClients,
  type Stats,
  stopClient,
  testApiKey,
  toggleClient,
} from 'schema'
import { LONG_ID, longClients, longKeys } from './support/realistic.ts'
import { stopOf } from './support/samples.ts'
import { expect, test, toastOf } from './support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const mainOf = (page: Page) => page.getByRole('main')

test('statistics without one of their values leave the overview on the screen', async ({
  page,
  gateway,
}) => {
  for (const missing of Object.keys(getStats.sample.response) as (keyof Stats)[])
    await test.step(`without ${missing}`, async () => {
      const { [missing]: _, ...body } = getStats.sample.response
      gateway.respond(getStats, { body })
      const before = gateway.calls(getStats).length
      await page.goto('/')
      await expect(page.getByRole('heading', { name: 'Getting Started' })).toBeVisible()
      await expect.poll(() => gateway.calls(getStats).length).toBeGreaterThan(before)
      await expect(mainOf(page)).not.toContainText(/NaN|undefined|could not be shown/)
    })
})

for (const { address, endpoint, good, sees } of [
  { address: '/client-credentials', endpoint: listClients, good: longClients, sees: LONG_ID },
  { address: '/api-keys', endpoint: listApiKeys, good: longKeys, sees: LONG_ID },
] as const) {
  test(`a list with null in it shows its other entries: ${address}`, async ({ page, gateway }) => {
    gateway.respond(endpoint, { body: [null, 'x', ...good] })
    await page.goto(address)
    await expect(mainOf(page).getByRole('link', { name: sees, exact: true }).first()).toBeVisible()
    gateway.respond(endpoint, { body: [null] })
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('status', { name: /Loading/ })).toHaveCount(0)
    await expect(mainOf(page)).not.toContainText('could not be shown')
  })
}

for (const { address, endpoint } of [
  { address: '/client-credentials/7', endpoint: getClientLimits },
  { address: '/client-credentials/7', endpoint: listClientSecrets },
  { address: '/client-credentials/7', endpoint: getClientStop },
  { address: '/operations', endpoint: getOperations },
] as const) {
  test(`325. {} from ${endpoint.path} is reported as not expected, and the page stays`, async ({
    page,
    gateway,
  }) => {
    gateway.respond(endpoint, { body: {} })
    await page.goto(address)
    const note = mainOf(page).getByRole('alert').first()
    await expect(note).toContainText('does not have the form that the gateway sends')
    await expect(note.getByRole('button', { name: 'Try again' })).toBeEnabled()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(mainOf(page)).not.toContainText(/NaN|undefined|could not be shown/)
  })
}

test('a stop whose response says nothing is read again', async ({ page, gateway }) => {
  await page.goto('/client-credentials/7')
  await page.getByRole('button', { name: 'Stop client' }).click()
  gateway.respond(stopClient, () => {
    gateway.respond(getClientStop, { body: stopOf() })
    return { body: {} }
  })
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('strategy misbehaves')
  await dialog.getByRole('button', { name: 'Stop client' }).click()
  await expect(mainOf(page)).toContainText('Stopped: strategy misbehaves')
  await expect(mainOf(page)).not.toContainText('undefined')
})

for (const body of ['', {}]) {
  test(`a change of limits that is answered with ${body === '' ? 'nothing' : '{}'} is read again`, async ({
    page,
    gateway,
  }) => {
    await page.goto('/client-credentials/7')
    await page.getByRole('textbox', { name: 'Open orders' }).fill('12')
    gateway.respond(changeClientLimits, () => {
      gateway.respond(getClientLimits, {
        body: { ...getClientLimits.sample.response, maxOpenOrders: 12 },
      })
      return { body }
    })
    await page.getByRole('button', { name: 'Save limits' }).click()
    await expect(toastOf(page)).toContainText('Limits Saved')
    await expect(page.getByRole('textbox', { name: 'Open orders' })).toHaveValue('12')
  })
}

const GONE = { status: 404, body: { message: 'No client with this id', code: 'NOT_FOUND' } }

test('243. a client deleted elsewhere leaves the list when it is switched or deleted', async ({
  page,
  gateway,
}) => {
  gateway.respond(listClients, { body: longClients })
  await page.goto('/client-credentials')
  await expect(page.getByRole('switch', { name: LONG_ID })).toBeVisible()
  gateway.respond(toggleClient, GONE)
  gateway.respond(deleteClient, GONE)
  gateway.respond(listClients, { body: longClients.slice(1) })
  await page.getByRole('switch', { name: LONG_ID }).press('Space')
  await expect(toastOf(page)).toContainText('No client with this id')
  await expect(page.getByRole('switch', { name: LONG_ID })).toHaveCount(0)

  const [, other] = longClients
  gateway.respond(listClients, { body: [] })
  await page.getByRole('button', { name: `Delete ${other?.clientId}` }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(toastOf(page)).toContainText('No client with this id')
  await expect(page.getByRole('switch')).toHaveCount(0)
})

test('a failure is a sentence: no JSON, no words of the browser', async ({ page, gateway }) => {
  gateway.respond(listApiKeys, {
    status: 500,
    body: { message: 'The disk is full', requestId: 'r-1' },
  })
  await page.goto('/api-keys')
  const note = mainOf(page).getByRole('alert')
  await expect(note).toContainText('500: The disk is full')
  await expect(note.getByText('{"message"')).toBeHidden()
  await expect(note).toContainText('r-1')
  gateway.respond(listApiKeys, 'offline')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(note).toContainText('The gateway could not be reached')
  await expect(note.getByText('Failed to fetch')).toBeHidden()
})

test('a change that does not reach the gateway says so', async ({ page, gateway }) => {
  gateway.respond(listApiKeys, { body: longKeys })
  await page.goto('/api-keys')
  await page
    .getByRole('button', { name: /^Test MEXC/ })
    .first()
    .click()
  gateway.respond(testApiKey, 'offline')
  await page.getByRole('button', { name: 'Test Credentials' }).click()
  await expect(toastOf(page)).toContainText('The gateway could not be reached')
  await expect(toastOf(page).getByText('Failed to fetch')).toBeHidden()
})
