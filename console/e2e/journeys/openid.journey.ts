import type { Page } from '@playwright/test'
import {
  type DeploymentWithProvider,
  deployWithProvider,
} from '../../../scripts/src/deploy-locally.ts'
import { expectAccessible } from '../support/axe.ts'
import {
  ADMIN,
  test as base,
  expect,
  expectRefusal,
  goTo,
  logoutOf,
  signIn,
  signInScreenOf,
} from './journey.ts'

const MINUTE_MS = 60_000
const EMAIL = 'ada@sluice.test'

/** Settings on top of the deployment's own. */
const test = base.extend<{ env: Record<string, string>; deployment: DeploymentWithProvider }>({
  env: [{}, { option: true }],
  deployment: async ({ clock, env }, use) => {
    const dist = process.env.CONSOLE_DIST
    if (dist === undefined) throw new Error('The global setup did not set where the console is')
    const deployment = await deployWithProvider({
      ...{ dist, admin: ADMIN, ratePerSecond: 1000, env },
      app: { laneStartDelayMs: 0 },
      nowMs: () => Date.now() + clock.offsetMs,
    })
    deployment.provider.people.set('ada', { email: EMAIL, roles: ['sluice-admins'] })
    // The provider's clock is the gateway's.
    deployment.provider.tamper = (claims) => ({
      ...claims,
      auth_time: Number(claims.auth_time) + clock.offsetMs / 1000,
    })
    deployment.provider.people.set('eve', { email: 'eve@sluice.test', roles: [] })
    await use(deployment)
    await deployment.close()
  },
})

const openIdButtonOf = (page: Page) => page.getByRole('button', { name: 'Sign in with Example ID' })

/** Fills in the provider's own page. */
async function showAs(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Example ID' })).toBeVisible()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('a person signs in at the provider, confirms there in a window, and signs out', async ({
  page,
  passMs,
  deployment,
  complaints,
}) => {
  await test.step('signs in, and is where the link led', async () => {
    await page.goto('/client-credentials?show=all')
    await expect(openIdButtonOf(page)).toBeVisible()
    await expectAccessible(page)
    await openIdButtonOf(page).click()
    await showAs(page, 'ada')
    await expect(logoutOf(page)).toBeVisible()
    await expect(page.getByRole('link', { name: EMAIL })).toBeVisible()
    await expect(page).toHaveURL('/client-credentials?show=all')
  })

  const create = async () => {
    await page.getByRole('button', { name: 'Generate' }).click()
    await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  }
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  const again = dialog.getByRole('button', { name: 'Sign in again at Example ID' })

  await test.step('confirms in a window of the provider', async () => {
    passMs(6 * MINUTE_MS)
    await create()
    await expect(again).toBeVisible()
    await expectAccessible(page)
    const [another] = await Promise.all([page.waitForEvent('popup'), again.click()])
    await showAs(another, 'nobody')
    await expect(dialog.getByRole('alert')).toContainText('ended at the provider')

    const [popup] = await Promise.all([page.waitForEvent('popup'), again.click()])
    await showAs(popup, 'ada')
    await expect(page.getByRole('dialog', { name: 'Save this secret now' })).toBeVisible()
    await expect.poll(() => popup.isClosed()).toBe(true)
    await expectRefusal(complaints, 403)
  })

  await test.step('has no password here, and the role of the provider', async () => {
    await page.goto('/account')
    await expect(page.getByText('Example ID states your role')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Change password' })).toHaveCount(0)
    await expectAccessible(page)
    await page.goto('/people')
    const row = page.getByRole('row').filter({ hasText: EMAIL })
    await expect(row).toContainText('stated by Example ID')
    await row.getByRole('button', { name: `Actions of ${EMAIL}` }).click()
    await expect(page.getByRole('menuitem')).toHaveText([/^End sessions/, /^Disable/])
  })

  await test.step('signs out; a password still works while the provider is down', async () => {
    await logoutOf(page).click()
    await expect(signInScreenOf(page)).toBeVisible()
    deployment.provider.isDown = true
    await signIn(page)
    await expect(page.getByRole('link', { name: ADMIN.email })).toBeVisible()
  })
})

test('the sign-in page says why the provider let nobody in', async ({ page, complaints }) => {
  await page.goto('/')
  await openIdButtonOf(page).click()
  await showAs(page, 'nobody')
  await expect(page.getByText('The sign-in was ended at the provider.')).toBeVisible()
  expect(new URL(page.url()).hash).toBe('')
  await openIdButtonOf(page).click()
  await showAs(page, 'eve')
  await expect(page.getByText('The provider gives you no role in this gateway')).toBeVisible()
  await expectRefusal(complaints, 403)
  // A code that somebody else got signs nobody in.
  await page.goto(`/openid#code=${'x'.repeat(43)}&purpose=sign-in&challenge=`)
  await expect(page.getByText('began in another window')).toBeVisible()
  await expect(signInScreenOf(page)).toBeVisible()
})

test.describe('without passwords', () => {
  test.use({ env: { PASSWORD_SIGN_IN: 'off' } })

  test('there is one button', async ({ page }) => {
    await page.goto('/')
    await expect(openIdButtonOf(page)).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveCount(0)
    await expectAccessible(page)
    await openIdButtonOf(page).click()
    await showAs(page, 'ada')
    await expect(logoutOf(page)).toBeVisible()
    await goTo(page, 'Logs')
    await expect(page.getByRole('heading', { name: 'Request Logs' })).toBeVisible()
  })
})
