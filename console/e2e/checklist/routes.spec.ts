import { expect, shellOf, signInScreenOf, test } from '../support/test.ts'

for (const [address, heading] of [
  ['/', 'Overview'],
  ['/client-credentials', 'Client Credentials'],
  ['/api-key-management', 'API Key Management'],
  ['/api-keys', 'API Key Management'],
  ['/logs', 'Request Logs'],
] as const) {
  test(`65. ${address} shows its page when typed and when loaded again`, async ({
    page,
    signedIn: _,
  }) => {
    await page.goto(address)
    const title = page.getByRole('heading', { level: 1, name: heading })
    await expect(title).toBeVisible()
    await page.reload()
    await expect(title).toBeVisible()
  })
}

test('69. signed out, an unknown path shows the sign-in screen only', async ({ page }) => {
  await page.goto('/nope')
  await expect(signInScreenOf(page)).toBeVisible()
  await expect(page.getByText('Page Not Found')).toHaveCount(0)
  await expect(shellOf(page)).toHaveCount(0)
})

test('70. Back and forward go through the visited pages, one press each', async ({
  page,
  goTo,
  signedIn: _,
}) => {
  await page.goto('/client-credentials')
  await goTo('API Key Management')
  await expect(page).toHaveURL('/api-key-management')
  await goTo('Logs')
  await expect(page).toHaveURL('/logs')
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'API Key Management' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'Client Credentials' })).toBeVisible()
  await page.goForward()
  await expect(page.getByRole('heading', { level: 1, name: 'API Key Management' })).toBeVisible()
})
