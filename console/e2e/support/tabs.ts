import type { Browser, BrowserContext, Page } from '@playwright/test'

export interface Tab {
  readonly context: BrowserContext
  readonly page: Page
  /** Whether its test has set something that stays with a tab. */
  isMarked: boolean
}

const BLANK = '/favicon.svg'

/** What they set stays with the tab. */
const MARKING = [
  'addInitScript',
  'addLocatorHandler',
  'emulateMedia',
  'exposeBinding',
  'exposeFunction',
  'route',
  'routeFromHAR',
  'setExtraHTTPHeaders',
  'setViewportSize',
] as const satisfies readonly (keyof Page)[]

/**
 * One tab for the tests of a worker, one after the other: in a new one, a process starts, and the
 * browser fetches and compiles all scripts again, which takes longer than most tests. A tab that
 * has anything left of its test is closed.
 */
export class Tabs {
  #kept: Tab | undefined

  /** A tab without a session, on a file of the console's origin that has no script. */
  async take(browser: Browser): Promise<Tab> {
    const kept = this.#kept
    this.#kept = undefined
    const tab = kept === undefined || kept.page.isClosed() ? await newTab(browser) : kept
    await tab.page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    // Away from whatever the next page has there.
    await tab.page.mouse.move(0, 0)
    return tab
  }

  async giveBack(tab: Tab): Promise<void> {
    const { context, page, isMarked } = tab
    page.removeAllListeners()
    if (isMarked || context.pages().length > 1 || !(await leaves(page))) await context.close()
    else this.#kept = tab
  }
}

/** Ends what the page is at. False: it is closed, or on its way to elsewhere and may get there. */
async function leaves(page: Page): Promise<boolean> {
  const response = await page.goto(BLANK).catch(() => null)
  return response !== null
}

async function newTab(browser: Browser): Promise<Tab> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(BLANK)
  const tab: Tab = { context, page, isMarked: false }
  for (const name of MARKING) {
    const method = page[name].bind(page) as (...args: unknown[]) => unknown
    Object.assign(page, {
      [name]: (...args: unknown[]) => {
        tab.isMarked = true
        return method(...args)
      },
    })
  }
  const { clock } = page
  Object.defineProperty(page, 'clock', {
    get: () => {
      tab.isMarked = true
      return clock
    },
  })
  return tab
}
