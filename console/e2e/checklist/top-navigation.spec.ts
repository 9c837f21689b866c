import type { Page } from '@playwright/test'
import { expect, SESSION, shellOf, test } from '../support/test.ts'

const LINKS = [
  ['Dashboard', '/'],
  ['Client Credentials', '/client-credentials'],
  ['API Key Management', '/api-key-management'],
  ['Logs', '/logs'],
] as const

const menuOf = (page: Page) => page.getByRole('button', { name: 'Menu' })
const linksOf = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link')

test.beforeEach(async ({ page, signedIn: _ }) => {
  await page.goto('/client-credentials')
  await expect(shellOf(page)).toBeVisible()
})

test('41. 42. 43. 45. the links, the e-mail address and Logout', async ({ page, sidebar }) => {
  await test.step('45. the links are visible without a menu button', async () => {
    await expect(menuOf(page)).toHaveCount(0)
    for (const [name] of LINKS) await expect(linksOf(page).filter({ hasText: name })).toBeVisible()
  })
  await test.step("42. the user's e-mail is shown", async () => {
    await expect(page.getByText(SESSION.user.email)).toBeVisible()
  })
  await test.step('43. there is a Logout button', async () => {
    await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  })
  await test.step('41. four links lead to the four pages', async () => {
    await sidebar()
    await expect(linksOf(page)).toHaveText(LINKS.map(([name]) => name))
    for (const [index, [, address]] of LINKS.entries()) {
      await expect(linksOf(page).nth(index)).toHaveAttribute('href', address)
    }
  })
})

test('44. on a narrow screen a menu button opens and closes the links', { tag: '@narrow' }, async ({
  page,
}) => {
  await expect(linksOf(page)).toHaveCount(0)
  await menuOf(page).click()
  await expect(menuOf(page)).toHaveAttribute('aria-expanded', 'true')
  await expect(linksOf(page).first()).toBeInViewport()
  await menuOf(page).click()
  await expect(menuOf(page)).toHaveAttribute('aria-expanded', 'false')
  await expect(linksOf(page)).toHaveCount(0)

  await menuOf(page).click()
  await linksOf(page).filter({ hasText: 'API Key Management' }).click()
  await expect(page).toHaveURL('/api-key-management')
  await expect(linksOf(page)).toHaveCount(0)
})

test('44. Escape closes the menu and gives the keyboard back', { tag: '@narrow' }, async ({
  page,
}) => {
  await menuOf(page).click()
  await page.keyboard.press('Escape')
  await expect(menuOf(page)).toHaveAttribute('aria-expanded', 'false')
  await expect(menuOf(page)).toBeFocused()
})
