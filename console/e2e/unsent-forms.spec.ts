import type { Page } from '@playwright/test'
import {
  bgSpotPlaceOrder,
  changeClientLimits,
  createClient,
  type Endpoint,
  getClientLimits,
  getOperations,
  listApiKeys,
  listClients,
  login,
  saveApiKey,
  stopClient,
  updateClient,
} from 'schema'
import { trouble } from './support/operations-samples.ts'
import { LONG_ID, LONG_NOTE, longClients } from './support/realistic.ts'
import { limitsOf, samples } from './support/samples.ts'
import { type Gateway, settle } from './support/stub-gateway.ts'
import {
  choose,
  expect,
  goWithin,
  shellOf,
  signIn,
  signInScreenOf,
  storeSession,
  test,
} from './support/test.ts'
import { CLIENT_TOKEN, fill, press } from './support/try-it.ts'

const SAID = 'What you had typed and not sent is here again'
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })
const inputOf = (page: Page, name: string) => page.getByLabel(name, { exact: true })

const fieldOf = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(listClients, { body: longClients })
})

/** Ends the session by the next call of an endpoint, until the sign-in screen is there. */
async function expire(page: Page, gateway: Gateway, endpoint: Endpoint, act: () => Promise<void>) {
  gateway.respond(endpoint, { status: 401 })
  await act()
  await expect(signInScreenOf(page)).toBeVisible()
  gateway.respond(endpoint, { status: 500, body: { message: 'not what is tested' } })
}

async function signInAgain(page: Page) {
  await signIn(page)
  await expect(shellOf(page)).toBeVisible()
}

test('227. the forms of clients and keys are there again after a forced sign-in', async ({
  page,
  gateway,
}) => {
  await test.step('227. a new client is there again, and said once', async () => {
    await page.goto('/client-credentials')
    const id = inputOf(page, 'Client ID')
    const description = inputOf(page, 'Description (optional)')
    await id.fill(LONG_ID)
    await description.fill(LONG_NOTE)
    await page.getByText('Permissions: usual').click()
    await page.getByRole('checkbox', { name: 'Trade' }).uncheck()
    const submit = page.getByRole('button', { name: 'Create Client Credentials' })
    await expire(page, gateway, createClient, () => submit.click())
    await signInAgain(page)
    await expect(id).toHaveValue(LONG_ID)
    await expect(description).toHaveValue(LONG_NOTE)
    await expect(page.getByRole('checkbox', { name: 'Trade' })).not.toBeChecked()
    await expect(page.getByText(SAID)).toHaveCount(1)
    await page.getByRole('button', { name: 'Generate' }).click()
    await expect(page.getByText(`Replaced “${LONG_ID}”`)).toBeVisible()
    await page.reload()
    await expect(id).toHaveValue('')
  })
  await test.step('227. changes of a client are there again', async () => {
    await goWithin(page, '/client-credentials')
    await page.getByRole('button', { name: `Edit ${LONG_ID}` }).click()
    const description = dialogOf(page, 'Edit client').getByLabel('Description (optional)')
    await description.fill('Zweitkonto_GridBot_Strategie_43_Team_Frankfurt_Nov')
    const submit = dialogOf(page, 'Edit client').getByRole('button', { name: 'Save' })
    await expire(page, gateway, updateClient, () => submit.click())
    await signInAgain(page)
    await expect(description).toHaveValue('Zweitkonto_GridBot_Strategie_43_Team_Frankfurt_Nov')
    await expect(submit).toBeEnabled()
    await page.keyboard.press('Escape')
  })
  await test.step('227. the form of a key opens again without the key, its secret and its passphrase', async () => {
    gateway.respond(listApiKeys, { body: [] })
    await goWithin(page, '/api-keys')
    await page.getByRole('button', { name: 'Add API Keys' }).first().click()
    const dialog = page.getByRole('dialog')
    await choose(page, dialog.getByRole('combobox', { name: 'Exchange' }), 'Bitget')
    await choose(page, dialog.getByRole('combobox', { name: 'Client ID' }), LONG_ID)
    await dialog.getByLabel('Note').fill(LONG_NOTE)
    for (const secret of ['API Key', 'API Secret', 'Passphrase (optional)'])
      await dialog.getByLabel(secret, { exact: true }).fill('value-of-the-secret')
    const submit = dialog.getByRole('button', { name: 'Save API Keys' })
    await expire(page, gateway, saveApiKey, () => submit.click())
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('value-of')
    await signInAgain(page)
    await expect(dialog.getByLabel('Note')).toHaveValue(LONG_NOTE)
    await expect(dialog.getByRole('combobox', { name: 'Client ID' })).toHaveValue(LONG_ID)
    await expect(dialog.getByLabel('Exchange')).toHaveValue('Bitget')
    for (const secret of ['API Key', 'API Secret', 'Passphrase (optional)'])
      await expect(dialog.getByLabel(secret, { exact: true })).toHaveValue('')
    await expect(dialog.getByText(SAID)).toBeVisible()
    await page.keyboard.press('Escape')
  })
})

