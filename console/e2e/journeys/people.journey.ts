import { createHmac } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from '../support/axe.ts'
import { ADMIN, expect, expectRefusal, logoutOf, signIn, signInScreenOf, test } from './journey.ts'

const MINUTE_MS = 60_000
const STEP_MS = 30_000
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

// As deployed: passkeys are for a name, not for an IP address.
test.use({
  baseURL: async ({ deployment }, use) =>
    use(deployment.consoleUrl.replace('127.0.0.1', 'localhost')),
})

/** RFC 6238, as an authenticator app does it. */
function totpOf(secret: string, atMs: number): string {
  const bits = [...secret].map((char) => ALPHABET.indexOf(char).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / STEP_MS)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 15
  return `${(hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000}`.padStart(6, '0')
}

/** Sends a factor's name, and returns when its dialog is gone. */
async function name(dialog: Locator, text: string): Promise<void> {
  await dialog.getByLabel('Name').fill(text)
  await dialog.getByRole('button', { name: /^(Next|Save)$/ }).click()
  await expect(dialog).toHaveCount(0)
}

async function addVirtualKey(page: Page): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  await browser.send('WebAuthn.enable')
  await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

test('an admin adds an app and a passkey, signs in with each, and confirms what needs it', async ({
  page,
  clock,
  passMs,
  complaints,
}) => {
  const nowMs = () => Date.now() + clock.offsetMs
  let secret = ''
  await page.goto('/')
  await signIn(page)
  await page.getByRole('link', { name: ADMIN.email }).click()
  await expect(page.getByText('None yet')).toBeVisible()
  await expectAccessible(page)

  await test.step('adds an authenticator app, and gets recovery codes once', async () => {
    await page.getByRole('button', { name: 'Add authenticator app' }).click()
    await name(page.getByRole('dialog', { name: 'Add authenticator app' }), 'Phone')
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
    await expect(dialog.getByRole('img', { name: 'QR code of the secret' })).toBeVisible()
    secret = await dialog.locator('code').innerText()
    await dialog.getByLabel('Code of the app').fill('12345')
    await dialog.getByRole('button', { name: 'Add it' }).click()
    await expect(dialog.getByText('Six digits')).toBeVisible()
    await dialog.getByLabel('Code of the app').fill(totpOf(secret, nowMs() + 100 * STEP_MS))
    await dialog.getByRole('button', { name: 'Add it' }).click()
    await expect(dialog.getByText('The code is wrong')).toBeVisible()
    await expectRefusal(complaints, 403)
    await dialog.getByLabel('Code of the app').fill(totpOf(secret, nowMs()))
    await dialog.getByRole('button', { name: 'Add it' }).click()
    const once = page.getByRole('dialog', { name: 'Recovery codes' })
    await expect(once.getByRole('button', { name: 'Done' })).toBeDisabled()
    await expectAccessible(page)
    await once.getByLabel('I have stored them').check()
    await once.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByText('10 codes left.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add authenticator app' })).toBeFocused()
  })

  await test.step('signs in with a code of it', async () => {
    passMs(2 * STEP_MS)
    await logoutOf(page).click()
    await signIn(page)
    await expectRefusal(complaints, 401)
    await page.getByLabel('Code').fill(totpOf(secret, nowMs()))
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible()
  })

  await test.step('confirms with a code after six minutes; cancelled, nothing happens', async () => {
    passMs(6 * MINUTE_MS)
    await page.getByRole('button', { name: 'Rename Phone' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rename Phone' })
    await dialog.getByLabel('Name').fill('Old phone')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const fresh = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await expect(fresh.getByLabel('Code')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(fresh).toHaveCount(0)
    await expect(page.getByText(/This needs a factor/).first()).toBeVisible()
    await expectRefusal(complaints, 403)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await fresh.getByLabel('Code').fill(totpOf(secret, nowMs()))
    await fresh.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByRole('button', { name: 'Rename Old phone' })).toBeVisible()
    await expectRefusal(complaints, 403)
  })

  await test.step('adds a passkey and signs in with it', async () => {
    await addVirtualKey(page)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await name(page.getByRole('dialog', { name: 'Add passkey' }), 'Laptop')
    await expect(page.getByRole('button', { name: 'Remove Laptop' })).toBeVisible()
    await logoutOf(page).click()
    await signIn(page)
    await expectRefusal(complaints, 401)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible()
  })

  await test.step('confirms with the passkey after six minutes', async () => {
    passMs(6 * MINUTE_MS)
    await page.getByRole('button', { name: 'Rename Laptop' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rename Laptop' })
    await dialog.getByLabel('Name').fill('Work laptop')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const fresh = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await fresh.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page.getByRole('button', { name: 'Rename Work laptop' })).toBeVisible()
    await expectRefusal(complaints, 403)
  })

  await test.step('changes the password; a common one is refused at its field', async () => {
    const field = page.getByLabel('New password', { exact: true })
    await field.fill('too short')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(field).toHaveAccessibleDescription(/9 characters are too few/)
    await expect(field).toBeFocused()
    await field.fill('passwordpassword')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(field).toHaveAccessibleDescription(/common/)
    await expectRefusal(complaints, 400)
    await field.fill('seven green herons wade')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('You stay signed in here.')).toBeVisible()
  })
})

test('an admin adds a viewer, who is offered only what the role covers', async ({
  page,
  complaints,
}) => {
  const VIEWER = 'grace@sluice.test'
  await page.goto('/people')
  await signIn(page)
  await page.getByRole('button', { name: 'Add a person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a person' })
  await dialog.getByLabel('Email').fill(VIEWER)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const once = page.getByRole('dialog', { name: `Password of ${VIEWER}` })
  const password = await once.locator('code').innerText()
  await once.getByLabel('I have handed it over or stored it').check()
  await once.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('button', { name: 'Add a person' })).toBeFocused()
  await expectAccessible(page)

  await test.step('the last admin stays one', async () => {
    await page.getByRole('button', { name: `Actions of ${ADMIN.email}` }).click()
    await expectAccessible(page)
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await expect(page.getByText(/409/).first()).toBeVisible()
    await expectRefusal(complaints, 409)
    await expect(page.getByRole('button', { name: `Actions of ${ADMIN.email}` })).toBeFocused()
  })

  await test.step('the viewer sees no people, and why a button does nothing', async () => {
    await logoutOf(page).click()
    await page.getByLabel('Email').fill(VIEWER)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByText('Only admins see this page')).toBeVisible()
    await expect(page.getByRole('link', { name: 'People' })).toHaveCount(0)
    await page.goto('/client-credentials')
    const create = page.getByRole('button', { name: 'Create Client Credentials' })
    await expect(create).toHaveAttribute('aria-disabled', 'true')
    await create.focus()
    await expect(page.getByRole('tooltip')).toContainText('This needs the role admin')
    await page.getByRole('button', { name: 'Generate' }).click()
    await page.getByLabel('Client ID', { exact: true }).press('Enter')
    await expectAccessible(page)
    await expect(signInScreenOf(page)).toHaveCount(0)
  })
})
