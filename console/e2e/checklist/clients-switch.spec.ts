import type { Page } from '@playwright/test'
import { listClients, toggleClient } from 'schema'
import { expectAccessibleAtBothWidths } from '../support/axe.ts'
import { passMs, stepUntilVisible } from '../support/freeze-clock.ts'
import { clientOf, samples } from '../support/samples.ts'
import { expect, test, toastOf } from '../support/test.ts'

const switchOf = (page: Page, name = 'grid-bot') => page.getByRole('switch', { name })
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Database Test' })

test.beforeEach(async ({ page, gateway, signedIn: _ }) => {
  gateway.respond(toggleClient, { body: clientOf({ isActive: false }) })
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
  gateway.respond(listClients, {
    body: [
      clientOf({ isActive: false, description: 'Changed since' }),
      ...samples.clients.slice(1),
    ],
  })
})

test('112. to 115. a switch waits for its response, which is shown', async ({ page, gateway }) => {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  for (const [name, body, text] of [
    ["the server's message", { message: 'Not today' }, 'Not today'],
    ['the fixed text without one', {}, 'Failed to update status'],
  ] as const)
    await test.step(`114. failure shows ${name} and the switch goes back`, async () => {
      gateway.respond(toggleClient, { status: 500, body })
      await switchOf(page).press('Space')
      await stepUntilVisible(page, toastOf(page).filter({ hasText: text }))
      await expect(switchOf(page)).toBeEnabled()
      await expect(switchOf(page)).toBeChecked()
      await passMs(page, 800)
      await expect(dialogOf(page)).toHaveCount(0)
    })
  await test.step('112. it is disabled until the response, the others are not', async () => {
    gateway.respond(toggleClient, { body: { ...clientOf({ isActive: false }), dropped: 72 } })
    const release = gateway.hold(toggleClient)
    await switchOf(page).press('Space')
    await expect(switchOf(page)).toBeDisabled()
    await expect(switchOf(page)).not.toBeChecked()
    await expect(switchOf(page, 'market-maker')).toBeEnabled()
    release()
    await expect(switchOf(page)).toBeEnabled()
  })
  await test.step('113. success is shown and the list read again', async () => {
    await expect(toastOf(page)).toContainText('Status Updated')
    await expect(toastOf(page)).toContainText('Client status has been updated successfully.')
    await expect(toastOf(page)).toContainText('72 waiting requests were dropped.')
    await expect.poll(() => gateway.calls(listClients).length).toBe(2)
  })
  await test.step('115. half a second after a switch the Database Test opens', async () => {
    await passMs(page, 350)
    await expect(dialogOf(page)).toHaveCount(0)
    await passMs(page, 300)
    await expect(dialogOf(page)).toBeVisible()
  })
  await test.step('what was switched off is on again by its message', async () => {
    gateway.respond(toggleClient, { body: { ...clientOf(), dropped: 0 } })
    await toastOf(page).getByRole('button', { name: 'Switch on again: grid-bot' }).click()
    const sent = () => gateway.calls(toggleClient).map((call) => call.postDataJSON())
    await expect.poll(sent).toContainEqual({ isActive: true })
  })
})

test('111. 116. to 119. what a switch sends, and what the dialog shows', async ({
  page,
  gateway,
}) => {
  const dialog = dialogOf(page)
  const sent = () => gateway.calls(toggleClient)
  const release = gateway.hold(listClients)
  await switchOf(page).press('Space')
  await test.step('111. the switch sends the inverse of the state', async () => {
    await expect.poll(() => sent().length).toBe(1)
    expect(new URL(sent()[0]?.url() ?? '').pathname).toBe('/api/admin/client-credentials/7/toggle')
    expect(sent()[0]?.postDataJSON()).toEqual({ isActive: false })
  })
  await test.step('116. while the fresh read is pending it waits for it', async () => {
    await expect(dialog.getByRole('status')).toBeVisible()
    await expect(dialog.getByText('Changed since')).toHaveCount(0)
    release()
    await expect(dialog.getByText('Changed since')).toBeVisible()
  })
  await test.step('116. it shows the client as the server has it now', async () => {
    await expect(dialog.getByRole('definition')).toHaveText([
      'grid-bot',
      '7',
      'Mar 05, 2026, 14:30:22',
      'Changed since',
      'INACTIVE',
      /Market data/,
      'sls_9fQ2...x7Kd',
    ])
  })
  const partial = dialog.getByText('sls_9fQ2...x7Kd', { exact: true })
  await expect(partial, '117. eight and four characters of the secret').toBeVisible()
  await expect(dialog, '118. of an inactive client').toContainText('Token generation is blocked')
  await expectAccessibleAtBothWidths(page)
  for (const way of ['Close', 'Escape'] as const)
    await test.step(`119. ${way} closes it, and the keyboard is back on the switch`, async () => {
      if (way === 'Escape') await switchOf(page).press('Space')
      await expect(dialog).toContainText('INACTIVE')
      if (way === 'Escape') await page.keyboard.press('Escape')
      else await dialog.getByRole('button', { name: 'Close', exact: true }).click()
      await expect(dialog).toHaveCount(0)
      await expect(switchOf(page)).toBeFocused()
    })
  const active = clientOf({ id: 8, clientId: 'market-maker', description: null })
  gateway.respond(listClients, { body: [clientOf({ isActive: false }), active] })
  await switchOf(page, 'market-maker').press('Space')
  await test.step('111. of an inactive client, too', async () => {
    await expect.poll(() => sent().length).toBe(3)
    expect(sent()[2]?.postDataJSON()).toEqual({ isActive: true })
  })
  await expect(dialog, '116. without a description').toContainText('No description')
  await expect(dialog.getByText('ACTIVE', { exact: true }), '116. its state').toBeVisible()
  await expect(dialog, '118. of an active client').toContainText('can generate tokens and access')
})
