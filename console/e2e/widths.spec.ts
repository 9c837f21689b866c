import type { Locator } from '@playwright/test'
import { listApiKeys, listClients } from 'schema'
import { LONG_ID, longClients, longKeys } from './support/realistic.ts'
import { excessOf, expect, expectRead, goWithin, SESSION, test } from './support/test.ts'

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(listClients, { body: longClients })
  gateway.respond(listApiKeys, { body: longKeys })
})

/** Soft checks that are tried again: the page sees its new width a frame later. */
const soft = expect.configure({ soft: true })

/** What reaches out of the box at its right edge, by its text. */
const outsideOf = (box: Locator) =>
  box.evaluate((element) => {
    const edge = element.getBoundingClientRect().right + 0.5
    return [...element.querySelectorAll('td > *, td, th')]
      .filter((part) => part.getClientRects().length > 0)
      .filter((part) => part.getBoundingClientRect().right > edge)
      .map((part) => part.textContent)
  })

const KEY_WIDTHS = {
  wide: [1440, 1390, 1365, 1330, 1280, 1240, 1201, 1200, 1024, 992, 768],
  narrow: [430, 412, 390, 375, 360, 320],
}

for (const [name, widths] of Object.entries(KEY_WIDTHS)) {
  test(`keys with long ids and notes stay in their card and on the screen: ${name}`, {
    tag: `@${name}`,
  }, async ({ page }) => {
    await page.goto('/api-keys')
    const table = page.getByRole('table', { name: 'Configured API Keys' })
    await expect(table.getByRole('link', { name: LONG_ID, exact: true }).first()).toBeVisible()
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      const box = table.locator('xpath=..')
      await soft.poll(() => excessOf(page), `${width} px, page`).toBeLessThanOrEqual(0)
      await soft.poll(() => outsideOf(box), `${width} px, card`).toEqual([])
    }
    if (name !== 'wide') return
    // No column keeps room that the notes wrap for: 50 characters are three lines at most.
    await page.setViewportSize({ width: 1440, height: 800 })
    const lines = await table
      .getByRole('cell', { name: longKeys[1]?.note ?? '', exact: true })
      .evaluate((cell) => {
        const range = document.createRange()
        range.selectNodeContents(cell)
        return range.getClientRects().length
      })
    expect(lines).toBeLessThanOrEqual(3)
  })
}

test('310. pages, the header and samples at every width', { tag: '@narrow' }, async ({ page }) => {
  await page.goto('/')
  await test.step('310. with long ids no page scrolls sideways', async () => {
    for (const address of [
      ...['/', '/client-credentials', '/api-keys', '/bitget/trading/futures'],
      ...['/operations', '/account', '/people', '/approvals'],
    ])
      await test.step(`310. ${address}`, async () => {
        await goWithin(page, address)
        await expectRead(page)
        for (const width of [320, 390, 430]) {
          await page.setViewportSize({ width, height: 700 })
          await soft.poll(() => excessOf(page), `${width} px`).toBeLessThanOrEqual(0)
        }
      })
  })
  await test.step('the head of a sample is one line', async () => {
    for (const address of ['/', '/bitget/trading/futures', '/connect'])
      await test.step(address, async () => {
        await goWithin(page, address)
        await expectRead(page)
        const heads = page.locator('figcaption')
        await expect(heads.first()).toBeVisible()
        for (const width of [1440, 1280, 1024, 992, 768, 390, 360]) {
          await page.setViewportSize({ width, height: 900 })
          const highest = () =>
            heads.evaluateAll((all) =>
              Math.max(...all.map((head) => head.getBoundingClientRect().height)),
            )
          await soft.poll(highest, `${width} px`).toBeLessThan(48)
        }
      })
  })
  await test.step('the e-mail address in the header is readable at every width', async () => {
    const email = page.getByRole('banner').getByText(SESSION.user.email)
    for (const width of [1440, 1280, 1024, 992, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 700 })
      await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
      const cut = () =>
        email.evaluate((text) =>
          Math.max(text.scrollWidth - text.clientWidth, text.scrollHeight - text.clientHeight),
        )
      await soft.poll(cut, `${width} px`).toBeLessThanOrEqual(1)
    }
  })
})
