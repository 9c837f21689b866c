import type { Page } from '@playwright/test'
import { type LogEntry, listLogs, listOrders } from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { fromLogMenu, logOf, logsOf } from '../support/log-samples.ts'
import { orderOf } from '../support/order-samples.ts'
import {
  expect,
  goWithin,
  isNarrow,
  refresh,
  rowsOf,
  saved,
  test,
  toastOf,
} from '../support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const chips = (page: Page) => page.getByRole('list', { name: 'Active filters' })
const statusesOf = (page: Page) =>
  rowsOf(page).evaluateAll((all) => all.map((row) => Number(row.lastElementChild?.textContent)))

test('260. 272. 274. filters are saved, and entries sorted and exported', async ({
  page,
  gateway,
}) => {
  const dialog = page.getByRole('dialog', { name: 'Saved filters' })
  const openDialog = async () => (await fromLogMenu(page, 'Saved filters')).click()
  const exported = async () => saved(page, await fromLogMenu(page, 'Export JSON lines'))
  const entries = [
    logOf({ statusCode: 200, responseTime: 20 }),
    logOf({ statusCode: 500, responseTime: 300, clientId: 'grid-bot' }),
    logOf({ statusCode: 404, responseTime: 1, clientId: 'two' }),
  ]
  gateway.respond(listLogs, { body: entries })
  await page.goto('/logs?status=error&q=grid')
  await expect(rowsOf(page)).toHaveCount(1)
  await test.step('260. filters are saved under a name', async () => {
    await openDialog()
    await dialog.getByLabel('Name for the current filters').fill('Broken grid')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(dialog.getByLabel('Name of Broken grid')).toHaveValue('Broken grid')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
  })
  await test.step('272. what is shown is exported as JSON lines, also nothing', async () => {
    await goWithin(page, '/logs')
    await expect(rowsOf(page)).toHaveCount(3)
    const { name, text } = await exported()
    expect(name).toMatch(/^gateway-logs-\d{4}-\d{2}-\d{2}\.jsonl$/)
    const lines = text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(entries)
    await page.getByRole('searchbox').fill('nobody')
    await expect(rowsOf(page)).toHaveCount(0)
    expect((await exported()).text).toBe('')
    await expect(toastOf(page)).toContainText('Nothing to export')
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(rowsOf(page)).toHaveCount(3)
  })
  await test.step('274. the list is sorted; one click brings the slowest first', async () => {
    const header = (name: string) => page.getByRole('columnheader', { name })
    const sortBy = (name: string) => header(name).getByRole('button').click()
    await expect(header('Time')).toHaveAttribute('aria-sort', 'descending')
    expect(await statusesOf(page)).toEqual([200, 500, 404])
    await sortBy('Response')
    await expect(header('Response')).toHaveAttribute('aria-sort', 'descending')
    expect(await statusesOf(page)).toEqual([500, 200, 404])
    await page.reload()
    await expect(rowsOf(page)).toHaveCount(3)
    expect(await statusesOf(page)).toEqual([500, 200, 404])
    await sortBy('Response')
    await expect.poll(() => statusesOf(page)).toEqual([404, 200, 500])
    await sortBy('Status')
    await expect.poll(() => statusesOf(page)).toEqual([500, 404, 200])
    await sortBy('Time')
    await expect.poll(() => statusesOf(page)).toEqual([200, 500, 404])
    await sortBy('Time')
    await expect.poll(() => statusesOf(page)).toEqual([404, 500, 200])
  })
  await test.step('260. they survive a reload, and are renamed, applied and removed', async () => {
    await openDialog()
    await dialog.getByLabel('Name of Broken grid').fill('Grid errors')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Apply Grid errors' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(rowsOf(page)).toHaveCount(1)
    await expect(page.getByRole('searchbox')).toHaveValue('grid')
    await openDialog()
    await dialog.getByRole('button', { name: 'Remove Grid errors' }).click()
    await expect(dialog.getByText('None yet')).toBeVisible()
    await page.reload()
    await openDialog()
    await expect(dialog.getByText('None yet')).toBeVisible()
  })
})

