import { logout } from 'schema'
import {
  ADMIN,
  expect,
  expectRefusal,
  goTo,
  logoutOf,
  signIn,
  signInScreenOf,
  test,
} from './journey.ts'

const FILTERED_LOGS = '/logs?q=order&status=error'
const MINUTE_MS = 60_000
const USED_EVERY_MS = 55 * MINUTE_MS
const SESSION_MS = 8 * 3_600_000
/** Longer than the test takes: the gateway's clock moves in real time too. */
const LAST_MS = 10 * MINUTE_MS

test('signing in with a wrong and the right password, and out, also in the other tabs', async ({
  page,
  context,
  complaints,
}) => {
  await test.step('a wrong password is rejected in plain words, and the right one then works', async () => {
    await page.goto('/')
    await signIn(page, 'not the password')
    await expect(page.getByRole('alert')).toContainText('Invalid credentials')
    await expectRefusal(complaints, 401)
    await expect(page.getByLabel('Email')).toHaveValue(ADMIN.email)
    await signIn(page)
    await expect(logoutOf(page)).toBeVisible()
  })
  await test.step('signing out in one tab signs out the others', async () => {
    const other = await context.newPage()
    await other.goto('/logs')
    await expect(logoutOf(other)).toBeVisible()
    await logoutOf(page).click()
    await expect(signInScreenOf(other)).toBeVisible()
    await other.close()
  })
  await test.step('after a sign-out another session begins without anything of the first', async () => {
    await expect(signInScreenOf(page)).toBeVisible()
    expect(await page.evaluate(() => localStorage.getItem('authToken'))).toBeNull()
    await page.goBack()
    await expect(logoutOf(page)).toHaveCount(0)
    await page.goto('/client-credentials')
    await signIn(page)
    await expect(page.getByText('No client credentials found')).toBeVisible()
    await page.reload()
    await expect(logoutOf(page)).toBeVisible()
  })
})

test('a session that was ended elsewhere leads to the sign-in and back to the same place', async ({
  page,
  deployment,
  complaints,
}) => {
  await page.goto(FILTERED_LOGS)
  await signIn(page)
  await expect(page.getByRole('heading', { name: 'Request Logs' })).toBeVisible()
  const token = await page.evaluate(() => localStorage.getItem('authToken'))
  const ended = await fetch(`${deployment.gatewayUrl}${logout.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(ended.status).toBe(204)

  // The header reads every 5 s.
  await expect(page.getByText('Your session has ended')).toBeVisible()
  await expect(page).toHaveURL(FILTERED_LOGS)
  await expectRefusal(complaints, 401)
  await expect(page.getByLabel('Email')).toHaveValue(ADMIN.email)
  await signIn(page)
  await expect(page.getByLabel('Search', { exact: true })).toHaveValue('order')
})

test('a session is over after its eight hours, also for a tab that is opened then', async ({
  page,
  passMs,
  complaints,
}) => {
  await page.goto('/client-credentials')
  await signIn(page)
  await expect(logoutOf(page)).toBeVisible()
  // One that is not used for an hour ends earlier.
  for (let leftMs = SESSION_MS - LAST_MS; leftMs > 0; leftMs -= USED_EVERY_MS) {
    passMs(Math.min(leftMs, USED_EVERY_MS))
    await page.reload()
    await expect(logoutOf(page)).toBeVisible()
  }
  // An open page would find out first, by a read of its own.
  await page.goto('about:blank')
  passMs(LAST_MS)
  await page.goto('/client-credentials')
  await expect(page.getByText('Your session has ended')).toBeVisible()
  await expect(page).toHaveURL('/client-credentials')
  await expectRefusal(complaints, 401)
  await signIn(page)
  await expect(page.getByText('No client credentials found')).toBeVisible()
  await goTo(page, 'Dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})
