import type { Locator, Page } from '@playwright/test'
import { listLogs } from 'schema'
import { expectAccessible } from '../support/axe.ts'
import { NOW, openFrozen, passMs } from '../support/freeze-clock.ts'
import { logsOf, mixedLogs, opensOf } from '../support/log-samples.ts'
import { settle } from '../support/stub-gateway.ts'
import {
  expect,
  expectNoExcess,
  expectVisible,
  goWithin,
  pressFirst,
  refresh,
  rowsOf,
  saved,
  test,
} from '../support/test.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const card = (page: Page, label: string) =>
  page.locator('dl > *').filter({ has: page.getByText(label, { exact: true }) })
const numberOf = (page: Page, label: string) => card(page, label).locator('dd').first()
const list = (page: Page) => page.getByRole('region', { name: 'Recent API Calls' })
const choose = (page: Page, filter: 'Status' | 'Method', option: string) =>
  page.getByRole('combobox', { name: filter }).selectOption(option)
const expectOptions = (page: Page, filter: 'Status' | 'Method', options: string[]) =>
  expect(page.getByRole('combobox', { name: filter }).getByRole('option')).toHaveText(options)
const expectChosen = (page: Page, filter: 'Status' | 'Method', option: string) =>
  expect(page.getByRole('combobox', { name: filter }).locator('option:checked')).toHaveText(option)
/** Shows what the stub responds with now, whatever was filtered before. */
const showAll = async (page: Page) => {
  await goWithin(page, '/logs')
  await refresh(page)
}

test('162. to 165. 172. 175. the head of the page, its filters, and a row', {
  tag: '@both',
}, async ({ page, gateway }) => {
  await page.goto('/logs')
  const filters = page.getByRole('region', { name: 'Log Filters' })
  const description = 'Monitor and analyze API request logs and system activity'
  await expectVisible({
    '162. a description': page.getByText(description),
    '163. Refresh': filters.getByRole('button', { name: 'Refresh' }),
    '163. Export CSV': filters.getByRole('button', { name: 'Export CSV' }),
    '163. the window': filters.getByText('Showing last 24 hours'),
    '164. what is searched': page.getByPlaceholder('Search endpoints or client IDs'),
  })
  await expect(page.getByRole('heading', { level: 1 }), '162.').toHaveText('Request Logs')
  await test.step('165. the filters offer exactly their choices', async () => {
    await expectOptions(page, 'Status', ['All Status', 'Success (2xx)', 'Error (4xx, 5xx)'])
    await expectOptions(page, 'Method', ['All Methods', 'GET', 'POST', 'PUT', 'DELETE'])
  })
  await test.step('172. the list says how many of how many it shows', async () => {
    gateway.respond(listLogs, logsOf({ method: 'GET' }, { method: 'POST' }, { method: 'GET' }))
    await showAll(page)
    await expect(list(page).first()).toContainText('Recent API Calls')
    await expect(page.getByText('Showing 3 of 3 requests')).toBeVisible()
    await choose(page, 'Method', 'GET')
    await expect(page.getByText('Showing 2 of 3 requests')).toBeVisible()
    await expect(rowsOf(page)).toHaveCount(2)
  })
  await test.step('175. a row shows all of an entry, and its whole endpoint on focus', async () => {
    const endpoint = `/bg/api/v2/${'very-long-'.repeat(12)}path`
    gateway.respond(
      listLogs,
      logsOf({ method: 'PUT', endpoint, clientId: 'grid-bot', responseTime: 143, statusCode: 201 }),
    )
    await showAll(page)
    const row = rowsOf(page)
    for (const text of ['PUT', endpoint, 'grid-bot', '201']) await expect(row).toContainText(text)
    await expect(row.getByRole('cell').nth(4)).toHaveText(/^143\s?ms$/)

    const path = row.getByRole('button', { name: endpoint, exact: true })
    const isCut = (element: Locator) =>
      element.evaluate((node) => node.scrollWidth > node.clientWidth)
    expect(await isCut(path)).toBe(true)
    expect(await path.evaluate((node) => getComputedStyle(node).textOverflow)).toBe('ellipsis')
    await expect(path).toHaveAttribute('title', endpoint)
    await page.getByRole('searchbox').focus()
    for (let press = 0; press < 12 && !(await hasFocus(path)); press += 1)
      await page.keyboard.press('Tab')
    await expect(path).toBeFocused()
    expect(await isCut(path)).toBe(false)
  })
})

