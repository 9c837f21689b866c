import type { Page } from '@playwright/test'
import type { Shot } from './shot.ts'

const ADDRESS = '/client-credentials'
const NEW = 'night-shift'
const SWITCHED = 'arbitrage'
const askToDelete = async (page: Page) => {
  await page.getByRole('button', { name: 'Delete grid-bot' }).click()
  await page.getByRole('dialog').waitFor()
}
const openClient = async (page: Page) => {
  await page.getByRole('link', { name: 'grid-bot', exact: true }).click()
  await page.getByRole('radiogroup', { name: 'State of the client' }).waitFor()
}

export const clientShots: readonly Shot[] = [
  {
    name: 'clients',
    address: ADDRESS,
    keep: { scheme: 'dark', width: 'narrow', as: 'clients.png' },
  },
  { name: 'clients-empty', address: ADDRESS, in: 'empty' },
  {
    name: 'clients-one-time-secret',
    address: ADDRESS,
    isInSight: true,
    prepare: async (page) => {
      await page.getByLabel('Client ID', { exact: true }).fill(NEW)
      await page.getByRole('button', { name: 'Create Client Credentials' }).click()
      await page.getByRole('dialog').waitFor()
    },
    tidy: (_, { world }) => world.admin.remove(NEW),
  },
  {
    name: 'clients-database-test',
    address: ADDRESS,
    isInSight: true,
    prepare: async (page) => {
      await page.getByRole('switch', { name: `${SWITCHED} is active` }).press('Space')
      await page.getByRole('dialog').getByText('INACTIVE').waitFor()
    },
    tidy: (_, { world }) => world.admin.switch(SWITCHED, true),
  },
  { name: 'client-page', address: ADDRESS, prepare: openClient },
  {
    name: 'client-page-stop',
    address: ADDRESS,
    isInSight: true,
    prepare: async (page) => {
      await openClient(page)
      await page.getByRole('button', { name: 'Stop client' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Set to reducing' }).waitFor()
    },
  },
  {
    name: 'clients-delete-first',
    address: ADDRESS,
    isInSight: true,
    prepare: askToDelete,
  },
  {
    name: 'clients-delete-last',
    address: ADDRESS,
    isInSight: true,
    prepare: async (page) => {
      await askToDelete(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Final confirmation' }).waitFor()
    },
  },
]
