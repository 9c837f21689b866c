import type { Page } from '@playwright/test'
import {
  catalogue,
  docPages,
  getClientStop,
  getOperations,
  getOperationsHistory,
  getOrderLife,
  listApiKeys,
  listClients,
  listNodes,
  listOrders,
  listQueue,
  login,
} from 'schema'
import { accented } from '../build/test-language.ts'
import { English } from './support/english.ts'
import { freeze, stepUntilVisible } from './support/freeze-clock.ts'
import { groupOf, historyOf, queueOf, trouble, unknownOf } from './support/operations-samples.ts'
import { lifeOf, orderOf } from './support/order-samples.ts'
import { pressAll } from './support/press-all.ts'
import { longClients, longKeys } from './support/realistic.ts'
import { stopOf } from './support/samples.ts'
import { type Gateway, settle } from './support/stub-gateway.ts'
import { test as base, expect, goWithin, SESSION } from './support/test.ts'

// The whole console in a language of tests, in which no letter is English: what is English then is
// a text that is not in the catalogue. Exempt are data, the names of `english.ts`, code, and the
// documentation of the API, whose catalogue is `schema`.

interface Fixtures {
  readonly english: English
}

const test = base.extend<Fixtures>({
  english: async ({ page }, use) => {
    const english = new English(page)
    const { email } = SESSION.user
    // The header shows it in two pieces, so that a line breaks before the @.
    english.knows(email, email.slice(email.indexOf('@')), '?')
    await use(english)
    expect(english.left()).toEqual([])
  },
})

const PAGES = [
  ...['/', '/client-credentials', '/client-credentials/7', '/api-keys', '/logs', '/operations'],
  ...['/audit', '/orders', `/orders/${orderOf().id}`, '/connect', '/nowhere'],
]
/** A documentation page of each kind. */
const FORMS = ['/mexc/auth/token', '/mexc/trading/place-order', '/bitget/market/ticker']
const LOG_OUT = new RegExp(accented('Logout'))

/** Everything at once: stops, alerts, limits that are reached, keys that do not work. */
function respondBusily(gateway: Gateway): void {
  for (const endpoint of catalogue)
    if (endpoint.method !== 'GET' && endpoint.sample?.response !== undefined)
      gateway.respond(endpoint, { body: endpoint.sample.response })
  gateway.respond(getOperations, { body: trouble({ hasNodes: true }) })
  gateway.respond(listNodes, { body: groupOf() })
  gateway.respond(getOperationsHistory, { body: historyOf() })
  gateway.respond(listQueue, { body: queueOf(30) })
  gateway.respond(listOrders, { body: [unknownOf(), unknownOf({ id: 'x', canBeLookedUp: false })] })
  gateway.respond(getOrderLife, { body: lifeOf() })
  // An id that is letters only could be a word.
  gateway.respond(listClients, { body: withDigits(longClients) })
  gateway.respond(listApiKeys, { body: withDigits(longKeys) })
  gateway.respond(getClientStop, { body: stopOf() })
}

const withDigits = <T>(body: T): T => JSON.parse(JSON.stringify(body).replaceAll('xxx', 'x-1'))

const reads = catalogue.filter(({ method }) => method === 'GET')
const BEING_READ = 'that are being read'
/** What the pages are drawn from, and how they look then. */
const STATES: readonly (readonly [string, (gateway: Gateway) => void])[] = [
  ['with the samples', () => undefined],
  [
    'that cannot be read',
    (gateway) => {
      for (const endpoint of reads)
        gateway.respond(endpoint, { status: 500, body: { message: 'No 1', requestId: 'r-1' } })
    },
  ],
  [
    'without entries',
    (gateway) => {
      for (const endpoint of reads)
        if (Array.isArray(endpoint.sample?.response)) gateway.respond(endpoint, { body: [] })
    },
  ],
  [
    BEING_READ,
    (gateway) => {
      for (const endpoint of reads) if (endpoint !== listClients) gateway.hold(endpoint)
    },
  ],
]

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/** Opens the palette and closes it. Its code is loaded by that: from then on it opens at once. */
async function loadPalette(page: Page): Promise<void> {
  const palette = page.getByRole('dialog')
  await page.keyboard.press('Control+K')
  await expect(palette).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette).toHaveCount(0)
}

/**
 * Looks at one page after the other, with one load for all. What is held keeps a connection, and a
 * browser has six: pages that are being read are each loaded anew, and do not ask again.
 */
async function lookAt(
  page: Page,
  english: English,
  addresses: readonly string[],
  isHeld = false,
): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 })
  if (isHeld) await freeze(page)
  for (const [index, address] of addresses.entries())
    await test.step(address, async () => {
      if (index === 0 || isHeld) await page.goto(address)
      else await goWithin(page, address)
      if (isHeld) await stepUntilVisible(page, heading)
      await expect(page).toHaveURL(address)
      await settle(page)
      await expect(heading).toBeVisible()
      await english.look()
    })
}

test.describe('in the test language nothing is English', () => {
  for (const address of [...PAGES, ...FORMS]) {
    test(`whatever is pressed on ${address}`, async ({ page, gateway, english, signedIn: _ }) => {
      respondBusily(gateway)
      await open(page, address)
      await english.look()
      await loadPalette(page)
      await pressAll(page, () => english.look(), LOG_OUT)
    })
  }

  test('on the documentation pages', async ({ page, english, signedIn: _ }) => {
    await lookAt(
      page,
      english,
      docPages.map(({ path }) => path),
    )
  })

  for (const [state, respond] of STATES) {
    test(`on pages ${state}`, async ({ page, gateway, english, signedIn: _ }) => {
      respond(gateway)
      await lookAt(page, english, PAGES, state === BEING_READ)
    })
  }

  test('on the sign-in screen', async ({ page, gateway, english }) => {
    await open(page, '/')
    await english.look()
    await pressAll(page, () => english.look(), LOG_OUT)
    const responses = [
      { status: 401, body: { message: 'No 1' } },
      { status: 500 },
      'offline',
    ] as const
    for (const response of responses) {
      gateway.respond(login, response)
      await page.locator('[name="email"]').fill('admin@example.com')
      await page.locator('[name="password"]').fill('secret')
      await page.locator('[type="submit"]').click()
      await english.look()
    }
  })

  test('in the palette, the shortcuts and the recent messages', async ({
    page,
    english,
    signedIn: _,
  }) => {
    await open(page, '/')
    await page.keyboard.press('Control+K')
    const field = page.locator('[role="dialog"] [role="combobox"]')
    // Something of every kind, and nothing.
    for (const typed of ['', accented('s'), accented('e'), 'grid-bot', 'mexc', '#']) {
      await field.fill(typed)
      english.knows(typed)
      await english.look()
    }
    await field.press('Enter')
    await english.look()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await english.look()
    await page.keyboard.press('Escape')
    await page.keyboard.press('F8')
    await english.look()
  })

  test('without a network', async ({ page, english, signedIn: _ }) => {
    await open(page, '/client-credentials')
    await page.evaluate(() => void window.dispatchEvent(new Event('offline')))
    await page.locator('form [type="submit"]').first().click()
    await english.look()
  })
})