const CARDS = ['Total Requests', 'Success Rate', 'Avg Response Time', 'Error Rate']
const expectNumbers = async (page: Page, check: string, numbers: readonly (string | RegExp)[]) => {
  for (const [index, number] of numbers.entries())
    await expect(numberOf(page, CARDS[index] ?? ''), check).toHaveText(number)
}

test('166. to 168. 173. 259. 323. what the page shows before, without, and after a read', async ({
  page,
  gateway,
}) => {
  const times = [100, 101, 102, 103, 105]
  const statuses = [200, 201, 301, 404, 500]
  gateway.respond(
    listLogs,
    logsOf(
      ...statuses.map((statusCode, index) => ({ statusCode, responseTime: times[index] ?? 0 })),
    ),
  )
  const skeleton = page.getByRole('status', { name: 'Loading the request logs' })
  const release = gateway.hold(listLogs)
  await page.goto('/logs')
  await test.step('173. until the first response there are 10 skeleton rows', async () => {
    await expect(skeleton.locator('> *')).toHaveCount(10)
    await expectAccessible(page)
  })
  await test.step('166. each card shows an ellipsis while loading', async () => {
    for (const label of CARDS) await expect(numberOf(page, label)).toHaveText(/^(\.\.\.|…)$/)
    release()
    for (const label of CARDS) await expect(numberOf(page, label)).not.toHaveText(/^(\.\.\.|…)$/)
    await expect(skeleton).toHaveCount(0)
  })
  await expectNumbers(page, '167. of all entries', ['5', '40.0%', /^102\s?ms$/, '40.0%'])
  gateway.respond(listLogs, { body: [] })
  await refresh(page)
  await expectNumbers(page, '168. without logs', ['0', '0.0%', /^0\s?ms$/, '0.0%'])
  await test.step('259. any filters are in the address and outlive a reload', async () => {
    const text = 'a%2Fb+c&d#e'
    await page.getByRole('searchbox').fill(text)
    await choose(page, 'Status', 'Error (4xx, 5xx)')
    gateway.respond(listLogs, { status: 500, body: 'boom' })
    await page.reload()
    await expect(page.getByRole('searchbox')).toHaveValue(text)
    await expectChosen(page, 'Status', 'Error (4xx, 5xx)')
    await goWithin(page, '/logs?status=bogus&method=PATCH')
    await expectChosen(page, 'Status', 'All Status')
  })
  await test.step('323. a failed first read says so and can be repeated', async () => {
    await expect(page.getByText('Could not read the request logs')).toBeVisible()
    await expectAccessible(page)
    gateway.respond(listLogs, logsOf({}))
    await pressFirst(gateway, listLogs, page.getByRole('button', { name: 'Try again' }))
    await expect(rowsOf(page)).toHaveCount(1)
  })
})

