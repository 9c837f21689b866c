import type { Page, Response } from '@playwright/test'
import {
  createClient,
  getOperations,
  listApiKeys,
  listClients,
  listLogs,
  toggleClient,
} from 'schema'
import { openFrozen, passMs, stepUntilVisible } from './support/freeze-clock.ts'
import { BROKEN, trouble } from './support/operations-samples.ts'
import { expect, goWithin, isNarrow, refresh, test, toastOf } from './support/test.ts'

const stripOf = (page: Page) => page.getByRole('navigation', { name: 'State of the exchanges' })
const linkOf = (page: Page, name: string) => stripOf(page).getByRole('link', { name })
const ADDRESS = '/client-credentials'
/** Waits until the page has run a script whose response may still be in flight. */
const waitForScript = async (page: Page, response: Promise<Response>) =>
  page.evaluate(async (url) => void (await import(url)), (await response).url())

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(getOperations, { body: trouble() })
})

test('the strip of every page', { tag: '@both' }, async ({ page, gateway, context }) => {
  const shows = (name: string, short: RegExp, long: RegExp) =>
    expect(linkOf(page, name)).toContainText(isNarrow(page) ? short : long, { useInnerText: true })
  // A message has to be shown without a network.
  const toastCode = page.waitForResponse(/toast-stack/)
  await page.goto(ADDRESS)
  await test.step('the strip says what waits and what is broken', async () => {
    await shows(
      'MEXC',
      /79, under 1\ss to 39\ss/,
      /79 waiting; new client under 1\ss, busiest about 39\ss/,
    )
    // With unknown outcomes beside it, a phone has no room for the time.
    await shows('Bitget', /broken$/, /broken for 3\smin/)
    await expect(linkOf(page, 'Unknown')).toBeVisible()
  })
  await test.step('the worst is first, and the fixed panel of the sidebar has no green dots', async () => {
    await expect(stripOf(page).getByRole('link')).toHaveText([/^Bitget/, /^Unknown/, /^MEXC/])
    const panel = page.locator('#navigation dl')
    await expect(panel.locator('dd')).toHaveText(['Online', 'Connected', 'Connected'])
    await expect(panel.locator('dd [aria-hidden]')).toHaveCount(0)
  })
  await test.step('the reason of a broken exchange is there by keyboard and by touch', async () => {
    await linkOf(page, 'Bitget').focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    // The one that the keyboard has left may still fade.
    const tooltip = page.getByRole('tooltip').filter({ hasText: BROKEN.reason ?? '' })
    await expect(tooltip).toBeVisible()
  })
  // On a phone the panel of Bitget is three screens below the top of the page.
  await test.step('each link shows its part of the Operations page, also when that is open', async () => {
    const heading = (name: RegExp) => page.getByRole('heading', { level: 2, name })
    await linkOf(page, 'Unknown').click()
    await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
    await expect(heading(/^Open outcomes/)).toBeInViewport()
    await linkOf(page, 'Bitget').click()
    await expect(heading(/^Bitget/)).toBeInViewport()
    await linkOf(page, 'Unknown').click()
    await expect(heading(/^Open outcomes/)).toBeInViewport()
  })
  await test.step('a wait under a second is not called "about under 1 s"', async () => {
    const exchanges = trouble().exchanges.map((each) => ({ ...each, busiestWaitMs: 596 }))
    gateway.respond(getOperations, { body: trouble({ exchanges }) })
    await shows('MEXC', /79, under 1\ss$/, /79 waiting; new client under 1\ss, busiest under 1\ss/)
  })
  // It said "idle", and was cut as what is calm.
  await test.step('an account that is held back alone is said before what waits', async () => {
    const held = { clientId: 'grid-bot', state: 'broken', nextTryAt: null } as const
    const exchanges = trouble().exchanges.map((each) => ({ ...each, accounts: [held] }))
    gateway.respond(getOperations, { body: trouble({ exchanges, unknownOrders: 0 }) })
    await shows('MEXC', /1 held back$/, /1 held back, 79 waiting; new client/)
  })
  await test.step('322. offline, a note stays, forms send nothing and say so, and coming back reads again', async () => {
    await goWithin(page, ADDRESS)
    const id = page.getByLabel('Client ID', { exact: true })
    await id.fill('typed-offline')
    await waitForScript(page, toastCode)
    await context.setOffline(true)
    const note = page.getByRole('status').filter({ hasText: 'You are offline' })
    await expect(note).toBeVisible()
    await page.getByRole('button', { name: 'Create Client Credentials' }).click()
    await expect(toastOf(page)).toContainText('Nothing was sent')
    expect(gateway.calls(createClient)).toEqual([])
    await expect(id).toHaveValue('typed-offline')
    const reads = gateway.calls(listClients).length
    await context.setOffline(false)
    await expect(note).toBeHidden()
    await expect.poll(() => gateway.calls(listClients).length).toBe(reads + 1)
  })
})

