import type { Page } from '@playwright/test'
import {
  type Endpoint,
  getAccount,
  getLogHistogram,
  getOperations,
  getOperationsHistory,
  getStats,
  listApiKeys,
  listLogs,
  listOrders,
  mxSubmitOrder,
  type Operations,
  renameFactor,
} from 'schema'
import { expectAccessible } from './support/axe.ts'
import { freeze, NOW, openFrozen, passMs, stepUntilVisible } from './support/freeze-clock.ts'
import { logOf } from './support/log-samples.ts'
import { clientNowOf, FLOODER, trouble, unknownOf } from './support/operations-samples.ts'
import { LONG_ID, longKeys } from './support/realistic.ts'
import { apiKeyOf } from './support/samples.ts'
import { settle } from './support/stub-gateway.ts'
import { expect, isNarrow, pressFirst, readAgain, reopen, test } from './support/test.ts'
import { dayOf } from './support/traffic-samples.ts'

const rightOf = (box: { x: number; width: number } | null) => (box?.x ?? 0) + (box?.width ?? 0)
const attentionOf = (page: Page) => page.getByRole('region', { name: /^Needs attention/ })
const CALM: Operations = {
  ...getOperations.sample.response,
  clients: [clientNowOf({ nearestLimit: null })],
}
const ORDERED = { body: [logOf({ method: 'POST', endpoint: mxSubmitOrder.path })] }

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(getOperations, { body: trouble() })
  gateway.respond(listApiKeys, { body: longKeys })
  gateway.respond(listLogs, ORDERED)
  gateway.respond(getLogHistogram, { body: dayOf(NOW.getTime()) })
})

test('what needs attention is a line each, below the four numbers', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  gateway.respond(getLogHistogram, { body: dayOf(Date.now()) })
  gateway.respond(listOrders, { body: [unknownOf()] })
  await page.goto('/')
  await test.step('each line says what it is, with a link to where it is mended', async () => {
    const items = attentionOf(page).locator('ul').first().locator('> li')
    await expect(items).toHaveCount(4)
    await expect(items.first().locator('summary')).toHaveText(/^BitgetBroken: .*3\smin$/)
    await expect(items.nth(1).locator('summary')).toHaveText('All clientsOrder unknown × 2')
    await page.getByRole('button', { name: 'Show all 7' }).press('Enter')
    await expect(items).toHaveCount(7)
    const expiring = items.filter({ hasText: 'expires in 4 days' })
    await expect(expiring.locator('b')).toHaveText(LONG_ID)
    await expect(items.last()).toContainText('never tested')
    const limit = items.filter({ hasText: 'Near a limit' }).first()
    await expect(limit.locator('summary')).toContainText('Open orders 17 of 20, 85 %')
    await expect(limit.getByRole('link')).toHaveAttribute('href', '/client-credentials/7')
    const failed = items.filter({ hasText: 'failed its last test' })
    await failed.locator('summary').press('Enter')
    await expect(failed.getByText(/40037/)).toBeVisible()
    await expect(failed.getByRole('link')).toHaveAttribute(
      'href',
      `/api-key-management?client=${LONG_ID}&exchange=bg`,
    )
    const link = page.getByRole('link', { name: 'Show the orders: All clients, Order unknown' })
    await link.press('Enter')
    const outcomes = page.getByRole('region', { name: /^Open outcomes/ })
    await expect(outcomes.getByRole('link', { name: 'grid-7-42' })).toBeVisible()
    await expect(outcomes.getByRole('heading')).toBeInViewport()
  })
  await test.step('axe finds nothing on the overview with trouble, and it does not scroll sideways', async () => {
    await reopen(page, '/')
    await expect(attentionOf(page).getByRole('listitem').first()).toBeVisible()
    await expect(page.getByRole('table', { name: 'Top clients' })).toBeVisible()
    const exchanges = page.getByRole('table', { name: 'Exchanges' })
    await expect(exchanges).toBeVisible()
    const excess = async () => {
      const [ofPage, card, table] = await Promise.all([
        page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
        page.getByRole('region', { name: /^Rate Limiting/ }).boundingBox(),
        exchanges.boundingBox(),
      ])
      return Math.max(ofPage, rightOf(table) - rightOf(card))
    }
    for (const width of isNarrow(page) ? [390, 320] : [1920, 1440, 1280, 768]) {
      await page.setViewportSize({ width, height: 800 })
      // The layout of the new width is drawn a moment later.
      await expect.poll(excess, `${width} px`).toBeLessThanOrEqual(0)
    }
    await expectAccessible(page)
  })
})

