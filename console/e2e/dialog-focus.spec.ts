import type { Page } from '@playwright/test'
import { expect, test } from './support/test.ts'

const OPENED: readonly (readonly [
  address: string,
  opener: string,
  onward?: (page: Page) => Promise<void>,
])[] = [
  ['/client-credentials', 'Edit grid-bot'],
  ['/client-credentials', 'Delete grid-bot'],
  [
    '/client-credentials',
    'Delete grid-bot',
    (page) => page.getByRole('button', { name: 'Delete', exact: true }).click(),
  ],
  ['/api-keys', 'Add API Keys'],
  ['/api-keys', 'Test MEXC API keys of grid-bot'],
  ['/api-keys', 'Delete MEXC API keys of grid-bot'],
]

for (const [address, opener, onward] of OPENED) {
  const steps = onward === undefined ? '' : ', at its second step'
  test(`297. Escape closes what "${opener}" opened${steps}, and the keyboard is back on it`, async ({
    page,
    signedIn: _,
  }) => {
    await page.goto(address)
    await page.getByRole('button', { name: opener }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await onward?.(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('button', { name: opener })).toBeFocused()
  })
}
