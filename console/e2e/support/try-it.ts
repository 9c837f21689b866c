import { expect, type Locator, type Page } from '@playwright/test'
import type { Endpoint } from 'schema'
import { choose as chooseIn } from './test.ts'

/** A token that looks like one, and lasts until this second. */
export const tokenUntil = (exp: number) => ['e30', btoa(JSON.stringify({ exp })), 'sig'].join('.')
export const CLIENT_TOKEN = tokenUntil(4_102_444_800)

/** The card with the form of an endpoint and its response; the first of the page without one. */
function cardOf(page: Page, endpoint?: Endpoint): Locator {
  const cards = page.getByRole('region', { name: /^Try it/ })
  if (endpoint === undefined) return cards.first()
  const form = page.getByRole('form', { name: `Try it: ${endpoint.summary}`, exact: true })
  return cards.filter({ has: form })
}

export const formOf = (page: Page, endpoint?: Endpoint): Locator =>
  cardOf(page, endpoint).getByRole('form')

export const fieldOf = (page: Page, name: string) => formOf(page).getByLabel(name, { exact: true })
export const sendButtonOf = (page: Page) => page.getByRole('button', { name: 'Send Request' })
export const press = (page: Page) => sendButtonOf(page).click()
export const responseOf = (page: Page) =>
  page.getByRole('region', { name: 'Response', exact: true })
/** Status and reason of the response; numbers of its body and its times do not count. */
export const statusOf = (page: Page) => responseOf(page).getByRole('status').first()
export const curlOf = (page: Page) =>
  page.getByRole('figure', { name: 'cURL command' }).locator('pre')

export async function fill(
  page: Page,
  values: Readonly<Record<string, string>>,
  endpoint?: Endpoint,
): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await formOf(page, endpoint).getByLabel(name, { exact: true }).fill(value)
}

export const choose = (page: Page, name: string, option: string) =>
  chooseIn(page, fieldOf(page, name), option)

/** Sends the form and returns the body of the response, once its status has come. */
export async function send(page: Page, status: number, endpoint?: Endpoint): Promise<unknown> {
  const card = cardOf(page, endpoint)
  await card.getByRole('button', { name: 'Send Request' }).click()
  const response = card.getByRole('region', { name: /^Response/ })
  await expect(response.getByRole('status')).toContainText(String(status))
  return JSON.parse(await response.getByRole('region', { name: 'Response body' }).innerText())
}
