import type { Page } from '@playwright/test'
import { docPages, EXCHANGE_NAMES, type ExchangeCode, listLogs } from 'schema'
import { type Bot, CLIENT_ORDER_ID, flood, type NewSecret, type World } from './world.ts'

/** What a shot may use besides the page. */
export interface Scene {
  readonly world: World
  readonly bots: Record<Bot, NewSecret>
}

/** One picture: an address, and what a person does there before it is taken. */
export interface Shot {
  /** The file's name, without scheme and width. */
  readonly name: string
  readonly address: string
  /**
   * `seeded` when absent; `empty` is a gateway that nobody used yet, `signed-out` shows no session.
   */
  readonly in?: 'seeded' | 'empty' | 'signed-out'
  /** Only what is in sight; absent: the whole page, however long. */
  readonly isInSight?: boolean
  readonly prepare?: (page: Page, scene: Scene) => Promise<void>
  /** Puts right what was changed. */
  readonly tidy?: (page: Page, scene: Scene) => Promise<void>
  /** Kept for the README when it is taken in this scheme and width. */
  readonly keep?: { readonly scheme: Scheme; readonly width: Width; readonly as: string }
}

export type Scheme = 'light' | 'dark'
export type Width = 'wide' | 'narrow'

const CLIENTS = '/client-credentials'
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

const clientShots: readonly Shot[] = [
  {
    name: 'clients',
    address: CLIENTS,
    keep: { scheme: 'dark', width: 'narrow', as: 'clients.png' },
  },
  { name: 'clients-empty', address: CLIENTS, in: 'empty' },
  {
    name: 'clients-one-time-secret',
    address: CLIENTS,
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
    address: CLIENTS,
    isInSight: true,
    prepare: async (page) => {
      await page.getByRole('switch', { name: `${SWITCHED} is active` }).press('Space')
      await page.getByRole('dialog').getByText('INACTIVE').waitFor()
    },
    tidy: (_, { world }) => world.admin.switch(SWITCHED, true),
  },
  { name: 'client-page', address: CLIENTS, prepare: openClient },
  {
    name: 'client-page-stop',
    address: CLIENTS,
    isInSight: true,
    prepare: async (page) => {
      await openClient(page)
      await page.getByRole('button', { name: 'Stop client' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Set to reducing' }).waitFor()
    },
  },
  {
    name: 'clients-delete-first',
    address: CLIENTS,
    isInSight: true,
    prepare: askToDelete,
  },
  {
    name: 'clients-delete-last',
    address: CLIENTS,
    isInSight: true,
    prepare: async (page) => {
      await askToDelete(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Final confirmation' }).waitFor()
    },
  },
]

const orderShots: readonly Shot[] = [
  { name: 'order-find', address: '/orders' },
  { name: 'order-not-found', address: '/orders?find=no-such-order' },
  {
    name: 'order',
    address: `/orders?find=${CLIENT_ORDER_ID}`,
    keep: { scheme: 'light', width: 'wide', as: 'order.png' },
    prepare: async (page) => {
      await page.getByRole('region', { name: 'What happened' }).waitFor()
    },
  },
]

let flooding: Promise<void> | undefined

/** One bot sends far more than the exchange takes. */
async function startFlood({ world, bots }: Scene): Promise<void> {
  flooding = flood(world, await world.admin.token(bots.gridBot))
}

async function endFlood({ world, bots }: Scene): Promise<void> {
  await world.admin.dropQueue(bots.gridBot.clientId, 'mx')
  await flooding
}

const operationsShots: readonly Shot[] = [
  {
    name: 'operations',
    address: '/operations',
    keep: { scheme: 'light', width: 'wide', as: 'operations.png' },
    prepare: async (page, scene) => {
      await startFlood(scene)
      // The chart has the flood a few seconds later than the figures.
      const legend = page.getByRole('listitem').filter({ hasText: /^Orders [1-9]\d$/ })
      await legend.waitFor()
    },
    tidy: (_, scene) => endFlood(scene),
  },
  { name: 'operations-empty', address: '/operations', in: 'empty' },
  {
    name: 'operations-stop-everything',
    address: '/operations',
    isInSight: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Stop everything' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  ...['Halt', 'Stop and cancel'].map((action) => ({
    name: `operations-client-${action.toLowerCase().replaceAll(' ', '-')}`,
    address: '/operations',
    isInSight: true,
    prepare: async (page: Page) => {
      await page.getByRole('button', { name: `${action} grid-bot` }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Set to reducing' }).waitFor()
    },
  })),
]

const logShots: readonly Shot[] = [
  {
    name: 'logs',
    address: '/logs',
    keep: { scheme: 'dark', width: 'wide', as: 'logs.png' },
  },
  { name: 'logs-filtered', address: '/logs?q=spot&status=error' },
  { name: 'logs-empty', address: '/logs', in: 'empty' },
  { name: 'logs-no-match', address: '/logs?q=no-such-client' },
  {
    name: 'logs-detail',
    address: '/logs?status=error',
    isInSight: true,
    prepare: async (page) => {
      const table = page.getByRole('table', { name: 'Recent API Calls' })
      await table
        .getByRole('button', { name: /^[A-Z][a-z]{2} \d/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'logs-loading',
    address: '/logs',
    prepare: async (page) => {
      // Held until the page is left.
      await page.route(`**${listLogs.path}`, () => {})
      await page.reload()
      await page.getByTestId('log-skeleton').waitFor()
    },
    tidy: (page) => page.unrouteAll({ behavior: 'ignoreErrors' }),
  },
]

const KEYS = '/api-key-management'

/** Tests a client's keys and waits for the verdict. */
const testKeys = (clientId: string, exchange: ExchangeCode) => async (page: Page) => {
  const name = `Test ${EXCHANGE_NAMES[exchange]} API keys of ${clientId}`
  await page.getByRole('button', { name }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Test Credentials' }).click()
  await dialog.getByText(/Credentials tested successfully!|Credential test failed/).waitFor()
}

const keyShots: readonly Shot[] = [
  { name: 'keys', address: KEYS },
  { name: 'keys-empty', address: KEYS, in: 'empty' },
  { name: 'keys-no-match', address: `${KEYS}?client=momentum-2025` },
  {
    name: 'keys-add',
    address: KEYS,
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
    address: KEYS,
    isInSight: true,
    prepare: testKeys('grid-bot', 'bg'),
  },
  {
    name: 'keys-test-failed',
    address: KEYS,
    isInSight: true,
    prepare: testKeys('arbitrage', 'mx'),
  },
  {
    name: 'keys-delete',
    address: KEYS,
    isInSight: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Delete Bitget API keys of grid-bot' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
]

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
