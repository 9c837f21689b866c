import type { Page } from '@playwright/test'
import {
  changeClientLimits,
  getClientLimits,
  type LimitsWithUsage,
  listClients,
  NO_LIMITS,
} from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from './support/axe.ts'
import { NOW, openFrozen, passMs } from './support/freeze-clock.ts'
import { clientOf, limitsOf } from './support/samples.ts'
import { type Gateway, settle } from './support/stub-gateway.ts'
import {
  expect,
  expectNoExcess,
  goWithin,
  pressFirst,
  refresh,
  reopen as reopenAt,
  test,
  toastOf,
} from './support/test.ts'

const ADDRESS = '/client-credentials/7'

const stateOf = (page: Page) => page.getByRole('radiogroup', { name: 'State of the client' })
const radio = (page: Page, name: string) =>
  stateOf(page).getByRole('radio', { name: new RegExp(`^${name}`) })
const choose = (page: Page, name: string) => stateOf(page).getByText(name, { exact: true }).click()
const enforce = (page: Page) => page.getByRole('switch', { name: /Enforce the limits/ })
const save = (page: Page) => page.getByRole('button', { name: 'Save limits' })
/** The field of a limit; its use above has the same name. */
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const entries = (page: Page, name: string) => page.getByLabel(name, { exact: true }).first()

/** Shows the field of a limit that is not set. */
const add = (page: Page, name: string) => page.getByLabel('Add a limit').selectOption(name)

/** The gateway has these limits, and changes them as it is asked to. */
function keep(gateway: Gateway, limits: LimitsWithUsage): void {
  gateway.respond(getClientLimits, { body: limits })
  gateway.respond(changeClientLimits, (call) => {
    const changed = { ...limits, ...call.postDataJSON() }
    keep(gateway, changed)
    return { body: changed }
  })
}

/** Looks on from here at the changes that are sent. */
function sentFromNow(gateway: Gateway): () => unknown[] {
  const before = gateway.calls(changeClientLimits).length
  return () =>
    gateway
      .calls(changeClientLimits)
      .slice(before)
      .map((call) => call.postDataJSON())
}

/** Leaves the page and comes back: nothing is typed, and the gateway has these limits. */
async function reopen(page: Page, gateway: Gateway, changes: Partial<LimitsWithUsage> = {}) {
  keep(gateway, limitsOf(changes))
  await reopenAt(page, ADDRESS)
  await expect(stateOf(page)).toBeVisible()
  return sentFromNow(gateway)
}

test.beforeEach(({ signedIn: _, gateway }) => keep(gateway, limitsOf()))

