import { confirm, createClient, login, secondFactor, toggleClient } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { clientOf } from './support/samples.ts'
import type { Call } from './support/stub-gateway.ts'
import { expect, signIn, signInScreenOf, test } from './support/test.ts'

const waiting = {
  id: 's-1',
  expiresAt: '2026-03-05T14:35:22.000Z',
  factors: ['totp', 'recovery-code'],
}
const needed = {
  status: 401,
  body: { message: 'Show your second factor', code: 'SECOND_FACTOR_NEEDED', signIn: waiting },
}
const wrong = (triesLeft: number) => ({
  status: 401,
  body: { message: 'That is not right', code: 'SECOND_FACTOR_FAILED', triesLeft },
})

test('signing in with a second factor', async ({ page, gateway }) => {
  gateway.respond(login, needed)
  await page.goto('/')
  await test.step('a passkey comes first, and another account is one press away', async () => {
    const factors = ['passkey', 'totp']
    const body = { ...needed.body, signIn: { ...waiting, factors, passkey: {} } }
    gateway.respond(login, { ...needed, body })
    await signIn(page)
    const filled = page.locator('button:not([data-variant])')
    await expect(filled).toHaveText(['Use a passkey'])
    await expect(page.getByText('Enter your second factor')).toBeVisible()
    await page.getByRole('button', { name: 'Use another account' }).click()
    gateway.respond(login, needed)
  })
  await test.step('after the last try the password is asked again', async () => {
    gateway.respond(secondFactor, wrong(0))
    await signIn(page)
    await page.getByLabel('Code').fill('123456')
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByText('That is not right')).toBeVisible()
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
    await expect(page.getByLabel('Email')).not.toHaveValue('')
    await expect(signInScreenOf(page)).toBeVisible()
  })
  await test.step('a code is asked for, and the page says what a wrong one means', async () => {
    await signIn(page)
    const code = page.getByLabel('Code')
    await expect(code).toBeFocused()
    await expectAccessibleAtBothWidths(page)
    const send = page.getByRole('button', { name: 'Sign In' })
    await send.click()
    await expect(code).toHaveAccessibleDescription(/Type a code first/)

    gateway.respond(secondFactor, wrong(4))
    await code.fill('123 456')
    await send.click()
    await expect(page.getByRole('alert')).toContainText('That is not right')
    gateway.respond(secondFactor, { body: login.sample.response })
    await code.fill('k3v9x-2m4qa')
    await send.click()
    await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
    const sent = gateway.calls(secondFactor).map((call) => call.postDataJSON())
    expect(sent.slice(1)).toEqual([
      { signInId: 's-1', totp: '123456' },
      { signInId: 's-1', recoveryCode: 'k3v9x-2m4qa' },
    ])
  })
})

const refused = {
  status: 403,
  body: { message: 'This needs a factor', code: 'FRESH_FACTOR_NEEDED', factors: ['password'] },
}

test('what needs a factor asks for it once', async ({ page, gateway, signedIn: _ }) => {
  let isConfirmed = false
  gateway.respond(confirm, (call: Call) => {
    isConfirmed = call.postDataJSON().password === 'right'
    return isConfirmed
      ? { body: confirm.sample.response }
      : { status: 403, body: { message: 'That is wrong', code: 'CONFIRM_FAILED' } }
  })
  gateway.respond(createClient, () =>
    isConfirmed ? { status: 201, body: clientOf({ clientSecret: 'sls_1' }) } : refused,
  )
  const create = page.getByRole('button', { name: 'Create Client Credentials' })
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  const password = dialog.getByLabel('Password', { exact: true })
  await page.goto('/client-credentials')
  await page.getByRole('button', { name: 'Generate' }).click()
  await create.click()
  await test.step('it fails as the gateway said when it is cancelled', async () => {
    await expect(password).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(page.getByText('403: This needs a factor')).toBeVisible()
    expect(gateway.calls(createClient)).toHaveLength(1)
  })
  await test.step('it asks for the factor once, and is then sent again', async () => {
    await create.click()
    await expect(password).toBeFocused()
    await expectAccessibleAtBothWidths(page)
    await password.fill('wrong')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('That is wrong')
    await password.fill('right')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'Save this secret now' })).toBeVisible()
    const [, first, second, ...more] = gateway.calls(createClient)
    expect(second?.postData()).toBe(first?.postData())
    expect(more).toEqual([])
  })
  await test.step('a client is switched on once the factor is shown, without another press', async () => {
    isConfirmed = false
    gateway.respond(toggleClient, () => (isConfirmed ? { body: clientOf() } : refused))
    await page.getByLabel('I have stored this secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('switch', { name: 'grid-bot' }).press('Space')
    await password.fill('right')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'Database Test' })).toBeVisible()
    const [first, second, ...more] = gateway.calls(toggleClient)
    expect(second?.postData()).toBe(first?.postData())
    expect(more).toEqual([])
  })
})
