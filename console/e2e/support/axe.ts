import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'

/** Less than half of `axe.source`: it is sent to every page that axe looks at. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** All rules, and those that look at colours: the others see the same document in both schemes. */
const ALL: axe.RunOptions = { runOnly: { type: 'tag', values: TAGS } }
const COLOURS: axe.RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}
/** How the console, the pages of the API and the documentation show which scheme they have. */
const IN_SCHEME = {
  light:
    'html[data-mantine-color-scheme=light], html:not(.dark-mode, .dark, [data-mantine-color-scheme])',
  dark: 'html[data-mantine-color-scheme=dark], html.dark-mode, html.dark',
}
const NARROW = { width: 360, height: 740 }

/** Expects that axe finds nothing on the page as it is now, in the light and in the dark scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(SOURCE)
    await page.evaluate(layOutEverything)
  }
  await expectNothingFound(page, 'light', ALL)
  await expectNothingFound(page, 'dark', COLOURS)
}

/** Rows out of sight have no layout, and axe measures how far links are from each other. */
function layOutEverything(): void {
  const style = new CSSStyleSheet()
  style.replaceSync('* { content-visibility: visible !important }')
  document.adoptedStyleSheets.push(style)
}

/**
 * The same at 1280 px and at 360 px, without a load of the page for each. What is open at the one
 * width has to be open at the other.
 */
export async function expectAccessibleAtBothWidths(page: Page): Promise<void> {
  await expectAccessible(page)
  const open = await openParts(page)
  const before = page.viewportSize()
  await page.setViewportSize(NARROW)
  await page.waitForFunction((width) => innerWidth === width, NARROW.width)
  // The page has seen its new width and, on a busy machine too, has drawn what follows from it.
  await page.evaluate(async () => {
    for (let times = 0; times < 2; times += 1) {
      await new Promise(requestAnimationFrame)
      await scheduler.postTask(() => undefined, { priority: 'background' })
    }
  })
  // The scheme is the dark one already.
  await expectNothingFound(page, 'dark', ALL)
  await expectNothingFound(page, 'light', COLOURS)
  expect(await openParts(page), 'what is open at 360 px').toEqual(open)
  if (before !== null) await page.setViewportSize(before)
}

/** The roles of the dialogs and lists that are open. */
function openParts(page: Page): Promise<(string | null)[]> {
  return page
    .locator('[role="dialog"]:visible, [role="alertdialog"]:visible, [role="listbox"]:visible')
    .evaluateAll((parts) => parts.map((part) => part.getAttribute('role')))
}

/** In the system's scheme, which the page follows a moment later. */
async function expectNothingFound(
  page: Page,
  colorScheme: 'light' | 'dark',
  rules: axe.RunOptions,
): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator(IN_SCHEME[colorScheme])).toBeAttached()
  const found = await page.evaluate(async (options) => {
    // An open dialog changes nothing behind it: only what lies above the page is looked at.
    const isBehind = document.querySelector('[role="dialog"][aria-modal="true"]') !== null
    const above = document.querySelectorAll('[data-portal], section[aria-label^="Notifications"]')
    const where = isBehind ? [...above].filter((part) => part.childElementCount > 0) : document
    const { violations } = await window.axe.run(where, { ...options, resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)
  }, rules)
  expect(found, `${page.viewportSize()?.width} px, ${colorScheme}`).toEqual([])
}

declare global {
  interface Window {
    /** There from the moment that its source has run in the page. */
    axe: typeof axe
  }
}
