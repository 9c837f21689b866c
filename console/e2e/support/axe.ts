import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'

/** Less than half of `axe.source`: it is sent to every page that axe looks at. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The rules that look at colours; all others look at the same document in both schemes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
const COLOURS: axe.RunOptions = { runOnly: { type: 'rule', values: COLOUR_RULES } }
const OTHER_RULES: axe.RunOptions = {
  runOnly: { type: 'tag', values: TAGS },
  rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])),
}
const NARROW = { width: 360, height: 740 }

/** Expects that axe finds nothing on the page as it is now, in the light and in the dark scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE)
  await expectNothingFound(page, '')
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
  // The page has seen its new width.
  await page.evaluate(
    () => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))),
  )
  await expectNothingFound(page, '360 px, ')
  expect(await openParts(page), 'what is open at 360 px').toEqual(open)
  if (before !== null) await page.setViewportSize(before)
}

/** The roles of the dialogs and lists that are open. */
function openParts(page: Page): Promise<(string | null)[]> {
  return page
    .locator('[role="dialog"]:visible, [role="alertdialog"]:visible, [role="listbox"]:visible')
    .evaluateAll((parts) => parts.map((part) => part.getAttribute('role')))
}

/** Sets the system's scheme; the page follows a moment later. */
async function setScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
}

/** @param width what a failure says of the width, before the name of the scheme */
async function expectNothingFound(page: Page, width: string): Promise<void> {
  await setScheme(page, 'light')
  expect(await violationsOf(page, 'html', OTHER_RULES), width).toEqual([])
  expect(await violationsOf(page, await coloured(page), COLOURS), `${width}light`).toEqual([])
  await setScheme(page, 'dark')
  expect(await violationsOf(page, await coloured(page), COLOURS), `${width}dark`).toEqual([])
}

/**
 * Where colours are looked at: an open dialog changes none behind it, so then only what lies above
 * the page, which is in portals and in the region of the toasts.
 */
async function coloured(page: Page): Promise<string> {
  const isBehindDialog = (await page.locator('[role="dialog"][aria-modal="true"]').count()) > 0
  return isBehindDialog ? '[data-portal], section[aria-label^="Notifications"]' : 'html'
}

/** What axe finds in some parts of the page: each rule with the elements that break it. */
function violationsOf(page: Page, where: string, rules: axe.RunOptions): Promise<string[]> {
  return page.evaluate(
    async ([parts, options]) => {
      const { violations } = await window.axe.run(parts, {
        ...options,
        resultTypes: ['violations'],
      })
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`,
      )
    },
    [where, rules] as const,
  )
}

declare global {
  interface Window {
    /** There from the moment that its source has run in the page. */
    axe: typeof axe
  }
}
