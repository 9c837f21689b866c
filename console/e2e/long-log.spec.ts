import type { Locator, Page } from '@playwright/test'
import { exportLogs, getLogHistogram, getStats, type LogEntry, listLogs } from 'schema'
import { expectAccessible } from './support/axe.ts'
import { openFrozen, passMs } from './support/freeze-clock.ts'
import { fromLogMenu, opensOf } from './support/log-samples.ts'
import type { Call, Gateway, StubResponse } from './support/stub-gateway.ts'
import {
  excessOf,
  expect,
  expectNoExcess,
  goWithin,
  isNarrow,
  pressFirst,
  rowsOf,
  saved,
  test,
} from './support/test.ts'

// A busy day: 25,000 requests of bots whose ids are as the console generates them.
test.beforeEach(({ signedIn }) => void signedIn)

const [sample] = listLogs.sample.response
const ROWS = 25_000
const NEWEST_MS = Date.UTC(2026, 2, 5, 13, 30)
const STEP_MS = 3_000
const CLIENTS = ['client_1772721022000_k3v9x2m4q', 'client_1772721022000_p7w1z8n5t']
const LIMITED = 'LIMIT_ORDER_VALUE'

function entryOf(id: number, newest: number): LogEntry {
  const isFailed = id % 10 === 0
  return {
    ...sample,
    id,
    timestamp: new Date(NEWEST_MS - (newest - id) * STEP_MS).toISOString(),
    endpoint: id % 3 === 0 ? '/bg/api/v2/mix/order/place-order' : '/api/mx/v1/submitOrder',
    exchange: id % 3 === 0 ? 'bg' : 'mx',
    clientId: CLIENTS[id % 2] ?? null,
    statusCode: isFailed ? 422 : 200,
    code: isFailed ? LIMITED : null,
    responseTime: isFailed ? 3 : 22_140 + (id % 7),
    queueTime: isFailed ? 0 : 21_500,
    requestId: `0197f7a2-6f3a-7b1e-8c55-${`${id}`.padStart(12, '0')}`,
    ...(id % 50 === 1 ? { note: 'LIMIT_DAY_VALUE would have refused this' } : {}),
  }
}

const queryOf = (call: Call) => new URL(call.url()).searchParams

/** A gateway that searches, counts and pages all entries as the real one does. */
function longLog(gateway: Gateway, count = ROWS) {
  let newest = count
  const made: LogEntry[] = []
  /** Made once: every read needs all of them. */
  const entries = () => {
    if (made.length !== newest)
      made.splice(
        0,
        made.length,
        ...Array.from({ length: newest }, (_, index) => entryOf(newest - index, newest)),
      )
    return made
  }
  const matching = (query: URLSearchParams) => {
    const search = (query.get('search') ?? '').toLowerCase()
    const all = entries()
    return all.filter(
      ({ endpoint, clientId, code, note, requestId, statusCode, timestamp }) =>
        (requestId.startsWith(search) ||
          [endpoint, clientId, code, note].join('\n').toLowerCase().includes(search)) &&
        (query.get('clientId') ?? clientId) === clientId &&
        (query.get('status') !== 'error' || statusCode >= 400) &&
        Date.parse(timestamp) >= Number(query.get('from') ?? 0) &&
        Date.parse(timestamp) < Number(query.get('to') ?? Number.POSITIVE_INFINITY),
    )
  }
  gateway.respond(listLogs, (request): StubResponse => {
    const query = queryOf(request)
    const id = query.get('id')
    if (id !== null) return { body: entries().filter((entry) => `${entry.id}` === id) }
    const all = matching(query)
    const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY)
    return {
      body: all.filter(({ id }) => id < before).slice(0, Number(query.get('limit') ?? 100)),
      headers: {
        'x-total-count': `${Math.min(all.length, 10_000)}`,
        'x-total-count-relation': all.length > 10_000 ? 'gte' : 'eq',
      },
    }
  })
  gateway.respond(getLogHistogram, (request): StubResponse => {
    const query = queryOf(request)
    const stepMs = Number(query.get('stepMinutes')) * 60_000
    const steps = new Map<number, { success: number; failed: number; other: number }>()
    for (const { timestamp, statusCode } of matching(query)) {
      const atMs = Math.floor(Date.parse(timestamp) / stepMs) * stepMs
      const step = steps.get(atMs) ?? { success: 0, failed: 0, other: 0 }
      step[statusCode >= 400 ? 'failed' : 'success'] += 1
      steps.set(atMs, step)
    }
    const times = { avgResponseMs: null, avgQueueMs: null, avgUpstreamMs: null }
    const list = [...steps].sort(([a], [b]) => a - b)
    return {
      body: {
        ...{ stepMs, isFiltered: true },
        steps: list.map(([atMs, counts]) => ({
          at: new Date(atMs).toISOString(),
          ...counts,
          ...times,
        })),
      },
    }
  })
  gateway.respond(getStats, () => ({
    body: { ...getStats.sample.response, totalRequests: newest, errorRate: 10, successRate: 90 },
  }))
  return {
    grow: (added: number) => {
      newest += added
    },
  }
}

