import { authMethods, login } from 'schema'
import { openFrozen, passMs, stepUntilVisible } from './support/freeze-clock.ts'
import { GATEWAY_URL } from './support/stub-gateway.ts'
import { expect, signIn, signInScreenOf, test, toastOf } from './support/test.ts'

test('a failed sign-in says why for as long as nothing else is tried', async ({
  page,
  gateway,
}) => {
  gateway.respond(login, { status: 401, body: { message: 'Invalid credentials' } })
  await openFrozen(page, '/', signInScreenOf(page))
  await signIn(page)
  await stepUntilVisible(page, toastOf(page))
  await expect(toastOf(page)).toContainText('Invalid credentials')
  await toastOf(page).getByRole('button', { name: 'Dismiss notification' }).click()
  await passMs(page, 50)
  await expect(toastOf(page)).toHaveCount(0)
  const note = page.getByRole('main').getByRole('note')
  await expect(note).toContainText('Login Failed')
  await expect(note).toContainText('Invalid credentials')
  const release = gateway.hold(login)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(note).toHaveCount(0)
  release()
})

test('how people can sign in is asked again until the gateway says it', async ({
  page,
  gateway,
}) => {
  await page.route('**/config.json', (route) =>
    route.fulfill({ json: { gatewayUrl: GATEWAY_URL, openId: true } }),
  )
  gateway.respond(authMethods, { status: 503, body: { message: 'Try again' } })
  await openFrozen(page, '/', signInScreenOf(page))
  await passMs(page, 0)
  expect(gateway.calls(authMethods)).toHaveLength(1)
  gateway.respond(authMethods, { body: { password: false, openid: { name: 'Example ID' } } })
  await passMs(page, 5_000)
  await stepUntilVisible(page, page.getByRole('button', { name: 'Sign in with Example ID' }))
  await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0)
  await passMs(page, 60_000)
  expect(gateway.calls(authMethods)).toHaveLength(2)
})
