import type { Page } from '@playwright/test'
import { createClient, listClients } from 'schema'
import { expectAccessibleAtBothWidths } from '../support/axe.ts'
import { clientOf } from '../support/samples.ts'
import { expect, expectVisible, test, toastOf } from '../support/test.ts'

const idOf = (page: Page) => page.getByLabel('Client ID', { exact: true })
const descriptionOf = (page: Page) => page.getByLabel('Description (optional)')
const submitOf = (page: Page) => page.getByRole('button', { name: 'Create Client Credentials' })

test('89. to 97. the form, what it sends, its rules, and what is said beside it', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  gateway.respond(createClient, { status: 201, body: clientOf({ id: 10, clientId: 'new-bot' }) })
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
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
  const sent = gateway.calls(createClient).map((call) => call.postDataJSON())
  const body = { clientId: 'new-bot', description: 'Buys low' }
  expect(sent, '92. the request holds id and description').toEqual([body])
  const generate = page.getByRole('button', { name: 'Generate' })
  await expectVisible({
    '89. an id': idOf(page),
    '89. a generator': generate,
    '89. an optional description': descriptionOf(page),
    '89. a button': submitOf(page),
  })
  await page.getByText('How a client calls the API').click()
  const card = page.getByRole('region', { name: 'How a client calls the API' })
  for (const text of [
    ...['POST /auth/token', '"clientId"', '"clientSecret"', 'Authorization: Bearer'],
    /GET \/api\/v3\/ticker\/price\?symbol=\w+/,
  ])
    await expect(card, '96. the token call and a call with it').toContainText(text)
  for (const text of [
    'Secrets are only shown once, at creation',
    'compromised credential must be deleted and recreated',
  ])
    await expect(page.getByRole('note'), '97. secrets').toContainText(text)
  await test.step('91. an empty id is reported; an empty description is accepted', async () => {
    await submitOf(page).click()
    await expect(page.getByText('Client ID is required')).toBeVisible()
    expect(gateway.calls(createClient)).toHaveLength(1)
    await expectAccessibleAtBothWidths(page)
    await idOf(page).fill('new-bot')
    await submitOf(page).click()
    await expect.poll(() => gateway.calls(createClient).length).toBe(2)
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
