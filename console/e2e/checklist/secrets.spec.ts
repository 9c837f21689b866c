import type { Locator, Page } from '@playwright/test'
import { createClient, listClients } from 'schema'
import { openFrozen, passMs, stepUntilVisible } from '../support/freeze-clock.ts'
import { clientOf } from '../support/samples.ts'
import { expect, signIn, test } from '../support/test.ts'

const SECRET = 'sls_9fQ2Zl0m3bNcVw8yTrXk5sJdHgA1x7Kd'

/** Makes the page believe that its tab was hidden, or shown again. */
const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    Object.defineProperty(document, 'hidden', { value: value === 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

/** A revealed secret is masked after a minute, and when the tab is hidden, then stays so. */
async function expectMaskedAgain(page: Page, reveal: () => Promise<void>, isShown: Locator) {
  await reveal()
  await expect(isShown).toBeVisible()
  await passMs(page, 59_000)
  await expect(isShown).toBeVisible()
  await passMs(page, 1_500)
  await expect(isShown).toHaveCount(0)
  await reveal()
  await expect(isShown).toBeVisible()
  await setVisibility(page, 'hidden')
  await expect(isShown).toHaveCount(0)
  await setVisibility(page, 'visible')
  await passMs(page, 100)
  await expect(isShown).toHaveCount(0)
}

test('334. a revealed password or client secret is masked again after 60 s and when the tab is hidden', async ({
  page,
  gateway,
}) => {
  const password = page.getByLabel('Password', { exact: true })
  await openFrozen(page, '/client-credentials', password)
  await test.step('334. a password', async () => {
    await password.fill('secret')
    const eye = page.getByRole('button', { name: /password/i })
    const shown = page.locator('input[type="text"][autocomplete="current-password"]')
    await expectMaskedAgain(page, () => eye.click(), shown)
    await setVisibility(page, 'visible')
  })
  await test.step('334. a client secret', async () => {
    const created = clientOf({ id: 10, clientId: 'new-bot', clientSecret: SECRET })
    gateway.respond(createClient, { status: 201, body: created })
    gateway.respond(listClients, { body: [created] })
    await signIn(page)
    const name = page.getByLabel('Client ID', { exact: true })
    await stepUntilVisible(page, name)
    await name.fill('new-bot')
    await page.getByRole('button', { name: 'Create Client Credentials' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this secret now' })
    const eye = dialog.getByRole('button', { name: 'Show Client Secret' })
    await passMs(page, 1000)
    await expectMaskedAgain(page, () => eye.click(), dialog.locator(`input[value="${SECRET}"]`))
  })
})
