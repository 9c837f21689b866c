import type { Browser, BrowserContext, Page, ViewportSize } from '@playwright/test'

export interface Tab {
  readonly context: BrowserContext
  readonly page: Page
  readonly viewport: ViewportSize | null
  /** Whether its test has emulated other media than a new tab has. */
  hasOtherMedia: boolean
  /** Whether its test has set something that stays with a tab. */
  isMarked: boolean
}

const BLANK = '/favicon.svg'
/** The media of a new tab. */
const MEDIA = {
  media: null,
  colorScheme: 'light',
  forcedColors: 'none',
  reducedMotion: 'reduce',
  contrast: 'no-preference',
} as const

/** What they set stays with the tab. The viewport and media can be set back. */
const MARKING = [
  'addInitScript',
  'addLocatorHandler',
  'exposeBinding',
  'exposeFunction',
  'route',
  'routeFromHAR',
  'routeWebSocket',
  'setExtraHTTPHeaders',
] as const satisfies readonly (keyof Page)[]
const CONTEXT_MARKING = [
  'addCookies',
  'addInitScript',
  'clearPermissions',
  'exposeBinding',
  'exposeFunction',
  'grantPermissions',
  // Whatever the session has emulated.
  'newCDPSession',
  'route',
  'routeFromHAR',
  'routeWebSocket',
  'setExtraHTTPHeaders',
  'setGeolocation',
  'setOffline',
] as const satisfies readonly (keyof BrowserContext)[]

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
    if (isMarked || context.pages().length > 1 || !(await leaves(page))) return context.close()
    await setBack(tab)
    this.#kept = tab
  }
}

/** Ends what the page is at. False: it is closed, or on its way to elsewhere and may get there. */
async function leaves(page: Page): Promise<boolean> {
  const response = await page.goto(BLANK).catch(() => null)
  return response !== null
}

async function setBack(tab: Tab): Promise<void> {
  const { page, viewport } = tab
  if (tab.hasOtherMedia) await page.emulateMedia(MEDIA)
  tab.hasOtherMedia = false
  if (viewport !== null && page.viewportSize() !== viewport) await page.setViewportSize(viewport)
}

async function newTab(browser: Browser): Promise<Tab> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.addInitScript(holdSpinners)
  await page.goto(BLANK)
  const viewport = page.viewportSize()
  const tab: Tab = { context, page, viewport, hasOtherMedia: false, isMarked: false }
  const emulateMedia = page.emulateMedia.bind(page)
  page.emulateMedia = (media) => {
    tab.hasOtherMedia = true
    return emulateMedia(media)
  }
  markAt(page, MARKING, tab)
  markAt(context, CONTEXT_MARKING, tab)
  return tab
}

/**
 * A spinner that turns, or a placeholder that pulses, is drawn sixty times a second for as long as
 * a page waits for a response.
 */
function holdSpinners(): void {
  const style = new CSSStyleSheet()
  style.replaceSync(
    '.mantine-Loader-root::after, .mantine-Skeleton-root::after { animation-play-state: paused }',
  )
  document.adoptedStyleSheets = [style]
}

/** A call of one of these methods, or a look at the clock, marks the tab. */
function markAt<T extends Page | BrowserContext>(
  target: T,
  methods: readonly (keyof T)[],
  tab: Tab,
): void {
  for (const name of methods) {
    const method = (target[name] as (...args: unknown[]) => unknown).bind(target)
    Object.assign(target, {
      [name]: (...args: unknown[]) => {
        tab.isMarked = true
        return method(...args)
      },
    })
  }
  const { clock } = target
  Object.defineProperty(target, 'clock', {
    get: () => {
      tab.isMarked = true
      return clock
    },
  })
}
