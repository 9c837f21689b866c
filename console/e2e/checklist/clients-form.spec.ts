import type { Page } from '@playwright/test'
import { createClient, listClients } from 'schema'
import { clientOf } from '../support/samples.ts'
import { expect, test, toastOf } from '../support/test.ts'

const idOf = (page: Page) => page.getByLabel('Client ID', { exact: true })
const descriptionOf = (page: Page) => page.getByLabel('Description (optional)')
const submitOf = (page: Page) => page.getByRole('button', { name: 'Create Client Credentials' })

test.beforeEach(async ({ page, gateway, signedIn: _ }) => {
  gateway.respond(createClient, { status: 201, body: clientOf({ id: 10, clientId: 'new-bot' }) })
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
})

test('92. 93. 94. what is sent, and what is said until and after the response', {
  tag: '@both',
}, async ({ page, gateway }) => {
  const release = gateway.hold(createClient)
  await idOf(page).fill('new-bot')
  await descriptionOf(page).fill('Buys low')
  await submitOf(page).click()
  await test.step('93. while pending the button says so and is disabled', async () => {
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    release()
  })
  await test.step('94. success is shown, empties the form, reads the list again', async () => {
    await expect(toastOf(page)).toContainText(
      /Client Credentials Created.*New client credentials have been generated successfully\./,
    )
    await expect(submitOf(page)).toBeEnabled()
    await expect(idOf(page)).toHaveValue('')
    await expect(descriptionOf(page)).toHaveValue('')
    await expect.poll(() => gateway.calls(listClients).length).toBe(2)
  })
  await test.step('92. the request holds id and description', async () => {
    expect(gateway.calls(createClient)).toHaveLength(1)
    expect(gateway.calls(createClient)[0]?.postDataJSON()).toEqual({
      clientId: 'new-bot',
      description: 'Buys low',
    })
  })
})

test('89. to 91. 95. to 97. the form, its rules, and what is said beside it', async ({
  page,
  gateway,
}) => {
  await test.step('89. an id with a generator, an optional description, a button', async () => {
    await expect(idOf(page)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Generate' })).toBeVisible()
    await expect(descriptionOf(page)).toBeVisible()
    await expect(submitOf(page)).toBeVisible()
  })
  await test.step('96. the usage card shows the token call and a call with it', async () => {
    const card = page.getByRole('region', { name: 'How a client calls the API' })
    await expect(card).toContainText('POST /auth/token')
    await expect(card).toContainText('"clientId"')
    await expect(card).toContainText('"clientSecret"')
    await expect(card).toContainText(/GET \/api\/v3\/ticker\/price\?symbol=\w+/)
    await expect(card).toContainText('Authorization: Bearer')
  })
  await test.step('97. a note on secrets, which are shown once or compromised', async () => {
    const note = page.getByRole('note')
    await expect(note).toContainText('Secrets are only shown once, at creation')
    await expect(note).toContainText('compromised credential must be deleted and recreated')
  })
  await test.step('91. an empty id is reported; an empty description is accepted', async () => {
    await submitOf(page).click()
    await expect(page.getByText('Client ID is required')).toBeVisible()
    expect(gateway.calls(createClient)).toEqual([])
    await idOf(page).fill('new-bot')
    await submitOf(page).click()
    await expect.poll(() => gateway.calls(createClient).length).toBe(1)
    await expect(idOf(page)).toHaveValue('')
  })
  await test.step('95. failure is shown with the status, and what was typed stays', async () => {
    const stub = { status: 409, body: { message: 'A client with this id exists' } }
    gateway.respond(createClient, stub)
    await idOf(page).fill('grid-bot')
    await descriptionOf(page).fill('Twice')
    await submitOf(page).click()
    await expect(toastOf(page)).toHaveText(/^Error\s*409: A client with this id exists/)
    await expect(idOf(page)).toHaveValue('grid-bot')
    await expect(descriptionOf(page)).toHaveValue('Twice')
  })
  const generate = page.getByRole('button', { name: 'Generate' })
  await test.step('90. a thousand presses give a thousand ids of one length', async () => {
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
  await test.step('90. Generate fills an id of the time and nine random characters', async () => {
    await page.clock.setFixedTime('2026-03-05T14:30:22.123Z')
    await generate.click()
    await expect(idOf(page)).toHaveValue(/^client_1772721022123_[a-z0-9]{9}$/)
  })
})
