import type { Page } from '@playwright/test'
import { createClient, listClients, updateClient } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { clientOf } from './support/samples.ts'
import { expect, test, toastOf } from './support/test.ts'

const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
const editOf = (page: Page) => page.getByRole('dialog', { name: 'Edit client' })

test.beforeEach(async ({ page, signedIn: _ }) => {
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
})

test('a row shows what its client may do', async ({ page, gateway }) => {
  const { permissions: _, ...silent } = clientOf({ id: 2, clientId: 'silent' })
  gateway.respond(listClients, {
    body: [clientOf({ clientId: 'reader', permissions: ['market', 'account'] }), silent],
  })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(rowOf(page, 'reader')).toContainText('Market data')
  await expect(rowOf(page, 'reader')).toContainText('Account')
  for (const label of ['Trade', 'Settings', 'Strategies'])
    await expect(rowOf(page, 'reader')).not.toContainText(label)
  await expect(rowOf(page, 'silent')).not.toContainText('Permissions')
})

test('a client is created with what is ticked, and needs something ticked', {
  tag: '@both',
}, async ({ page, gateway }) => {
  gateway.respond(createClient, { status: 201, body: clientOf({ id: 10, clientId: 'reader' }) })
  await page.getByLabel('Client ID', { exact: true }).fill('reader')
  for (const name of ['Market data', 'Account', 'Trade']) {
    await expect(page.getByRole('checkbox', { name })).toBeChecked()
    await page.getByRole('checkbox', { name }).uncheck()
  }
  const submit = page.getByRole('button', { name: 'Create Client Credentials' })
  await submit.click()
  await expect(page.getByText('At least one permission is required')).toBeVisible()
  expect(gateway.calls(createClient)).toEqual([])
  await page.getByRole('checkbox', { name: 'Account' }).check()
  await submit.click()
  await expect.poll(() => gateway.calls(createClient).length).toBe(1)
  expect(gateway.calls(createClient)[0]?.postDataJSON()).toMatchObject({ permissions: ['account'] })
})

test('account settings and strategies are given only to a client for which they are ticked', async ({
  page,
  gateway,
}) => {
  gateway.respond(createClient, { status: 201, body: clientOf({ id: 10, clientId: 'grid' }) })
  await expect(page.getByText('which keep trading when the client is off')).toBeVisible()
  for (const name of ['Settings', 'Strategies'])
    await expect(page.getByRole('checkbox', { name })).not.toBeChecked()
  await page.getByLabel('Client ID', { exact: true }).fill('grid')
  await page.getByRole('checkbox', { name: 'Settings' }).check()
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  await expect.poll(() => gateway.calls(createClient).length).toBe(1)
  expect(gateway.calls(createClient)[0]?.postDataJSON().permissions.toSorted()).toEqual([
    'account',
    'market',
    'settings',
    'trade',
  ])
})

test('a client is created as the gateway does by itself when nothing else is ticked', async ({
  page,
  gateway,
}) => {
  gateway.respond(createClient, { status: 201, body: clientOf({ id: 10, clientId: 'usual' }) })
  await page.getByLabel('Client ID', { exact: true }).fill('usual')
  await page.getByRole('checkbox', { name: 'Market data' }).uncheck()
  await page.getByRole('checkbox', { name: 'Market data' }).check()
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  await expect.poll(() => gateway.calls(createClient).length).toBe(1)
  expect(gateway.calls(createClient)[0]?.postDataJSON()).not.toHaveProperty('permissions')
})

test('an administrator opens strategies for a client, and its row shows it', async ({
  page,
  gateway,
}) => {
  const permissions = ['market', 'account', 'trade', 'strategies'] as const
  await page.getByRole('button', { name: 'Edit grid-bot' }).click()
  await editOf(page).getByRole('checkbox', { name: 'Strategies' }).check()
  gateway.respond(updateClient, { body: clientOf({ permissions: [...permissions] }) })
  gateway.respond(listClients, { body: [clientOf({ permissions: [...permissions] })] })
  await editOf(page).getByRole('button', { name: 'Save' }).click()
  await expect(rowOf(page, 'grid-bot')).toContainText('Strategies')
  const [call] = gateway.calls(updateClient)
  expect(call?.postDataJSON()).toEqual({ permissions: [...permissions] })
})

test('editing sends only what was changed and shows it at once', async ({ page, gateway }) => {
  gateway.respond(updateClient, { body: clientOf({ permissions: ['market', 'account'] }) })
  await page.getByRole('button', { name: 'Edit grid-bot' }).click()
  const save = editOf(page).getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await editOf(page).getByRole('checkbox', { name: 'Trade' }).uncheck()
  const release = gateway.hold(listClients)
  await save.click()
  await expect(toastOf(page)).toContainText('Client Updated')
  await expect(editOf(page)).toHaveCount(0)
  await expect(rowOf(page, 'grid-bot')).not.toContainText('Trade')
  release()
  const [call] = gateway.calls(updateClient)
  expect(new URL(call?.url() ?? '').pathname).toBe('/api/admin/client-credentials/7')
  expect(call?.postDataJSON()).toEqual({ permissions: ['market', 'account'] })
  await expect(page.getByRole('button', { name: 'Edit grid-bot' })).toBeFocused()
})

test('a rejected change is shown, and the form keeps its choices', async ({ page, gateway }) => {
  gateway.respond(updateClient, { status: 404, body: { message: 'It may have been deleted' } })
  await page.getByRole('button', { name: 'Edit grid-bot' }).click()
  await editOf(page).getByLabel('Description (optional)').fill('Another purpose')
  await editOf(page).getByRole('button', { name: 'Save' }).click()
  await expect(toastOf(page)).toContainText('404: It may have been deleted')
  await expect(editOf(page).getByLabel('Description (optional)')).toHaveValue('Another purpose')
})

test('axe finds nothing: editing a client, wrong input', async ({ page }) => {
  await page.getByRole('button', { name: 'Edit grid-bot' }).click()
  for (const name of ['Market data', 'Account', 'Trade'])
    await editOf(page).getByRole('checkbox', { name }).uncheck()
  await editOf(page).getByRole('button', { name: 'Save' }).click()
  await expect(editOf(page).getByText('At least one permission is required')).toBeVisible()
  await expectAccessibleAtBothWidths(page)
})

test('an edit cancelled while under way leaves the next one open', async ({ page, gateway }) => {
  gateway.respond(updateClient, { body: clientOf({ description: 'First' }) })
  const release = gateway.hold(updateClient)
  await page.getByRole('button', { name: 'Edit grid-bot' }).click()
  await editOf(page).getByLabel('Description (optional)').fill('First')
  await editOf(page).getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => gateway.calls(updateClient).length).toBe(1)
  await editOf(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Edit arbitrage' }).click()
  await editOf(page).getByLabel('Description (optional)').fill('Second')
  release()
  await expect(toastOf(page)).toContainText('Client Updated')
  await expect(editOf(page).getByLabel('Description (optional)')).toHaveValue('Second')
})
