import type { Page } from '@playwright/test'

/** Creates a client on its page, copies the secret from the dialog that shows it, and closes it. */
export async function createBot(page: Page, clientId: string, description = ''): Promise<string> {
  await page.getByLabel('Client ID', { exact: true }).fill(clientId)
  await page.getByLabel('Description (optional)').fill(description)
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  const dialog = page.getByRole('dialog', { name: 'Keep this secret now' })
  await dialog.getByRole('button', { name: `Copy Client Secret of ${clientId}` }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return page.evaluate(() => navigator.clipboard.readText())
}