test('268. 269. values of a row and spans of the chart become filters', {
  tag: '@both',
}, async ({ page, gateway }) => {
  // Behind an icon of the row, and in its details, which a finger opens.
  const filter = async (value: string) => {
    const first = rowsOf(page).first()
    if (!isNarrow(page)) {
      await first.hover()
      await first.getByRole('button', { name: /^Filters by/ }).click()
      return page.getByRole('menuitem', { name: `Show only ${value}`, exact: true }).click()
    }
    await first.click()
    const name = { GET: 'method', '404': 'status', '/a': 'endpoint', one: 'client' }[value]
    return page.getByRole('button', { name: `Only this ${name}` }).click()
  }
  await test.step('268. a value of a row becomes a filter, which its chip takes away', async () => {
    gateway.respond(
      listLogs,
      logsOf(
        { method: 'GET', statusCode: 404, endpoint: '/a', clientId: 'one' },
        { method: 'GET', statusCode: 200, endpoint: '/a', clientId: 'one' },
        { method: 'GET', statusCode: 404, endpoint: '/a/b', clientId: 'one' },
        { method: 'GET', statusCode: 404, endpoint: '/a', clientId: 'one-more' },
        { method: 'PUT', statusCode: 404, endpoint: '/a', clientId: 'one' },
      ),
    )
    await page.goto('/logs')
    await expect(rowsOf(page)).toHaveCount(5)
    for (const [value, left] of [
      ['GET', 4],
      ['404', 3],
      ['/a', 2],
      ['one', 1],
    ] as const) {
      await filter(value)
      await expect(rowsOf(page)).toHaveCount(left)
    }
    await page.reload()
    await expect(chips(page).getByRole('button')).toHaveText([
      'Status: 404',
      'Method: GET',
      'Endpoint: /a',
      'Client: one',
    ])
    await expect(rowsOf(page)).toHaveCount(1)
    await expectAccessible(page)
    await chips(page).getByRole('button', { name: 'Remove filter Client: one' }).click()
    await expect(rowsOf(page)).toHaveCount(2)
    for (let left = 3; left > 0; left -= 1) await chips(page).getByRole('button').first().click()
    await expect(chips(page)).toHaveCount(0)
    await expect(rowsOf(page)).toHaveCount(5)
  })
  await test.step('269. the chart shows successes and errors, and filters by a span', async () => {
    const at = (timestamp: string, statusCode: number) => ({ timestamp, statusCode })
    gateway.respond(
      listLogs,
      logsOf(
        at('2026-03-05T13:40:00.000Z', 200),
        at('2026-03-05T13:35:00.000Z', 500),
        at('2026-03-05T09:10:00.000Z', 201),
        at('2026-03-05T01:10:00.000Z', 404),
      ),
    )
    await refresh(page)
    const chart = page.getByRole('region', { name: 'Requests over time' })
    const plot = chart.getByRole('slider')
    const step = isNarrow(page) ? 'Thu 14:00' : 'Thu 14:30'
    await expect(plot).toHaveAttribute('aria-valuetext', `${step}, Succeeded 1, Failed 1`)
    await expect(plot).toHaveAttribute('aria-valuemax', isNarrow(page) ? '23' : '95')
    await expectAccessible(page)
    await plot.press('End')
    await plot.press('Enter')
    await expect(rowsOf(page)).toHaveCount(2)
    await expect(chips(page)).toContainText(
      isNarrow(page) ? 'to Mar 05, 15:00' : 'to Mar 05, 14:45',
    )
    const back = isNarrow(page) ? 4 : 18
    for (let press = 0; press < back; press += 1) await plot.press('ArrowLeft')
    await expect(plot).toHaveAttribute('aria-valuetext', /Succeeded 1, Failed 0$/)
    await plot.press('Shift+Enter')
    await expect(rowsOf(page)).toHaveCount(3)
    await page.reload()
    await expect(rowsOf(page)).toHaveCount(3)
    await chips(page).getByRole('button').click()
    await expect(rowsOf(page)).toHaveCount(4)
  })
})

