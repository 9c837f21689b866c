import { test as base, expect, type Page } from '@playwright/test'
import { deployLocally, type LocalDeployment } from '../../../scripts/src/deploy-locally.ts'

export { expect }

export const ADMIN = { email: 'admin@sluice.test', password: 'correct horse battery' } as const

interface Journey {
  /** Gateway, console and paper exchange of this test alone. */
  readonly deployment: LocalDeployment
  /** Settings of the gateway on top of the usual ones. */
  readonly settings: Readonly<Record<string, string>>
  /** Moves the gateway's clock forward. */
  readonly passMs: (ms: number) => void
  /**
   * What the browser complained of on its console, and what broke; a test empties it of what it
   * expects.
   */
  readonly complaints: string[]
}

/** Lanes are fast: journeys are about what happens, other tests about the pace. */
const RATE_PER_SECOND = 1000

/**
 * Playwright's test against the real gateway; every page's browser console has to stay free of
 * complaints.
 */
export const test = base.extend<Journey & { readonly clock: { offsetMs: number } }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are asked for.
  clock: async ({}, use) => use({ offsetMs: 0 }),

  passMs: async ({ clock }, use) =>
    use((ms) => {
      clock.offsetMs += ms
    }),

  settings: [{}, { option: true }],

  deployment: async ({ clock, settings }, use) => {
    const dist = process.env.CONSOLE_DIST
    if (dist === undefined) throw new Error('The global setup did not set where the console is')
    const deployment = await deployLocally({
      dist,
      admin: ADMIN,
      ratePerSecond: RATE_PER_SECOND,
      env: async () => settings,
      app: { laneStartDelayMs: 0 },
      nowMs: () => Date.now() + clock.offsetMs,
    })
    await use(deployment)
    await deployment.close()
  },

  baseURL: async ({ deployment }, use) => use(deployment.consoleUrl),

  complaints: [
    async ({ context }, use) => {
      const complaints: string[] = []
      context.on('weberror', (found) => complaints.push(found.error().message))
      context.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await use(complaints)
      expect(complaints).toEqual([])
    },
    { auto: true },
  ],
})

/** Fills and sends the sign-in form. */
export async function signIn(
  page: Page,
  password: string = ADMIN.password,
  email: string = ADMIN.email,
): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

export const signInScreenOf = (page: Page) =>
  page.getByRole('heading', { name: 'Welcome to Sluice' })

export const logoutOf = (page: Page) => page.getByRole('button', { name: 'Logout' })

/** Follows a link of the top navigation: the page's memory stays, as it does for a person. */
export function goTo(page: Page, link: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link }).click()
}

/** Unfolds the sidebar as far as needed and follows a documentation link. */
export async function goToDocs(page: Page, ...[exchange, section, link]: DocAddress) {
  const groups = page.getByRole('navigation', { name: 'Exchange APIs' })
  const group = groups.getByRole('button', { name: exchange })
  await unfold(group)
  const within = groups.locator(`#${await group.getAttribute('aria-controls')}`)
  await unfold(within.getByRole('button', { name: section }))
  await within.getByRole('link', { name: link }).click()
}
type DocAddress = [exchange: 'MEXC' | 'Bitget', section: string, link: string]

async function unfold(group: ReturnType<Page['getByRole']>): Promise<void> {
  if ((await group.getAttribute('aria-expanded')) === 'false') await group.click()
  await expect(group).toHaveAttribute('aria-expanded', 'true')
}

/** The message that a failed call leaves on the browser's console, which no page can suppress. */
export async function expectRefusal(complaints: string[], status: number): Promise<void> {
  await expect.poll(() => complaints).toHaveLength(1)
  expect(complaints.pop()).toContain(`the server responded with a status of ${status}`)
}
