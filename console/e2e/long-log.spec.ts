import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { exportLogs, getLogHistogram, getStats, type LogEntry, listLogs } from 'schema'
import { expectAccessible } from './support/axe.ts'
import { openFrozen, passMs } from './support/freeze-clock.ts'
import { logOf } from './support/log-samples.ts'
import type { Call, Gateway, StubResponse } from './support/stub-gateway.ts'
import { expect, goWithin, pressFirst, test } from './support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const DAY_MS = Date.UTC(2026, 2, 5, 13)
const queryOf = (call: Call) => new URL(call.url()).searchParams
const showing = (page: Page, text: string) => page.getByText(`Showing ${text} requests`)
const loadMore = (page: Page) => page.getByRole('button', { name: 'Load more' })
const cell = (page: Page, endpoint: string) =>
  page.getByRole('cell').getByText(endpoint, { exact: true }).first()

/**
 * A gateway with a log of so many entries, of which every tenth failed: it sends and counts them
 * like the real one.
 */
function longLog(gateway: Gateway, count: number): { grow: (added: number) => void } {
  let newest = count
  const entryOf = (id: number): LogEntry =>
    logOf({
      id,
      endpoint: `/n/${id}`,
      method: 'GET',
      statusCode: id % 10 === 0 ? 500 : 200,
      timestamp: new Date(DAY_MS - (newest - id) * 1000).toISOString(),
    })
  gateway.respond(listLogs, (request): StubResponse => {
    const query = queryOf(request)
    const all = Array.from({ length: newest }, (_, index) => entryOf(newest - index)).filter(
      ({ endpoint, statusCode }) =>
        endpoint.includes(query.get('search') ?? '') &&
        (query.get('status') !== 'error' || statusCode >= 400),
    )
    const id = query.get('id')
    if (id !== null) return { body: Number(id) <= newest ? [entryOf(Number(id))] : [] }
    const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY)
    return {
      body: all.filter(({ id }) => id < before).slice(0, Number(query.get('limit') ?? 100)),
      headers: {
        'x-total-count': `${Math.min(all.length, 10_000)}`,
        'x-total-count-relation': all.length > 10_000 ? 'gte' : 'eq',
      },
    }
  })
  gateway.respond(getStats, {
    body: { ...getStats.sample.response, totalRequests: count, errorRate: 10, successRate: 90 },
  })
  return {
    grow: (added) => {
      newest += added
    },
  }
}

test('the newest of a long log, its filters and single entries', async ({ page, gateway }) => {
  longLog(gateway, 12_345)
  const failure = { message: 'The worker has ended', requestId: 'req-42' }
  gateway.respond(getLogHistogram, { status: 500, body: failure })
  await test.step('an address opens its entry, also one that is not loaded or no longer kept', async () => {
    await page.goto('/logs?entry=4711')
    const detail = page.getByRole('dialog', { name: 'Request' })
    await expect(detail).toContainText('/n/4711')
    await expect(detail.getByRole('button', { name: 'Older' })).toHaveAttribute('aria-disabled')
    await page.keyboard.press('Escape')
    await expect(detail).toHaveCount(0)
    await expect(page).toHaveURL('/logs')
    await goWithin(page, '/logs?entry=99999')
    await expect(page.getByText('The entry of this address is no longer kept')).toBeVisible()
    await goWithin(page, '/logs?entry=12340')
    await expect(detail).toContainText('/n/12340')
    const asked = gateway.calls(listLogs).map((call) => queryOf(call).get('id'))
    expect(asked.filter((id) => id !== null)).toEqual(['4711', '99999'])
    await page.keyboard.press('Escape')
  })
  await test.step('323. a chart that cannot be read says so, and the list stays', async () => {
    const note = page.getByRole('alert')
    await expect(note).toContainText('Could not read the requests over time')
    await expect(note).toContainText('500: The worker has ended')
    await expect(note).toContainText('Request req-42')
    await expect(cell(page, '/n/12345')).toBeVisible()
    gateway.respond(getLogHistogram, { body: getLogHistogram.sample.response })
    await pressFirst(gateway, getLogHistogram, note.getByRole('button', { name: 'Try again' }))
    await expect(note).toHaveCount(0)
    await expect(page.getByRole('slider', { name: /^Requests over time/ })).toBeVisible()
    // The sample's steps together, not its last one.
    await expect(page.getByRole('region', { name: 'Requests over time' })).toContainText('in all')
  })
  await test.step('a long log shows its newest 100 entries, the number of all, and the figures of all', async () => {
    await expect(showing(page, '100 of 12,345')).toBeVisible()
    await expect(page.getByText('12,345', { exact: true })).toBeVisible()
    await expect(page.getByText('90.0%')).toBeVisible()
    await expect(page.getByText('10.0%')).toBeVisible()
    await expectAccessible(page)
  })
  await test.step('the gateway filters a long log, and finds what was not loaded', async () => {
    await page.getByRole('searchbox', { name: 'Search' }).fill('/n/77')
    await expect(cell(page, '/n/7799')).toBeVisible()
    await expect(showing(page, '100 of 111')).toBeVisible()
    await goWithin(page, '/logs?q=%2Fn%2F777&status=error')
    await expect(showing(page, '1 of 1')).toBeVisible()
    await expect(cell(page, '/n/7770')).toBeVisible()
    await goWithin(page, '/logs?q=none')
    await expect(page.getByText('No logs found matching your criteria')).toBeVisible()
  })
})

test('a long log is exported by the gateway', async ({ page, gateway }) => {
  longLog(gateway, 12_345)
  gateway.respond(exportLogs, { body: '\ufeffTimestamp\r\nall of it\r\n' })
  await page.goto('/logs?status=error&tz=utc')
  await expect(showing(page, '100 of 1,234')).toBeVisible()
  await test.step('with the filters and the zone', async () => {
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const download = await downloading
    expect(await readFile(await download.path(), 'utf8')).toBe('\ufeffTimestamp\r\nall of it\r\n')
    expect(download.suggestedFilename()).toMatch(/^gateway-logs-\d{4}-\d\d-\d\d\.csv$/)
    const [request] = gateway.calls(exportLogs)
    const query = { status: 'error', format: 'csv', timeZone: 'UTC' }
    expect(request && Object.fromEntries(queryOf(request))).toEqual(query)
    expect(request?.headers().authorization).toMatch(/^Bearer /)
  })
  await test.step('an export that breaks off leaves no file, and says so', async () => {
    gateway.respond(exportLogs, 'offline')
    await page.getByRole('button', { name: 'Export JSON lines' }).click()
    await expect(page.getByText('The export failed, so there is no file')).toBeVisible()
  })
})

test('older entries are loaded below, until all are there, and new ones come in above', {
  tag: '@both',
}, async ({ page, gateway }) => {
  const log = longLog(gateway, 800)
  await openFrozen(page, '/logs', showing(page, '100 of 800'))
  await loadMore(page).click()
  await expect(showing(page, '600 of 800')).toBeVisible()
  await test.step('new entries come in above those that were loaded', async () => {
    log.grow(7)
    await passMs(page, 30_000)
    await expect(showing(page, '607 of 807')).toBeVisible()
    await expect(cell(page, '/n/807')).toBeVisible()
  })
  await loadMore(page).click()
  await expect(showing(page, '807 of 807')).toBeVisible()
  await expect(loadMore(page)).toBeHidden()
  const before = gateway.calls(listLogs).map((request) => queryOf(request).get('before'))
  expect(before).toEqual([null, '701', null, '201'])
})
