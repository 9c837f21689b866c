import { authMethods, login } from 'schema'
import { expectAccessibleAtBothWidths } from '../support/axe.ts'
import { freeze, openFrozen, passMs, stepUntilVisible } from '../support/freeze-clock.ts'
import { samples } from '../support/samples.ts'
import { GATEWAY_URL } from '../support/stub-gateway.ts'
import {
  expect,
  expectVisible,
  shellOf,
  signIn,
  signInScreenOf,
  test,
  toastOf,
} from '../support/test.ts'

/** Responses that say nothing that could be shown. */
const WITHOUT_WORDS = [
  ['an empty response', { status: 500 }],
  ['plain text', { status: 502, body: '<html>Bad gateway</html>' }],
  ['a network failure', 'offline'],
  ['a success without a session in it', { body: { ok: true } }],
] as const

test.beforeEach(async ({ page }) => {
  await page.goto('/')
  await expect(signInScreenOf(page)).toBeVisible()
})

test('27. 28. 30. 32. to 35. 221. the form, and what it says to what is typed', async ({
  page,
  gateway,
}) => {
  const [email, password] = [page.getByLabel('Email'), page.getByLabel('Password', { exact: true })]
  const tooShort = page.getByText('Password must be at least 6 characters')
  const subtitle = 'Sign in to access the API middleware dashboard'
  await expectVisible({
    '27. a heading that welcomes': page.getByRole('heading', { name: /Welcome.*Sluice/ }),
    '28. a subtitle': page.getByText(subtitle, { exact: true }),
  })
  // The browser's own validation never appears.
  await expect(page.locator('form'), '35. noValidate').toHaveJSProperty('noValidate', true)
  await test.step('34. an empty form shows both messages at once', async () => {
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByText('Invalid email address')).toBeVisible()
    await expect(tooShort).toBeVisible()
    expect(gateway.all()).toEqual([])
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('30. the password is hidden until its toggle shows it', async () => {
    await password.fill('secret')
    await expect(password).toHaveAttribute('type', 'password')
    const toggle = page.getByRole('button', { name: 'Show password' })
    await toggle.click()
    await expect(password).toHaveAttribute('type', 'text')
    await expect(password).toHaveValue('secret')
    await toggle.click()
    await expect(password).toHaveAttribute('type', 'password')
    await expect(password).toHaveValue('secret')
  })
  await test.step('32. a text that is no e-mail address is reported and not sent', async () => {
    await signIn(page, 'abc')
    await expect(page.getByText('Invalid email address')).toBeVisible()
    expect(gateway.all()).toEqual([])
  })
  await test.step('33. a password of 5 characters is too short', async () => {
    await expect(tooShort).toHaveCount(0)
    await signIn(page, 'admin@example.com', '12345')
    await expect(tooShort).toBeVisible()
    expect(gateway.all()).toEqual([])
  })
  await test.step('221. errors are said, and the first such field has the focus', async () => {
    for (const field of [email, password]) await field.fill('')
    // The keyboard is there already: the description of a field is read when it gets the focus
    // alone.
    await email.press('Enter')
    await expect(email).toBeFocused()
    await expect(page.getByRole('alert')).toHaveText([
      'Invalid email address',
      'Password must be at least 6 characters',
    ])
    for (const field of [email, password])
      await expect(field).toHaveAttribute('aria-invalid', 'true')
    await email.fill('admin@example.com')
    await email.press('Enter')
    await expect(password).toBeFocused()
    await expect(password).toHaveAccessibleDescription('Password must be at least 6 characters')
    gateway.respond(login, { status: 401, body: { message: 'Invalid credentials' } })
    await password.fill('wrong-one')
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByRole('alert')).toContainText('Invalid credentials')
    await expect(password).toBeFocused()
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('33. a password of 6 characters is long enough', async () => {
    gateway.respond(login, { body: samples.login })
    await signIn(page, 'admin@example.com', '123456')
    await expect(shellOf(page)).toBeVisible()
  })
})

test('29. 36. 37. the form has two fields, sends them, and leads on without a page load', {
  tag: '@both',
}, async ({ page, gateway }) => {
  await expectVisible({
    '29. a field': page.getByLabel('Email'),
    '29. another': page.getByLabel('Password', { exact: true }),
    '29. a button': page.getByRole('button', { name: 'Sign In' }),
  })
  await expect(page.getByRole('navigation'), '29. no navigation').toHaveCount(0)
  await expect(page.getByRole('heading'), '29. one heading').toHaveCount(1)
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  await signIn(page, 'admin@example.com', 'secret')
  await test.step('37. success is shown with the e-mail, and the shell appears', async () => {
    await expect(toastOf(page)).toContainText(/Login Successful.*admin@example\.com/)
    await expect(shellOf(page)).toBeVisible()
    expect(loads).toBe(0)
  })
  await test.step('36. the request holds exactly e-mail and password', async () => {
    expect(gateway.calls(login)).toHaveLength(1)
    expect(gateway.calls(login)[0]?.postDataJSON()).toEqual({
      email: 'admin@example.com',
      password: 'secret',
    })
  })
})

test('31. 38. to 40. a failure is said, and another attempt is sent once', async ({
  page,
  gateway,
}) => {
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  // On a busy machine a toast would disappear before the test has looked at it.
  await freeze(page)
  for (const status of [400, 401])
    await test.step(`38. an error with ${status} is shown in the server's words`, async () => {
      const message = `Invalid credentials, ${status}`
      gateway.respond(login, { status, body: { message } })
      await signIn(page)
      await stepUntilVisible(page, toastOf(page).filter({ hasText: message }))
      await expect(toastOf(page)).toContainText('Login Failed')
      expect(loads).toBe(0)
    })
  for (const [name, stub] of WITHOUT_WORDS)
    await test.step(`39. ${name} is shown as a failed login`, async () => {
      await page.getByRole('button', { name: 'Dismiss notification' }).click()
      await passMs(page, 50)
      await expect(toastOf(page)).toHaveCount(0)
      gateway.respond(login, stub)
      await signIn(page)
      await stepUntilVisible(page, toastOf(page))
      await expect(toastOf(page).getByText('Login Failed', { exact: true })).toBeVisible()
      await expect(toastOf(page).getByText('Login failed', { exact: true })).toBeVisible()
    })
  const note = page.getByRole('main').getByRole('note')
  await test.step('40. after a failure the form is ready for a second attempt', async () => {
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeEnabled()
    await expect(page.getByLabel('Email')).toHaveValue('admin@example.com')
    // The toast goes; the form says why for as long as nothing else is tried.
    await passMs(page, 6_000)
    await expect(toastOf(page)).toHaveCount(0)
    await expect(note).toContainText('Login Failed')
  })
  await test.step('31. the button says it is pending; two fast clicks send one call', async () => {
    gateway.respond(login, { body: samples.login })
    const release = gateway.hold(login)
    const before = gateway.calls(login).length
    await page.getByRole('button', { name: 'Sign In' }).evaluate((button: HTMLElement) => {
      button.click()
      button.click()
    })
    await expect(page.getByRole('button', { name: 'Signing In...' })).toBeDisabled()
    await expect(note).toHaveCount(0)
    release()
    await stepUntilVisible(page, shellOf(page))
    expect(gateway.calls(login)).toHaveLength(before + 1)
  })
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
