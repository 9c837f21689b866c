import { listApiKeys, listClients } from 'schema'
import { LONG_ID, longClients, longKeys } from './support/realistic.ts'
import { clientOf } from './support/samples.ts'
import { expect, goWithin, refresh, test } from './support/test.ts'

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(listClients, { body: longClients })
  gateway.respond(listApiKeys, { body: longKeys })
})

test('clients in forced colours, in print and by name', async ({ page, gateway }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/client-credentials')
  await test.step('in forced colours a switch and a check box look different on and off', async () => {
    const label = page.locator('.mantine-Switch-track')
    const [on, off] = [await label.first().screenshot(), await label.last().screenshot()]
    expect(on.equals(off)).toBe(false)

    await page.getByText('Permissions: usual').click()
    const box = page.getByRole('checkbox', { name: 'Market data' })
    const checked = await box.locator('xpath=..').screenshot()
    await box.uncheck()
    await page.mouse.move(0, 0)
    await box.blur()
    expect((await box.locator('xpath=..').screenshot()).equals(checked)).toBe(false)
  })
  await test.step('the name of a link to a client has its whole id', async () => {
    const [, shortened] = longClients
    await expect(page.getByRole('link', { name: LONG_ID, exact: true })).toBeVisible()
    const name = `xxxxx...xxxxx, ${shortened?.clientId}`
    const link = page.getByRole('link', { name, exact: true })
    await expect(link).toHaveText('xxxxx...xxxxx')
  })
  await test.step('in forced colours a dialog has an edge, and the chosen segment one of its own', async () => {
    await goWithin(page, '/client-credentials/7')
    const radios = page.getByRole('radiogroup', { name: 'State of the client' })
    await expect(radios.locator('label[data-active]')).toHaveCSS('outline-style', 'solid')
    await expect(radios.locator('label:not([data-active])').first()).toHaveCSS(
      'outline-style',
      'none',
    )
    await page.getByRole('button', { name: 'Stop client' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toHaveCSS('border-top-style', 'solid')
    await expect(dialog).toHaveCSS('border-top-width', '1px')
  })
  await test.step('a printed list of clients has all of them, and no form, field or button', async () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      clientOf({ id: 200 - index, clientId: `client_1772717422${index + 100}_k3v9q0z7m` }),
    )
    gateway.respond(listClients, { body: many })
    await page.keyboard.press('Escape')
    await page.emulateMedia({ forcedColors: 'none' })
    await goWithin(page, '/client-credentials')
    await refresh(page)
    await expect(page.getByRole('link', { name: many[0]?.clientId ?? '' }).first()).toBeVisible()
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    const list = page.getByRole('main').getByRole('list').last()
    await expect(list.locator('> li')).toHaveCount(60)
    await expect(page.getByText('Client Secret', { exact: true }).first()).toBeHidden()
    await expect(page.getByText('New client', { exact: true })).toBeHidden()
    await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
  })
})
