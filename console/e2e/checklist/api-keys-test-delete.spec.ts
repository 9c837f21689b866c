import type { Page } from '@playwright/test'
import { deleteApiKey, listApiKeys, listClients, testApiKey } from 'schema'
import { expectAccessibleAtBothWidths } from '../support/axe.ts'
import { apiKeyOf, clientOf, samples } from '../support/samples.ts'
import type { StubResponse } from '../support/stub-gateway.ts'
import { expect, refresh, test, toastOf } from '../support/test.ts'

const ODD = 'a/b c%d'
const testDialogOf = (page: Page) => page.getByRole('dialog', { name: 'Test API Credentials' })
const deleteDialogOf = (page: Page) => page.getByRole('dialog', { name: 'Delete API keys' })
const submitOf = (page: Page) =>
  testDialogOf(page).getByRole('button', { name: 'Test Credentials' })
const confirmOf = (page: Page) =>
  deleteDialogOf(page).getByRole('button', { name: 'Delete', exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const passed = {
  ...testApiKey.sample.response,
  clientId: 'grid-bot',
  message: 'Bitget accepted the keys.',
}
const refused = {
  ...passed,
  success: false,
  testStatus: 'failure',
  message: 'Bitget refused: the passphrase is wrong.',
}

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(testApiKey, { body: passed })
  gateway.respond(deleteApiKey, { status: 204 })
})

test('155. to 158. a test is sent, and deleting asks first', async ({ page, gateway }) => {
  await page.goto('/api-keys')
  const release = gateway.hold(testApiKey)
  await press(page, 'Test Bitget API keys of grid-bot')
  await test.step('155. the test dialog names client and exchange', async () => {
    await expect(testDialogOf(page).getByRole('definition')).toHaveText(['grid-bot', 'Bitget'])
    await expect(submitOf(page)).toBeVisible()
  })
  const long = `client_${'x'.repeat(60)}`
  const now = [
    apiKeyOf({ exchange: 'bg', testStatus: 'success', note: 'now accepted' }),
    apiKeyOf({ clientId: long }),
  ]
  gateway.respond(listApiKeys, { body: now })
  await submitOf(page).click()
  await test.step('156. the request names both, and until then the button says so', async () => {
    await expect(testDialogOf(page).getByRole('button', { name: 'Testing...' })).toBeDisabled()
    await expect
      .poll(() => gateway.calls(testApiKey)[0]?.postDataJSON())
      .toEqual({ clientId: 'grid-bot', exchange: 'bg' })
    release()
    await expect(submitOf(page)).toBeEnabled()
  })
  await test.step("157. success is shown and the row's badge follows", async () => {
    await expect(toastOf(page)).toContainText('Credentials tested successfully!')
    await expect(testDialogOf(page)).toContainText('Bitget accepted the keys.')
    await expectAccessibleAtBothWidths(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('row', { name: 'now accepted' })).toContainText('Success')
  })
  await test.step('158. deleting names the whole client id; cancelling sends nothing', async () => {
    await press(page, `Delete MEXC API keys of ${long}`)
    await expect(deleteDialogOf(page)).toContainText(
      `Are you sure you want to delete MEXC API keys for client ${long}?`,
    )
    await expect(deleteDialogOf(page)).toContainText(
      'MEXC does not say which account a key belongs to',
    )
    await expect(confirmOf(page)).toBeEnabled()
    await expectAccessibleAtBothWidths(page)
    await deleteDialogOf(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(deleteDialogOf(page)).toHaveCount(0)
    expect(gateway.calls(deleteApiKey)).toEqual([])
  })
})

test('157. 159. 160. 161. failed tests, and deletions', async ({ page, gateway }) => {
  const remove = page.getByRole('button', { name: 'Delete MEXC API keys of grid-bot' })
  const failTest = (name: string, stub: StubResponse, reason: string) =>
    test.step(`157. ${name} is shown and the row's badge follows`, async () => {
      gateway.respond(testApiKey, stub)
      await press(page, 'Test MEXC API keys of grid-bot')
      const now = [apiKeyOf({ testStatus: 'failure', note: reason })]
      gateway.respond(listApiKeys, { body: now })
      await submitOf(page).click()
      await expect(toastOf(page)).toContainText('Credential test failed')
      await expect(testDialogOf(page)).toContainText(reason)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('row', { name: reason })).toContainText('Failed')
    })
  gateway.respond(listClients, { body: [clientOf()] })
  await page.goto('/api-keys')
  await failTest('a response that reports failure', { body: refused }, 'the passphrase is wrong')
  await test.step('159. confirming sends one call, with the client id encoded', async () => {
    gateway.respond(listApiKeys, { body: [apiKeyOf({ clientId: ODD, exchange: 'bg' })] })
    await refresh(page)
    await press(page, `Delete Bitget API keys of ${ODD}`)
    gateway.respond(listApiKeys, { body: samples.apiKeys })
    await confirmOf(page).click()
    await expect(deleteDialogOf(page)).toHaveCount(0)
    const paths = gateway.calls(deleteApiKey).map((call) => new URL(call.url()).pathname)
    expect(paths).toEqual(['/api/admin/client-api-keys/a%2Fb%20c%25d/bg'])
  })
  await test.step('160. failure is shown and the row stays', async () => {
    gateway.respond(deleteApiKey, { status: 500, body: { message: 'The store is busy' } })
    await remove.click()
    await confirmOf(page).click()
    await expect(toastOf(page)).toContainText('Failed to delete API keys')
    await expect(remove).toBeVisible()
  })
  await test.step('160. success is shown and the list read again', async () => {
    gateway.respond(deleteApiKey, { status: 204 })
    await remove.click()
    gateway.respond(listApiKeys, { body: samples.apiKeys.slice(1) })
    await confirmOf(page).click()
    await expect(toastOf(page)).toContainText('API keys deleted successfully!')
    await expect(remove).toHaveCount(0)
  })
  await test.step('161. after a deletion the client can be chosen again', async () => {
    await press(page, 'Add API Keys')
    await page.getByRole('dialog').getByRole('combobox', { name: 'Client ID' }).click()
    await expect(page.getByRole('option')).toHaveText(['grid-bot'])
    for (const role of ['option', 'dialog'] as const) {
      await page.keyboard.press('Escape')
      await expect(page.getByRole(role)).toHaveCount(0)
    }
  })
  gateway.respond(listApiKeys, { body: samples.apiKeys })
  await refresh(page)
  const none = { status: 502, body: { message: 'No response' } }
  await failTest('a response that is none of success', none, 'No response')
  await test.step('a deletion cancelled under way leaves the next question open', async () => {
    gateway.respond(listApiKeys, { body: samples.apiKeys })
    await refresh(page)
    const release = gateway.hold(deleteApiKey)
    await remove.click()
    await confirmOf(page).click()
    await expect.poll(() => gateway.calls(deleteApiKey).length).toBe(4)
    await deleteDialogOf(page).getByRole('button', { name: 'Cancel' }).click()
    await press(page, 'Delete Bitget API keys of grid-bot')
    await expect(deleteDialogOf(page)).toContainText('Bitget')
    release()
    await expect(toastOf(page)).toContainText('API keys deleted successfully!')
    await expect(deleteDialogOf(page)).toContainText('Bitget')
  })
})
