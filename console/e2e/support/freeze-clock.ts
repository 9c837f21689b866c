import { expect, type Locator, type Page } from '@playwright/test'
import { isIdle, settle } from './stub-gateway.ts'

/** 5 March 2026, 14:30:22 in the browsers of the tests (Europe/Berlin). */
export const NOW = new Date('2026-03-05T13:30:22.000Z')
/** Small beside every delay that tests measure; React and the page need some to appear. */
const STEP_MS = 10

/** From here on only tests move the page's clock. */
export async function freeze(page: Page): Promise<void> {
  await page.clock.install({ time: NOW.getTime() - 1000 })
  await page.clock.pauseAt(NOW)
}

/**
 * Opens a page whose clock only tests move, so that no delay depends on the machine. The clock is
 * frozen from the page's first sight on, a few steps after the page began its timers; responses
 * take none of its time.
 */
export async function openFrozen(page: Page, address: string, ready: Locator): Promise<void> {
  await freeze(page)
  await page.goto(address)
  await stepUntilVisible(page, page.getByRole('heading', { level: 1 }))
  await expect(ready).toBeVisible()
}

/**
 * Moves a frozen clock in small steps until the page, which waits for its timers, shows the
 * element. The clock stays still while the page waits for a file or
 * a response.
 */
export async function stepUntilVisible(page: Page, element: Locator): Promise<void> {
  while (!(await element.isVisible())) if (isIdle(page)) await page.clock.runFor(STEP_MS)
}

/**
 * Moves the page's clock. What the page was at is done before, and the calls that follow from it
 * have been seen after.
 */
export async function passMs(page: Page, ms: number): Promise<void> {
  await settle(page)
  await page.clock.runFor(ms)
  await settle(page)
}