test('169. to 171. 182. to 187. 266. the logs are read on entry, every 30 s, and on demand', async ({
  page,
  gateway,
}) => {
  await openFrozen(page, '/logs', rowsOf(page).first())
  await test.step('169. they are read on entry and every 30 s, also after a failure', async () => {
    await expect(rowsOf(page)).toHaveCount(1)
    expect(gateway.calls(listLogs)).toHaveLength(1)
    gateway.respond(listLogs, { status: 500, body: 'boom' })
    await passMs(page, 29_500)
    expect(gateway.calls(listLogs)).toHaveLength(1)
    await passMs(page, 1000)
    await expect(page.getByText(/^No response since/)).toBeVisible()
    await expect(rowsOf(page)).toHaveCount(1)
    gateway.respond(listLogs, logsOf({}, {}))
    await passMs(page, 30_000)
    await expect(rowsOf(page)).toHaveCount(2)
    expect(gateway.calls(listLogs)).toHaveLength(3)
  })
  await test.step('266. updates can be paused; the page says so and when it was read', async () => {
    const before = gateway.calls(listLogs).length
    await page.getByRole('button', { name: 'Pause updates' }).click()
    await expect(page.getByText(/^Paused, last read at \d\d:\d\d:\d\d$/)).toBeVisible()
    await passMs(page, 90_000)
    expect(gateway.calls(listLogs)).toHaveLength(before)
    await page.getByRole('button', { name: 'Resume updates' }).click()
    await expect.poll(() => gateway.calls(listLogs).length).toBe(before + 1)
    await expect(page.getByText(/^Live, last read at/)).toBeVisible()
  })
  await test.step('170. Refresh sends one call at once', async () => {
    const before = gateway.calls(listLogs).length
    gateway.respond(listLogs, logsOf({}, {}, {}))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(rowsOf(page)).toHaveCount(3)
    expect(gateway.calls(listLogs)).toHaveLength(before + 1)
  })
  await test.step('171. typing and choosing filters sends nothing', async () => {
    await settle(page)
    const before = gateway.all().length
    await page.getByRole('searchbox').fill('order')
    await choose(page, 'Status', 'Success (2xx)')
    await choose(page, 'Method', 'GET')
    await expect(page.getByText('Showing 0 of 3 requests')).toBeVisible()
    expect(gateway.all()).toHaveLength(before)
  })
  const odd = { method: 'GET', endpoint: '/a,b', clientId: 'say "hi"\nbye', responseTime: 7.5 }
  const second = { method: 'GET', endpoint: '/b', clientId: 'c', responseTime: 20 }
  gateway.respond(
    listLogs,
    logsOf(
      { ...odd, timestamp: NOW.toISOString() },
      { method: 'POST' },
      { ...second, timestamp: '2026-03-04T23:30:22.000Z' },
    ),
  )
  for (const [zone, first, last] of [
    ['', '2026-03-05 14:30:22', '2026-03-05 00:30:22'],
    ['&tz=utc', '2026-03-05 13:30:22', '2026-03-04 23:30:22'],
  ] as const)
    await test.step(`182. to 187. the CSV file has the entries that are shown${zone}`, async () => {
      await goWithin(page, `/logs?method=GET${zone}`)
      await refresh(page)
      await expect(page.getByRole('cell', { name: first.slice(-8) })).toBeVisible()
      const before = gateway.all().length
      expect(await saved(page, 'Export CSV')).toEqual({
        name: 'gateway-logs-2026-03-05.csv',
        text: [
          '\ufeffTimestamp,Method,Endpoint,Status,Response Time,Client ID',
          `${first},GET,"/a,b",200,7.5,"say ""hi""\nbye"`,
          `${last},GET,/b,200,20,c`,
          '',
        ].join('\r\n'),
      })
      expect(gateway.all()).toHaveLength(before)
    })
})

