import { expect, type Locator, type Page } from '@playwright/test'
import type { AccountKeys } from '../../../scripts/src/screenshots/create-account.ts'

/** @param place the client, and the exchange by its name */
export async function storeKeys(
  page: Page,
  place: { readonly clientId: string; readonly exchange: string },
  keys: AccountKeys,
): Promise<void> {
  await page.getByRole('button', { name: 'Add API Keys' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Exchange API Keys' })
  await dialog.getByRole('combobox', { name: 'Exchange' }).click()
  await page.getByRole('option', { name: place.exchange }).click()
  await dialog.getByRole('combobox', { name: 'Client ID' }).click()
  await page.getByRole('option', { name: place.clientId }).click()
  await dialog.getByLabel('API Key', { exact: true }).fill(keys.apiKey)
  await dialog.getByLabel('API Secret', { exact: true }).fill(keys.apiSecret)
  if (keys.passphrase !== undefined)
    await dialog.getByLabel('Passphrase (optional)', { exact: true }).fill(keys.passphrase)
  await dialog.getByRole('button', { name: 'Save API Keys' }).click()
  await expect(dialog).toHaveCount(0)
}

/** Tests the keys of a row, which pass, and closes the dialog. Returns what it said. */
export async function testKeys(page: Page, row: Locator): Promise<string> {
  await row.getByRole('button', { name: /^Test/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Test API Credentials' })
  await dialog.getByRole('button', { name: 'Test Credentials' }).click()
  await expect(dialog.getByText('Credentials tested successfully!')).toBeVisible()
  const said = await dialog.getByRole('note').innerText()
  await page.keyboard.press('Escape')
  return said
}
