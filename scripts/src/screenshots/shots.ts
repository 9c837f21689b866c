import type { Page } from '@playwright/test'
import { docPages, EXCHANGE_NAMES, type ExchangeCode, listLogs } from 'schema'
import { type Bot, CLIENT_ORDER_ID, flood, type NewSecret, trade, type World } from './world.ts'

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
  /** Kept for the documents when it is taken in this scheme and width. */
  readonly keep?: { readonly scheme: Scheme; readonly width: Width; readonly as: string }
}

export type Scheme = 'light' | 'dark'
export type Width = 'wide' | 'narrow'

type More = Omit<Shot, 'name' | 'address' | 'isInSight'>

/** The whole page, however long. */
const whole = (name: string, address: string, more: More = {}): Shot => ({
  ...{ name, address, ...more },
})

/** Only what is in sight. */
const inSight = (name: string, address: string, more: More): Shot => ({
  ...{ name, address, isInSight: true, ...more },
})

const CLIENTS = '/client-credentials'
const NEW = 'night-shift'
const SWITCHED = 'arbitrage'
/** Presses a button that opens a dialog. */
const openDialog = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).click()
  await page.getByRole('dialog').waitFor()
}
/** Presses a button that stops something, and waits for what the stop would do. */
const openStop = (name: string) => async (page: Page) => {
  await openDialog(name)(page)
  await page.getByRole('dialog').getByRole('status').first().waitFor()
}
const unroute = (page: Page) => page.unrouteAll({ behavior: 'ignoreErrors' })
const openClient = async (page: Page) => {
  await page.getByRole('link', { name: 'grid-bot', exact: true }).click()
  await page.getByRole('radiogroup', { name: 'State of the client' }).waitFor()
}

const clientShots: readonly Shot[] = [
  whole('clients', CLIENTS, { keep: { scheme: 'dark', width: 'narrow', as: 'clients.png' } }),
  whole('clients-empty', CLIENTS, { in: 'empty' }),
  inSight('clients-one-time-secret', CLIENTS, {
    prepare: async (page) => {
      await page.getByLabel('Client ID', { exact: true }).fill(NEW)
      await page.getByRole('button', { name: 'Create Client Credentials' }).click()
      await page.getByRole('dialog').waitFor()
    },
    tidy: (_, { world }) => world.admin.remove(NEW),
  }),
  inSight('clients-database-test', CLIENTS, {
    prepare: async (page) => {
      await page.getByRole('switch', { name: `${SWITCHED} is active` }).press('Space')
      await page.getByRole('dialog').getByText('INACTIVE').waitFor()
    },
    tidy: (_, { world }) => world.admin.switch(SWITCHED, true),
  }),
  whole('client-page', CLIENTS, { prepare: openClient }),
  inSight('client-page-stop', CLIENTS, {
    prepare: async (page) => {
      await openClient(page)
      await openStop('Stop client')(page)
    },
  }),
  inSight('clients-delete-first', CLIENTS, { prepare: openDialog('Delete grid-bot') }),
  inSight('clients-delete-last', CLIENTS, {
    prepare: async (page) => {
      await openDialog('Delete grid-bot')(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Final confirmation' }).waitFor()
    },
  }),
]

const orderShots: readonly Shot[] = [
  whole('order-find', '/orders'),
  whole('order-not-found', '/orders?find=no-such-order'),
  whole('order', `/orders?find=${CLIENT_ORDER_ID}`, {
    keep: { scheme: 'light', width: 'wide', as: 'order.png' },
    prepare: async (page) => {
      await page.getByRole('region', { name: 'What happened' }).waitFor()
    },
  }),
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
  whole('operations', '/operations', {
    keep: { scheme: 'light', width: 'wide', as: 'operations.png' },
    prepare: async (page, scene) => {
      await startFlood(scene)
      await page.getByRole('heading', { name: /^Queue \([1-9]\d\)$/ }).waitFor()
    },
    tidy: (_, scene) => endFlood(scene),
  }),
  whole('operations-empty', '/operations', { in: 'empty' }),
  inSight('operations-stop-everything', '/operations', { prepare: openDialog('Stop everything') }),
  ...['Halt', 'Stop and cancel'].map((action) => ({
    name: `operations-client-${action.toLowerCase().replaceAll(' ', '-')}`,
    address: '/operations',
    isInSight: true,
    prepare: openStop(`${action} grid-bot`),
  })),
]

const logShots: readonly Shot[] = [
  whole('logs', '/logs', { keep: { scheme: 'dark', width: 'wide', as: 'logs.png' } }),
  whole('logs-filtered', '/logs?q=spot&status=error'),
  whole('logs-empty', '/logs', { in: 'empty' }),
  whole('logs-no-match', '/logs?q=no-such-client'),
  inSight('logs-detail', '/logs?status=error', {
    prepare: async (page) => {
      const table = page.getByRole('table', { name: 'Recent API Calls' })
      await table.getByText('/api/').first().click()
      await page.getByRole('dialog').waitFor()
    },
  }),
  whole('logs-loading', '/logs', {
    prepare: async (page) => {
      // Held until the page is left.
      await page.route(`**${listLogs.path}`, () => {})
      await page.reload()
      await page.getByTestId('log-skeleton').waitFor()
    },
    tidy: unroute,
  }),
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
  whole('keys', KEYS),
  whole('keys-empty', KEYS, { in: 'empty' }),
  whole('keys-no-match', `${KEYS}?client=momentum-2025`),
  inSight('keys-add', KEYS, {
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Add API Keys' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('combobox', { name: 'Exchange' }).click()
      await page.getByRole('option', { name: 'Bitget' }).click()
      await dialog.getByLabel('Passphrase (optional)', { exact: true }).waitFor()
    },
  }),
  inSight('keys-test-passed', KEYS, { prepare: testKeys('grid-bot', 'bg') }),
  inSight('keys-test-failed', KEYS, { prepare: testKeys('arbitrage', 'mx') }),
  inSight('keys-delete', KEYS, { prepare: openDialog('Delete Bitget API keys of grid-bot') }),
]

