import type { Page } from '@playwright/test'
import { listApiKeys, saveApiKey, testApiKey } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { apiKeyOf } from './support/samples.ts'
import { choose, expect, test, toastOf } from './support/test.ts'

const REFUSED = {
  status: 422,
  body: { code: 'KEY_CAN_WITHDRAW', message: 'This key may withdraw funds from MEXC.' },
}
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Add Exchange API Keys' })
const fieldOf = (page: Page, label: string) => dialogOf(page).getByLabel(label, { exact: true })
const submitOf = (page: Page) => dialogOf(page).getByRole('button', { name: 'Save API Keys' })
const allowOf = (page: Page) => dialogOf(page).getByRole('checkbox', { name: /Store it anyway/ })
const rowOf = (page: Page, clientId: string) => page.getByRole('row').filter({ hasText: clientId })

async function saveKey(page: Page) {
  await page.getByRole('button', { name: 'Add API Keys' }).click()
  await choose(page, dialogOf(page).getByRole('combobox', { name: 'Client ID' }), 'arbitrage')
  await fieldOf(page, 'API Key').fill('the-key')
  await fieldOf(page, 'API Secret').fill('the-secret')
  await expect(allowOf(page)).toHaveCount(0)
  await submitOf(page).click()
}

test('a key that can withdraw is refused, stored when that is allowed, and marked', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  await test.step('what was allowed for one key is not allowed for another', async () => {
    gateway.respond(saveApiKey, REFUSED)
    await page.goto('/api-keys')
    await saveKey(page)
    await allowOf(page).check()
    await fieldOf(page, 'API Key').fill('another-key')
    await expect(allowOf(page)).toHaveCount(0)
    await submitOf(page).click()
    await expect(allowOf(page)).not.toBeChecked()
    expect(gateway.calls(saveApiKey).at(-1)?.postDataJSON()).not.toHaveProperty('allowWithdrawal')
    await page.keyboard.press('Escape')
  })
  await test.step('the test of a key shows what the exchange says of it', async () => {
    const { response } = testApiKey.sample
    const expiresAt = '2026-03-09T00:00:00.000Z'
    gateway.respond(testApiKey, { body: { ...response, clockOffsetMs: -1200, expiresAt } })
    await page.getByRole('button', { name: 'Test MEXC API keys of grid-bot' }).click()
    await page.getByRole('button', { name: 'Test Credentials' }).click()
    const result = page.getByRole('dialog').getByRole('note')
    for (const line of [
      'Permissions: uta_trade, uta_mgt',
      'Bound to: 203.0.113.7',
      /Expires: .*2026/,
      /Clock: the exchange is 1.?200 ms behind the gateway/,
    ])
      await expect(result).toContainText(line)
  })
  await page.keyboard.press('Escape')
  await test.step('a key that can withdraw is stored when that is allowed, and marked', async () => {
    gateway.respond(saveApiKey, REFUSED)
    await saveKey(page)
    await expect(dialogOf(page).getByRole('alert')).toContainText('may withdraw funds from MEXC')
    await expect(fieldOf(page, 'API Secret')).toHaveValue('the-secret')
    await expect(allowOf(page)).not.toBeChecked()
    await expectAccessibleAtBothWidths(page)

    const stored = apiKeyOf({ clientId: 'arbitrage', canWithdraw: true })
    gateway.respond(saveApiKey, { status: 201, body: stored })
    gateway.respond(listApiKeys, { body: [stored, apiKeyOf({ canWithdraw: null })] })
    await allowOf(page).check()
    await submitOf(page).click()
    await expect(toastOf(page)).toContainText('API keys saved successfully!')
    const bodies = gateway.calls(saveApiKey).map((call) => call.postDataJSON())
    expect(bodies.slice(-2)).toEqual([
      expect.not.objectContaining({ allowWithdrawal: expect.anything() }),
      expect.objectContaining({ apiKey: 'the-key', allowWithdrawal: true }),
    ])
    await expect(rowOf(page, 'arbitrage')).toContainText('Can withdraw')
    await expect(rowOf(page, 'grid-bot')).toContainText('Withdrawal not known')
    await expectAccessibleAtBothWidths(page)
  })
})
