import type { Page } from '@playwright/test'
import { listApiKeys, saveApiKey } from 'schema'
import { expectAccessibleAtBothWidths } from '../support/axe.ts'
import { apiKeyOf } from '../support/samples.ts'
import { choose, expect, refresh, test, toastOf } from '../support/test.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Add Exchange API Keys' })
const selectOf = (page: Page, name: string) => dialogOf(page).getByRole('combobox', { name })
const fieldOf = (page: Page, label: string) => dialogOf(page).getByLabel(label, { exact: true })
const submitOf = (page: Page) => dialogOf(page).getByRole('button', { name: 'Save API Keys' })

async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'Add API Keys' }).click()
  await expect(dialogOf(page)).toBeVisible()
}

async function closeDialog(page: Page) {
  await page.keyboard.press('Escape')
  await expect(dialogOf(page)).toHaveCount(0)
}

/** Opens the dialog with what the stub responds with now. */
async function openAgain(page: Page) {
  await closeDialog(page)
  await refresh(page)
  await openDialog(page)
}

/** Fills the dialog for a client that has no keys at MEXC. */
async function fill(page: Page) {
  await choose(page, selectOf(page, 'Client ID'), 'arbitrage')
  await fieldOf(page, 'API Key').fill('the-key')
  await fieldOf(page, 'API Secret').fill('the-secret')
}

// Of the sample clients grid-bot has keys at both exchanges, arbitrage at Bitget; market-maker is
// inactive.
test.beforeEach(async ({ page, gateway, signedIn: _ }) => {
  gateway.respond(saveApiKey, { status: 201, body: apiKeyOf({ clientId: 'arbitrage' }) })
  await page.goto('/api-keys')
  await openDialog(page)
})

test('140. 145. 150. to 153. the fields in order, what is sent, and what a failure leaves', async ({
  page,
  gateway,
}) => {
  await test.step('140. the dialog holds its fields in order', async () => {
    await choose(page, selectOf(page, 'Exchange'), 'Bitget')
    await expect(dialogOf(page).locator('label, button[type="submit"]')).toHaveText([
      ...['Client ID', 'Note', 'Exchange', 'API Key', 'API Secret', 'Passphrase (optional)'],
      'Save API Keys',
    ])
    await expect(dialogOf(page).getByText('0/50', { exact: true })).toBeVisible()
  })
  const release = gateway.hold(saveApiKey)
  await choose(page, selectOf(page, 'Exchange'), 'MEXC')
  await fill(page)
  await test.step('150. spaces around pasted keys are removed and that is said', async () => {
    await fieldOf(page, 'API Key').fill('  the-key ')
    await fieldOf(page, 'API Secret').focus()
    await expect(dialogOf(page).getByText('Surrounding spaces were removed.')).toBeVisible()
    await submitOf(page).click()
    await expect.poll(() => gateway.calls(saveApiKey).length).toBe(1)
    expect(gateway.calls(saveApiKey)[0]?.postDataJSON()).toMatchObject({
      apiKey: 'the-key',
      exchange: 'mx',
    })
  })
  const saving = dialogOf(page).getByRole('button', { name: 'Saving...' })
  await expect(saving, '151. while pending').toBeDisabled()
  release()
  await test.step('152. success is shown, closes the dialog and reads the keys', async () => {
    await expect(toastOf(page)).toContainText('API keys saved successfully!')
    await expect(dialogOf(page)).toHaveCount(0)
    await expect.poll(() => gateway.calls(listApiKeys).length).toBe(2)
  })
  const sent = () => gateway.calls(saveApiKey).slice(1)
  await test.step('145. a passphrase typed for Bitget is not sent to MEXC', async () => {
    await openDialog(page)
    await choose(page, selectOf(page, 'Exchange'), 'Bitget')
    await fieldOf(page, 'Passphrase (optional)').fill('words')
    await choose(page, selectOf(page, 'Exchange'), 'MEXC')
    await fill(page)
    await submitOf(page).click()
    await expect.poll(() => sent().length).toBe(1)
    expect(sent()[0]?.postDataJSON()).not.toHaveProperty('passphrase')
    await expect(dialogOf(page)).toHaveCount(0)
  })
  await test.step('150. the request holds what was entered', async () => {
    gateway.respond(listApiKeys, { body: [] })
    await openAgain(page)
    await choose(page, selectOf(page, 'Exchange'), 'Bitget')
    await fill(page)
    await fieldOf(page, 'Passphrase (optional)').fill('words')
    await fieldOf(page, 'Note').fill('main account')
    await submitOf(page).click()
    await expect.poll(() => sent().length).toBe(2)
    expect(sent()[1]?.postDataJSON()).toEqual({
      ...{ clientId: 'arbitrage', exchange: 'bg', note: 'main account' },
      ...{ apiKey: 'the-key', apiSecret: 'the-secret', passphrase: 'words' },
    })
    await expect(dialogOf(page)).toHaveCount(0)
  })
  await openDialog(page)
  await fill(page)
  for (const [name, stub, text] of [
    ["the server's message", { status: 422, body: { message: 'No such one' } }, 'No such one'],
    ['the fixed text without one', { status: 500 }, 'Failed to save API keys'],
  ] as const)
    await test.step(`153. a failure shows ${name}, and the dialog keeps its values`, async () => {
      gateway.respond(saveApiKey, stub)
      await submitOf(page).click()
      await expect(toastOf(page)).toContainText(text)
      await expect(fieldOf(page, 'API Key')).toHaveValue('the-key')
      await expect(fieldOf(page, 'API Secret')).toHaveValue('the-secret')
      await expect(selectOf(page, 'Client ID')).toHaveValue('arbitrage')
    })
  await test.step('a save of a closed dialog does not close the next dialog', async () => {
    gateway.respond(saveApiKey, { status: 201, body: apiKeyOf({ clientId: 'arbitrage' }) })
    const release = gateway.hold(saveApiKey)
    await submitOf(page).click()
    await expect.poll(() => sent().length).toBe(5)
    await closeDialog(page)
    await openDialog(page)
    await fieldOf(page, 'Note').fill('the next')
    release()
    await expect(toastOf(page)).toContainText('saved')
    await expect(fieldOf(page, 'Note')).toHaveValue('the next')
  })
})

