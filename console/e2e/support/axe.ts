import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Contrast is measured element by element: on a busy machine a long page takes its time. */
const TIMEOUT_MS = 90_000

/** Expects that axe finds nothing on the page as it is now, in the light and in the dark scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  test.setTimeout(TIMEOUT_MS)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze()
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`,
    )
    expect(found, colorScheme).toEqual([])
  }
}
