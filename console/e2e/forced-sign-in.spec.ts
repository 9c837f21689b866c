import { login } from 'schema'
import { expect, signIn, signInScreenOf, test, toastOf } from './support/test.ts'

test('a failed sign-in says why for as long as nothing else is tried', { tag: '@wide' }, async ({
  page,
  gateway,
}) => {
  gateway.respond(login, { status: 401, body: { message: 'Invalid credentials' } })
  await page.goto('/')
  await expect(signInScreenOf(page)).toBeVisible()
  await signIn(page)
  await expect(toastOf(page)).toContainText('Invalid credentials')
  await toastOf(page).getByRole('button', { name: 'Dismiss notification' }).click()
  await expect(toastOf(page)).toHaveCount(0)
  const note = page.getByRole('main').getByRole('note')
  await expect(note).toContainText('Login Failed')
  await expect(note).toContainText('Invalid credentials')
  const release = gateway.hold(login)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(note).toHaveCount(0)
  release()
})
