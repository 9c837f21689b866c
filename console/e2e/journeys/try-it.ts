import { expect, type Locator, type Page } from '@playwright/test'
import type { Endpoint } from 'schema'

/** The card with the form of an endpoint and its response; the first of the page without one. */
function cardOf(page: Page, endpoint?: Endpoint): Locator {
  const cards = page.getByRole('region', { name: /^Try it/ })
  if (endpoint === undefined) return cards.first()
  const form = page.getByRole('form', { name: `Try it: ${endpoint.summary}`, exact: true })
  return cards.filter({ has: form })
}

export const formOf = (page: Page, endpoint?: Endpoint): Locator =>
  cardOf(page, endpoint).getByRole('form')

export async function fill(
  page: Page,
  values: Readonly<Record<string, string>>,
  endpoint?: Endpoint,
): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await formOf(page, endpoint).getByLabel(name, { exact: true }).fill(value)
}

export async function choose(page: Page, name: string, option: string): Promise<void> {
  await formOf(page).getByLabel(name, { exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Sends the form and returns the body of the response, once its status has come. */
export async function send(page: Page, status: number, endpoint?: Endpoint): Promise<unknown> {
  const card = cardOf(page, endpoint)
  await card.getByRole('button', { name: 'Send Request' }).click()
  const response = card.getByRole('region', { name: /^Response/ })
  await expect(response.getByRole('status')).toContainText(String(status))
  return JSON.parse(await response.getByRole('region', { name: 'Response body' }).innerText())
}
