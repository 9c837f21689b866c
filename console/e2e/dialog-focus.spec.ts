import type { Page } from '@playwright/test'
import { expect, goWithin, test } from './support/test.ts'

type Onward = (page: Page) => Promise<void>

const OPENED: Readonly<Record<string, readonly (readonly [opener: string, onward?: Onward])[]>> = {
  '/client-credentials': [
    ['Edit grid-bot'],
    ['Delete grid-bot'],
    [
      'Delete grid-bot',
      (page) => page.getByRole('button', { name: 'Delete', exact: true }).click(),
    ],
  ],
  '/api-keys': [
    ['Add API Keys'],
    ['Test MEXC API keys of grid-bot'],
    ['Delete MEXC API keys of grid-bot'],
  ],
}

test('297. Escape closes each dialog, and the keyboard is back', async ({ page, signedIn: _ }) => {
  await page.goto('/connect')
  for (const [address, all] of Object.entries(OPENED)) {
    await goWithin(page, address)
    for (const [opener, onward] of all)
      await test.step(`297. ${opener}${onward === undefined ? '' : ', at its second step'}`, async () => {
        await page.getByRole('button', { name: opener }).click()
        await expect(page.getByRole('dialog')).toBeVisible()
        await onward?.(page)
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog')).toHaveCount(0)
        await expect(page.getByRole('button', { name: opener })).toBeFocused()
      })
  }
})
