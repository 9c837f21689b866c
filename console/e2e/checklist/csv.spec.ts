import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { listLogs } from 'schema'
import { openFrozen } from '../support/freeze-clock.ts'
import { logOf } from '../support/log-samples.ts'
import { expect, goWithin, refresh, test } from '../support/test.ts'

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

test('182. to 187. the export of the logs', async ({ page, gateway }) => {
  await openFrozen(page, '/logs', page.getByText('Showing 1 of 1 requests'))
  await test.step('182. 183. it makes no call, and its first line names the columns', async () => {
    const before = gateway.all().length
    const { lines } = await exportCsv(page)
    expect(gateway.all()).toHaveLength(before)
    expect(lines[0]).toBe('Timestamp,Method,Endpoint,Status,Response Time,Client ID')
  })
  await test.step('186. the file name is a gateway prefix and the date', async () => {
    expect((await exportCsv(page)).name).toBe('gateway-logs-2026-03-05.csv')
  })
  await test.step('184. it holds exactly the filtered entries, in the order shown', async () => {
    const entries = Array.from({ length: 120 }, (_, index) =>
      logOf({ endpoint: `/n/${index}`, method: index % 2 === 0 ? 'GET' : 'POST' }),
    )
    gateway.respond(listLogs, { body: entries.toReversed() })
    await goWithin(page, '/logs?method=GET')
    await refresh(page)
    await expect(page.getByText('Showing 60 of 120 requests')).toBeVisible()
    const { lines } = await exportCsv(page)
    const endpoints = lines.slice(1, -1).map((line) => line.split(',')[2])
    expect(endpoints).toEqual(Array.from({ length: 60 }, (_, index) => `/n/${index * 2}`))
  })
  gateway.respond(listLogs, {
    body: [
      logOf({
        timestamp: '2026-03-05T13:30:22.000Z',
        endpoint: '/a,b',
        clientId: 'say "hi"\nbye',
        responseTime: 7.5,
      }),
    ],
  })
  for (const [address, time] of [
    ['/logs', '14:30:22'],
    ['/logs?tz=utc', '13:30:22'],
  ] as const)
    await test.step(`185. timestamps agree with the times on screen (${address})`, async () => {
      await goWithin(page, address)
      await refresh(page)
      await expect(page.getByRole('cell', { name: `Mar 05, ${time}` })).toBeVisible()
      const { lines } = await exportCsv(page)
      expect(lines[1]?.split(',')[0]).toBe(`2026-03-05 ${time}`)
    })
  await test.step('187. commas, quotes and line breaks are quoted', async () => {
    const { lines } = await exportCsv(page)
    expect(lines[1]).toMatch(/,POST,"\/a,b",200,7\.5,"say ""hi""\nbye"$/)
  })
})
