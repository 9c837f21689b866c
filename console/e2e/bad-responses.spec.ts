import type { Page } from '@playwright/test'
import {
  changeClientLimits,
  deleteClient,
  getClientLimits,
  getClientStop,
  getOperations,
  listApiKeys,
  listClientSecrets,
  listClients,
  stopClient,
  testApiKey,
  toggleClient,
} from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { LONG_ID, longClients, longKeys } from './support/realistic.ts'
import { stopOf } from './support/samples.ts'
import { expect, goWithin, refresh, test, toastOf } from './support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const mainOf = (page: Page) => page.getByRole('main')

const GONE = { status: 404, body: { message: 'No client with this id', code: 'NOT_FOUND' } }

test('325. {} is reported as not expected, and the page stays', async ({ page, gateway }) => {
  gateway.respond(getOperations, { body: {} })
  await page.goto('/operations')
  // Each of its own client: nothing of it has been read before.
  for (const [address, endpoint] of [
    ['/operations', getOperations],
    ['/client-credentials/7', getClientLimits],
    ['/client-credentials/8', listClientSecrets],
    ['/client-credentials/9', getClientStop],
  ] as const)
    await test.step(`325. {} from ${endpoint.path}`, async () => {
      gateway.respond(endpoint, { body: {} })
      await goWithin(page, address)
      const note = mainOf(page).getByRole('alert').first()
      await expect(note).toContainText('does not have the form that the gateway sends')
      await expect(note.getByRole('button', { name: 'Try again' })).toBeEnabled()
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(mainOf(page)).not.toContainText(/NaN|undefined|could not be shown/)
      gateway.respond(endpoint, { body: endpoint.sample.response })
    })
})

test('changes of a client whose response says nothing', async ({ page, gateway }) => {
  await page.goto('/client-credentials/7')
  for (const [body, maxOpenOrders] of [
    ['', 12],
    [{}, 13],
  ] as const)
    await test.step(`limits are read again after ${body === '' ? 'nothing' : '{}'}`, async () => {
      const field = page.getByRole('textbox', { name: 'Open orders' })
      await field.fill(`${maxOpenOrders}`)
      gateway.respond(changeClientLimits, () => {
        const limits = { ...getClientLimits.sample.response, maxOpenOrders }
        gateway.respond(getClientLimits, { body: limits })
        return { body }
      })
      const before = gateway.calls(changeClientLimits).length
      await page.getByRole('button', { name: 'Save limits' }).click()
      await expect.poll(() => gateway.calls(changeClientLimits).length).toBe(before + 1)
      await expect(toastOf(page)).toContainText('Limits Saved')
      await expect(field).toHaveValue(`${maxOpenOrders}`)
      await expect(page.getByText('Unsaved changes')).toHaveCount(0)
    })
  await test.step('a stop is read again', async () => {
    await page.getByRole('button', { name: 'Stop client' }).click()
    gateway.respond(stopClient, () => {
      gateway.respond(getClientStop, { body: stopOf() })
      return { body: {} }
    })
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('strategy misbehaves')
    const press = () => dialog.getByRole('button', { name: 'Stop client' }).click()
    await press()
    await dialog.getByLabel('Type grid-bot').fill('grid-bot')
    await press()
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await expect(mainOf(page)).toContainText('strategy misbehaves')
    await expect(mainOf(page)).not.toContainText('undefined')
  })
})

test('failures of keys and clients are sentences, and lists stay', async ({ page, gateway }) => {
  const link = mainOf(page).getByRole('link', { name: LONG_ID, exact: true }).first()
  const showsNone = async () => {
    await expect(link).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('status', { name: /Loading/ })).toHaveCount(0)
    await expect(mainOf(page)).not.toContainText('could not be shown')
  }
  gateway.respond(listClients, { body: [null, 'x', ...longClients] })
  await test.step('a failure is a sentence: no JSON, no words of the browser', async () => {
    const body = { message: 'The disk is full', requestId: 'r-1' }
    gateway.respond(listApiKeys, { status: 500, body })
    await page.goto('/api-keys')
    const note = mainOf(page).getByRole('alert')
    await expect(note).toContainText('500: The disk is full')
    await expect(note.getByText('{"message"')).toBeHidden()
    await expectAccessibleAtBothWidths(page)
    await expect(note).toContainText('r-1')
    gateway.respond(listApiKeys, 'offline')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(note).toContainText('The gateway could not be reached')
    await expect(note.getByText('Failed to fetch')).toBeHidden()
  })
  await test.step('a list with null in it shows its other entries: /api-keys', async () => {
    gateway.respond(listApiKeys, { body: [null, 'x', ...longKeys] })
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(link).toBeVisible()
  })
  await test.step('a change that does not reach the gateway says so', async () => {
    const testMexc = page.getByRole('button', { name: /^Test MEXC/ })
    await testMexc.first().click()
    gateway.respond(testApiKey, 'offline')
    await page.getByRole('button', { name: 'Test Credentials' }).click()
    await expect(toastOf(page)).toContainText('The gateway could not be reached')
    await expect(toastOf(page).getByText('Failed to fetch')).toBeHidden()
    await page.keyboard.press('Escape')
    gateway.respond(listApiKeys, { body: [null] })
    await refresh(page)
    await showsNone()
  })
  await test.step('a list with null in it shows its other entries: /client-credentials', async () => {
    await goWithin(page, '/client-credentials')
    await expect(link).toBeVisible()
    gateway.respond(listClients, { body: [null] })
    await refresh(page)
    await showsNone()
  })
  await test.step('243. a client deleted elsewhere leaves the list when it is switched or deleted', async () => {
    gateway.respond(listClients, { body: longClients })
    await refresh(page)
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
    await expect.poll(() => gateway.calls(deleteClient).length).toBe(1)
    await expect(toastOf(page)).toContainText('No client with this id')
    await expect(page.getByRole('switch')).toHaveCount(0)
  })
})
