import type { Locator, Page } from '@playwright/test'
import { type LogEntry, listLogs } from 'schema'

const [sample] = listLogs.sample.response
const START_MS = Date.parse('2026-03-05T13:30:22.000Z')
let id = 0

/** What the menu beside the filters has. */
export async function fromLogMenu(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  return page.getByRole('menuitem', { name })
}

/** Opens the details of a row. */
export const opensOf = (row: Locator) => row.locator('[data-opens]')

/** A log entry as the gateway lists it; each later call gives an older one. */
export function logOf(changes: Partial<LogEntry> = {}): LogEntry {
  id += 1
  return {
    ...sample,
    id: 1_000_000 - id,
    timestamp: new Date(START_MS - id * 1000).toISOString(),
    ...changes,
  }
}

/** A response with such entries, the newest first. */
export const logsOf = (...changes: Partial<LogEntry>[]) => ({
  body: changes.map((change) => logOf(change)),
})

/** A list as a busy day leaves it. */
export function mixedLogs(count: number): LogEntry[] {
  const kinds = [
    { method: 'POST', endpoint: '/api/mx/v1/submitOrder', statusCode: 200 },
    { method: 'GET', endpoint: '/api/bg/v1/getAccountInfo', statusCode: 200 },
    { method: 'POST', endpoint: '/api/bg/v1/futures/trade/place-order', statusCode: 400 },
    { method: 'DELETE', endpoint: '/mx/api/v3/order', statusCode: 429 },
    { method: 'GET', endpoint: '/api/v3/ticker/price', statusCode: 504 },
    {
      method: 'PUT',
      endpoint: '/bg/api/v2/mix/order/modify-order-with-a-long-name',
      statusCode: 301,
    },
  ]
  return Array.from({ length: count }, (_, index) =>
    logOf({
      ...kinds[index % kinds.length],
      responseTime: 90 + ((index * 37) % 400),
      clientId: index % 3 === 0 ? 'grid-bot' : 'client_1772721022000_k3v9x2m4q',
    }),
  )
}