test('227. limits, reasons of stops and orders are there again', async ({ page, gateway }) => {
  await test.step('227. changed limits are there again, and the others are as the gateway has them now', async () => {
    gateway.respond(getClientLimits, { body: limitsOf({ maxOpenOrders: 20, maxDayValue: '2000' }) })
    await page.goto('/client-credentials/7')
    await fieldOf(page, 'Open orders').fill('35')
    await expire(page, gateway, changeClientLimits, () =>
      page.getByRole('button', { name: 'Save limits' }).click(),
    )
    gateway.respond(getClientLimits, { body: limitsOf({ maxOpenOrders: 20, maxDayValue: '3000' }) })
    await signInAgain(page)
    await expect(fieldOf(page, 'Open orders')).toHaveValue('35')
    await expect(fieldOf(page, 'Value per day')).toHaveValue('3000')
    await expect(page.getByText(SAID)).toBeVisible()
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect(page.getByText(SAID)).toHaveCount(0)
  })
  await test.step('227. the reason of a stop is there again, and nothing is stopped', async () => {
    await goWithin(page, '/client-credentials/7')
    await page.getByRole('button', { name: 'Stop client' }).click()
    const dialog = dialogOf(page, `Stop ${LONG_ID}`)
    await dialog.getByLabel('Reason').fill(LONG_NOTE)
    await dialog.getByLabel('Also cancel open orders').uncheck()
    const stop = dialog.getByRole('button', { name: 'Stop client' })
    await stop.click()
    await dialog.getByLabel(`Type ${LONG_ID}`).fill(LONG_ID)
    await expire(page, gateway, stopClient, () => stop.click())
    await signInAgain(page)
    await expect(dialog.getByLabel('Reason')).toHaveValue(LONG_NOTE)
    await expect(dialog.getByLabel('Also cancel open orders')).not.toBeChecked()
    await settle(page)
    expect(gateway.calls(stopClient)).toHaveLength(1)
    await page.keyboard.press('Escape')
  })
  await test.step('227. the reason of a stop on Operations is there again, in its dialog', async () => {
    const clients = trouble().clients
    gateway.respond(getOperations, { body: trouble() })
    await goWithin(page, '/operations')
    await page.getByRole('button', { name: `Stop and cancel ${clients[0]?.clientId}` }).click()
    const dialog = dialogOf(page, `Stop ${clients[0]?.clientId}`)
    await dialog.getByLabel('Reason').fill('It floods the queue of everybody else')
    await expire(page, gateway, getOperations, async () => {})
    gateway.respond(getOperations, { body: trouble() })
    await signInAgain(page)
    await expect(dialog.getByLabel('Reason')).toHaveValue('It floods the queue of everybody else')
    await dialog.press('Escape')
  })
  await test.step('227. a try-it form is there again without the token, and so is the key of its order', async () => {
    await goWithin(page, '/bitget/trading/spot')
    await fill(page, { 'JWT token': CLIENT_TOKEN, price: '60000.5', size: '0.00125' })
    const release = gateway.hold(bgSpotPlaceOrder)
    await press(page)
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(1)
    await expire(page, gateway, getOperations, async () => {})
    release()
    await signInAgain(page)
    await expect(inputOf(page, 'price')).toHaveValue('60000.5')
    await expect(inputOf(page, 'size')).toHaveValue('0.00125')
    await expect(inputOf(page, 'JWT token')).toHaveValue('')
    await fill(page, { 'JWT token': CLIENT_TOKEN })
    await press(page)
    // The response to the first was lost with the page: it may stand.
    await dialogOf(page, 'The last order may have been placed')
      .getByRole('button', { name: 'Retry the same order' })
      .click()
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(2)
    const [first, second] = gateway.calls(bgSpotPlaceOrder)
    const key = (call: typeof first) => call?.headers()['idempotency-key']
    expect(key(second)).toBe(key(first))
  })
})

const PEOPLE = [
  ['another person', 'eve@example.com', (page: Page, email: string) => signIn(page, email)],
  [
    'another person in another tab',
    'adam@example.com',
    async (page: Page, email: string) => {
      const other = await page.context().newPage()
      await other.goto('/favicon.svg')
      await storeSession(other, `token-of-${email}`, JSON.stringify({ id: 6, email }))
      await other.close()
    },
  ],
] as const

test('227. another person gets nothing of what was typed', async ({ page, gateway }) => {
  await page.goto('/client-credentials')
  const description = inputOf(page, 'Description (optional)')
  for (const [who, email, leave] of PEOPLE)
    await test.step(`227. ${who}`, async () => {
      await description.fill(LONG_NOTE)
      await inputOf(page, 'Client ID').fill(LONG_ID)
      const submit = page.getByRole('button', { name: 'Create Client Credentials' })
      await expire(page, gateway, createClient, () => submit.click())
      gateway.respond(login, { body: { ...samples.login, user: { id: 5, email } } })
      await leave(page, email)
      await expect(shellOf(page)).toBeVisible()
      await expect(description).toHaveValue('')
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(LONG_NOTE)
    })
})

test('what is typed, and a sign-out in another tab or here', async ({ page }) => {
  await page.goto('/client-credentials')
  const description = inputOf(page, 'Description (optional)')
  await test.step('227. a sign-out in another tab keeps what is typed here for the same person', async () => {
    await description.fill(LONG_NOTE)
    const other = await page.context().newPage()
    await other.goto('/favicon.svg')
    await other.evaluate(() => localStorage.clear())
    await other.close()
    await expect(signInScreenOf(page)).toBeVisible()
    await signInAgain(page)
    await expect(description).toHaveValue(LONG_NOTE)
  })
  await test.step('25. what was typed is gone after Logout', async () => {
    await description.fill(`${LONG_NOTE}.`)
    await shellOf(page).click()
    await expect(signInScreenOf(page)).toBeVisible()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await signInAgain(page)
    await expect(description).toHaveValue('')
  })
})