test('a gateway that stops responding, and the day that is drawn', async ({ page, gateway }) => {
  gateway.respond(getOperations, { body: CALM })
  gateway.respond(listApiKeys, { body: [apiKeyOf()] })
  const calm = attentionOf(page).getByText('Nothing needs attention')
  await openFrozen(page, '/', calm)
  const card = page.locator('dl > *').filter({ hasText: 'Success Rate' })
  await expect(card).toContainText('%')
  await test.step('a gateway that stops responding is not taken for one without trouble', async () => {
    for (const endpoint of [getOperations, getStats]) gateway.respond(endpoint, 'offline')
    await passMs(page, 5000)
    await expect(calm).toHaveCount(0)
    const lost = /No response since 14:30:22: this may have changed/
    await expect(attentionOf(page)).toContainText(lost)
    await expect(card).toContainText('As of 14:30:22')
    gateway.respond(getOperations, { body: CALM })
    await passMs(page, 5000)
    await expect(calm).toBeVisible()
  })
  await test.step('the day is drawn: requests with errors, and the queue apart from the exchange', async () => {
    gateway.respond(getOperations, { body: trouble() })
    gateway.respond(getStats, { body: getStats.sample.response })
    await passMs(page, 5000)
    await stepUntilVisible(page, attentionOf(page).getByRole('listitem').first())
    const requests = page.getByRole('slider', { name: 'Requests over time, values at' })
    await expect(requests).toHaveAttribute('aria-valuetext', /Succeeded 3,071, Failed 620$/)
    // The legend is of the whole day until somebody points at a time of it.
    const legend = page.getByRole('region', { name: 'Requests over time' })
    await expect(legend).toContainText('total')
    await expect(legend).not.toContainText('Succeeded 3,071')
    await requests.press('End')
    await expect(legend).toContainText('Succeeded 3,071')
    const times = page.getByRole('slider', { name: 'Average time of a request, values at' })
    const parts = /In the queue 21\.5\ss, At the exchange 530\sms$/
    await expect(times).toHaveAttribute('aria-valuetext', parts)
    const average = page.locator('dl > *').filter({ hasText: 'Avg Response' })
    await expect(average).toContainText(/\ss average wait in the queue/)
    await requests.press('Enter')
    const lastMs = Math.floor(NOW.getTime() / 1_800_000) * 1_800_000
    await expect(page).toHaveURL(`/logs?span=${lastMs}-${lastMs + 1_800_000}`)
  })
})

test('nothing that needs attention, and much of it', async ({ page, gateway }) => {
  await test.step('when nothing needs attention the page says so, and only once it knows', async () => {
    gateway.respond(getOperations, { body: CALM })
    gateway.respond(listApiKeys, { body: [apiKeyOf()] })
    const release = gateway.hold(listApiKeys)
    await page.goto('/')
    await expect(page.getByRole('table', { name: 'Top clients' })).toBeVisible()
    await expect(page.getByText('Nothing needs attention')).toHaveCount(0)
    release()
    await expect(attentionOf(page)).toContainText('Nothing needs attention')
    await expectAccessible(page)
  })
  await test.step('equal ones are one line, which opens to each of them', async () => {
    const failed = Array.from({ length: 40 }, (_, index) =>
      apiKeyOf({ clientId: `bot-${index}`, testStatus: 'failure' }),
    )
    gateway.respond(getOperations, { body: trouble() })
    gateway.respond(listApiKeys, { body: failed })
    await reopen(page, '/')
    const line = attentionOf(page).locator('details').filter({ hasText: 'failed its last test' })
    await expect(line.locator('summary')).toHaveText(
      /^bot-0 \+39MEXC key failed its last test × 40/,
    )
    await line.locator('summary').click()
    await expect(line.getByRole('link')).toHaveCount(40)
    await expectAccessible(page)
  })
})

