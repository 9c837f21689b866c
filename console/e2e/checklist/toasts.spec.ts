import type { Page } from '@playwright/test'
import { createClient } from 'schema'
import { expect, passMs, test, toastOf } from '../support/test.ts'

const regionOf = (page: Page) => page.getByRole('region', { name: 'Notifications (F8)' })
const copyId = (page: Page, name: string) =>
  page.getByRole('button', { name: `Copy Client ID ${name}` }).press('Enter')

async function swipe(page: Page, byPx: number) {
  const box = await toastOf(page).boundingBox()
  if (box === null) throw new Error('no toast to swipe')
  const x = box.x + box.width / 2
  const y = box.y + box.height / 2
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + byPx / 2, y, { steps: 4 })
  await page.mouse.move(x + byPx, y, { steps: 4 })
  await page.mouse.up()
}

/** Stands the clock still with a toast on the page that is 50 ms old. An earlier one has fetched their code. */
async function freezeWithToast(page: Page) {
  await copyId(page, 'grid-bot')
  await expect(toastOf(page)).toBeVisible()
  await page.getByRole('button', { name: 'Dismiss notification' }).click()
  await expect(toastOf(page)).toHaveCount(0)
  // A pointer over the toast would hold it.
  await page.mouse.move(0, 0)
  await page.clock.pauseAt(Date.now() + 1_100_000)
  await copyId(page, 'market-maker')
  await passMs(page, 50)
  await expect(toastOf(page)).toBeVisible()
}

test.beforeEach(async ({ page, signedIn: _ }) => {
  await page.clock.install()
  await page.goto('/client-credentials')
  await expect(page.getByText('Client Credentials (3)')).toBeVisible()
})

test('213. a newer toast replaces the older at once', async ({ page, gateway }) => {
  gateway.answer(createClient, { status: 500, body: 'boom' })
  await copyId(page, 'grid-bot')
  await expect(toastOf(page)).toContainText('Client ID copied')
  await page.getByLabel('Client ID', { exact: true }).fill('new')
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  await expect(toastOf(page)).toHaveCount(1)
  await expect(toastOf(page)).toContainText('500: boom')
})

test('214. a toast goes away after 5 s', async ({ page }) => {
  await freezeWithToast(page)
  await expect(toastOf(page)).toBeVisible()
  await passMs(page, 4800)
  await expect(toastOf(page)).toBeVisible()
  await passMs(page, 400)
  await expect(toastOf(page)).toHaveCount(0)
})

for (const [byPx, name, isDismissed] of [
  [52, '50 px and more to the right dismiss', true],
  [49, '49 px to the right do not', false],
  [-150, 'any way to the left does not', false],
] as const) {
  test(`215. ${name}`, async ({ page }) => {
    await copyId(page, 'grid-bot')
    await expect(toastOf(page)).toBeVisible()
    await swipe(page, byPx)
    await expect(toastOf(page)).toHaveCount(isDismissed ? 0 : 1)
  })
}

test('216. a dismissed toast leaves the list 1,000,000 ms later', async ({ page }) => {
  await freezeWithToast(page)
  await page.getByRole('button', { name: 'Dismiss notification' }).press('Enter')
  await passMs(page, 50)
  await expect(toastOf(page)).toHaveCount(0)
  await page.clock.fastForward(998_000)
  await page.keyboard.press('F8')
  await passMs(page, 1000)
  await expect(regionOf(page).getByRole('listitem')).toHaveText([
    /Copied.*Client ID copied to clipboard/,
  ])
  await page.clock.fastForward(1500)
  await expect(regionOf(page).getByRole('listitem')).toHaveCount(0)
  await expect(regionOf(page)).toContainText('Nothing yet')
})

test('217. F8 moves the keyboard to the toasts, also from a field, and Escape back', async ({
  page,
}) => {
  const field = page.getByLabel('Client ID', { exact: true })
  await field.focus()
  await page.keyboard.press('F8')
  await expect(regionOf(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(field).toBeFocused()
})

test('218. a toast can be dismissed by keyboard', async ({ page }) => {
  await copyId(page, 'grid-bot')
  await expect(toastOf(page)).toBeVisible()
  await page.keyboard.press('F8')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Dismiss notification' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(toastOf(page)).toHaveCount(0)
})
