import type { Page } from '@playwright/test'
import { createClient, listClients } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { clientOf } from './support/samples.ts'
import { GATEWAY_URL, type Gateway, settle } from './support/stub-gateway.ts'
import { clipboardOf, expect, saved, test, toastOf } from './support/test.ts'

const SECRET = 'sls_9fQ2Zl0m3bNcVw8yTrXk5sJdHgA1x7Kd'
const created = clientOf({ id: 10, clientId: 'new-bot', clientSecret: SECRET })

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Save this secret now' })
const doneOf = (page: Page) => dialogOf(page).getByRole('button', { name: 'Done' })
const storedOf = (page: Page) => dialogOf(page).getByLabel('I have stored this secret')
const rowOf = (page: Page) => page.getByRole('listitem').filter({ hasText: 'new-bot' })

test.beforeEach(async ({ page, gateway, signedIn: _ }) => {
  gateway.respond(createClient, { status: 201, body: created })
  await page.goto('/client-credentials')
})

/** Creates a client, so that its secret is shown. */
async function create(page: Page, gateway: Gateway): Promise<void> {
  await page.getByLabel('Client ID', { exact: true }).fill('new-bot')
  const { clientSecret: _secret, ...listed } = created as typeof created & { clientSecret: string }
  gateway.respond(listClients, { body: [listed] })
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  await expect(dialogOf(page)).toBeVisible()
  // Waits until the list has been read again.
  await settle(page)
}

test('the secret is copied, saved, stored and shown until the page is left', async ({
  page,
  gateway,
  goTo,
}) => {
  const clear = dialogOf(page).getByRole('button', { name: 'Clear clipboard' })
  await create(page, gateway)
  await expectAccessibleAtBothWidths(page)
  await test.step('232. a failed read of the list does not close the dialog', async () => {
    gateway.respond(listClients, { status: 500, body: 'boom' })
    const before = gateway.calls(listClients).length
    // Behind the dialog, where no pointer gets.
    await page.getByText('Refresh', { exact: true }).evaluate((label: HTMLElement) => label.click())
    await expect.poll(() => gateway.calls(listClients).length).toBe(before + 1)
    await settle(page)
    await expect(dialogOf(page)).toBeVisible()
  })
  await test.step('229. the button works once the secret was copied', async () => {
    await expect(doneOf(page)).toBeDisabled()
    await expect(clear).toBeHidden()
    await dialogOf(page).getByRole('button', { name: 'Copy Client ID' }).click()
    await expect(doneOf(page)).toBeDisabled()
    await dialogOf(page).getByRole('button', { name: 'Copy Client Secret of new-bot' }).click()
    await expect(doneOf(page)).toBeEnabled()
    await expect.poll(() => clipboardOf(page)).toBe(SECRET)
  })
  await test.step('335. a copied secret is cleared from the clipboard with one action', async () => {
    await clear.click()
    await expect.poll(() => clipboardOf(page)).toBe(' ')
    await expect(toastOf(page)).toContainText('no longer in the clipboard')
    await expect(clear).toBeHidden()
    await doneOf(page).click()
    await expect(dialogOf(page)).toHaveCount(0)
  })
  await test.step('231. the file holds base URL, client id and secret, and nothing else', async () => {
    await create(page, gateway)
    await expect(doneOf(page)).toBeDisabled()
    expect(await saved(page, 'Download .env')).toEqual({
      name: 'new-bot.env',
      text: `SLUICE_BASE_URL=${GATEWAY_URL}\nSLUICE_CLIENT_ID=new-bot\nSLUICE_CLIENT_SECRET=${SECRET}\n`,
    })
    await expect(doneOf(page)).toBeEnabled()
    await doneOf(page).click()
  })
  await test.step('228. only its own button closes the dialog: not Escape, the overlay or Back', async () => {
    await create(page, gateway)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.goBack()
    await expect(dialogOf(page)).toBeVisible()
    await expect(page).toHaveURL('/client-credentials')
    await storedOf(page).check()
    await doneOf(page).click()
    await expect(dialogOf(page)).toHaveCount(0)
    await expect(page).toHaveURL('/client-credentials')
  })
  await test.step('234. until the page is left the new row is marked and reveals its secret', async () => {
    await expect(rowOf(page).getByText('New', { exact: true })).toBeVisible()
    await rowOf(page).getByRole('button', { name: 'Show Client Secret' }).click()
    const secret = rowOf(page).getByRole('textbox', { name: /^Client Secret/ })
    await expect(secret).toHaveValue(SECRET)
    await goTo('API Key Management')
    await goTo('Client Credentials')
    await expect(rowOf(page)).toBeVisible()
    await expect(rowOf(page).getByText('New', { exact: true })).toHaveCount(0)
  })
})

test('after a new client its keys come next, with the client chosen', async ({ page, gateway }) => {
  await create(page, gateway)
  const next = dialogOf(page).getByRole('button', { name: 'Add API Keys' })
  await expect(next).toBeDisabled()
  await storedOf(page).check()
  await next.click()
  const add = page.getByRole('dialog', { name: 'Add Exchange API Keys' })
  await expect(add.getByRole('combobox', { name: 'Client ID' })).toHaveValue('new-bot')
  await page.keyboard.press('Escape')
  await expect(add).toHaveCount(0)
  await expect(page).toHaveURL('/api-key-management')
})

test('the page is left with the dialog open', async ({ page, gateway }) => {
  await create(page, gateway)
  await test.step('233. the secret is in no storage and gone after a reload', async () => {
    const stored = await page.evaluate(() =>
      [localStorage, sessionStorage].map((store) => JSON.stringify(store)).join(),
    )
    expect(stored).not.toContain(SECRET)
    page.once('dialog', (question) => question.accept())
    await page.reload()
    await rowOf(page).getByRole('button', { name: 'Show Client Secret' }).click()
    const secret = rowOf(page).getByRole('textbox', { name: /^Client Secret/ })
    await expect(secret).toHaveValue('sls_9fQ2...x7Kd')
    expect(await page.content()).not.toContain(SECRET)
  })
  await test.step('236. closing the tab with the dialog open asks first', async () => {
    await create(page, gateway)
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.accept()
  })
})