test('the numbers, the top clients and the second factor', async ({ page, gateway }) => {
  await page.goto('/')
  await test.step('255. each number leads to where it comes from', async () => {
    for (const [name, href] of [
      ['Show errors', '/logs?status=error'],
      ['Show slowest', '/logs?sort=-took'],
      ['Show clients', '/client-credentials'],
      ['Connect a bot', '/connect'],
    ] as const)
      await expect(page.locator('dl').getByRole('link', { name })).toHaveAttribute('href', href)
  })
  await test.step('the clients that wait most are listed as the gateway orders them', async () => {
    const rows = page.getByRole('table', { name: 'Top clients' }).locator('tbody tr')
    await expect(rows.first()).toHaveText(/^client_mf3k2v9q_8h2k4j6l1p0w7x643403.5%$/)
    await expect(rows.first().getByTitle(FLOODER)).toHaveAttribute('href', '/client-credentials/7')
    await expect(page.getByRole('link', { name: '8 clients' })).toBeVisible()
  })
  await test.step('who has no second factor gets one quiet line, which is not counted', async () => {
    const link = attentionOf(page).getByRole('link', { name: 'Add a second factor' })
    await expect(link).toHaveAttribute('href', '/account')
    const factor = renameFactor.sample.response
    gateway.respond(getAccount, { body: { ...getAccount.sample.response, factors: [factor] } })
    await page.reload()
    await expect(attentionOf(page).getByRole('listitem').first()).toBeVisible()
    await expect(link).toHaveCount(0)
  })
})

/** The response without each of its parts. */
const incomplete = (endpoint: Endpoint, response: object) =>
  Object.keys(response).map((missing) => {
    const left = Object.entries(response).filter(([key]) => key !== missing)
    return [`${endpoint.path} without ${missing}`, endpoint, Object.fromEntries(left)] as const
  })
const nothing = { exchanges: [null], clients: [null], alerts: [null] }
const REPORTED: readonly (readonly [string, Endpoint, object])[] = [
  ...incomplete(getStats, getStats.sample.response),
  ...incomplete(getOperations, trouble()),
  [
    'an unknown state',
    getOperations,
    { ...trouble(), exchanges: [{ exchange: 'mx', state: 'dreaming' }] },
  ],
  ['lists of null', getOperations, { ...trouble(), ...nothing }],
]

test('an incomplete response leaves the page and its header on the screen', async ({
  page,
  gateway,
}) => {
  await test.step('a failed read of the keys says so beside what else needs attention', async () => {
    gateway.respond(listApiKeys, { status: 500, body: { message: 'The disk is full' } })
    await page.goto('/')
    await expect(attentionOf(page)).toContainText('BitgetBroken')
    const note = attentionOf(page).getByRole('alert')
    await expect(note).toContainText('Could not read the exchange keys')
    gateway.respond(listApiKeys, { body: longKeys })
    await pressFirst(gateway, listApiKeys, note.getByRole('button', { name: 'Try again' }))
    await expect(attentionOf(page)).toContainText('Bitget key failed')
  })
  gateway.respond(getLogHistogram, { body: {} })
  gateway.respond(getOperationsHistory, { body: {} })
  for (const [what, endpoint, body] of REPORTED)
    await test.step(what, async () => {
      gateway.respond(endpoint, { body })
      const before = gateway.calls(endpoint).length
      await readAgain(page)
      await expect(attentionOf(page)).toContainText('Bitget key failed')
      await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Getting Started' })).toBeVisible()
      expect(gateway.calls(endpoint).length).toBeGreaterThan(before)
      await expect(page.getByRole('main')).not.toContainText(/NaN|undefined|could not be shown/)
    })
})

test('320. nothing below moves when what needs attention comes', async ({ page, gateway }) => {
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shift += (entry as LayoutShift).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  // The clock is stopped: nothing is shown because time passed.
  await freeze(page)
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const)
    await test.step(`320. at ${width} px`, async () => {
      await page.setViewportSize({ width, height })
      const releases = [getOperations, listApiKeys, getStats].map((each) => gateway.hold(each))
      await page.goto('/')
      await stepUntilVisible(page, page.getByRole('heading', { level: 1 }))
      for (const release of releases) {
        await settle(page)
        release()
      }
      await expect(attentionOf(page).getByRole('listitem').first()).toBeVisible()
      await expect(page.getByText('Avg Response')).toBeVisible()
      await settle(page)
      expect(await page.evaluate(() => window.shift)).toBeLessThanOrEqual(0.05)
    })
})

interface LayoutShift extends PerformanceEntry {
  readonly value: number
}

declare global {
  interface Window {
    shift: number
  }
}