test('141. to 144. 146. to 149. 154. the fields and what they ask for', async ({
  page,
  gateway,
}) => {
  const clients = page.getByRole('option')
  await test.step('148. empty fields are reported and nothing is sent', async () => {
    await submitOf(page).click()
    for (const name of ['Client ID', 'API Key', 'API Secret'])
      await expect(dialogOf(page).getByText(`${name} is required`, { exact: true })).toBeVisible()
    expect(gateway.calls(saveApiKey)).toEqual([])
  })
  await expect(fieldOf(page, 'API Secret'), '149. hidden').toHaveAttribute('type', 'password')
  await test.step('146. the counter follows typing and ends at 50', async () => {
    await fieldOf(page, 'Note').pressSequentially('main')
    await expect(dialogOf(page).getByText('4/50', { exact: true })).toBeVisible()
    await fieldOf(page, 'Note').pressSequentially('x'.repeat(56))
    await expect(fieldOf(page, 'Note')).toHaveValue(`main${'x'.repeat(46)}`)
    await expect(dialogOf(page).getByText('50/50', { exact: true })).toBeVisible()
  })
  await test.step('147. a longer note that gets in another way is reported', async () => {
    await fill(page)
    // Past the field's own limit, as an extension of the browser could.
    await fieldOf(page, 'Note').evaluate((input: HTMLInputElement) => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
      set?.call(input, 'x'.repeat(51))
      input.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await expect(fieldOf(page, 'Note')).toHaveValue('x'.repeat(51))
    await submitOf(page).click()
    await expect(dialogOf(page).getByText('Note must be 50 characters or less')).toBeVisible()
    expect(gateway.calls(saveApiKey)).toEqual([])
  })
  await test.step('154. a reopened dialog is empty', async () => {
    await closeDialog(page)
    await openDialog(page)
    await expect(selectOf(page, 'Client ID')).toHaveValue('')
    for (const label of ['Note', 'API Key', 'API Secret'])
      await expect(fieldOf(page, label)).toHaveValue('')
  })
  await test.step('141. clients to choose are active and without keys for it', async () => {
    await selectOf(page, 'Client ID').click()
    await expect(clients).toHaveText(['arbitrage'])
    await page.keyboard.press('Escape')
  })
  await test.step('144. the passphrase is there for Bitget only, optional, hidden', async () => {
    const passphrase = fieldOf(page, 'Passphrase (optional)')
    await expect(passphrase).toHaveCount(0)
    await choose(page, selectOf(page, 'Exchange'), 'Bitget')
    await expect(passphrase).toHaveAttribute('type', 'password')
    await submitOf(page).click()
    await expect(dialogOf(page).getByText('API Key is required')).toBeVisible()
    await expectAccessibleAtBothWidths(page)
    const toggle = dialogOf(page).getByRole('button', { name: 'Show passphrase' })
    for (const type of ['text', 'password']) {
      await toggle.click()
      await expect(passphrase).toHaveAttribute('type', type)
    }
  })
  await test.step('143. another exchange clears the client and changes the choices', async () => {
    gateway.respond(listApiKeys, { body: [apiKeyOf()] })
    await openAgain(page)
    await choose(page, selectOf(page, 'Client ID'), 'arbitrage')
    await choose(page, selectOf(page, 'Exchange'), 'Bitget')
    await expect(selectOf(page, 'Client ID')).toHaveValue('')
    await selectOf(page, 'Client ID').click()
    await expect(clients).toHaveText(['grid-bot', 'arbitrage'])
    // Closes the list; the dialog is closed by the next one.
    await page.keyboard.press('Escape')
  })
  for (const [name, exchange] of [
    ['MEXC', 'mx'],
    ['Bitget', 'bg'],
  ] as const)
    await test.step(`142. without a client for ${name} a disabled entry says so`, async () => {
      const keys = [apiKeyOf({ exchange }), apiKeyOf({ exchange, clientId: 'arbitrage' })]
      gateway.respond(listApiKeys, { body: keys })
      await openAgain(page)
      await choose(page, selectOf(page, 'Exchange'), name)
      await selectOf(page, 'Client ID').click()
      await expect(clients).toHaveText([`No clients available for ${name}`])
      await expect(clients).toHaveAttribute('aria-disabled', 'true')
      await page.keyboard.press('Escape')
    })
})
