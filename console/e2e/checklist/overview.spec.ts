import type { Page } from '@playwright/test'
import {
  getOperationsHistory,
  getStats,
  listApiKeys,
  listClients,
  listLogs,
  mxSubmitOrder,
  type Stats,
} from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from '../support/axe.ts'
import { NOW, openFrozen, passMs, stepUntilVisible } from '../support/freeze-clock.ts'
import { logOf } from '../support/log-samples.ts'
import { apiKeyOf, clientOf } from '../support/samples.ts'
import { GATEWAY_URL, settle } from '../support/stub-gateway.ts'
import { clipboardOf, expect, goWithin, readAgain, test } from '../support/test.ts'

const stats = (changes: Partial<Stats>) => ({
  body: { ...getStats.sample.response, ...changes },
})

/** The card of this name: its name, number and hint. */
const card = (page: Page, label: string) =>
  page.locator('dl > *').filter({ has: page.getByText(label, { exact: true }) })
/** The number of the card of this name, without its hint. */
const numberOf = (page: Page, label: string) => card(page, label).locator('dd').first()
/** Statistics, and what the cards show of them. */
const REPORTED: readonly (readonly [Partial<Stats>, Record<string, string | RegExp>])[] = [
  [
    { totalRequests: 77, activeTokens: 55 },
    { 'Total APIs': '9', 'Active Tokens': '55' },
  ],
  [
    { successRate: 98.765, avgResponseTime: 142.6 },
    { 'Success Rate': '98.8%', 'Avg Response': /^143\s?ms$/ },
  ],
  [
    { successRate: 100, avgResponseTime: 0 },
    { 'Success Rate': '100.0%', 'Avg Response': /^0\s?ms$/ },
  ],
  [{ successRate: 0 }, { 'Success Rate': '0.0%' }],
  [
    { activeTokens: 7, currentRateLimit: 5, queueSize: 12 },
    { 'Active Tokens': '7', 'Total APIs': '9' },
  ],
]
/** Visible once the first statistics are there. */
const loaded = (page: Page) => page.getByText(/^Live, last read at/)

test.beforeEach(({ signedIn }) => void signedIn)