test('the way to a client, a stricter state and wrong limits', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  await test.step("a client's name leads to its page, and a link back to the list", async () => {
    await page.goto('/client-credentials')
    await page.getByRole('link', { name: 'grid-bot', exact: true }).click()
    await expect(page).toHaveURL(ADDRESS)
    const heading = page.getByRole('heading', { level: 1, name: 'grid-bot' })
    await expect(heading).toBeVisible()
    await expect(page).toHaveTitle('grid-bot · Sluice')
    await page.reload()
    await expect(heading).toBeVisible()
    await page.getByRole('link', { name: 'All clients' }).click()
    await expect(page).toHaveURL('/client-credentials')
    await page.getByRole('link', { name: 'Limits of arbitrage' }).click()
    await expect(page).toHaveURL('/client-credentials/9')
  })
  await test.step('a stricter state is set at once', async () => {
    const sent = await reopen(page, gateway)
    await choose(page, 'Halted')
    await expect(toastOf(page)).toContainText('The client is now halted.')
    expect(sent()).toEqual([{ state: 'halted' }])
    await expect(radio(page, 'Halted')).toBeChecked()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  await test.step('wrong limits are reported at their fields and not sent', async () => {
    const sent = await reopen(page, gateway)
    const value = page.getByLabel('Value per order')
    await value.fill('1,5')
    await field(page, 'Orders per minute').fill('0')
    await save(page).click()
    await expect(value).toBeFocused()
    await expect(value).toHaveAccessibleDescription(/An amount above 0 with at most 6 decimals/)
    await expect(field(page, 'Orders per minute')).toHaveAccessibleDescription(
      /A whole number from 1 to 100,000/,
    )
    await settle(page)
    expect(sent()).toEqual([])
  })
  await test.step('at 320 px the page does not scroll sideways', async () => {
    await expectNoExcess(page, 320)
  })
})

test('what the list and the navigation say about a client', async ({ page, gateway, sidebar }) => {
  await page.goto(ADDRESS)
  await test.step("a client's page belongs to the client credentials in the navigation", async () => {
    const link = (await sidebar()).getByRole('link', { name: 'Client Credentials' })
    await expect(link).toHaveAttribute('aria-current', 'page')
  })
  await test.step('a row of the list shows a state that is not active, and the nearest limit', async () => {
    const full = { limit: 'maxOpenOrders', percent: 100 } as const
    const dayValue = (percent: number) => ({ limit: 'maxDayValue', percent }) as const
    const body = [
      clientOf({ state: 'active', nearestLimit: dayValue(41) }),
      clientOf({ id: 8, clientId: 'halted-bot', state: 'halted', nearestLimit: dayValue(82) }),
      clientOf({ id: 9, clientId: 'full-bot', state: 'stopped', nearestLimit: full }),
      clientOf({ id: 10, clientId: 'idle-bot', state: 'active', nearestLimit: null }),
      clientOf({ id: 11, clientId: 'shadow-bot', nearestLimit: null, wouldHaveRefused: 1 }),
    ]
    gateway.respond(listClients, { body })
    await goWithin(page, '/client-credentials')
    await refresh(page)
    const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await expect(rowOf('grid-bot')).toContainText('Value per day 41 %')
    await expect(rowOf('grid-bot')).not.toContainText('near the limit')
    await expect(rowOf('halted-bot').getByText('Halted', { exact: true })).toBeVisible()
    await expect(rowOf('halted-bot')).toContainText('Value per day 82 %, near the limit')
    await expect(rowOf('full-bot').getByText('Stopped', { exact: true })).toBeVisible()
    await expect(rowOf('full-bot')).toContainText('Open orders 100 %, limit reached')
    await expect(rowOf('idle-bot')).not.toContainText('%')
    await expect(rowOf('shadow-bot')).toContainText('would have refused 1 order (shadow)')
    await expectAccessible(page)
  })
  await test.step('an id that no client has says so; what is no id is no page', async () => {
    await goWithin(page, '/client-credentials/12345')
    await expect(page.getByText('There is no such client')).toBeVisible()
    await goWithin(page, '/client-credentials/abc')
    await expect(page.getByText('Page Not Found')).toBeVisible()
  })
})

test('the state and the mode of a client', async ({ page, gateway }) => {
  await test.step('a failed read says so, and Try again reads', async () => {
    gateway.respond(getClientLimits, { status: 500, body: { message: 'boom', requestId: 'r-1' } })
    await page.goto(ADDRESS)
    await expect(page.getByText('Could not read the limits of the client')).toBeVisible()
    keep(gateway, limitsOf({ state: 'halted' }))
    await pressFirst(gateway, getClientLimits, page.getByRole('button', { name: 'Try again' }))
    await expect(stateOf(page)).toBeVisible()
  })
  await test.step('a laxer state is confirmed first', async () => {
    const sent = sentFromNow(gateway)
    await choose(page, 'Reducing')
    const dialog = page.getByRole('dialog', { name: 'Set the client to reducing?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await settle(page)
    expect(sent()).toEqual([])
    await expect(radio(page, 'Halted')).toBeChecked()
    await choose(page, 'Reducing')
    await dialog.getByRole('button', { name: 'Set to reducing' }).click()
    await expect(toastOf(page)).toContainText('The client is now reducing.')
    expect(sent()).toEqual([{ state: 'reducing' }])
  })
  await test.step('the arrow keys change the state, and the keyboard stays there', async () => {
    const sent = await reopen(page, gateway)
    await expect(radio(page, 'Active')).toBeChecked()
    await radio(page, 'Active').press('ArrowRight')
    await expect(radio(page, 'Reducing')).toBeChecked()
    await expect(radio(page, 'Reducing')).toBeFocused()
    await radio(page, 'Reducing').press('ArrowLeft')
    const dialog = page.getByRole('dialog', { name: 'Set the client to active?' })
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect(radio(page, 'Reducing')).toBeChecked()
    await expect(stateOf(page).locator(':focus')).toHaveCount(1)
    expect(sent()).toEqual([{ state: 'reducing' }])
  })
  await test.step('a rejected state is shown, and the control stays where it was', async () => {
    await reopen(page, gateway)
    await expect(radio(page, 'Active')).toBeChecked()
    const full = { message: 'The disk is full' }
    gateway.respond(changeClientLimits, { status: 503, body: full })
    await choose(page, 'Halted')
    await expect(toastOf(page)).toContainText('503: The disk is full')
    await expect(radio(page, 'Active')).toBeChecked()
  })
  await test.step('shadow mode is confirmed, enforcing is not', async () => {
    const sent = await reopen(page, gateway)
    await expect(enforce(page)).toBeChecked()
    await enforce(page).press('Space')
    await page.getByRole('button', { name: 'Use shadow mode' }).click()
    await expect(enforce(page)).not.toBeChecked()
    await expect(page.getByText('Shadow mode', { exact: true })).toBeVisible()
    await enforce(page).press('Space')
    await expect(enforce(page)).toBeChecked()
    expect(sent()).toEqual([{ mode: 'shadow' }, { mode: 'enforce' }])
  })
  await test.step('a secret as bearer is confirmed first, and taken back at once', async () => {
    const sent = await reopen(page, gateway)
    const bearer = page.getByRole('switch', { name: 'May send its secret as bearer' })
    await expect(bearer).not.toBeChecked()
    await bearer.press('Space')
    await page.getByRole('button', { name: 'Accept it' }).click()
    await expect(bearer).toBeChecked()
    await bearer.press('Space')
    await expect(bearer).not.toBeChecked()
    expect(sent()).toEqual([{ secretAsBearer: true }, { secretAsBearer: false }])
  })
  await test.step('in shadow mode a state says that it refuses nothing', async () => {
    await reopen(page, gateway, { mode: 'shadow', state: 'halted' })
    await expect(page.getByText('this state refuses nothing')).toBeVisible()
  })
})

test('the limits of a client are changed', async ({ page, gateway }) => {
  await page.goto(ADDRESS)
  await expect(page.getByRole('heading', { level: 1, name: 'grid-bot' })).toBeVisible()
  await test.step('only changed limits are sent, and an empty field removes one', async () => {
    const sent = sentFromNow(gateway)
    await field(page, 'Value per day').fill(' 2500.5 ')
    await page.getByLabel('Leverage').fill('')
    await expect(page.getByLabel('Markets')).toHaveCount(0)
    await add(page, 'Markets')
    await expect(page.getByLabel('Markets')).toBeFocused()
    await page.getByLabel('Markets').selectOption('Futures only')
    await page.getByLabel('Expires at (your time, Europe/Berlin)').fill('2027-06-01T02:30')
    await expect(page.getByText('2027-06-01 00:30 UTC')).toBeVisible()
    await entries(page, 'Symbols').fill('solusdt')
    await entries(page, 'Symbols').press('Enter')
    await page.getByRole('button', { name: 'Remove BTC_USDT' }).click()
    await expect(entries(page, 'Symbols')).toBeFocused()
    await expect(page.getByText('Unsaved changes')).toBeVisible()
    await save(page).click()
    await expect(toastOf(page)).toContainText('Limits Saved')
    expect(sent()).toEqual([
      {
        symbols: ['BTCUSDT', 'ETH*', 'SOLUSDT'],
        markets: ['futures'],
        maxDayValue: '2500.5',
        maxLeverage: null,
        expiresAt: '2027-06-01T00:30:00Z',
      },
    ])
    await expect(field(page, 'Value per day')).toHaveValue('2500.5')
    await expect(page.getByText('Unsaved changes')).toHaveCount(0)
  })
  await test.step('a pasted list becomes entries, each once', async () => {
    const sent = await reopen(page, gateway)
    await page.evaluate(() => navigator.clipboard.writeText('10.0.0.1, 10.0.0.2\n10.0.0.1'))
    await entries(page, 'Addresses').focus()
    await page.keyboard.press('ControlOrMeta+V')
    await save(page).click()
    const allowedIps = ['203.0.113.0/24', '2001:db8::/32', '10.0.0.1', '10.0.0.2']
    await expect.poll(sent).toEqual([{ allowedIps }])
  })
  await test.step('an entry that was typed and not added is saved too', async () => {
    const sent = await reopen(page, gateway)
    await entries(page, 'Symbols').fill('XRPUSDT')
    await save(page).click()
    await expect.poll(sent).toEqual([{ symbols: ['BTCUSDT', 'BTC_USDT', 'ETH*', 'XRPUSDT'] }])
  })
  for (const [label, first, ...choices] of [
    [
      ...(['Repeated orders', 'on'] as const),
      ['Send as a new order', { repeatGuard: 'off' }],
      ['Refuse while the first is unknown', { repeatGuard: 'on' }],
    ],
    [
      ...(['Orders that only close', 'own'] as const),
      ['All, also of what others opened', { exits: 'any' }],
      ['None: limited like any order', { exits: 'limited' }],
    ],
  ] as const)
    await test.step(`${label}: the choices`, async () => {
      const sent = await reopen(page, gateway)
      await add(page, label)
      await expect(page.getByLabel(label)).toHaveValue(first)
      for (const [index, [choice]] of choices.entries()) {
        await page.getByLabel(label).selectOption(choice)
        await save(page).click()
        await expect.poll(sent).toEqual(choices.slice(0, index + 1).map(([, body]) => body))
      }
    })
  await test.step('what is typed while the limits are saved stays, and is saved next', async () => {
    const sent = await reopen(page, gateway)
    const release = gateway.hold(changeClientLimits)
    await add(page, 'Repeated orders')
    await page.getByLabel('Repeated orders').selectOption('Send as a new order')
    await save(page).click()
    await expect.poll(sent).toEqual([{ repeatGuard: 'off' }])
    await page.getByLabel('Repeated orders').selectOption('Refuse while the first is unknown')
    release()
    await save(page).click()
    await expect.poll(sent).toEqual([{ repeatGuard: 'off' }, { repeatGuard: 'on' }])
  })
  await test.step('Reset brings back what is saved', async () => {
    await reopen(page, gateway)
    const reset = page.getByRole('button', { name: 'Reset' })
    await expect(reset).toBeDisabled()
    await field(page, 'Value per day').fill('1')
    await page.getByRole('button', { name: 'Remove ETH*' }).click()
    await reset.click()
    await expect(field(page, 'Value per day')).toHaveValue('2000')
    await expect(page.getByRole('button', { name: 'Remove ETH*' })).toBeVisible()
    await expect(reset).toBeDisabled()
  })
  await test.step("the gateway's objections appear at their fields, and what was typed stays", async () => {
    const fields = [{ field: 'allowedIps.2', message: 'must be an address or a network' }]
    gateway.respond(changeClientLimits, { status: 400, body: { message: 'Not valid', fields } })
    await entries(page, 'Addresses').fill('10.0.0.0/33')
    await save(page).click()
    const addresses = entries(page, 'Addresses')
    await expect(addresses).toHaveAccessibleDescription(/must be an address or a network/)
    await expect(addresses).toBeFocused()
    await expect(page.getByRole('button', { name: 'Remove 10.0.0.0/33' })).toBeVisible()
    await expect(toastOf(page)).toContainText('400: Not valid')
  })
})

test('limits near and reached, and a client without limits', async ({ page, gateway }) => {
  await test.step('axe finds nothing: limits, near and reached, and wrong input', async () => {
    const stopped = { reason: 'Night', at: NOW.toISOString() }
    const open = { openOrders: 21, openOrdersReadAt: null }
    const usage = { dayValue: '1700', ...open, ordersLastMinute: 1, wouldHaveRefused: 4 }
    keep(gateway, limitsOf({ mode: 'shadow', state: 'reducing', stopped, usage }))
    await page.goto(ADDRESS)
    // It refuses nothing.
    await expect(page.getByText('would have refused 4 orders (shadow)')).toBeVisible()
    await expect(page.getByText('Limit reached')).toHaveCount(0)
    await field(page, 'Value per day').fill('-1')
    await save(page).click()
    await expect(page.getByText('An amount above 0')).toBeVisible()
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('for a client without limits the page says what they are for', async () => {
    await reopen(page, gateway, NO_LIMITS)
    await expect(page.getByText('This client has no limits')).toBeVisible()
    await expect(page.getByText('no limit', { exact: false }).first()).toBeVisible()
    await expect(page.getByRole('meter')).toHaveCount(0)
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('it may start in shadow mode; axe finds nothing in the question before', async () => {
    await page.getByRole('button', { name: 'Start in shadow mode' }).click()
    await expect(page.getByRole('button', { name: 'Use shadow mode' })).toBeEnabled()
    await expectAccessibleAtBothWidths(page)
    await page.getByRole('button', { name: 'Use shadow mode' }).click()
    await expect(enforce(page)).not.toBeChecked()
    await expect(page.getByRole('button', { name: 'Start in shadow mode' })).toHaveCount(0)
  })
})

test('what changes while the page is open', async ({ page, gateway }) => {
  const expiresAt = new Date(NOW.getTime() - 60_000).toISOString()
  keep(gateway, limitsOf({ expiresAt }))
  await openFrozen(page, ADDRESS, stateOf(page))
  await test.step('the use of the limits is read every 5 s and shown in words', async () => {
    const day = page.getByRole('meter', { name: 'Value per day' })
    await expect(day).toHaveAttribute('aria-valuetext', '412.5 of 2,000 USDT, 21 %')
    await expect(page.getByText('Near the limit')).toHaveCount(0)
    const open = { openOrders: 20, openOrdersReadAt: NOW.toISOString() }
    const usage = { dayValue: '1600', ...open, ordersLastMinute: 29, wouldHaveRefused: 0 }
    keep(gateway, limitsOf({ expiresAt, usage }))
    const before = gateway.calls(getClientLimits).length
    await passMs(page, 4900)
    expect(gateway.calls(getClientLimits)).toHaveLength(before)
    await passMs(page, 200)
    await expect(day).toHaveAttribute('aria-valuetext', '1,600 of 2,000 USDT, 80 %')
    await expect(page.getByText('Near the limit')).toHaveCount(2)
    await expect(page.getByText('Limit reached')).toHaveCount(1)
    await expect(page.getByText(/^up to 20 of 20, not checked since \d\d:\d\d:\d\d$/)).toBeVisible()
  })
  await test.step('an expiry that has passed says so', async () => {
    await expect(page.getByText('Expired', { exact: true })).toBeVisible()
    await expect(page.getByText('2026-03-05 13:29 UTC: this time has passed')).toBeVisible()
  })
  await test.step('what somebody else changes appears in the fields that were not touched', async () => {
    await field(page, 'Value per day').fill('9000')
    keep(gateway, limitsOf({ maxDayValue: '1', maxOrderValue: '77', state: 'reducing' }))
    await passMs(page, 5000)
    await expect(page.getByLabel('Value per order')).toHaveValue('77')
    await expect(field(page, 'Value per day')).toHaveValue('9000')
    await expect(page.getByText('Reducing', { exact: true }).first()).toBeVisible()
    const sent = sentFromNow(gateway)
    await save(page).click()
    await settle(page)
    expect(sent()).toEqual([{ maxDayValue: '9000' }])
  })
})

test('the links of a client lead to lists that are filtered by it', async ({ page, gateway }) => {
  keep(gateway, limitsOf())
  await page.goto(ADDRESS)
  for (const [link, address, name] of [
    ['All orders of this client', '/orders?client=grid-bot', 'Client'],
    ['All changes in the audit trail', '/audit?subject=grid-bot', 'Target'],
    ['Manage', '/api-key-management?client=grid-bot', 'Filter by client'],
  ] as const) {
    await page.getByRole('link', { name: link, exact: true }).click()
    await expect(page).toHaveURL(address)
    await expect(page.getByRole('main').getByLabel(name, { exact: true }).first()).toHaveValue(
      'grid-bot',
    )
    await page.goBack()
  }
  await page.getByRole('link', { name: 'Logs of this client' }).click()
  await expect(page.getByRole('button', { name: 'Remove filter Client: grid-bot' })).toBeVisible()
  await goWithin(page, '/api-keys?need=failed')
  await expect(page.getByLabel('Filter by need').first()).toHaveValue('Test failed')
})
