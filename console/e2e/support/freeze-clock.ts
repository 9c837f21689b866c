import type { Locator, Page } from '@playwright/test'

/** 5 March 2026, 14:30:22 in the browsers of the tests (Europe/Berlin). */
export const NOW = new Date('2026-03-05T13:30:22.000Z')
/** Small beside every delay that tests measure; React and the page need some to appear. */
const STEP_MS = 10

/**
 * Opens a page whose clock only tests move, so that no delay depends on the machine. By the time `ready` is
 * visible a few steps have gone by since the page began its timers.
 */
export async function openFrozen(page: Page, address: string, ready: Locator): Promise<void> {
  await page.clock.install({ time: NOW.getTime() - 1000 })
  await page.clock.pauseAt(NOW)
  await page.goto(address)
  await stepUntilVisible(page, ready)
}

/** Moves a frozen clock in small steps until the page, which waits for its timers, shows the element. */
export async function stepUntilVisible(page: Page, element: Locator): Promise<void> {
  while (!(await element.isVisible())) await page.clock.runFor(STEP_MS)
}
