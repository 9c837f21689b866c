import { expect, type Locator, type Page } from '@playwright/test'

/** The only form of a page, or the one that calls this address. */
export const formOf = (page: Page): Locator => page.getByRole('form').first()

export async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await formOf(page).getByLabel(name, { exact: true }).fill(value)
}

export async function choose(page: Page, name: string, option: string): Promise<void> {
  await formOf(page).getByLabel(name, { exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Sends the form and returns the body of the response, once its status has come. */
export async function send(page: Page, status: number): Promise<unknown> {
  await page.getByRole('button', { name: 'Send Request' }).first().click()
  const response = page.getByRole('region', { name: 'Response', exact: true }).first()
  await expect(response.getByRole('status')).toContainText(String(status))
  return JSON.parse(await response.getByRole('region', { name: 'Response body' }).innerText())
}
