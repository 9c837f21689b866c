import { expectAccessible } from '../support/axe.ts'
import { expect, test, toastOf } from '../support/test.ts'

test('27. the heading welcomes to the product', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { name: /Welcome.*Sluice/ })).toBeVisible()
})
test('axe finds nothing on the sign-in screen', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading')).toBeVisible()
  await expectAccessible(page)
})
test('37. success', async ({ page }) => {
  await page.goto('/logs')
  await page.getByLabel('Email').fill('admin@example.com')
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(toastOf(page)).toContainText('Login Successful')
  await expectAccessible(page)
})
