import type { Page } from '@playwright/test'
import { createClient, listApiKeys, listClients, login, toggleClient } from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from './support/axe.ts'
import { LONG_ID, LONG_NOTE } from './support/realistic.ts'
import { apiKeyOf, clientOf } from './support/samples.ts'
import { type Gateway, settle } from './support/stub-gateway.ts'
import { expect, goWithin, signIn, signInScreenOf, test, toastOf } from './support/test.ts'

interface State {
  readonly name: string
  readonly address: string
  readonly reach?: (page: Page, gateway: Gateway) => Promise<void>
}

const STATES: readonly State[] = [
  { name: 'client credentials', address: '/client-credentials' },
  {
    name: 'client credentials, wrong input',
    address: '/client-credentials',
    reach: (page) => page.getByRole('button', { name: 'Create Client Credentials' }).click(),
  },
  {
    name: 'the first question before a deletion',
    address: '/client-credentials',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Delete grid-bot' }).click()
      await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeEnabled()
    },
  },
  {
    name: 'the final question before a deletion',
    address: '/client-credentials',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Delete grid-bot' }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await expect(page.getByRole('button', { name: 'Delete permanently' })).toBeEnabled()
    },
  },
  {
    name: 'the Database Test',
    address: '/client-credentials',
    reach: async (page, gateway) => {
      gateway.respond(toggleClient, { body: clientOf({ isActive: false }) })
      await page.getByRole('switch', { name: 'grid-bot' }).press('Space')
      await expect(page.getByRole('dialog')).toContainText('Secret (partial)')
    },
  },
  { name: 'a documentation page with several forms', address: '/bitget/market/ticker' },
  { name: 'API keys', address: '/api-keys' },
  {
    name: 'API keys, empty',
    address: '/api-keys?client=market-maker',
  },
  {
    name: 'API keys, an open filter',
    address: '/api-keys',
    reach: (page) => page.getByRole('combobox', { name: 'Filter by client' }).click(),
  },
  {
    name: 'adding API keys, wrong input',
    address: '/api-keys',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Add API Keys' }).click()
      await page.getByRole('dialog').getByRole('combobox', { name: 'Exchange' }).click()
      await page.getByRole('option', { name: 'Bitget', exact: true }).click()
      await page.getByRole('button', { name: 'Save API Keys' }).click()
      await expect(page.getByText('API Key is required')).toBeVisible()
    },
  },
  {
    name: 'testing API keys',
    address: '/api-keys',
    reach: async (page) => {
      await page
        .getByRole('button', { name: /^Test MEXC/ })
        .first()
        .click()
      await page.getByRole('button', { name: 'Test Credentials' }).click()
      await expect(toastOf(page)).toBeVisible()
    },
  },
  {
    name: 'deleting API keys',
    address: '/api-keys',
    reach: async (page) => {
      await page
        .getByRole('button', { name: /^Delete MEXC/ })
        .first()
        .click()
      await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeEnabled()
    },
  },
  {
    name: 'recent messages',
    address: '/client-credentials',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Copy Client ID grid-bot' }).click()
      await page.keyboard.press('F8')
      await expect(page.getByText('Recent messages')).toBeVisible()
    },
  },
  {
    name: 'client credentials, a revealed secret and a shortened id',
    address: '/client-credentials',
    reach: async (page, gateway) => {
      gateway.respond(listClients, { body: [clientOf({ clientId: 'x'.repeat(40) })] })
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByRole('button', { name: 'Show Client Secret' }).first().click()
    },
  },
  {
    name: 'more client credentials than are in sight',
    address: '/client-credentials',
    reach: async (page, gateway) => {
      const many = Array.from({ length: 15 }, (_, index) =>
        clientOf({ id: 100 - index, clientId: `${LONG_ID}${index}`, description: LONG_NOTE }),
      )
      gateway.respond(listClients, { body: many })
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect(page.getByRole('heading', { name: 'Client Credentials (15)' })).toBeVisible()
    },
  },
  {
    name: 'API keys that expire soon',
    address: '/api-keys',
    reach: async (page, gateway) => {
      gateway.respond(listApiKeys, { body: [apiKeyOf({ expiresAt: '2026-01-01T00:00:00.000Z' })] })
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect(page.getByText('Expired', { exact: true })).toBeVisible()
    },
  },
  {
    name: 'a failed read',
    address: '/api-keys',
    reach: async (page, gateway) => {
      gateway.respond(listApiKeys, { status: 500, body: { message: 'boom', requestId: 'r-1' } })
      await page.reload()
      await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    },
  },
  {
    name: 'the one-time secret',
    address: '/client-credentials',
    reach: async (page, gateway) => {
      gateway.respond(createClient, {
        body: clientOf({ id: 10, clientSecret: 'sls_0123456789abcdef' }),
      })
      await page.getByRole('button', { name: 'Generate' }).click()
      await page.getByRole('button', { name: 'Create Client Credentials' }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
    },
  },
]

// Each state is reached on the page as the one before has left it, with its dialog closed.
for (const [address, states] of Map.groupBy(STATES, (state) => state.address))
  test(`axe finds nothing on ${address}`, async ({ page, gateway, signedIn: _ }) => {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('status', { name: /Loading/ })).toHaveCount(0)
    for (const { name, reach } of states)
      await test.step(`axe finds nothing: ${name}`, async () => {
        await reach?.(page, gateway)
        await expectAccessibleAtBothWidths(page)
        // The one-time secret cannot be closed so, and is the last.
        await page.keyboard.press('Escape')
      })
  })

test('axe finds nothing: the open sidebar', { tag: '@both' }, async ({
  page,
  sidebar,
  signedIn: _,
}) => {
  await page.goto('/client-credentials')
  const bar = await sidebar()
  await bar.getByRole('button', { name: 'Bitget' }).click()
  await bar.getByRole('button', { name: 'Trading APIs' }).click()
  await expectAccessible(page)
})

test('axe finds nothing: signing in, empty, wrong and rejected', async ({ page, gateway }) => {
  await page.goto('/')
  await expect(signInScreenOf(page)).toBeVisible()
  await expectAccessibleAtBothWidths(page)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expectAccessibleAtBothWidths(page)
  gateway.respond(login, { status: 401, body: { message: 'No' } })
  await signIn(page)
  await expect(toastOf(page)).toBeVisible()
  await expectAccessibleAtBothWidths(page)
})

// The overview, the clients and the keys: widths.spec.ts.
test('310. at 320 px no page scrolls sideways', { tag: '@narrow' }, async ({
  page,
  signedIn: _,
}) => {
  await page.setViewportSize({ width: 320, height: 700 })
  await page.goto('/operations')
  for (const address of ['/operations', '/account', '/people', '/approvals'])
    await test.step(`310. ${address}`, async () => {
      await goWithin(page, address)
      await settle(page)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByRole('status', { name: /Loading/ })).toHaveCount(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        320,
      )
    })
})
