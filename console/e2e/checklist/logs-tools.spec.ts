import type { Page } from '@playwright/test'
import { listLogs } from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { logOf, logsOf } from '../support/log-samples.ts'
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
  const openDialog = () => page.getByRole('button', { name: 'Saved filters' }).click()
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
    const { name, text } = await saved(page, 'Export JSON lines')
    expect(name).toMatch(/^gateway-logs-\d{4}-\d{2}-\d{2}\.jsonl$/)
    const lines = text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(entries)
    await page.getByRole('searchbox').fill('nobody')
    await expect(rowsOf(page)).toHaveCount(0)
    expect((await saved(page, 'Export JSON lines')).text).toBe('')
    await expect(toastOf(page)).toContainText('Nothing to export')
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(rowsOf(page)).toHaveCount(3)
  })
  await test.step('274. the list is sorted; one click brings the slowest first', async () => {
    const header = (name: string) => page.getByRole('columnheader', { name })
    const sortBy = (name: string) => header(name).getByRole('button').click()
    await expect(header('Time')).toHaveAttribute('aria-sort', 'descending')
    expect(await statusesOf(page)).toEqual([200, 500, 404])
    await page.getByRole('button', { name: 'Slowest first' }).click()
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
    const first = rowsOf(page).first()
    for (const [value, left] of [
      ['GET', 4],
      ['404', 3],
      ['/a', 2],
      ['one', 1],
    ] as const) {
      await first.getByRole('button', { name: `Show only ${value}`, exact: true }).click()
      await expect(rowsOf(page)).toHaveCount(left)
    }
    await expect(page.getByRole('dialog')).toHaveCount(0)
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
