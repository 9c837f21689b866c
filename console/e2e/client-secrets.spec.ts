import type { Page } from '@playwright/test'
import { endOldSecret, listClientSecrets, rotateClientSecret, type SecretList } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { settle } from './support/stub-gateway.ts'
import { clipboardOf, expect, test, toastOf } from './support/test.ts'

const SECRET = 'sls_Zk81l0m3bNcVw8yTrXk5sJdHgA1p0Qe'
const { current } = listClientSecrets.sample.response
const ROTATED = {
  status: 201,
  body: { ...rotateClientSecret.sample.response, clientSecret: SECRET },
}
const OLD_ENDED: SecretList = { current, old: null }

const cardOf = (page: Page) => page.getByRole('region', { name: 'Secrets', exact: true })
const rotateButton = (page: Page) => cardOf(page).getByRole('button', { name: 'Rotate secret' })
const rotateDialogOf = (page: Page) => page.getByRole('dialog', { name: 'Create a new secret?' })

test('the secrets of a client, their rotation and the end of the old one', async ({
  page,
  gateway,
  signedIn: _,
}) => {
  gateway.respond(rotateClientSecret, ROTATED)
  await page.goto('/client-credentials/7')
  await expect(cardOf(page)).toContainText('Current secret')
  await test.step('a rotation asks how long the old secret works, and shows the new one once', async () => {
    await rotateButton(page).click()
    const duration = rotateDialogOf(page).getByLabel('How long the current secret keeps working')
    await expect(duration).toHaveValue('3600')
    await duration.selectOption('Not at all')
    await expect(rotateDialogOf(page)).toContainText(
      'the bot is refused until it has the new secret',
    )
    await duration.selectOption('1 day')
    const reads = gateway.calls(listClientSecrets).length
    await rotateDialogOf(page).getByRole('button', { name: 'Create new secret' }).click()
    const once = page.getByRole('dialog', { name: 'Save this secret now' })
    await expect(once).toBeVisible()
    expect(gateway.calls(rotateClientSecret)[0]?.postDataJSON()).toEqual({
      oldSecretValidSeconds: 86_400,
    })
    await expect(once.getByRole('button', { name: 'Done' })).toBeDisabled()
    await once.getByRole('button', { name: 'Copy Client Secret of grid-bot' }).click()
    await expect.poll(() => clipboardOf(page)).toBe(SECRET)
    await once.getByRole('button', { name: 'Done' }).click()
    await expect(once).toHaveCount(0)
    await expect(page).toHaveURL('/client-credentials/7')
    expect(await page.content()).not.toContain(SECRET)
    // The page also reads every 30 s.
    await expect.poll(() => gateway.calls(listClientSecrets).length).toBeGreaterThan(reads)
  })
  await test.step('each secret shows when and from where it was last used, the old one its end', async () => {
    await expect(cardOf(page)).toContainText('sls_Zk81...p0Qe')
    await expect(cardOf(page)).toContainText('No use recorded')
    await expect(cardOf(page)).toContainText('sls_9fQ2...x7Kd')
    await expect(cardOf(page)).toContainText('Mar 05, 2026, 15:30:22, from 203.0.113.7')
    await expect(cardOf(page)).toContainText('Mar 05, 2026, 16:30:00')
  })
  await test.step('the old secret is ended after a confirmation', async () => {
    gateway.respond(endOldSecret, { status: 204 })
    const button = cardOf(page).getByRole('button', { name: 'End the previous secret' })
    const dialog = page.getByRole('dialog', { name: 'End the previous secret?' })
    await button.click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await settle(page)
    expect(gateway.calls(endOldSecret)).toHaveLength(0)
    await button.click()
    gateway.respond(listClientSecrets, { body: OLD_ENDED })
    await dialog.getByRole('button', { name: 'End it now' }).click()
    await expect(toastOf(page)).toContainText('Previous Secret Ended')
    await expect(cardOf(page)).toContainText('No previous secret.')
    await expect(button).toHaveCount(0)
    expect(gateway.calls(endOldSecret)).toHaveLength(1)
  })
  await test.step('a refused rotation keeps the dialog', async () => {
    gateway.respond(rotateClientSecret, { status: 503, body: { message: 'The disk is full' } })
    await rotateButton(page).click()
    await rotateDialogOf(page).getByRole('button', { name: 'Create new secret' }).click()
    await expect(toastOf(page)).toContainText('503: The disk is full')
    await expect(rotateDialogOf(page)).toBeVisible()
  })
  // The dialog of the new secret: one-time-secret.spec.ts.
  await test.step('axe finds nothing: the rotation of a secret', async () => {
    await expect(rotateDialogOf(page)).toBeVisible()
    await expectAccessibleAtBothWidths(page)
  })
})
