import type { Page } from '@playwright/test'
import { listClients, toggleClient } from 'schema'
import { passMs, stepUntilVisible } from '../support/freeze-clock.ts'
import { clientOf, samples } from '../support/samples.ts'
import { expect, test, toastOf } from '../support/test.ts'

const switchOf = (page: Page, name = 'grid-bot') => page.getByRole('switch', { name })
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Database Test' })

/** Switches grid-bot off; the gateway's list then has what `changes` say. */
async function switchOff(page: Page) {
  await switchOf(page).press('Space')
}

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

test('111. the switch sends the inverse of the state', async ({ page, gateway }) => {
  await switchOff(page)
  await expect.poll(() => gateway.calls(toggleClient).length).toBe(1)
  const [call] = gateway.calls(toggleClient)
  expect(new URL(call?.url() ?? '').pathname).toBe('/api/admin/client-credentials/7/toggle')
  expect(call?.postDataJSON()).toEqual({ isActive: false })
  await page.keyboard.press('Escape')
  await switchOf(page, 'market-maker').press('Space')
  await expect.poll(() => gateway.calls(toggleClient).length).toBe(2)
  expect(gateway.calls(toggleClient)[1]?.postDataJSON()).toEqual({ isActive: true })
})

test('112. 113. one switch waits for the response, which is shown', async ({ page, gateway }) => {
  const release = gateway.hold(toggleClient)
  await switchOff(page)
  await test.step('112. it is disabled until the response, the others are not', async () => {
    await expect(switchOf(page)).toBeDisabled()
    await expect(switchOf(page)).not.toBeChecked()
    await expect(switchOf(page, 'market-maker')).toBeEnabled()
    release()
    await expect(switchOf(page)).toBeEnabled()
  })
  await test.step('113. success is shown and the list read again', async () => {
    await expect(toastOf(page)).toContainText('Status Updated')
    await expect(toastOf(page)).toContainText('Client status has been updated successfully.')
    await expect.poll(() => gateway.calls(listClients).length).toBe(2)
  })
})

for (const [name, body, text] of [
  ["the server's message", { message: 'Not today' }, 'Not today'],
  ['the fixed text without one', {}, 'Failed to update status'],
] as const) {
  test(`114. failure shows ${name} and the switch goes back`, async ({ page, gateway }) => {
    gateway.respond(toggleClient, { status: 500, body })
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await switchOff(page)
    await stepUntilVisible(page, toastOf(page))
    await expect(toastOf(page)).toContainText(text)
    await expect(switchOf(page)).toBeEnabled()
    await expect(switchOf(page)).toBeChecked()
    await passMs(page, 800)
    await expect(dialogOf(page)).toHaveCount(0)
  })
}

test('115. half a second after a switch the Database Test opens', async ({ page }) => {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await switchOff(page)
  await expect(toastOf(page)).toContainText('Status Updated')
  await passMs(page, 350)
  await expect(dialogOf(page)).toHaveCount(0)
  await passMs(page, 300)
  await expect(dialogOf(page)).toBeVisible()
})

test('116. 117. 119. the dialog shows the client, and closes', async ({ page, gateway }) => {
  const dialog = dialogOf(page)
  const release = gateway.hold(listClients)
  await switchOff(page)
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
  await test.step('117. it shows eight and four characters of the secret', async () => {
    await expect(dialog.getByText('sls_9fQ2...x7Kd', { exact: true })).toBeVisible()
  })
  for (const way of ['Close', 'Escape'] as const)
    await test.step(`119. ${way} closes it, and the keyboard is back on the switch`, async () => {
      if (way === 'Escape') await switchOff(page)
      await expect(dialog).toContainText('INACTIVE')
      if (way === 'Escape') await page.keyboard.press('Escape')
      else await dialog.getByRole('button', { name: 'Close', exact: true }).click()
      await expect(dialog).toHaveCount(0)
      await expect(switchOf(page)).toBeFocused()
    })
})

test('116. without a description the dialog says so', async ({ page, gateway }) => {
  gateway.respond(listClients, { body: [clientOf({ description: null })] })
  await switchOff(page)
  await expect(dialogOf(page)).toContainText('No description')
  await expect(dialogOf(page).getByText('ACTIVE', { exact: true })).toBeVisible()
})

test('118. the dialog says whether the client can call', async ({ page, gateway }) => {
  await switchOff(page)
  await expect(dialogOf(page)).toContainText('Token generation is blocked')
  await dialogOf(page).getByRole('button', { name: 'Close', exact: true }).click()
  gateway.respond(listClients, { body: samples.clients })
  await switchOf(page).press('Space')
  await expect(dialogOf(page)).toContainText('can generate tokens and access APIs')
})