const SEARCHES = [
  ['a request id', '0197f7a2-6f3a-7b1e-8c55-000000000777', '1 of 1', 'place-order'],
  ['an error code', 'limit_order', '100 of 2,500', '422'],
  ['a note', 'would have refused', '100 of 500', 'order'],
  ['more than the list counts', 'submit', '100 of 16,667', 'submitOrder'],
] as const

const showing = (page: Page, text: string) => page.getByText(`Showing ${text} requests`)
const detail = (page: Page) => page.getByRole('dialog', { name: 'Request' })
const listBox = (page: Page) => page.getByRole('table').locator('..')

test('the figures and the chart are those of all 25,000 requests', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  longLog(gateway)
  await openFrozen(page, '/logs', showing(page, '100 of 25,000'))
  for (const figure of ['25,000', '90.0%', '10.0%'])
    await expect(page.getByText(figure, { exact: true })).toBeVisible()
  const plot = page.getByRole('region', { name: 'Requests over time' }).getByRole('slider')
  await plot.press('ArrowLeft')
  const whole = isNarrow(page) ? 'Succeeded 1,080, Failed 120' : 'Succeeded 270, Failed 30'
  await expect(plot).toHaveAttribute('aria-valuetext', new RegExp(`${whole}$`))
  await test.step('a bar of the chart narrows the list to its time, on the gateway', async () => {
    await plot.press('Enter')
    await passMs(page, 400)
    await expect(showing(page, isNarrow(page) ? '100 of 1,200' : '100 of 300')).toBeVisible()
  })
})

test('what is searched, and what comes while the list is read', async ({ page, gateway }) => {
  const log = longLog(gateway)
  const second = page.locator('tr[aria-rowindex="2"]')
  /** Goes from another list to all entries and scrolls down; nothing has been held back of them. */
  const read = async (found: string) => {
    for (const address of ['/logs?status=error', '/logs']) {
      await goWithin(page, address)
      await passMs(page, 400)
    }
    await expect(showing(page, found)).toBeVisible()
    await listBox(page).evaluate((node) => node.scrollTo(0, 1200))
    await expect(second).toHaveCount(0)
  }
  await openFrozen(page, '/logs', showing(page, '100 of 25,000'))
  for (const [what, search, found, shown] of SEARCHES)
    await test.step(`the search finds ${what} in all requests`, async () => {
      await page.getByRole('searchbox', { name: 'Search' }).fill(search)
      await passMs(page, 400)
      await expect(showing(page, found)).toBeVisible()
      await expect(rowsOf(page).first()).toContainText(shown)
    })
  await test.step('what comes while the list is read waits behind a button', async () => {
    await read('100 of 25,000')
    const firstInSight = () =>
      rowsOf(page).evaluateAll((all) => {
        const top = all[0]?.closest('section')?.getBoundingClientRect().top ?? 0
        return all.find((row) => row.getBoundingClientRect().top > top + 40)?.textContent
      })
    const before = await firstInSight()
    log.grow(12)
    await passMs(page, 30_000)
    const fresh = page.getByRole('button', { name: '12 new', exact: true })
    await expect(fresh).toBeVisible()
    expect(await firstInSight()).toBe(before)
    await fresh.click()
    await expect(fresh).toHaveCount(0)
    await expect(second).toBeVisible()
    await expect(showing(page, '112 of 25,012')).toBeVisible()
  })
  await test.step('more than a page comes while the list is read: the list stays, and can be left', async () => {
    await read('100 of 25,012')
    log.grow(300)
    await passMs(page, 30_000)
    const fresh = page.getByRole('button', { name: '100+ new' })
    await expect(fresh).toBeVisible()
    await expect(showing(page, '100 of 25,312')).toBeVisible()
    await fresh.click()
    await expect(fresh).toHaveCount(0)
    await expect(rowsOf(page).first()).toBeVisible()
    await expect(showing(page, '100 of 25,312')).toBeVisible()
  })
})

