import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { listLogs } from 'schema'
import { openFrozen } from '../support/freeze-clock.ts'
import { logOf } from '../support/log-samples.ts'
import { expect, test } from '../support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const BYTE_ORDER_MARK = '\ufeff'

/** What `Export CSV` downloads. */
async function exportCsv(page: Page): Promise<{ name: string; lines: string[] }> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const download = await downloading
  const text = await readFile(await download.path(), 'utf8')
  expect(text.startsWith(BYTE_ORDER_MARK)).toBe(true)
  return { name: download.suggestedFilename(), lines: text.slice(1).split('\r\n') }
}

test('182. 183. 186. the export makes no call, has its columns in its first line, and a name', async ({
  page,
  gateway,
}) => {
  await test.step('182. 183. the export makes no call, and its first line names the columns', async () => {
    await openFrozen(page, '/logs', page.getByText('Showing 1 of 1 requests'))
    await expect(page.getByText('Showing 1 of 1 requests')).toBeVisible()
    const before = gateway.all().length
    const { lines } = await exportCsv(page)
    expect(gateway.all()).toHaveLength(before)
    expect(lines[0]).toBe('Timestamp,Method,Endpoint,Status,Response Time,Client ID')
  })
  await test.step('186. the file name is a gateway prefix and the date', async () => {
    expect((await exportCsv(page)).name).toBe('gateway-logs-2026-03-05.csv')
  })
})

test('184. the file holds exactly the filtered entries, in the order shown', async ({
  page,
  gateway,
}) => {
  const entries = Array.from({ length: 120 }, (_, index) =>
    logOf({ endpoint: `/n/${index}`, method: index % 2 === 0 ? 'GET' : 'POST' }),
  )
  gateway.respond(listLogs, { body: entries.toReversed() })
  await page.goto('/logs?method=GET')
  await expect(page.getByText('Showing 60 of 120 requests')).toBeVisible()
  const { lines } = await exportCsv(page)
  const endpoints = lines.slice(1, -1).map((line) => line.split(',')[2])
  expect(endpoints).toEqual(Array.from({ length: 60 }, (_, index) => `/n/${index * 2}`))
})

for (const zone of ['local', 'utc'] as const) {
  test(`185. timestamps agree with the times on screen (${zone})`, async ({ page, gateway }) => {
    gateway.respond(listLogs, { body: [logOf({ timestamp: '2026-03-05T13:30:22.000Z' })] })
    await page.goto(zone === 'utc' ? '/logs?tz=utc' : '/logs')
    const time = zone === 'utc' ? '13:30:22' : '14:30:22'
    await expect(page.getByRole('cell', { name: `Mar 05, ${time}` })).toBeVisible()
    const { lines } = await exportCsv(page)
    expect(lines[1]?.split(',')[0]).toBe(`2026-03-05 ${time}`)
  })
}

test('187. commas, quotes and line breaks are quoted', async ({ page, gateway }) => {
  gateway.respond(listLogs, {
    body: [logOf({ endpoint: '/a,b', clientId: 'say "hi"\nbye', responseTime: 7.5 })],
  })
  await page.goto('/logs')
  await expect(page.getByText('Showing 1 of 1 requests')).toBeVisible()
  const { lines } = await exportCsv(page)
  expect(lines[1]).toMatch(/,POST,"\/a,b",200,7\.5,"say ""hi""\nbye"$/)
})
