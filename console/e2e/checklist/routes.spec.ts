import { expect, shellOf, signInScreenOf, test } from '../support/test.ts'

for (const [address, heading, entry] of [
  ['/', 'Overview', 'Overview'],
  ['/client-credentials', 'Client Credentials', 'Client Credentials'],
  ['/api-key-management', 'API Key Management', 'API Keys'],
  ['/api-keys', 'API Key Management', 'API Keys'],
  ['/logs', 'Request Logs', 'Request Logs'],
] as const) {
  test(`65. ${address} shows its page and marks its entry, typed and loaded again`, async ({
    page,
    sidebar,
    signedIn: _,
  }) => {
    await page.goto(address)
    const title = page.getByRole('heading', { level: 1, name: heading })
    await expect(title).toBeVisible()
    await expect(page).toHaveURL(address)
    await test.step('48. 49. exactly one entry is the current one', async () => {
      await expect((await sidebar()).locator('[aria-current="page"]')).toHaveText([entry])
      await expect((await sidebar()).locator('a[data-active]')).toHaveText([entry])
    })
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
