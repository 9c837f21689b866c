import { docPages } from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { expect, goWithin, shellOf, test } from '../support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

/** One load for all: docs.spec.ts loads those whose every part it looks at. */
test('66. 67. each documentation page is at its address and names what it documents', async ({
  page,
}) => {
  await page.goto('/nope')
  for (const { path, label, endpoints, badge } of docPages)
    await test.step(`66. 67. ${path} shows a page that names ${label}`, async () => {
      await goWithin(page, path)
      await expect(page.getByRole('heading', { level: 1 })).toContainText(label)
      await expect(page).toHaveTitle(new RegExp(label))
      // What the sidebar counts is what the page documents (docs/console-checklist.md, 287).
      expect(badge ?? endpoints.length).toBe(endpoints.length)
      for (const endpoint of endpoints)
        await expect(
          page.getByRole('main').getByText(endpoint.path, { exact: true }).first(),
        ).toBeVisible()
    })
})

test('68. an unknown path is not found, inside the shell, with a way back', async ({ page }) => {
  for (const path of ['/nope', '/logs/x', '/mexc'])
    await test.step(`68. ${path}`, async () => {
      await page.goto(path)
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page Not Found')
      await expect(page).toHaveTitle(/Page Not Found/)
      await expect(shellOf(page)).toBeVisible()
      await expectAccessible(page)
      await page.getByRole('main').getByRole('link').click()
      await expect(page).toHaveURL('/')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
    })
})
