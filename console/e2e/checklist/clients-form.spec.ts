import type { Page } from '@playwright/test'
import { createClient, listClients } from 'schema'
import { clientOf } from '../support/samples.ts'
import { expect, test, toastOf } from '../support/test.ts'

const idOf = (page: Page) => page.getByLabel('Client ID', { exact: true })
const submitOf = (page: Page) => page.getByRole('button', { name: 'Create Client Credentials' })

test.beforeEach(async ({ page, gateway, signedIn: _ }) => {
  gateway.respond(createClient, { status: 201, body: clientOf({ id: 10, clientId: 'new-bot' }) })
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
})

test('89. the form has an id with a generator, an optional description and a button', async ({
  page,
}) => {
  await expect(idOf(page)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Generate' })).toBeVisible()
  await expect(page.getByLabel('Description (optional)')).toBeVisible()
  await expect(submitOf(page)).toBeVisible()
})

test('90. Generate fills an id of the time and nine random characters', async ({ page }) => {
  await page.clock.setFixedTime('2026-03-05T14:30:22.123Z')
  await page.getByRole('button', { name: 'Generate' }).click()
  await expect(idOf(page)).toHaveValue(/^client_1772721022123_[a-z0-9]{9}$/)
})

test('90. a thousand presses give a thousand ids of one length', async ({ page }) => {
  const generate = page.getByRole('button', { name: 'Generate' })
  const ids = await generate.evaluate(async (button: HTMLElement) => {
    const input = document.querySelector<HTMLInputElement>('form input')
    const seen: string[] = []
    for (let press = 0; press < 1000; press += 1) {
      button.click()
      await new Promise<void>((drawn) => queueMicrotask(() => queueMicrotask(drawn)))
      seen.push(input?.value ?? '')
    }
    return seen
  })
  expect(new Set(ids.map((id) => id.length))).toEqual(new Set([30]))
  expect(new Set(ids).size).toBe(1000)
})

test('91. an empty id is reported and not sent; an empty description is accepted', async ({
  page,
  gateway,
}) => {
  await submitOf(page).click()
  await expect(page.getByText('Client ID is required')).toBeVisible()
  expect(gateway.calls(createClient)).toEqual([])
  await idOf(page).fill('new-bot')
  await submitOf(page).click()
  await expect.poll(() => gateway.calls(createClient).length).toBe(1)
})

test('92. the request holds id and description', async ({ page, gateway }) => {
  await idOf(page).fill('new-bot')
  await page.getByLabel('Description (optional)').fill('Buys low')
  await submitOf(page).click()
  await expect.poll(() => gateway.calls(createClient).length).toBe(1)
  expect(gateway.calls(createClient)[0]?.postDataJSON()).toEqual({
    clientId: 'new-bot',
    description: 'Buys low',
  })
})

test('93. while pending the button says so and is disabled', async ({ page, gateway }) => {
  const release = gateway.hold(createClient)
  await idOf(page).fill('new-bot')
  await submitOf(page).click()
  await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
  release()
  await expect(submitOf(page)).toBeEnabled()
})

test('94. success is shown, empties the form and reads the list again', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  await idOf(page).fill('new-bot')
  await page.getByLabel('Description (optional)').fill('Buys low')
  await submitOf(page).click()
  await expect(toastOf(page)).toContainText('Client Credentials Created')
  await expect(toastOf(page)).toContainText(
    'New client credentials have been generated successfully.',
  )
  await expect(idOf(page)).toHaveValue('')
  await expect(page.getByLabel('Description (optional)')).toHaveValue('')
  await expect.poll(() => gateway.calls(listClients).length).toBe(2)
})

test('95. failure is shown with the status, and what was typed stays', async ({
  page,
  gateway,
}) => {
  gateway.respond(createClient, { status: 409, body: { message: 'A client with this id exists' } })
  await idOf(page).fill('grid-bot')
  await page.getByLabel('Description (optional)').fill('Twice')
  await submitOf(page).click()
  await expect(toastOf(page).getByText('Error', { exact: true })).toBeVisible()
  await expect(toastOf(page)).toContainText('409: A client with this id exists')
  await expect(idOf(page)).toHaveValue('grid-bot')
  await expect(page.getByLabel('Description (optional)')).toHaveValue('Twice')
})

test('96. the usage card shows the token call and a call with the token', async ({ page }) => {
  const card = page.getByRole('region', { name: 'How a client calls the API' })
  await expect(card).toContainText('POST /auth/token')
  await expect(card).toContainText('"clientId"')
  await expect(card).toContainText('"clientSecret"')
  await expect(card).toContainText(/GET \/api\/v3\/ticker\/price\?symbol=\w+/)
  await expect(card).toContainText('Authorization: Bearer')
})

test('97. a note says that secrets are shown once and what to do about a compromised one', async ({
  page,
}) => {
  const note = page.getByRole('note')
  await expect(note).toContainText('Secrets are only shown once, at creation')
  await expect(note).toContainText('compromised credential must be deleted and recreated')
})
