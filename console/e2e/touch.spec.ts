import type { Page } from '@playwright/test'
import { createClient, listApiKeys, listClients } from 'schema'
import { openFrozen, stepUntilVisible } from './support/freeze-clock.ts'
import { LONG_ID, longClients, longKeys } from './support/realistic.ts'
import { clientOf } from './support/samples.ts'
import { expect, expectNoExcess, expectRead, goWithin, test, toastOf } from './support/test.ts'

const SECRET = 'sls_9fQ2Zl0m3bNcVw8yTrXk5sJdHgA1x7Kd'

test.beforeEach(({ gateway, signedIn: _ }) => {
  gateway.respond(listClients, { body: longClients })
  gateway.respond(listApiKeys, { body: longKeys })
})

test('on a phone no toast covers the one-time secret', { tag: '@narrow' }, async ({
  page,
  gateway,
}) => {
  gateway.respond(createClient, {
    status: 201,
    body: clientOf({ id: 10, clientId: LONG_ID, clientSecret: SECRET }),
  })
  // The toast goes after 5 s.
  const generate = page.getByRole('button', { name: 'Generate' })
  await openFrozen(page, '/client-credentials', generate)
  await generate.click()
  await page.getByRole('button', { name: 'Create Client Credentials' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this secret now' })
  await stepUntilVisible(page, dialog)
  await dialog.getByRole('button', { name: /^Copy Client Secret/ }).click()
  // Not the one of the creation, which it replaces.
  const copied = toastOf(page).filter({ hasText: 'copied to clipboard' })
  await stepUntilVisible(page, copied)
  const toast = await copied.boundingBox()
  const box = await dialog.boundingBox()
  if (toast === null || box === null) throw new Error('There is no toast or no dialog')
  expect(toast.y + toast.height).toBeLessThanOrEqual(box.y)
  expect(toast.y).toBeGreaterThanOrEqual(0)
})

/** Buttons, links of rows and fields of the page that a finger could miss, by name. */
const smallOn = (page: Page) =>
  page
    .getByRole('main')
    .locator('button:visible, a.mantine-Button-root:visible, input:visible:not([type="checkbox"])')
    .evaluateAll((targets) =>
      targets
        .filter((target) => {
          const { width, height } = target.getBoundingClientRect()
          return width > 0 && (width < 44 || height < 44)
        })
        .map((target) => {
          const { width, height } = target.getBoundingClientRect()
          return `${target.ariaLabel ?? target.textContent} ${width}x${height}`
        }),
    )

test('for a finger every target is 44 px', { tag: '@narrow' }, async ({ page }) => {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await session.send('Emulation.setEmulatedMedia', {
    features: [{ name: 'pointer', value: 'coarse' }],
  })
  await page.goto('/connect')
  expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true)
  for (const address of ['/client-credentials', '/api-keys', '/operations', '/bitget/trading/spot'])
    await test.step(address, async () => {
      await goWithin(page, address)
      await expectRead(page)
      expect(await smallOn(page)).toEqual([])
      await expectNoExcess(page)
    })
  await session.detach()
})