test('71. 84. 258. the title, the base URL and the language of samples', async ({ page }) => {
  await page.goto('/')
  const description = 'Secure middleware for MEXC Futures API integration'
  await expect(page.getByText(description, { exact: true }), '71. a description').toBeVisible()
  await expect(page.getByRole('heading', { level: 1 }), '71. a title').toHaveText('Overview')
  await test.step('84. a configured gateway is the base URL of card and samples', async () => {
    const started = page.getByRole('region', { name: 'Getting Started' })
    await expect(started.getByText(GATEWAY_URL, { exact: true })).toBeVisible()
    const samples = page.locator('pre')
    await expect(samples).toHaveCount(2)
    for (const sample of await samples.all()) await expect(sample).toContainText(GATEWAY_URL)
  })
  await test.step('axe finds nothing on the complete overview', async () => {
    await expect(loaded(page)).toBeVisible()
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('258. the language is chosen once for all pages, and remembered', async () => {
    const samples = page.getByRole('region', { name: 'Authentication' }).locator('pre')
    await expect(samples.first()).toContainText('curl')
    const choose = (label: string, language: string) =>
      page
        .getByRole('group', { name: `Language of ${label}` })
        .getByRole('button', { name: language })
        .click()
    await choose('Token request', 'Python')
    await expect(samples).toContainText(['urllib.request', 'urllib.request'])
    await goWithin(page, '/mexc/trading/place-order')
    await expect(page.getByRole('figure', { name: 'Python program' })).toContainText('import json')
    await choose('Python program', 'JavaScript')
    const program = page.getByRole('figure', { name: 'JavaScript program' })
    await expect(program).toContainText('await fetch(')
    await program.getByRole('button', { name: /^Copy/ }).click()
    const code = await program.locator('pre').textContent()
    await expect.poll(() => clipboardOf(page)).toBe(code)
    await page.goto('/')
    await expect(samples).toContainText(['await fetch(', 'await fetch('])
  })
})

test('72. 73. 79. 80. 81. 88. the statistics are read every 5 s, the buttons ask for nothing', async ({
  page,
  gateway,
}) => {
  await openFrozen(page, '/', loaded(page))
  const tokens = numberOf(page, 'Active Tokens')
  await test.step('79. they are read on entry and then every 5 s', async () => {
    await expect(tokens).toHaveText('3')
    expect(gateway.calls(getStats)).toHaveLength(1)
    await passMs(page, 14_000)
    await expect.poll(() => gateway.calls(getStats).length).toBe(3)
    await passMs(page, 1500)
    await expect.poll(() => gateway.calls(getStats).length).toBe(4)
  })
  await test.step('80. numbers change with each response and never flicker', async () => {
    gateway.respond(getStats, stats({ activeTokens: 8 }))
    const release = gateway.hold(getStats)
    await passMs(page, 5000)
    await expect.poll(() => gateway.calls(getStats).length).toBe(5)
    await expect(tokens).toHaveText('3')
    release()
    await expect(tokens).toHaveText('8')
  })
  for (const [kind, failure, before, after] of [
    ['a 500', { status: 500, body: 'boom' }, '8', '9'],
    ['a lost connection', 'offline', '9', '10'],
  ] as const)
    await test.step(`81. after ${kind} the cycle continues`, async () => {
      const calls = gateway.calls(getStats).length
      gateway.respond(getStats, failure)
      await passMs(page, 5000)
      await expect(page.getByText(/^No response since/)).toBeVisible()
      await expect(tokens).toHaveText(before)
      gateway.respond(getStats, stats({ activeTokens: Number(after) }))
      await passMs(page, 5000)
      await expect(tokens).toHaveText(after)
      await expect(loaded(page)).toBeVisible()
      expect(gateway.calls(getStats)).toHaveLength(calls + 2)
    })
  await settle(page)
  const before = gateway.all().length
  await test.step('72. Export Docs writes one console message and does nothing else', async () => {
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    page.on('download', () => messages.push('a download'))
    await page.getByRole('button', { name: 'Export Docs' }).click()
    await expect.poll(() => messages.length).toBe(1)
    await settle(page)
    expect(messages[0]).toContain('Export Docs')
    expect(messages).toHaveLength(1)
    expect(gateway.all()).toHaveLength(before)
  })
  await test.step('73. Copy API Key copies the same placeholder every time', async () => {
    const copied: string[] = []
    for (let time = 0; time < 2; time += 1) {
      await page.evaluate(() => navigator.clipboard.writeText('before'))
      await page.getByRole('button', { name: 'Copy API Key' }).click()
      await expect.poll(() => clipboardOf(page)).not.toBe('before')
      copied.push(await clipboardOf(page))
    }
    expect(copied).toEqual(['your-api-key-here', 'your-api-key-here'])
    await settle(page)
    expect(gateway.all()).toHaveLength(before)
  })
  await test.step('88. every sample is copied exactly and its button shows a check mark for 2 s', async () => {
    const figures = page.getByRole('figure')
    await expect(figures).toHaveCount(2)
    for (const figure of await figures.all()) {
      const button = figure.getByRole('button', { name: /^Copy/ })
      await button.click()
      await expect(button.locator('[data-icon="check"]')).toBeVisible()
      expect(await clipboardOf(page)).toBe(await figure.locator('pre').textContent())
      await passMs(page, 1850)
      await expect(button.locator('[data-icon="check"]')).toBeVisible()
      await passMs(page, 300)
      await expect(button.locator('[data-icon="copy"]')).toBeVisible()
    }
  })
})

test('74. to 78. 82. 85. to 87. 252. 254. the chart and the cards show what each response reports', async ({
  page,
  gateway,
  goTo,
}) => {
  gateway.respond(getStats, stats({ queueSize: 4 }))
  const pointAt = (seconds: number, order: number) => ({
    at: new Date(NOW.getTime() - seconds * 1000).toISOString(),
    ...{ cancel: 0, lookup: 0, order, account: 0, market: 1, sent: 1 },
  })
  gateway.respond(getOperationsHistory, {
    body: {
      stepMs: 5000,
      exchanges: [
        { exchange: 'mx', points: [pointAt(600, 9), pointAt(20, 9), pointAt(10, 5)] },
        { exchange: 'bg', points: [pointAt(10, 2)] },
      ],
    },
  })
  await openFrozen(page, '/', loaded(page))
  const limits = page.getByRole('region', { name: 'Rate Limiting & Configuration' })
  const [rate, queue] = [limits.locator('dd').first(), limits.locator('dd').nth(1)]
  await test.step('85. the Authentication card shows the token request and a bearer call', async () => {
    const authentication = page.getByRole('region', { name: 'Authentication' })
    await expect(authentication).toContainText('POST /auth/token')
    await expect(authentication.locator('pre')).toContainText([
      /"clientId".*"clientSecret"/s,
      'Authorization: Bearer',
    ])
  })
  await test.step('252. the chart begins with what the gateway remembers, and grows with every response', async () => {
    const chart = page.getByRole('region', { name: 'Queue of the last 5 minutes' })
    await chart.getByText('Show as table').click()
    const sizes = chart.locator('tbody td:last-child')
    await expect(sizes).toHaveText(['4', '9', '10'])
    gateway.respond(getStats, stats({ queueSize: 7 }))
    await passMs(page, 5000)
    await expect(sizes).toHaveText(['7', '4', '9', '10'])
    const drawn = (await chart.locator('path[data-kind="lines"]').last().getAttribute('d')) ?? ''
    expect(drawn).toMatch(/^M[^ML]+L[^ML]+L[^ML]+L[^ML]+$/)
  })
  await test.step('74. to 78. 86. the cards show what each response reports', async () => {
    for (const label of ['Total APIs', 'Success Rate', 'Avg Response', 'Active Tokens'])
      await expect(card(page, label)).toBeVisible()
    for (const [reported, shown] of REPORTED) {
      gateway.respond(getStats, stats(reported))
      await passMs(page, 5000)
      for (const [label, text] of Object.entries(shown))
        await expect
          .soft(numberOf(page, label), `${label} of ${JSON.stringify(reported)}`)
          .toHaveText(text)
    }
    // Of the last response.
    await expect.soft(rate).toHaveText('5 per second')
    await expect.soft(queue).toHaveText('12 waiting')
  })
  await test.step('87. without a reported rate limit it is 2 per second', async () => {
    gateway.respond(getStats, {
      body: { successRate: 50, avgResponseTime: 1, activeTokens: 4, queueSize: 1 },
    })
    await passMs(page, 5000)
    await expect(numberOf(page, 'Active Tokens')).toHaveText('4')
    await expect(rate).toHaveText('2 per second')
  })
  const read = (await loaded(page).textContent())?.slice(-8) ?? ''
  await test.step('82. on another page the statistics are not read', async () => {
    await goTo('Logs')
    await stepUntilVisible(page, page.getByRole('heading', { level: 1, name: 'Request Logs' }))
    const before = gateway.calls(getStats).length
    await passMs(page, 120_000)
    expect(gateway.calls(getStats)).toHaveLength(before)
  })
  await test.step('254. earlier numbers have their time when the statistics fail', async () => {
    gateway.respond(getStats, { status: 500, body: 'boom' })
    await goTo('Dashboard')
    await stepUntilVisible(page, page.getByText(/^No response since/))
    await expect(page.getByText(`No response since ${read}`)).toBeVisible()
  })
})

test('83. without a configured gateway the base URL is the origin of the page', async ({
  page,
  baseURL,
}) => {
  await page.route('**/config.json', (route) => route.fulfill({ status: 404, body: '' }))
  await page.route('**/api/**', (route) => route.fulfill({ json: [] }))
  await page.goto('/')
  const field = page.getByRole('region', { name: 'Getting Started' })
  await expect(field.getByText(baseURL ?? '', { exact: true })).toBeVisible()
})

test('axe finds nothing on the overview while it loads and after a failed read', async ({
  page,
  gateway,
}) => {
  const release = gateway.hold(getStats)
  await page.goto('/')
  await test.step('while it loads', async () => {
    await expect(page.getByText('Waiting for the first response')).toBeVisible()
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('after a failed read', async () => {
    gateway.respond(getStats, { status: 500 })
    release()
    await expect(page.getByText(/^No response/)).toBeVisible()
    await expectAccessible(page)
  })
})

test('257. the three first steps are shown, and ticked off as they are done', async ({
  page,
  gateway,
}) => {
  gateway.respond(listClients, { body: [] })
  gateway.respond(listApiKeys, { body: [] })
  const { response } = getStats.sample
  const exchanges = response.exchanges.map((each) => ({ ...each, environment: 'paper' }))
  gateway.respond(getStats, { body: { ...response, exchanges } })
  await page.goto('/')
  const steps = page.getByRole('region', { name: 'Getting Started' }).getByRole('listitem')
  const done = steps.filter({ hasText: 'Done' })
  await expect(steps).toHaveCount(3)
  await expect(steps.last()).toContainText('Place a paper order')
  await expect(done).toHaveCount(0)
  const headings = page.getByRole('main').getByRole('heading', { level: 2 })
  await expect(headings.first()).toHaveText('Getting Started')
  gateway.respond(listClients, { body: [clientOf()] })
  await readAgain(page)
  await expect(done).toHaveText(/Create a client credential/)
  gateway.respond(listApiKeys, { body: [apiKeyOf()] })
  gateway.respond(listLogs, { body: [logOf({ method: 'POST', endpoint: '/auth/token' })] })
  await readAgain(page)
  await expect(done).toHaveCount(2)
  gateway.respond(listLogs, { body: [logOf({ method: 'POST', endpoint: mxSubmitOrder.path })] })
  await page.reload()
  const summary = page.locator('summary', { hasText: /^First steps\s+all done$/ })
  await expect(summary).toBeVisible()
  await expect(headings.first()).toHaveText(/^Needs attention/)
  await expect(steps).toHaveCount(0)
  await summary.click()
  await expect(done).toHaveCount(3)
  await expectAccessible(page)
})
