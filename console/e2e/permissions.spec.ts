import type { Page } from '@playwright/test'
import { createClient, listClients, updateClient } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { clientOf } from './support/samples.ts'
import { expect, refresh, test, toastOf } from './support/test.ts'

const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
const editOf = (page: Page) => page.getByRole('dialog', { name: 'Edit client' })

test.beforeEach(async ({ page, signedIn: _ }) => {
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
})

test('what a new client may do', { tag: '@both' }, async ({ page, gateway }) => {
  const submit = page.getByRole('button', { name: 'Create Client Credentials' })
  const id = page.getByLabel('Client ID', { exact: true })
  const box = (name: string) => page.getByRole('checkbox', { name })
  /** Creates a client with what is ticked. */
  const create = async (clientId: string) => {
    gateway.respond(createClient, { status: 201, body: clientOf({ id: 10, clientId }) })
    const before = gateway.calls(createClient).length
    await id.fill(clientId)
    await submit.click()
    await expect.poll(() => gateway.calls(createClient).length).toBe(before + 1)
    await expect(id).toHaveValue('')
    return gateway.calls(createClient)[before]?.postDataJSON()
  }
  await test.step('a client is created with what is ticked, and needs something ticked', async () => {
    await id.fill('reader')
    for (const name of ['Market data', 'Account', 'Trade']) {
      await expect(box(name)).toBeChecked()
      await box(name).uncheck()
    }
    await submit.click()
    await expect(page.getByText('At least one permission is required')).toBeVisible()
    expect(gateway.calls(createClient)).toEqual([])
    await box('Account').check()
    expect(await create('reader')).toMatchObject({ permissions: ['account'] })
  })
  await test.step('account settings and strategies are given only to a client for which they are ticked', async () => {
    await expect(page.getByText('which keep trading when the client is off')).toBeVisible()
    for (const name of ['Settings', 'Strategies']) await expect(box(name)).not.toBeChecked()
    await box('Settings').check()
    const { permissions } = await create('grid')
    expect(permissions.toSorted()).toEqual(['account', 'market', 'settings', 'trade'])
  })
  await test.step('a client is created as the gateway does by itself when nothing else is ticked', async () => {
    await box('Market data').uncheck()
    await box('Market data').check()
    expect(await create('usual')).not.toHaveProperty('permissions')
  })
})

test('what a client may do is shown and changed', async ({ page, gateway }) => {
  const edit = (name: string) => page.getByRole('button', { name: `Edit ${name}` })
  const field = editOf(page).getByLabel('Description (optional)')
  const save = editOf(page).getByRole('button', { name: 'Save' })
  const tick = (name: string) => editOf(page).getByRole('checkbox', { name })
  const bodies = () => gateway.calls(updateClient).map((call) => call.postDataJSON())
  await test.step('editing sends only what was changed and shows it at once', async () => {
    gateway.respond(updateClient, { body: clientOf({ permissions: ['market', 'account'] }) })
    await edit('grid-bot').click()
    await expect(save).toBeDisabled()
    await tick('Trade').uncheck()
    const release = gateway.hold(listClients)
    await save.click()
    await expect(toastOf(page)).toContainText('Client Updated')
    await expect(editOf(page)).toHaveCount(0)
    await expect(rowOf(page, 'grid-bot')).not.toContainText('Trade')
    release()
    const [call] = gateway.calls(updateClient)
    expect(new URL(call?.url() ?? '').pathname).toBe('/api/admin/client-credentials/7')
    expect(bodies()).toEqual([{ permissions: ['market', 'account'] }])
    await expect(edit('grid-bot')).toBeFocused()
  })
  await test.step('a rejected change is shown, and the form keeps its choices', async () => {
    gateway.respond(updateClient, { status: 404, body: { message: 'It may have been deleted' } })
    await edit('grid-bot').click()
    await field.fill('Another purpose')
    await save.click()
    await expect(toastOf(page)).toContainText('404: It may have been deleted')
    await expect(field).toHaveValue('Another purpose')
    await page.keyboard.press('Escape')
    await expect(editOf(page)).toHaveCount(0)
  })
  await test.step('an edit cancelled while under way leaves the next one open', async () => {
    gateway.respond(updateClient, { body: clientOf({ description: 'First' }) })
    const release = gateway.hold(updateClient)
    await edit('grid-bot').click()
    await field.fill('First')
    await save.click()
    await expect.poll(() => gateway.calls(updateClient).length).toBe(3)
    await editOf(page).getByRole('button', { name: 'Cancel' }).click()
    await edit('arbitrage').click()
    await field.fill('Second')
    release()
    await expect(toastOf(page)).toContainText('Client Updated')
    await expect(field).toHaveValue('Second')
    await page.keyboard.press('Escape')
  })
  await test.step('an administrator opens strategies for a client, and its row shows it', async () => {
    const permissions = ['market', 'account', 'trade', 'strategies'] as const
    gateway.respond(listClients, { body: [clientOf()] })
    await refresh(page)
    await edit('grid-bot').click()
    await tick('Strategies').check()
    const changed = clientOf({ permissions: [...permissions] })
    gateway.respond(updateClient, { body: changed })
    gateway.respond(listClients, { body: [changed] })
    await save.click()
    await expect(rowOf(page, 'grid-bot')).toContainText('Strategies')
    expect(bodies().at(-1)).toEqual({ permissions: [...permissions] })
  })
  await test.step('a row shows what its client may do', async () => {
    const { permissions: _, ...silent } = clientOf({ id: 2, clientId: 'silent' })
    const reader = clientOf({ clientId: 'reader', permissions: ['market', 'account'] })
    gateway.respond(listClients, { body: [reader, silent] })
    await refresh(page)
    await expect(rowOf(page, 'reader')).toContainText('Market data')
    await expect(rowOf(page, 'reader')).toContainText('Account')
    for (const label of ['Trade', 'Settings', 'Strategies'])
      await expect(rowOf(page, 'reader')).not.toContainText(label)
    await expect(rowOf(page, 'silent')).not.toContainText('Permissions')
  })
  await test.step('axe finds nothing: editing a client, wrong input', async () => {
    gateway.respond(listClients, { body: [clientOf()] })
    await refresh(page)
    await edit('grid-bot').click()
    for (const name of ['Market data', 'Account', 'Trade']) await tick(name).uncheck()
    await save.click()
    await expect(editOf(page).getByText('At least one permission is required')).toBeVisible()
    await expectAccessibleAtBothWidths(page)
  })
})
