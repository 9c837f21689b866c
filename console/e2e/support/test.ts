import { readFile } from 'node:fs/promises'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import type { Endpoint } from 'schema'
import { GATEWAY_URL, type Gateway, type StubServer, settle, startStub } from './stub-gateway.ts'
import { type Tab, Tabs } from './tabs.ts'

export { expect }

/** The stored session that `signedIn` writes. */
export const SESSION = {
  token: 'admin-token',
  user: { id: 1, email: 'admin@example.com' },
} as const

interface Fixtures {
  /** The stubbed gateway. */
  readonly gateway: Gateway
  /** Stores a session before the first page loads. */
  readonly signedIn: typeof SESSION
  /** Follows a link of the top navigation; on a narrow screen through the menu. */
  readonly goTo: (name: string) => Promise<void>
  /** The sidebar; on a narrow screen this opens the menu that holds it. */
  readonly sidebar: () => Promise<Locator>
  /**
   * Everything that broke on the page: uncaught errors and violations of the content security
   * policy.
   */
  readonly broken: string[]
}

/** Playwright's test with the stubbed gateway; the page fails its test when it broke. */
export const test = base.extend<
  Fixtures & { tab: Tab },
  { readonly stub: StubServer; readonly tabs: Tabs }
>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are asked for.
  tabs: [async ({}, use) => use(new Tabs()), { scope: 'worker' }],

  tab: async ({ browser, tabs }, use) => {
    const tab = await tabs.take(browser)
    await use(tab)
    await tabs.giveBack(tab)
  },

  context: async ({ tab }, use) => use(tab.context),
  page: async ({ tab }, use) => use(tab.page),

  stub: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are asked for.
    async ({}, use) => {
      const stub = await startStub()
      await use(stub)
      await stub.close()
    },
    { scope: 'worker' },
  ],

  launchOptions: [
    async ({ launchOptions, stub }, use) => {
      const { hostname } = new URL(GATEWAY_URL)
      const rule = `MAP ${hostname}:80 127.0.0.1:${stub.port}`
      const args = [...(launchOptions.args ?? []), `--host-resolver-rules=${rule}`]
      await use({ ...launchOptions, args })
    },
    { scope: 'worker' },
  ],

  gateway: [async ({ page, stub }, use) => use(stub.serve(page)), { auto: true }],

  broken: [
    async ({ page }, use) => {
      const broken: string[] = []
      page.on('pageerror', (error) => broken.push(error.message))
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) broken.push(message.text())
      })
      await use(broken)
      expect(broken).toEqual([])
    },
    { auto: true },
  ],

  signedIn: async ({ page }, use) => {
    await storeSession(page, SESSION.token, JSON.stringify(SESSION.user))
    await use(SESSION)
  },

  goTo: async ({ page }, use) => {
    await use(async (name) => {
      if (isNarrow(page)) await page.getByRole('button', { name: 'Menu' }).click()
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
    })
  },

  sidebar: async ({ page }, use) => {
    await use(async () => {
      const menu = page.getByRole('button', { name: 'Menu' })
      if (isNarrow(page) && (await menu.getAttribute('aria-expanded')) === 'false')
        await menu.click()
      return page.locator('#navigation')
    })
  },
})

/** The rows of the tables on the page, without their headers. */
export const rowsOf = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') })

/** Writes the two keys of a session before the console loads; null leaves a key out. */
export async function storeSession(
  page: Page,
  token: string | null,
  user: string | null,
): Promise<void> {
  await page.evaluate(
    ([authToken, userText]) => {
      if (authToken != null) localStorage.setItem('authToken', authToken)
      if (userText != null) localStorage.setItem('user', userText)
    },
    [token, user],
  )
}

/** The two keys as they are stored now. */
export function storedKeys(page: Page): Promise<{ authToken: string | null; user: string | null }> {
  return page.evaluate(() => ({
    authToken: localStorage.getItem('authToken'),
    user: localStorage.getItem('user'),
  }))
}

/** Goes to another page of the console as its links do, without a load. */
export function goWithin(page: Page, address: string): Promise<void> {
  return page.evaluate((to) => history.pushState(null, '', to), address)
}

/** Lets the page read everything again, as when the network comes back. */
export async function readAgain(page: Page): Promise<void> {
  const note = page.getByRole('status').filter({ hasText: 'You are offline' })
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await expect(note).toBeVisible()
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await expect(note).toBeHidden()
  await settle(page)
}

/**
 * Presses what a read of the page would take away: reads wait until it is pressed. So a response
 * that was set just before reaches the page only then.
 */
export async function pressFirst(
  gateway: Gateway,
  endpoint: Endpoint,
  button: Locator,
): Promise<void> {
  const respond = gateway.hold(endpoint)
  await button.click()
  respond()
}

/** Leaves a page of the console and comes back: it reads what the stub responds with now. */
export async function reopen(page: Page, address: string): Promise<void> {
  await goWithin(page, '/connect')
  await expect(page.getByRole('heading', { level: 1, name: 'Connect a bot' })).toBeVisible()
  await goWithin(page, address)
  await settle(page)
}

/** Lets a list read again, so that it shows what the stub responds with now. */
export async function refresh(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Refresh' }).click()
  await settle(page)
}

/** Opens a list of choices and takes one. */
export async function choose(page: Page, list: Locator, option: string): Promise<void> {
  await list.click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

export const clipboardOf = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** The file that a button saves. */
export async function saved(
  page: Page,
  button: string | Locator,
): Promise<{ name: string; text: string }> {
  const downloading = page.waitForEvent('download')
  await (typeof button === 'string' ? page.getByRole('button', { name: button }) : button).click()
  const file = await downloading
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

/** How far the page can be moved sideways. */
export const excessOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Expects that the page cannot be moved sideways. It sees its new width a moment later. */
export async function expectNoExcess(page: Page, ...widths: readonly number[]): Promise<void> {
  if (widths.length === 0) expect(await excessOf(page)).toBe(0)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(() => excessOf(page), `${width} px`).toBeLessThanOrEqual(0)
  }
}

/** Expects each part in sight. A failure says which check it is. */
export async function expectVisible(parts: Readonly<Record<string, Locator>>): Promise<void> {
  for (const [check, part] of Object.entries(parts)) await expect(part, check).toBeVisible()
}

/** Expects that a page shows this heading and has read what it shows. */
export async function expectRead(page: Page, name?: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, ...(name && { name }) })).toBeVisible()
  await settle(page)
  await expect(page.getByRole('status', { name: /Loading/ })).toHaveCount(0)
}

export function isNarrow(page: Page): boolean {
  return (page.viewportSize()?.width ?? 0) < 700
}

/** The visible toast. */
export function toastOf(page: Page): Locator {
  return page
    .getByRole('region', { name: 'Notifications (F8)' })
    .locator('[role="status"], [role="alert"]')
}

/** Fills and sends the sign-in form. */
export async function signIn(
  page: Page,
  email = 'admin@example.com',
  password = 'secret',
): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

/** The one element that every page behind the sign-in has, and the sign-in screen has not. */
export function shellOf(page: Page): Locator {
  return page.getByRole('button', { name: 'Logout' })
}

/** The heading of the sign-in screen. */
export function signInScreenOf(page: Page): Locator {
  return page.getByRole('heading', { name: 'Welcome to Sluice' })
}