const alert = (page: Page) => page.getByRole('alert')

const signInShots: readonly Shot[] = [
  whole('sign-in', '/', { in: 'signed-out' }),
  inSight('sign-in-refused', '/', {
    in: 'signed-out',
    prepare: async (page) => {
      await page.getByLabel('Email').fill('ada@sluice.example')
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.getByRole('button', { name: 'Sign In' }).click()
      await alert(page).waitFor()
    },
  }),
]

const overviewShots: readonly Shot[] = [
  whole('overview', '/', {
    prepare: (page) => page.getByRole('slider', { name: /^Average time/ }).waitFor(),
    keep: { scheme: 'light', width: 'wide', as: 'overview.png' },
  }),
  whole('overview-empty', '/', {
    in: 'empty',
    prepare: (page) => page.getByText('No request in the last 24 hours').last().waitFor(),
  }),
  inSight('menu', '/', {
    prepare: async (page) => {
      const menu = page.getByRole('button', { name: 'Menu' })
      if (await menu.isVisible()) await menu.click()
      await page.getByRole('button', { name: 'Bitget' }).click()
      await page.getByRole('button', { name: 'Trading APIs' }).click()
    },
  }),
]

const docShots: readonly Shot[] = docPages.map(({ path }) => ({
  name: `docs${path.replaceAll('/', '-')}`,
  address: path,
}))

const ORDER_PAGE = '/mexc/trading/place-order#try-it'

/** Fills the form of an order. @returns what sends it */
async function fillOrder(page: Page, { world, bots }: Scene) {
  const form = page.getByRole('form')
  await form.getByLabel('JWT token').fill(await world.admin.token(bots.gridBot))
  await form.getByLabel('price', { exact: true }).fill('59800')
  return () => page.getByRole('button', { name: 'Send Request' }).click()
}

const tryItShots: readonly Shot[] = [
  inSight('try-it', ORDER_PAGE, {
    prepare: async (page, scene) => {
      const send = await fillOrder(page, scene)
      await send()
      await page.getByRole('region', { name: 'Response body' }).waitFor()
      // As text: this project's types know no document.
      await page.evaluate("document.getElementById('try-it')?.scrollIntoView()")
    },
    keep: { scheme: 'light', width: 'wide', as: 'try-it.png' },
  }),
  inSight('try-it-retry', ORDER_PAGE, {
    prepare: async (page, scene) => {
      const send = await fillOrder(page, scene)
      await page.route('**/submitOrder', (route) => route.abort())
      await send()
      await page.getByRole('region', { name: 'Recent requests' }).waitFor()
      await send()
      await page.getByRole('dialog').waitFor()
    },
    tidy: unroute,
  }),
  whole('try-it-recent', ORDER_PAGE, {
    prepare: async (page, scene) => {
      const send = await fillOrder(page, scene)
      await send()
      await page.getByRole('region', { name: 'Recent requests' }).waitFor()
    },
  }),
  inSight('try-it-problems', '/bitget/trading/futures#try-it', {
    prepare: (page) => page.getByRole('button', { name: 'Send Request' }).click(),
  }),
]

const streamShots: readonly Shot[] = [
  whole('streams', '/streams'),
  inSight('streams-open', '/streams', {
    prepare: async (page, { world, bots }) => {
      const token = await world.admin.token(bots.gridBot)
      await page.getByRole('textbox', { name: 'JWT token' }).fill(token)
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      await trade(world, token)
      const order = page.getByRole('log').getByRole('listitem').filter({ hasText: 'order' }).first()
      await order.locator('summary').click()
      await page.getByRole('region', { name: 'Events', exact: true }).scrollIntoViewIfNeeded()
    },
  }),
]

const connectShots: readonly Shot[] = [
  whole('connect', '/connect'),
  whole('connect-javascript', '/connect?exchange=bg', {
    prepare: (page) => page.getByText('JavaScript', { exact: true }).click(),
  }),
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
  ...streamShots,
  ...connectShots,
  whole('not-found', '/nowhere'),
  inSight('failed-read', '/logs', {
    prepare: async (page) => {
      await page.route(`**${listLogs.path}`, (route) => route.abort())
      await page.reload()
      await alert(page).waitFor()
    },
    tidy: unroute,
  }),
]
