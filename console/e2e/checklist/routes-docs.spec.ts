import { docPages } from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { expect, shellOf, test } from '../support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const DOCUMENTED = [
  '/mexc/auth/token',
  '/mexc/trading/place-order',
  '/bitget/auth/token',
  '/bitget/trading/spot',
  '/bitget/trading/futures',
  '/bitget/account/info',
]

for (const { path, label, endpoints, badge } of docPages) {
  const number = DOCUMENTED.includes(path) ? '66.' : '67.'
  test(`${number} ${path} shows a page that names ${label}`, async ({ page }) => {
    await page.goto(path)
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toContainText(label)
    await expect(page).toHaveTitle(new RegExp(label))
    // What the sidebar counts is what the page documents (docs/console-checklist.md, 287).
    expect(badge ?? endpoints.length).toBe(endpoints.length)
    const main = page.getByRole('main')
    for (const endpoint of endpoints)
      await expect(main.getByText(endpoint.path, { exact: true }).first()).toBeVisible()
  })
}

for (const path of ['/nope', '/logs/x', '/mexc']) {
  test(`68. ${path} is not found, inside the shell, with a way back`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page Not Found')
    await expect(page).toHaveTitle(/Page Not Found/)
    await expect(shellOf(page)).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link').click()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  })
}
