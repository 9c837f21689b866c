import type { Page } from '@playwright/test'
import { createClient } from 'schema'
import { openFrozen, passMs, stepUntilVisible } from '../support/freeze-clock.ts'
import { expect, test, toastOf } from '../support/test.ts'

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

/** Copies an id; its toast is a few ms old. */
async function showToast(page: Page, name = 'grid-bot') {
  await copyId(page, name)
  await stepUntilVisible(page, toastOf(page))
}

/** Whether the toast lies over any part of what a person came to read. */
async function coversPage(page: Page): Promise<boolean> {
  const boxes = [toastOf(page), page.locator('#main > div'), page.getByRole('banner')]
  const [toast, main, header] = await Promise.all(boxes.map((each) => each.boundingBox()))
  if (!toast || !main || !header) throw new Error('There is no toast, page or header')
  return toast.x + toast.width > main.x && toast.y + toast.height > header.y + header.height
}

// The clock is frozen: a toast would disappear while a busy machine looks at it.
test.beforeEach(({ page, signedIn: _ }) =>
  openFrozen(page, '/client-credentials', page.getByText('Client Credentials (3)')),
)

test('108. 213. 214. 216. to 218. toasts end, are replaced, and are reached by keyboard', async ({
  page,
  gateway,
}) => {
  const field = page.getByLabel('Client ID', { exact: true })
  await test.step('216. a dismissed toast leaves the list 1,000,000 ms later', async () => {
    await showToast(page)
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
    await page.keyboard.press('Escape')
  })
  await test.step('a toast is over the sidebar, not over the page', async () => {
    await showToast(page)
    expect(await coversPage(page)).toBe(false)
  })
  await test.step('214. a toast goes away after 5 s', async () => {
    // The first toast has fetched their code, so the age of this one is known.
    await showToast(page, 'market-maker')
    await test.step('108. a used copy button shows a check mark for 2 s', async () => {
      const button = page.getByRole('button', { name: 'Copy Client ID market-maker' })
      await expect(button.locator('[data-icon="check"]')).toBeVisible()
      await passMs(page, 1800)
      await expect(button.locator('[data-icon="check"]')).toBeVisible()
      await passMs(page, 300)
      await expect(button.locator('[data-icon="copy"]')).toBeVisible()
    })
    await passMs(page, 2700)
    await expect(toastOf(page)).toBeVisible()
    await passMs(page, 400)
    await expect(toastOf(page)).toHaveCount(0)
  })
  await test.step('217. F8 moves to the toasts, also from a field, and Escape back', async () => {
    await field.focus()
    await page.keyboard.press('F8')
    await expect(regionOf(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(field).toBeFocused()
  })
  await test.step('218. a toast can be dismissed by keyboard', async () => {
    await showToast(page)
    await page.keyboard.press('F8')
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Dismiss notification' })).toBeFocused()
    await page.keyboard.press('Enter')
    await passMs(page, 50)
    await expect(toastOf(page)).toHaveCount(0)
  })
  await test.step('213. a newer toast replaces the older at once', async () => {
    gateway.respond(createClient, { status: 500, body: 'boom' })
    await showToast(page)
    await expect(toastOf(page)).toContainText('Client ID copied')
    await field.fill('new')
    await page.getByRole('button', { name: 'Create Client Credentials' }).click()
    await stepUntilVisible(page, toastOf(page).filter({ hasText: '500: boom' }))
    await expect(toastOf(page)).toHaveCount(1)
  })
})

test('215. a swipe to the right dismisses a toast', { tag: '@narrow' }, async ({ page }) => {
  await showToast(page)
  expect(await coversPage(page), 'over the header, not over the page').toBe(false)
  for (const [byPx, name, isDismissed] of [
    [49, '49 px to the right do not', false],
    [-150, 'any way to the left does not', false],
    [52, '50 px and more to the right do', true],
  ] as const)
    await test.step(`215. ${name}`, async () => {
      await swipe(page, byPx)
      await passMs(page, 100)
      await expect(toastOf(page)).toHaveCount(isDismissed ? 0 : 1)
    })
})
