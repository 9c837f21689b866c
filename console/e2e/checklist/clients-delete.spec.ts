import type { Page } from '@playwright/test'
import { deleteClient, listClients } from 'schema'
import { expectAccessibleAtBothWidths } from '../support/axe.ts'
import { passMs } from '../support/freeze-clock.ts'
import { samples } from '../support/samples.ts'
import { expect, test, toastOf } from '../support/test.ts'

const firstOf = (page: Page) => page.getByRole('dialog', { name: 'Delete client credentials?' })
const lastOf = (page: Page) => page.getByRole('dialog', { name: 'Final confirmation' })
const askFor = (page: Page, name = 'grid-bot') =>
  page.getByRole('button', { name: `Delete ${name}` }).click()
const passFirst = (page: Page) =>
  firstOf(page).getByRole('button', { name: 'Delete', exact: true }).click()
const passLast = (page: Page) =>
  lastOf(page).getByRole('button', { name: 'Delete permanently' }).click()

test.beforeEach(async ({ page, gateway, signedIn: _ }) => {
  gateway.respond(deleteClient, { status: 204 })
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
})

test('120. to 123. Delete asks twice and sends nothing', async ({ page, gateway }) => {
  await askFor(page, 'arbitrage')
  await test.step('120. the first question has its Cancel under the keyboard', async () => {
    await expect(firstOf(page)).toBeVisible()
    await expect(firstOf(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
    expect(gateway.calls(deleteClient)).toEqual([])
  })
  for (const text of [
    ...['permanently deletes the client and all its data', 'Credentials', 'cannot be undone'],
    ...['API keys for all exchanges', 'Request logs and associated records'],
    'API access is revoked immediately',
  ])
    await expect(firstOf(page), '121. it says what goes, and how').toContainText(text)
  const pass = firstOf(page).getByRole('button', { name: 'Delete', exact: true })
  await expect(pass).toBeEnabled()
  await expectAccessibleAtBothWidths(page)
  await test.step('122. the second names the client and is the last chance', async () => {
    await passFirst(page)
    await expect(lastOf(page)).toContainText('arbitrage')
    await expect(lastOf(page)).toContainText('last chance to cancel')
    expect(gateway.calls(deleteClient)).toEqual([])
    await expect(lastOf(page).getByRole('button', { name: 'Delete permanently' })).toBeEnabled()
    await expectAccessibleAtBothWidths(page)
  })
  await page.keyboard.press('Escape')
  for (const way of ['Cancel', 'Escape', 'Close dialog'] as const)
    for (const [at, dialog] of [
      ['first', firstOf(page)],
      ['last', lastOf(page)],
    ] as const)
      await test.step(`123. ${way} at the ${at} step changes nothing`, async () => {
        await askFor(page)
        if (at === 'last') await passFirst(page)
        await expect(dialog).toBeVisible()
        if (way === 'Escape') await page.keyboard.press('Escape')
        else await dialog.getByRole('button', { name: way }).click()
        await expect(page.getByRole('dialog')).toHaveCount(0)
        expect(gateway.calls(deleteClient)).toEqual([])
        await expect(page.getByText('Client Credentials (3)')).toBeVisible()
      })
  await test.step('a double click on Delete does not pass the first question', async () => {
    await page.clock.install()
    await page.clock.pauseAt(new Date(Date.now() + 60_000))
    await page.getByRole('button', { name: 'Delete grid-bot' }).dblclick()
    await expect(firstOf(page)).toBeVisible()
    await expect(pass).toBeDisabled()
    expect(gateway.calls(deleteClient)).toEqual([])
    await passMs(page, 300)
    await expect(pass).toBeEnabled()
  })
})

test('124. to 126. a deletion that fails, one that succeeds, and one cancelled under way', async ({
  page,
  gateway,
}) => {
  await test.step('126. failure is shown and the row stays', async () => {
    gateway.respond(deleteClient, { status: 500, body: { message: 'The store is busy' } })
    await askFor(page)
    await passFirst(page)
    await passLast(page)
    await expect(toastOf(page)).toContainText(/^Error.*500: The store is busy/)
    await expect(page.getByRole('button', { name: 'Delete grid-bot' })).toBeVisible()
  })
  gateway.respond(deleteClient, { status: 204 })
  gateway.respond(listClients, { body: samples.clients.slice(1) })
  await askFor(page)
  await passFirst(page)
  await passLast(page)
  await test.step('125. success is shown, the row is gone and the count one less', async () => {
    await expect(toastOf(page)).toContainText(
      /Credentials Deleted.*Client credentials have been deleted successfully\./,
    )
    await expect(page.getByText('Client Credentials (2)')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Delete grid-bot' })).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Delete market-maker' })).toBeFocused()
  })
  await test.step('124. one call was sent', async () => {
    await expect(page.getByRole('dialog')).toHaveCount(0)
    expect(gateway.calls(deleteClient)).toHaveLength(2)
    const [, call] = gateway.calls(deleteClient)
    expect(new URL(call?.url() ?? '').pathname).toBe('/api/admin/client-credentials/7')
    expect(call?.postData()).toBeNull()
  })
  await test.step('one cancelled under way closes no other dialog and takes no focus', async () => {
    const release = gateway.hold(deleteClient)
    await askFor(page, 'market-maker')
    await passFirst(page)
    await passLast(page)
    await expect.poll(() => gateway.calls(deleteClient).length).toBe(3)
    await lastOf(page).getByRole('button', { name: 'Cancel' }).click()
    await askFor(page, 'arbitrage')
    const cancel = firstOf(page).getByRole('button', { name: 'Cancel' })
    await expect(cancel).toBeFocused()
    gateway.respond(listClients, { body: samples.clients.slice(2) })
    release()
    await expect(toastOf(page)).toContainText('Credentials Deleted')
    await expect(
      page.getByRole('button', { name: 'Delete market-maker', includeHidden: true }),
    ).toHaveCount(0)
    await expect(cancel).toBeFocused()
  })
})