test('what Sluice refused is apart and folded, and an order says what it is', async ({
  page,
  gateway,
}) => {
  const refused = {
    statusCode: 422,
    upstreamTime: null,
    code: 'LIMIT_ORDER_VALUE',
    clientId: 'grid',
  }
  const message = 'The order is worth 1,200 USDT, more than 1,000 USDT'
  const order: NonNullable<LogEntry['order']> = {
    ...{ symbol: 'BTCUSDT', side: 'buy', type: 'limit', quantity: '0.01', price: '58000' },
  }
  gateway.respond(
    listLogs,
    logsOf(
      { ...refused, message },
      { order, requestId: '0197f7a2-6f3a-7b1e-8c55-00000000beef' },
      { ...refused, message },
      { statusCode: 404, code: 'EXCHANGE_ORDER_NOT_FOUND' },
      { ...refused, message },
      { ...refused, message, clientId: 'another' },
    ),
  )
  await page.goto('/logs')
  const fold = page.getByRole('button', { name: /^× 3, first/ })
  await test.step('refusals of one client that are alike are one row, which can be opened', async () => {
    await expect(rowsOf(page)).toHaveCount(4)
    await expect(page.getByText('Showing 6 of 6 requests')).toBeVisible()
    await expect(rowsOf(page).first()).toContainText('× 3, first Mar 05, 14:')
    await expect(rowsOf(page).first()).toContainText(message)
    await expectAccessible(page)
    await fold.click()
    await expect(rowsOf(page)).toHaveCount(6)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await fold.click()
    await expect(rowsOf(page)).toHaveCount(4)
  })
  await test.step('the message of an error is the headline of its details', async () => {
    await rowsOf(page).first().click()
    const detail = page.getByRole('dialog', { name: 'Request' })
    await expect(detail.getByText(message, { exact: true })).toHaveCSS('font-weight', '700')
    await expect(detail).toContainText('raise the limit on the page of the client')
    await expect(detail).toContainText('For the author of the bot')
    await expect(detail).toContainText('Not sent to the exchange')
    await page.keyboard.press('Escape')
  })
  await test.step('the figures and the chart have refusals apart; one filter hides them', async () => {
    await expect(page.getByRole('region', { name: 'Requests over time' })).toContainText(
      /Failed\s1.*Refused\s4/,
    )
    await page.getByRole('button', { name: '66.7% refused by Sluice' }).click()
    await expect(page.getByText('Showing 4 of 6 requests')).toBeVisible()
    await (await fromLogMenu(page, 'Hide what Sluice refused')).click()
    expect(await statusesOf(page)).toEqual([200, 404])
    await expect(page).toHaveURL('/logs?refused=hide')
    await expect(chips(page)).toContainText('Refused by Sluice: hidden')
  })
  await test.step('an order says what it is, and the search leads to its life', async () => {
    await expect(rowsOf(page).first()).toContainText('BUY limit 0.01 BTCUSDT at 58000')
    gateway.respond(listOrders, { body: [orderOf()] })
    await page.getByRole('searchbox').fill('0197f7a2-6f3a-7b1e-8c55-00000000beef')
    const note = page.getByRole('status').filter({ hasText: 'This is an order' })
    await expect(note.getByRole('link', { name: 'show its life' })).toHaveAttribute(
      'href',
      '/orders?find=0197f7a2-6f3a-7b1e-8c55-00000000beef',
    )
  })
  await test.step('a period begins when it is chosen and has no end', async () => {
    await page.getByRole('searchbox').fill('')
    await page.getByRole('combobox', { name: 'Period' }).selectOption('Last hour')
    await expect(page).toHaveURL(/span=\d+-$/)
    await expect(chips(page)).toContainText('Time: Since')
  })
})
