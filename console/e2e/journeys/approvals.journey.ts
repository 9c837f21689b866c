import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAccount } from '../../../scripts/src/deploy-locally.ts'
import { expectAccessible } from '../support/axe.ts'
import { stepUntilVisible } from '../support/freeze-clock.ts'
import { createBot, storeKeys } from './bot.ts'
import { ADMIN, expect, expectRefusal, signIn, test } from './journey.ts'

const GRACE = { email: 'grace@sluice.test', password: 'seven green herons wade' } as const
const BOB = 'bob@sluice.test'
const MINUTE_MS = 60_000

test.use({ settings: { REQUIRE_SECOND_ADMIN: 'true' } })

/** As the machine's owner does it, while the gateway runs. */
async function createSecondAdmin(databaseUrl: string): Promise<void> {
  const script = fileURLToPath(import.meta.resolve('../../../scripts/src/admin.ts'))
  const args = [script, 'create', '--email', GRACE.email, '--password-stdin']
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const running = promisify(execFile)(process.execPath, args, { env })
  running.child.stdin?.end(GRACE.password)
  await running
}

test('what one admin asks for waits, and another one approves or rejects it', async ({
  page,
  browser,
  deployment,
  passMs,
  complaints,
}) => {
  await createSecondAdmin(deployment.databaseUrl)
  await page.goto('/client-credentials')
  await signIn(page)
  await createBot(page, 'grid-bot')

  await test.step('keys wait, and the list of keys stays empty', async () => {
    // The message that has the link goes after 5 s.
    await page.clock.install()
    await page.goto('/api-keys')
    await expect(page.getByText('No API keys configured')).toBeVisible()
    await page.clock.pauseAt(Date.now() + 3_600_000)
    const keys = createAccount(deployment.paper, 'mx', 'grid-bot')
    await storeKeys(page, { clientId: 'grid-bot', exchange: 'MEXC' }, keys)
    await stepUntilVisible(page, page.getByText('Waits for another admin'))
    await expect(page.getByText('No API keys configured')).toBeVisible()
    await page.getByRole('link', { name: 'Show what waits' }).click()
    await page.clock.resume()
    await expect(page.getByRole('heading', { name: 'Waiting (1)' })).toBeVisible()
    await expect(page.getByText(keys.apiSecret)).toHaveCount(0)
    await expectAccessible(page)
  })

  await test.step('who asked can only withdraw it', async () => {
    await expect(page.getByRole('button', { name: /^Withdraw/ })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
  })

  await test.step('a new admin waits too, and the sidebar counts', async () => {
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByRole('button', { name: 'Add a person' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByLabel('Email').fill(BOB)
    await dialog.getByText('Admin', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByText('Waits for another admin')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    await expect(page.getByLabel('2 waiting')).toBeVisible()
  })

  const others = await browser.newContext()
  const other = await others.newPage()
  await other.goto(`${deployment.consoleUrl}/approvals`)
  await signIn(other, GRACE.password, GRACE.email)
  await expect(other.getByRole('heading', { name: 'Waiting (2)' })).toBeVisible()

  await test.step('the other admin shows a factor again, and approves the keys', async () => {
    passMs(6 * MINUTE_MS)
    await other.getByRole('button', { name: 'Approve: Save exchange keys, grid-bot' }).click()
    const question = other.getByRole('dialog', { name: 'Save exchange keys, grid-bot?' })
    await question.getByRole('button', { name: 'Approve' }).click()
    const fresh = other.getByRole('dialog').filter({ has: other.getByLabel('Password') })
    await fresh.getByLabel('Password', { exact: true }).fill(GRACE.password)
    await fresh.getByRole('button', { name: 'Confirm' }).click()
    await expect(other.getByText('Done: Save exchange keys, grid-bot.')).toBeVisible()
  })

  await test.step('gets the password of the new admin, once', async () => {
    await other.getByRole('button', { name: `Approve: Add an admin, ${BOB}` }).click()
    const question = other.getByRole('dialog', { name: `Add an admin, ${BOB}?` })
    await question.getByRole('button', { name: 'Approve' }).click()
    const once = other.getByRole('dialog', { name: `Password of ${BOB}` })
    await expect(once.locator('code')).toHaveText(/^[\w-]{15,}$/)
    await once.getByLabel('I have handed it over or stored it').check()
    await once.getByRole('button', { name: 'Done' }).click()
    await expect(other.getByText('Nothing waits for an approval')).toBeVisible()
  })

  await test.step('rejects what comes next, and says why', async () => {
    await page.getByRole('button', { name: `Actions of ${GRACE.email}` }).click()
    await page.getByRole('menuitem', { name: 'Reset password' }).click()
    const question = page.getByRole('dialog')
    await question.getByRole('button', { name: 'Reset password' }).click()
    const fresh = page.getByRole('dialog').filter({ has: page.getByLabel('Password') })
    await fresh.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await fresh.getByRole('button', { name: 'Confirm' }).click()
    await expectRefusal(complaints, 403)
    await expect(page.getByText('Waits for another admin')).toBeVisible()
    await other.getByRole('button', { name: /^Reject/ }).click()
    const dialog = other.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('I know my password')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await expect(other.getByText('Nothing was changed.')).toBeVisible()
  })

  await test.step('the one who asked reads how each ended', async () => {
    await page.getByRole('link', { name: 'Approvals' }).click()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect(page.getByRole('heading', { name: 'All (3)' })).toBeVisible()
    await expect(page.getByText('I know my password')).toBeVisible()
    await expect(page.getByText(`decided by ${GRACE.email}`)).toHaveCount(3)
    await expectAccessible(page)
    await other.getByRole('button', { name: 'Show all' }).click()
    await expect(other.getByText('decided by you')).toHaveCount(3)
    await page.goto('/api-keys')
    await expect(page.getByText('No API keys configured')).toHaveCount(0)
    await expect(page.getByRole('button', { name: /^Test/ })).toBeVisible()
  })
  await others.close()
})