test('pages without a network', async ({ page, context, gateway }) => {
  const toastCode = page.waitForResponse(/toast-stack/)
  await page.goto(ADDRESS)
  await waitForScript(page, toastCode)
  await test.step('322. a button outside a form sends nothing and says so', async () => {
    await context.setOffline(true)
    await page.getByRole('switch').first().locator('xpath=..').click()
    await expect(toastOf(page)).toContainText('You are offline: nothing was sent')
    expect(gateway.calls(toggleClient)).toEqual([])
    await context.setOffline(false)
  })
  await test.step('322. a stop is still tried', async () => {
    await goWithin(page, `${ADDRESS}/7`)
    await page.getByRole('button', { name: 'Stop client' }).click()
    await context.setOffline(true)
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('strategy misbehaves')
    await dialog.getByRole('button', { name: 'Stop client' }).click()
    const name = dialog.getByRole('textbox', { name: 'Type grid-bot' })
    await name.fill('grid-bot')
    await dialog.getByRole('button', { name: 'Stop client' }).click()
    expect((await sent).url()).toContain('/stop')
    await context.setOffline(false)
  })
  // The logs said "Live" as long as the browser had no network: nothing was read, so nothing
  // failed.
  await test.step('no page says that it is live', async () => {
    await goWithin(page, '/logs')
    await expect(page.getByText(/^Live, last read at/)).toBeVisible()
    await context.setOffline(true)
    await expect(page.getByText(/^Offline since/)).toBeVisible()
    await expect(stripOf(page).getByText(/^offline since/)).toBeVisible()
    await context.setOffline(false)
    await expect(page.getByText(/^Live, last read at/)).toBeVisible()
  })
})

test('when the strip is read, and what it says of a gateway that does not respond', async ({
  page,
  gateway,
}) => {
  await openFrozen(page, ADDRESS, linkOf(page, 'MEXC'))
  await test.step('the strip reads every 5 s, and says how old its data is', async () => {
    const before = gateway.calls(getOperations).length
    await passMs(page, 5000)
    expect(gateway.calls(getOperations)).toHaveLength(before + 1)
    const release = gateway.hold(getOperations)
    await passMs(page, 7000)
    await expect(stripOf(page).getByText(/^not current: updated [67]\ss ago/)).toBeVisible()
    await expect(stripOf(page).locator('svg')).toHaveCount(0)
    release()
    await expect(stripOf(page).getByText(/^updated/)).toBeAttached()
    await expect(stripOf(page).locator('svg')).toHaveCount(3)
  })
  await test.step('a gateway that does not respond is offline since the last good response', async () => {
    for (const [stub, text] of [
      ['offline', /^offline since 14:30:/],
      [{ status: 500, body: { message: 'boom' } }, /^no data since 14:30:/],
    ] as const) {
      gateway.respond(getOperations, stub)
      await passMs(page, 5000)
      await expect(stripOf(page).getByText(text)).toBeVisible()
    }
    gateway.respond(getOperations, { body: trouble() })
    await passMs(page, 5000)
    await expect(stripOf(page).getByText(/updated/)).toBeAttached()
  })
  await test.step('the Operations page reads every 2 s, and the strip shows what it reads', async () => {
    await goWithin(page, '/operations')
    await stepUntilVisible(page, page.getByRole('heading', { level: 1, name: 'Operations' }))
    await passMs(page, 0)
    const before = gateway.calls(getOperations).length
    await passMs(page, 10_000)
    expect(gateway.calls(getOperations)).toHaveLength(before + 5)
    await expect(linkOf(page, 'MEXC')).toBeVisible()
    expect(gateway.calls(listLogs)).toHaveLength(0)
  })
})

test('lists that cannot be read again', async ({ page, gateway }) => {
  // A Refresh that failed changed nothing on the page.
  await page.goto(ADDRESS)
  for (const [address, endpoint, shown] of [
    ['/api-keys', listApiKeys, 'main account'],
    ['/client-credentials', listClients, 'market-maker'],
  ] as const)
    await test.step(`a Refresh of ${address} that fails says so, and keeps the rows`, async () => {
      await goWithin(page, address)
      await expect(page.getByText(/^Updated/)).toBeVisible()
      gateway.respond(endpoint, { status: 500, body: { message: 'boom' } })
      await refresh(page)
      await expect(page.getByRole('alert')).toContainText('Could not be read again. Updated')
      await expect(page.getByText(shown).first()).toBeAttached()
      gateway.respond(endpoint, { body: [] })
      await refresh(page)
      await expect(page.getByText('Could not be read again')).toHaveCount(0)
    })
})
