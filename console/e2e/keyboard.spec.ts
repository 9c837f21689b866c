import type { Page } from '@playwright/test'
import { deleteClient, getOperations, listApiKeys, listClients, listLogs } from 'schema'
import { opensOf } from './support/log-samples.ts'
import { LONG_ID, longClients, longKeys } from './support/realistic.ts'
import { samples } from './support/samples.ts'
import { expect, expectRead, goWithin, test } from './support/test.ts'

// 296. Every action without a pointer: seen where it is, never lost, never held.

const [sample] = listLogs.sample.response
const entries = Array.from({ length: 300 }, (_, index) => ({
  ...sample,
  id: 300 - index,
  clientId: LONG_ID,
  timestamp: new Date(Date.UTC(2026, 2, 5, 13, 0, 300 - index)).toISOString(),
}))

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(listClients, { body: longClients })
  gateway.respond(listApiKeys, { body: longKeys })
  gateway.respond(listLogs, { body: entries })
  gateway.respond(getOperations, { body: getOperations.sample.response })
})

const main = (page: Page) => page.getByRole('main')

test('296. the Tab key gets through /logs, both ways, in sight', { tag: '@both' }, async ({
  page,
}) => {
  await page.goto('/logs')
  await expectWayThrough(page)
})

for (const addresses of [
  ['/client-credentials', '/api-keys', '/operations', '/account'],
  ['/people', '/approvals', '/connect', '/bitget/trading/spot'],
] as const)
  test(`296. the Tab key gets through ${addresses.join(', ')}`, async ({ page }) => {
    await page.goto(addresses[0])
    for (const address of addresses)
      await test.step(`296. ${address}, both ways, in sight`, async () => {
        await goWithin(page, address)
        await expectWayThrough(page)
      })
  })

async function expectWayThrough(page: Page): Promise<void> {
  await expectRead(page)
  // Out of the page at its front, whatever has the focus.
  await page.locator('a, button').first().focus()
  await page.keyboard.press('Shift+Tab')
  const forwards = await stopsOf(page, 'Tab')
  const backwards = await stopsOf(page, 'Shift+Tab')
  expect([...forwards, ...backwards].filter(({ fault }) => fault !== '')).toEqual([])
  expect(backwards.map(({ name }) => name).sort()).toEqual(forwards.map(({ name }) => name).sort())
  expect(forwards.length).toBeGreaterThan(10)
}

interface Stop {
  readonly name: string
  /** Empty when the stop is as it has to be. */
  readonly fault: string
}

/** What the key goes through, from one end of the page to the other. */
async function stopsOf(page: Page, key: string): Promise<Stop[]> {
  const stops: Stop[] = []
  for (let press = 0; press < 150; press += 1) {
    await page.keyboard.press(key)
    const stop = await page.evaluate(stopNow)
    if (stop === null) return stops
    stops.push(stop)
  }
  throw new Error(`${key} does not get out of the page: ${stops.at(-1)?.name}`)
}

/** Null: the focus has left the page. */
function stopNow(): Stop | null {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return null
  // Of a choice of several the label is what is seen.
  const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined
  const seen = element.getBoundingClientRect().width > 0 ? element : (label ?? element)
  const { left, top, right, bottom } = seen.getBoundingClientRect()
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
  const y = Math.min(top + Math.min(bottom - top, 40) / 2, innerHeight - 1)
  const at = document.elementFromPoint(x, y)
  const isSeen = at !== null && (seen.contains(at) || at.contains(seen) || label?.contains(at))
  const hasRing = [element, seen, element.closest('.mantine-Input-input')].some((each) => {
    const style = each instanceof Element ? getComputedStyle(each) : undefined
    // The browser's own ring is `auto`.
    return style?.outlineStyle === 'auto' || Number.parseFloat(style?.outlineWidth ?? '') >= 2
  })
  const name = element.ariaLabel ?? label?.textContent ?? element.textContent
  const fault = [
    isSeen || element.nextElementSibling?.contains(at) ? '' : 'is covered',
    hasRing ? '' : 'has no ring',
    name.trim() === '' ? 'has no name' : '',
  ]
  return { name: name.slice(0, 60), fault: fault.filter(Boolean).join(', ') }
}

test('296. the log is one stop of the Tab key; arrow keys lead through rows and their filters', async ({
  page,
}) => {
  await page.goto('/logs')
  await opensOf(main(page)).first().focus()
  const rowAt = (index: number) => page.locator(`tr[aria-rowindex="${index}"]`)
  for (let index = 3; index <= 42; index += 1) {
    // Rows further down are drawn when the list has scrolled; a key that comes before does nothing.
    await expect(rowAt(index)).toBeAttached()
    await page.keyboard.press('ArrowDown')
    await expect(opensOf(rowAt(index))).toBeFocused()
  }
  await expect(rowAt(42)).toBeInViewport()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowUp')
  const above = rowAt(41)
  const filters = above.getByRole('button', { name: /^Filters by/ })
  await expect(filters).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: `Show only ${LONG_ID}` })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(filters).toBeFocused()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.closest('table'))).toBeNull()
  // Out of sight, the row is gone; the keyboard stays at the list.
  await opensOf(main(page)).first().focus()
  const box = page.getByRole('table').locator('..')
  await box.evaluate((node) => node.scrollTo(0, node.scrollHeight))
  await expect(page.getByRole('table')).toBeFocused()
})

test('296. what is disabled or goes away does not take the keyboard with it', async ({
  page,
  gateway,
}) => {
  await page.goto('/client-credentials')
  const refresh = main(page).getByRole('button', { name: 'Refresh' })
  await refresh.focus()
  const release = gateway.hold(listClients)
  await page.keyboard.press('Enter')
  await expect(refresh).toBeDisabled()
  await expect(refresh).not.toBeFocused()
  release()
  await expect(refresh).toBeFocused()

  const [first, second] = longClients
  gateway.respond(deleteClient, { status: 404, body: { message: 'No client with this id' } })
  await page.getByRole('button', { name: `Delete ${first?.clientId}` }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  gateway.respond(listClients, { body: longClients.slice(1) })
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(main(page).getByRole('switch')).toHaveCount(1)
  await expect(main(page).getByRole('list').last()).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(main(page).getByRole('switch', { name: second?.clientId ?? '' })).toBeFocused()
})

const FINAL = 'Delete grid-bot, its second step'
const OPENED = {
  '/client-credentials': ['Edit grid-bot', 'Delete grid-bot', FINAL],
  '/api-keys': [
    ...['Add API Keys', 'Test MEXC API keys of grid-bot'],
    'Delete MEXC API keys of grid-bot',
  ],
} as const

test('297. Escape closes each dialog, and the keyboard is back', async ({ page, gateway }) => {
  gateway.respond(listClients, { body: samples.clients })
  gateway.respond(listApiKeys, { body: samples.apiKeys })
  await page.goto('/connect')
  for (const [address, all] of Object.entries(OPENED)) {
    await goWithin(page, address)
    for (const opened of all)
      await test.step(`297. ${opened}`, async () => {
        const opener = page.getByRole('button', { name: opened.split(',')[0] ?? '' })
        await opener.click()
        await expect(page.getByRole('dialog')).toBeVisible()
        if (opened === FINAL)
          await page.getByRole('button', { name: 'Delete', exact: true }).click()
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog')).toHaveCount(0)
        await expect(opener).toBeFocused()
      })
  }
})
