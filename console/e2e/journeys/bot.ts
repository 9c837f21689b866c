import { expect, type Locator, type Page } from '@playwright/test'
import {
  type AccountKeys,
  createAccount,
  type LocalDeployment,
} from '../../../scripts/src/deploy-locally.ts'
import { choose, clipboardOf } from '../support/test.ts'
import { goTo, signIn } from './journey.ts'

/** Creates a client on its page, copies the secret from the dialog that shows it, and closes it. */
export async function createBot(page: Page, clientId: string, description = ''): Promise<string> {
  await page.getByLabel('Client ID', { exact: true }).fill(clientId)
  await page.getByLabel('Description (optional)').fill(description)
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this secret now' })
  await dialog.getByRole('button', { name: `Copy Client Secret of ${clientId}` }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return clipboardOf(page)
}

interface Place {
  readonly clientId: string
  readonly exchange: 'MEXC' | 'Bitget'
}

export async function storeKeys(page: Page, place: Place, keys: AccountKeys): Promise<void> {
  await page.getByRole('button', { name: 'Add API Keys' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Exchange API Keys' })
  await choose(page, dialog.getByRole('combobox', { name: 'Exchange' }), place.exchange)
  await choose(page, dialog.getByRole('combobox', { name: 'Client ID' }), place.clientId)
  await dialog.getByLabel('API Key', { exact: true }).fill(keys.apiKey)
  await dialog.getByLabel('API Secret', { exact: true }).fill(keys.apiSecret)
  if (keys.passphrase !== undefined)
    await dialog.getByLabel('Passphrase (optional)', { exact: true }).fill(keys.passphrase)
  await dialog.getByRole('button', { name: 'Save API Keys' }).click()
  await expect(dialog).toHaveCount(0)
}

/** Tests the keys of a row, which pass, and closes the dialog. Returns what it said. */
export async function testKeys(page: Page, row: Locator): Promise<string> {
  await row.getByRole('button', { name: /^Test/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Test API Credentials' })
  await dialog.getByRole('button', { name: 'Test Credentials' }).click()
  await expect(dialog.getByText('Credentials tested successfully!')).toBeVisible()
  const said = await dialog.getByRole('note').innerText()
  await page.keyboard.press('Escape')
  return said
}

/** Rests on the paper exchange; worth 500 USDT. */
const ORDER = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

/** Signs in, creates a bot and stores its keys for MEXC. Returns the calls of the bot. */
export async function openBot(
  page: Page,
  clientId: string,
  { paper, gatewayUrl }: Pick<LocalDeployment, 'paper' | 'gatewayUrl'>,
) {
  await page.goto('/client-credentials')
  await signIn(page)
  await goTo(page, 'Client Credentials')
  const secret = await createBot(page, clientId)
  await goTo(page, 'API Key Management')
  await storeKeys(page, { clientId, exchange: 'MEXC' }, createAccount(paper, 'mx', clientId))
  const send = (method: string, path: string, body: object, authorization?: string) =>
    fetch(`${gatewayUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify(body),
    })
  const signInAs = (clientSecret: string) => send('POST', '/auth/token', { clientId, clientSecret })
  const { token } = await (await signInAs(secret)).json()
  return {
    secret,
    signInAs,
    send: (method: string, path: string, body: object) =>
      send(method, path, body, `Bearer ${token}`),
    order: (changes: object = {}) =>
      send('POST', '/api/mx/v1/submitOrder', { ...ORDER, ...changes }, `Bearer ${token}`),
  }
}
