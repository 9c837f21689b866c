import type { Page } from '@playwright/test'
import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { Shot } from './shot.ts'

const ADDRESS = '/api-key-management'

/** Tests a client's keys and waits for the verdict. */
const testKeys = (clientId: string, exchange: ExchangeCode) => async (page: Page) => {
  const name = `Test ${EXCHANGE_NAMES[exchange]} API keys of ${clientId}`
  await page.getByRole('button', { name }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Test Credentials' }).click()
  await dialog.getByText(/Credentials tested successfully!|Credential test failed/).waitFor()
}

export const keyShots: readonly Shot[] = [
  { name: 'keys', address: ADDRESS },
  { name: 'keys-empty', address: ADDRESS, in: 'empty' },
  { name: 'keys-no-match', address: `${ADDRESS}?client=momentum-2025` },
  {
    name: 'keys-add',
    address: ADDRESS,
    isInSight: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Add API Keys' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('combobox', { name: 'Exchange' }).click()
      await page.getByRole('option', { name: 'Bitget' }).click()
      await dialog.getByLabel('Passphrase (optional)', { exact: true }).waitFor()
    },
  },
  {
    name: 'keys-test-passed',
    address: ADDRESS,
    isInSight: true,
    prepare: testKeys('grid-bot', 'bg'),
  },
  {
    name: 'keys-test-failed',
    address: ADDRESS,
    isInSight: true,
    prepare: testKeys('arbitrage', 'mx'),
  },
  {
    name: 'keys-delete',
    address: ADDRESS,
    isInSight: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Delete Bitget API keys of grid-bot' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
]