test('174. 176. to 181. 273. what the rows show, and what the filters keep', async ({
  page,
  gateway,
}) => {
  await page.goto('/logs')
  await test.step('174. without a match Clear Filters resets all three', async () => {
    gateway.respond(listLogs, logsOf({ method: 'GET' }, { statusCode: 404 }))
    await showAll(page)
    await page.getByRole('searchbox').fill('nothing like it')
    await choose(page, 'Status', 'Error (4xx, 5xx)')
    await choose(page, 'Method', 'DELETE')
    await expect(page.getByText('No logs found matching your criteria')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(rowsOf(page)).toHaveCount(2)
    await expect(page.getByRole('searchbox')).toHaveValue('')
    await expectChosen(page, 'Status', 'All Status')
    await expectChosen(page, 'Method', 'All Methods')
  })
  await test.step('179. the search finds parts of endpoints and ids in any case', async () => {
    gateway.respond(
      listLogs,
      logsOf(
        { endpoint: '/api/bg/v1/getAccountInfo', clientId: 'one' },
        { endpoint: '/api/v3/ticker/price', clientId: 'Grid-Bot' },
        { endpoint: '/api/v3/ticker/price', clientId: null },
      ),
    )
    await showAll(page)
    await page.getByRole('searchbox').fill('ACCOUNT')
    await expect(rowsOf(page)).toHaveCount(1)
    await expect(rowsOf(page)).toContainText('getAccountInfo')
    await page.getByRole('searchbox').fill('grid-b')
    await expect(rowsOf(page)).toHaveCount(1)
    await expect(rowsOf(page)).toContainText('Grid-Bot')
  })
  await test.step('180. success and error keep their statuses only', async () => {
    gateway.respond(listLogs, logsOf(...EDGES.map((statusCode) => ({ statusCode }))))
    await showAll(page)
    for (const [option, kept] of [
      ['Success (2xx)', [200, 299]],
      ['Error (4xx, 5xx)', [400, 499, 500, 599]],
    ] as const)
      await test.step(`180. ${option} keeps ${kept.join(', ')} only`, async () => {
        await choose(page, 'Status', option)
        await expect(rowsOf(page)).toHaveCount(kept.length)
        const shown = await rowsOf(page).getByRole('cell').nth(5).allTextContents()
        expect(shown).toHaveLength(1)
        const statuses = await rowsOf(page).evaluateAll((all) =>
          all.map((row) => Number(row.lastElementChild?.textContent)),
        )
        expect(statuses).toEqual(kept)
      })
  })
  await test.step('181. the method matches exactly and the three filters combine', async () => {
    gateway.respond(
      listLogs,
      logsOf(
        { method: 'POST', statusCode: 200, endpoint: '/a' },
        { method: 'POST', statusCode: 500, endpoint: '/a' },
        { method: 'POSTED', statusCode: 200, endpoint: '/a' },
        { method: 'POST', statusCode: 200, endpoint: '/b' },
        { method: 'GET', statusCode: 200, endpoint: '/a' },
      ),
    )
    await showAll(page)
    await choose(page, 'Method', 'POST')
    await expect(rowsOf(page)).toHaveCount(3)
    await choose(page, 'Status', 'Success (2xx)')
    await expect(rowsOf(page)).toHaveCount(2)
    await page.getByRole('searchbox').fill('/A')
    await expect(rowsOf(page)).toHaveCount(1)
  })
  await test.step('273. unknown parts of an entry are dashes', async () => {
    gateway.respond(listLogs, {
      body: [{ method: 'GET', endpoint: '/a', statusCode: 200, timestamp: 'never' }],
    })
    await showAll(page)
    await expect(rowsOf(page).getByRole('cell', { name: '–', exact: true })).toHaveCount(3)
  })
  await test.step('176. times are those of the browser', async () => {
    const shown = [
      ['2026-03-05T13:30:22.000Z', 'Mar 05, 14:30:22'],
      ['2026-03-04T23:30:22.000Z', 'Mar 05, 00:30:22'],
    ] as const
    gateway.respond(listLogs, logsOf(...shown.map(([timestamp]) => ({ timestamp }))))
    await showAll(page)
    for (const [index, [timestamp, text]] of shown.entries())
      await test.step(`176. ${timestamp} shows ${text} in Berlin`, async () => {
        await expect(rowsOf(page).nth(index)).toContainText(text)
      })
  })
  await test.step('177. 178. statuses and methods have their colours', async () => {
    const statuses = STATUS_COLOURS.flatMap(([, all]) => all)
    gateway.respond(
      listLogs,
      logsOf(
        ...statuses.map((statusCode) => ({ statusCode, method: 'HEAD' })),
        ...METHOD_COLOURS.map(([method]) => ({ method, statusCode: 302 })),
      ),
    )
    await showAll(page)
    const colourIn = (text: string) => colourOf(rowsOf(page).getByText(text, { exact: true }))
    for (const [colour, all] of STATUS_COLOURS)
      await test.step(`177. statuses ${all.join(', ')} are ${colour}`, async () => {
        for (const status of all) expect(await colourIn(`${status}`), `${status}`).toBe(colour)
      })
    for (const [method, colour] of METHOD_COLOURS)
      await test.step(`178. ${method} is ${colour}`, async () => {
        expect(await colourIn(method)).toBe(colour)
      })
  })
})

const hasFocus = (element: Locator) => element.evaluate((node) => node === document.activeElement)

/** The hue of the text of a badge in the light scheme, as people would name it. */
async function colourOf(badge: Locator): Promise<string> {
  const [red = 0, green = 0, blue = 0] = await badge.evaluate((node) =>
    (getComputedStyle(node).color.match(/\d+/g) ?? []).map(Number),
  )
  const spread = Math.max(red, green, blue) - Math.min(red, green, blue)
  if (spread < 30) return 'grey'
  if (blue === Math.max(red, green, blue)) return 'blue'
  if (green === Math.max(red, green, blue)) return 'green'
  return green > 1.5 * blue ? 'yellow' : 'red'
}

const STATUS_COLOURS = [
  ['green', [200, 204, 299]],
  ['yellow', [400, 499]],
  ['red', [500, 599]],
  ['grey', [199, 301, 399]],
] as const
const METHOD_COLOURS = [
  ['GET', 'blue'],
  ['POST', 'green'],
  ['PUT', 'yellow'],
  ['DELETE', 'red'],
  ['PATCH', 'grey'],
] as const

const EDGES = [199, 200, 299, 300, 399, 400, 499, 500, 599]

test('261. 264. many entries fit the page, open their details, and can all be reached', {
  tag: '@both',
}, async ({ page, gateway }) => {
  gateway.respond(listLogs, { body: mixedLogs(300) })
  await page.goto('/logs')
  await test.step('axe finds nothing on the logs, and nothing is wider than the page', async () => {
    await expect(rowsOf(page).first()).toBeVisible()
    await expectAccessible(page)
    await expectNoExcess(page)
  })
  await test.step('261. a row opens its details and Escape goes back to it', async () => {
    const opens = opensOf(rowsOf(page).nth(2))
    await opens.click()
    const dialog = page.getByRole('dialog', { name: 'Request' })
    await expect(dialog).toContainText('2026-03-05')
    await expectAccessible(page)
    const address = page.url()
    await page.keyboard.press('ArrowDown')
    await expect(dialog).toContainText('/mx/api/v3/order')
    expect(page.url()).not.toBe(address)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(opens).toBeFocused()
    // Beside the values of a row, too.
    await rowsOf(page).nth(2).getByRole('cell').nth(4).click()
    await expect(dialog).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })
  await test.step('264. only the visible rows exist, and all can be reached', async () => {
    gateway.respond(listLogs, { body: mixedLogs(10_000) })
    await showAll(page)
    await expect(page.getByText('Showing 10,000 of 10,000 requests')).toBeVisible()
    await expect(page.getByRole('table')).toHaveAttribute('aria-rowcount', '10001')
    expect(await page.locator('[role="row"] *').count()).toBeLessThan(1000)
    const box = page.getByRole('table').locator('..')
    await box.evaluate((node) => node.scrollTo(0, node.scrollHeight))
    await expect(page.locator('tr[aria-rowindex="10001"]')).toBeVisible()
  })
})

test('265. new entries do not move what is being read, another filter begins at the top', async ({
  page,
  gateway,
}) => {
  const old = mixedLogs(200)
  gateway.respond(listLogs, { body: old })
  await page.goto('/logs')
  const box = page.getByRole('table').locator('..')
  await expect(rowsOf(page).first()).toBeVisible()
  await test.step('265. new entries do not move what is being read', async () => {
    const rowPx = (await rowsOf(page).first().boundingBox())?.height ?? 0
    await box.evaluate((node, top) => node.scrollTo(0, top), 46 * rowPx)
    const row = page.locator('tr[aria-rowindex="50"]')
    const top = async (line: Locator) => (await line.boundingBox())?.y
    await expect(row).toBeVisible()
    const before = await top(row)
    const newer = old.slice(0, 7).map((entry, index) => ({
      ...entry,
      id: 2_000_000 + index,
      timestamp: `2026-03-05T14:00:0${index}.000Z`,
    }))
    gateway.respond(listLogs, { body: [...newer, ...old] })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByText('Showing 207 of 207 requests')).toBeVisible()
    await expect.poll(() => top(page.locator('tr[aria-rowindex="57"]'))).toBe(before)
  })
  await test.step('another filter begins at the top of the list', async () => {
    gateway.respond(listLogs, { body: mixedLogs(600) })
    await showAll(page)
    await expect(rowsOf(page).first()).toBeVisible()
    await box.evaluate((node) => node.scrollTo(0, 4000))
    await expect(page.locator('tr[aria-rowindex="2"]')).toHaveCount(0)
    await choose(page, 'Status', 'Success (2xx)')
    await expect(page.getByText('Showing 200 of 600 requests')).toBeVisible()
    await expect(page.locator('tr[aria-rowindex="2"]')).toBeVisible()
    expect(await box.evaluate((node) => node.scrollTop)).toBe(0)
  })
})