test('the list of a busy day, to its end', { tag: '@both' }, async ({ page, gateway }) => {
  longLog(gateway)
  await page.goto('/logs')
  await expect(showing(page, '100 of 25,000')).toBeVisible()
  await test.step('an id is cut in its middle, and has the whole width when there is room', async () => {
    const client = rowsOf(page).first().getByRole('cell').nth(2)
    await expect(client).toContainText(CLIENTS[0] ?? '')
    const end = client.locator('span > span').last()
    const isInside = await end.evaluate((node) => {
      const cell = node.closest('td')?.getBoundingClientRect()
      return node.getBoundingClientRect().right <= (cell?.right ?? 0) + 1
    })
    expect(isInside).toBe(true)
    await expect(end).toHaveText((CLIENTS[0] ?? '').slice(-8))
  })
  await test.step('scrolling to the end loads what follows', async () => {
    await listBox(page).evaluate((node) => node.scrollTo(0, node.scrollHeight))
    await expect(showing(page, '600 of 25,000')).toBeVisible()
    await expectAccessible(page)
  })
  await test.step('at 320 px nothing is wider than the screen', async () => {
    await expectNoExcess(page, 320)
    await opensOf(rowsOf(page)).first().click()
    await expect(detail(page)).toBeVisible()
    await expect.poll(() => excessOf(page)).toBe(0)
  })
})

