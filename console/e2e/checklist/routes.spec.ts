import { expect, shellOf, signInScreenOf, test } from '../support/test.ts'

// Other tests type the addresses of the documentation (docs.spec.ts, client-limits.spec.ts) and
// load the pages of clients, keys and logs again (lists.spec.ts, logs.spec.ts).
test('48. 49. 65. each page is shown at its address and marks its entry', async ({
  page,
  sidebar,
  signedIn: _,
}) => {
  for (const [address, heading, entry] of [
    ['/', 'Overview', 'Overview'],
    ['/client-credentials', 'Client Credentials', 'Client Credentials'],
    ['/api-key-management', 'API Key Management', 'API Keys'],
    ['/api-keys', 'API Key Management', 'API Keys'],
    ['/logs', 'Request Logs', 'Request Logs'],
  ] as const)
    await test.step(`48. 49. 65. ${address}`, async () => {
      await page.goto(address)
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      await expect(page).toHaveURL(address)
      const current = (await sidebar()).locator('[aria-current="page"]')
      await expect(current).toHaveText([entry])
      await expect(current, 'marked visibly').not.toHaveCSS('box-shadow', 'none')
    })
})

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
  const shows = (name: string) =>
    expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await page.goto('/client-credentials')
  await goTo('API Key Management')
  await expect(page).toHaveURL('/api-key-management')
  await goTo('Logs')
  await expect(page).toHaveURL('/logs')
  await page.goBack()
  await shows('API Key Management')
  await page.goBack()
  await shows('Client Credentials')
  await page.goForward()
  await shows('API Key Management')
})
