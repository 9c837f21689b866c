import type { Browser, BrowserContext, Page } from '@playwright/test'
import { type Tab, Tabs } from './support/tabs.ts'
import { expect, test } from './support/test.ts'

/** What a page of the console can see of its tab. */
const stateOf = (page: Page) =>
  page.evaluate(async () => ({
    stored: [localStorage.length, sessionStorage.length, document.cookie],
    databases: await indexedDB.databases(),
    media: ['print', '(prefers-color-scheme: dark)', '(forced-colors: active)']
      .concat('(prefers-reduced-motion: reduce)', '(prefers-contrast: more)', '(pointer: coarse)')
      .filter((query) => matchMedia(query).matches),
    size: [innerWidth, innerHeight],
    isOnline: navigator.onLine,
    isClockReal: Date.now() > 1_600_000_000_000,
    config: (await fetch('/config.json')).status,
    globals: ['left', 'exposed'].filter((name) => name in window),
  }))

/** The tab that the next test of a worker gets after one that has done this. */
async function nextAfter(
  browser: Browser,
  act: (page: Page, context: BrowserContext) => Promise<unknown>,
): Promise<{ first: Tab; next: Tab; end: () => Promise<void> }> {
  const tabs = new Tabs()
  const first = await tabs.take(browser)
  await act(first.page, first.context)
  await tabs.giveBack(first)
  const next = await tabs.take(browser)
  return { first, next, end: () => next.context.close() }
}

test('a tab that is used again has nothing of the test before', async ({ browser, page }) => {
  const fresh = await stateOf(page)
  expect(fresh).toMatchObject({ isOnline: true, isClockReal: true, config: 200, globals: [] })
  const { first, next, end } = await nextAfter(browser, async (used) => {
    await used.goto('/')
    await used.evaluate(() => {
      localStorage.setItem('a', 'b')
      sessionStorage.setItem('a', 'b')
      Object.assign(window, { left: true })
    })
    await used.setViewportSize({ width: 320, height: 700 })
    await used.emulateMedia({ media: 'print', colorScheme: 'dark', forcedColors: 'active' })
    await used.emulateMedia({ reducedMotion: 'no-preference', contrast: 'more' })
    await used.mouse.move(50, 50)
  })
  expect(next.context).toBe(first.context)
  expect(await stateOf(next.page)).toEqual(fresh)
  await end()
})

const LEAVING: Record<string, (page: Page, context: BrowserContext) => Promise<unknown>> = {
  'a route': (page) => page.route('**/config.json', (route) => route.fulfill({ status: 404 })),
  'a frozen clock': (page) => page.clock.install({ time: 0 }),
  'a script': (page) => page.addInitScript(() => void Object.assign(window, { left: true })),
  'an exposed function': (page) => page.exposeFunction('exposed', () => 1),
  'no network': (_, context) => context.setOffline(true),
  'a cookie': (page, context) => context.addCookies([{ name: 'a', value: 'b', url: page.url() }]),
  async 'an emulated finger'(page, context) {
    const session = await context.newCDPSession(page)
    const features = [{ name: 'pointer', value: 'coarse' }]
    await session.send('Emulation.setEmulatedMedia', { features })
  },
}

test('a tab with something that stays with it is not used again', async ({ browser, page }) => {
  const fresh = await stateOf(page)
  for (const [what, leave] of Object.entries(LEAVING)) {
    const { first, next, end } = await nextAfter(browser, leave)
    expect.soft(next.context, what).not.toBe(first.context)
    expect.soft(await stateOf(next.page), what).toEqual(fresh)
    await end()
  }
})