test('requests are printed, read in detail and exported', async ({ page, gateway }) => {
  longLog(gateway)
  await page.goto('/logs')
  await expect(showing(page, '100 of 25,000')).toBeVisible()
  await test.step('all that is loaded is printed, not only what is in sight', async () => {
    await page.emulateMedia({ media: 'print' })
    await expect(rowsOf(page)).toHaveCount(100)
    await expect(page.getByRole('navigation')).toHaveCount(0)
    expect(await listBox(page).evaluate((node) => node.scrollHeight - node.clientHeight)).toBe(0)
    // 321. On paper nobody can point at a path to see the rest of it.
    const path = rowsOf(page).first().locator('td:nth-child(2)')
    await expect(path).toHaveCSS('overflow', 'visible')
    await expect(path.getByRole('button')).toHaveCSS('white-space', 'normal')
    await page.emulateMedia({ media: 'screen' })
    await expect(rowsOf(page)).not.toHaveCount(100)
    await expect(showing(page, '100 of 25,000')).toBeVisible()
  })
  await test.step('the details are beside the list, which stays in use', async () => {
    await rowsOf(page).first().getByRole('cell').nth(4).click()
    await expect(detail(page)).toBeVisible()
    const right = async (part: Locator) => {
      const { x = 0, width = 0 } = (await part.boundingBox()) ?? {}
      return x + width
    }
    // What is hidden leaves its room to the others.
    const [row, box] = [await right(rowsOf(page).first()), await right(listBox(page))]
    expect(box - row).toBeLessThan(20)
    await opensOf(rowsOf(page).nth(3)).click()
    await expect(detail(page)).toContainText('000000024997')
    await page.getByRole('button', { name: 'Only this client' }).click()
    await expect(showing(page, '100 of 12,500')).toBeVisible()
  })
  await test.step('the details follow the arrow keys, and say what an error means', async () => {
    await goWithin(page, '/logs')
    await expect(showing(page, '100 of 25,000')).toBeVisible()
    await opensOf(rowsOf(page).first()).click()
    await expect(detail(page)).toContainText(LIMITED)
    await expect(detail(page)).toContainText('worth more than one order may be')
    await expect(detail(page)).toContainText('change something first')
    await expectAccessible(page)
    await expectNoExcess(page)
    await page.keyboard.press('ArrowDown')
    await expect(detail(page)).toContainText('22.1\u202fs')
    await expect(detail(page)).toContainText('21.5\u202fs')
    await expect(detail(page)).toContainText('Bitget')
    for (let press = 0; press < 40; press += 1) await page.keyboard.press('ArrowDown')
    await expect(page.locator('tr[aria-current]')).toBeInViewport()
    await page.keyboard.press('Escape')
    await expect(detail(page)).toHaveCount(0)
    await expect(opensOf(page.locator('tr[aria-rowindex="43"]'))).toBeFocused()
  })
  await test.step('an export of all rows is written as it comes, and can be cancelled', async () => {
    const lines = Array.from({ length: ROWS }, (_, n) => `2026-03-05 14:00:00,POST,/n/${n},200,3,b`)
    const text = `\ufeffTimestamp\r\n${lines.join('\r\n')}\r\n`
    gateway.respond(exportLogs, { body: text })
    expect((await saved(page, 'Export CSV')).text).toBe(text)

    const release = gateway.hold(exportLogs)
    await (await fromLogMenu(page, 'Export JSON lines')).click()
    await expect(page.getByText('0 of 25,000 rows, 0\u202fbytes')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Cancel export' }).click()
    await expect(page.getByRole('button', { name: 'Export CSV' })).toBeEnabled()
    await expect(page.getByText('The export failed')).toHaveCount(0)
    release()
  })
  await test.step('an export has the filters and the zone', async () => {
    await goWithin(page, '/logs?status=error&tz=utc')
    await expect(showing(page, '100 of 2,500')).toBeVisible()
    const { name } = await saved(page, 'Export CSV')
    expect(name).toMatch(/^gateway-logs-\d{4}-\d\d-\d\d\.csv$/)
    const request = gateway.calls(exportLogs).at(-1)
    const query = { status: 'error', format: 'csv', timeZone: 'UTC' }
    expect(request && Object.fromEntries(queryOf(request))).toEqual(query)
    expect(request?.headers().authorization).toMatch(/^Bearer /)
  })
  await test.step('an export that breaks off leaves no file, and says so', async () => {
    gateway.respond(exportLogs, 'offline')
    await (await fromLogMenu(page, 'Export JSON lines')).click()
    await expect(page.getByText('The export failed, so there is no file')).toBeVisible()
  })
})

test('single entries, and a chart that cannot be read', async ({ page, gateway }) => {
  longLog(gateway)
  const failure = { message: 'The worker has ended', requestId: 'req-42' }
  gateway.respond(getLogHistogram, { status: 500, body: failure })
  await test.step('an address opens its entry, also one that is not loaded or no longer kept', async () => {
    await page.goto('/logs?entry=4711')
    await expect(detail(page)).toContainText('000000004711')
    await expect(detail(page).getByRole('button', { name: 'Older' })).toHaveAttribute(
      'aria-disabled',
    )
    await page.keyboard.press('Escape')
    await expect(detail(page)).toHaveCount(0)
    await expect(page).toHaveURL('/logs')
    await goWithin(page, '/logs?entry=99999')
    await expect(page.getByText('The entry of this address is no longer kept')).toBeVisible()
    await goWithin(page, '/logs?entry=24990')
    await expect(detail(page)).toContainText('000000024990')
    const asked = gateway.calls(listLogs).map((call) => queryOf(call).get('id'))
    expect(asked.filter((id) => id !== null)).toEqual(['4711', '99999'])
    await page.keyboard.press('Escape')
  })
  await test.step('323. a chart that cannot be read says so, and the list stays', async () => {
    const note = page.getByRole('alert')
    await expect(note).toContainText('Could not read the requests over time')
    await expect(note).toContainText('500: The worker has ended')
    await expect(note).toContainText('Request req-42')
    // As far as the list itself is counted.
    await expect(showing(page, '100 of 10,000+')).toBeVisible()
    gateway.respond(getLogHistogram, { body: getLogHistogram.sample.response })
    await pressFirst(gateway, getLogHistogram, note.getByRole('button', { name: 'Try again' }))
    await expect(note).toHaveCount(0)
    await expect(page.getByRole('slider', { name: /^Requests over time/ })).toBeVisible()
    // The sample's steps together, not its last one.
    await expect(page.getByRole('region', { name: 'Requests over time' })).toContainText('total')
  })
})

test('older entries are loaded below, until all are there, and new ones come in above', async ({
  page,
  gateway,
}) => {
  const log = longLog(gateway, 800)
  const loadMore = page.getByRole('button', { name: 'Load more' })
  await openFrozen(page, '/logs', showing(page, '100 of 800'))
  await loadMore.click()
  await expect(showing(page, '600 of 800')).toBeVisible()
  log.grow(7)
  await passMs(page, 30_000)
  await expect(showing(page, '607 of 807')).toBeVisible()
  await loadMore.click()
  await expect(showing(page, '807 of 807')).toBeVisible()
  await expect(loadMore).toBeHidden()
  const before = gateway.calls(listLogs).map((request) => queryOf(request).get('before'))
  expect(before).toEqual([null, '701', null, '201'])
})
