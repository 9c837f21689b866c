import type { Page } from '@playwright/test'
import { docPages, listLogs } from 'schema'
import { clientShots } from './client-shots.ts'
import { keyShots } from './key-shots.ts'
import { logShots } from './log-shots.ts'
import { operationsShots } from './operations-shots.ts'
import { orderShots } from './order-shots.ts'
import type { Shot } from './shot.ts'

const alert = (page: Page) => page.getByRole('alert')

const signInShots: readonly Shot[] = [
  { name: 'sign-in', address: '/', in: 'signed-out' },
  {
    name: 'sign-in-refused',
    address: '/',
    in: 'signed-out',
    isInSight: true,
    prepare: async (page) => {
      await page.getByLabel('Email').fill('ada@sluice.example')
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.getByRole('button', { name: 'Sign In' }).click()
      await alert(page).waitFor()
    },
  },
]

const overviewShots: readonly Shot[] = [
  {
    name: 'overview',
    address: '/',
    prepare: (page) => page.getByRole('slider', { name: /^Average time/ }).waitFor(),
    keep: { scheme: 'light', width: 'wide', as: 'overview.png' },
  },
  {
    name: 'overview-empty',
    address: '/',
    in: 'empty',
    prepare: (page) => page.getByText('No request in the last 24 hours').last().waitFor(),
  },
  {
    name: 'menu',
    address: '/',
    isInSight: true,
    prepare: async (page) => {
      const menu = page.getByRole('button', { name: 'Menu' })
      if (await menu.isVisible()) await menu.click()
      await page.getByRole('button', { name: 'Bitget' }).click()
      await page.getByRole('button', { name: 'Trading APIs' }).click()
    },
  },
]

const docShots: readonly Shot[] = docPages.map(({ path }) => ({
  name: `docs${path.replaceAll('/', '-')}`,
  address: path,
}))

const tryItShots: readonly Shot[] = [
  {
    name: 'try-it',
    address: '/mexc/trading/place-order#try-it',
    isInSight: true,
    prepare: async (page, { world, bots }) => {
      const form = page.getByRole('form')
      await form.getByLabel('JWT token').fill(await world.admin.token(bots.gridBot))
      await form.getByLabel('price', { exact: true }).fill('59800')
      await page.getByRole('button', { name: 'Send Request' }).click()
      await page.getByRole('region', { name: 'Response body' }).waitFor()
      await page.getByRole('button', { name: 'Format JSON' }).click()
      // As text: this project's types know no document.
      await page.evaluate("document.getElementById('try-it')?.scrollIntoView()")
    },
    keep: { scheme: 'light', width: 'wide', as: 'try-it.png' },
  },
  {
    name: 'try-it-retry',
    address: '/mexc/trading/place-order#try-it',
    isInSight: true,
    prepare: async (page, { world, bots }) => {
      const form = page.getByRole('form')
      await form.getByLabel('JWT token').fill(await world.admin.token(bots.gridBot))
      await form.getByLabel('price', { exact: true }).fill('59800')
      await page.route('**/submitOrder', (route) => route.abort())
      await page.getByRole('button', { name: 'Send Request' }).click()
      await page.getByRole('region', { name: 'Recent requests' }).waitFor()
      await page.getByRole('button', { name: 'Send Request' }).click()
      await page.getByRole('dialog').waitFor()
    },
    tidy: (page) => page.unrouteAll({ behavior: 'ignoreErrors' }),
  },
  {
    name: 'try-it-recent',
    address: '/mexc/trading/place-order#try-it',
    prepare: async (page, { world, bots }) => {
      const form = page.getByRole('form')
      await form.getByLabel('JWT token').fill(await world.admin.token(bots.gridBot))
      await form.getByLabel('price', { exact: true }).fill('59800')
      await page.getByRole('button', { name: 'Send Request' }).click()
      await page.getByRole('region', { name: 'Recent requests' }).waitFor()
    },
  },
  {
    name: 'try-it-problems',
    address: '/bitget/trading/futures#try-it',
    isInSight: true,
    prepare: (page) => page.getByRole('button', { name: 'Send Request' }).click(),
  },
]

const connectShots: readonly Shot[] = [
  { name: 'connect', address: '/connect' },
  {
    name: 'connect-javascript',
    address: '/connect?exchange=bg',
    prepare: (page) => page.getByText('JavaScript', { exact: true }).click(),
  },
]

/** Every screen, in the order in which a person would meet them. */
export const shots: readonly Shot[] = [
  ...signInShots,
  ...overviewShots,
  ...clientShots,
  ...keyShots,
  ...logShots,
  ...operationsShots,
  ...orderShots,
  ...docShots,
  ...tryItShots,
  ...connectShots,
  { name: 'not-found', address: '/nowhere' },
  {
    name: 'failed-read',
    address: '/logs',
    isInSight: true,
    prepare: async (page) => {
      await page.route(`**${listLogs.path}`, (route) => route.abort())
      await page.reload()
      await alert(page).waitFor()
    },
    tidy: (page) => page.unrouteAll({ behavior: 'ignoreErrors' }),
  },
]
