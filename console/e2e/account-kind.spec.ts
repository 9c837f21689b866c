import type { Locator, Page } from '@playwright/test'
import { type AccountKind, listApiKeys, testApiKey } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { apiKeyOf } from './support/samples.ts'
import { expect, isNarrow, test, toastOf } from './support/test.ts'

const LABEL = /account$/
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()
const LABELS = { classic: 'Classic account', unified: 'Unified account' } as const
const MEANS = { classic: /separate balances.*v2 API/, unified: /one balance.*v3 API/ } as const
const KINDS = Object.keys(LABELS) as AccountKind[]

const bitgetKey = (accountKind: AccountKind | null, clientId = 'grid-bot') =>
  apiKeyOf({ clientId, exchange: 'bg', note: null, hasPassphrase: true, accountKind })
const rowOf = (page: Page, clientId: string) => page.getByRole('row').filter({ hasText: clientId })
const labelIn = (page: Page, clientId: string) =>
  rowOf(page, clientId).getByRole('note').filter({ hasText: LABEL })

/** Opens the test of the first Bitget keys and sends it. */
async function testKeys(page: Page) {
  await page.getByRole('button', { name: 'Test Bitget API keys of grid-bot' }).click()
  await page.getByRole('button', { name: 'Test Credentials' }).click()
  await expect(toastOf(page)).toBeVisible()
}

test.beforeEach(({ signedIn: _ }) => {})

test('each Bitget key shows the kind of its account, once that is known', async ({
  page,
  gateway,
}) => {
  gateway.respond(listApiKeys, {
    body: [
      bitgetKey('classic', 'older'),
      bitgetKey('unified', 'newer'),
      bitgetKey(null, 'untested'),
      apiKeyOf({ clientId: 'mexc-bot', note: null }),
    ],
  })
  await page.goto('/api-keys')
  await expect(labelIn(page, 'older')).toHaveText('Classic account')
  await expect(labelIn(page, 'newer')).toHaveText('Unified account')
  await expect(labelIn(page, 'untested')).toHaveCount(0)
  await expect(labelIn(page, 'mexc-bot')).toHaveCount(0)
})

test('keys of a gateway that knows no kinds are listed as before', async ({ page, gateway }) => {
  const { accountKind: _, ...older } = bitgetKey(null)
  gateway.respond(listApiKeys, { body: [older] })
  await page.goto('/api-keys')
  await expect(rowOf(page, 'grid-bot')).toContainText('Bitget')
  await expect(labelIn(page, 'grid-bot')).toHaveCount(0)
})

for (const kind of KINDS) {
  test(`what a ${kind} account means is explained by keyboard`, { tag: '@both' }, async ({
    page,
    gateway,
  }) => {
    gateway.respond(listApiKeys, { body: [bitgetKey(kind)] })
    await page.goto('/api-keys')
    await page.getByRole('row').getByRole('link', { name: 'grid-bot', exact: true }).focus()
    await page.keyboard.press('Tab')
    const label = labelIn(page, 'grid-bot')
    await expect(label).toBeFocused()
    await expect(page.getByRole('tooltip')).toHaveText(MEANS[kind])
    await expect(label).toHaveAccessibleDescription(MEANS[kind])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('tooltip')).toHaveCount(0)
  })

  test(`a test shows that the account is ${kind}, and so does the row then`, async ({
    page,
    gateway,
  }) => {
    gateway.respond(listApiKeys, { body: [bitgetKey(null)] })
    gateway.respond(testApiKey, { body: { ...testApiKey.sample.response, accountKind: kind } })
    await page.goto('/api-keys')
    await expect(rowOf(page, 'grid-bot')).toBeVisible()
    gateway.respond(listApiKeys, { body: [bitgetKey(kind)] })
    await testKeys(page)
    const result = page.getByRole('dialog').getByRole('note')
    await expect(result).toContainText(LABELS[kind])
    await expect(result).toContainText(MEANS[kind])
    await page.keyboard.press('Escape')
    await expect(labelIn(page, 'grid-bot')).toHaveText(LABELS[kind])
  })
}

test('a failed test shows the kind that was learned, and the reason', async ({ page, gateway }) => {
  const message = 'Bitget: give the key the permission uta_mgt'
  const failed = { ...testApiKey.sample.response, success: false, testStatus: 'failure', message }
  gateway.respond(listApiKeys, { body: [bitgetKey(null)] })
  gateway.respond(testApiKey, { body: failed })
  await page.goto('/api-keys')
  await testKeys(page)
  const result = page.getByRole('dialog').getByRole('note')
  await expect(result).toContainText(message)
  await expect(result).toContainText('Unified account')
})

test('a test of MEXC keys says nothing about kinds', async ({ page, gateway }) => {
  gateway.respond(testApiKey, { body: { ...testApiKey.sample.response, accountKind: null } })
  await page.goto('/api-keys')
  await page.getByRole('button', { name: 'Test MEXC API keys of grid-bot' }).click()
  await page.getByRole('button', { name: 'Test Credentials' }).click()
  const result = page.getByRole('dialog').getByRole('note')
  await expect(result).toContainText('accepted the keys')
  await expect(result).not.toContainText('account')
})

test('axe finds nothing: a kind with its explanation, and a test with the kind', async ({
  page,
  gateway,
}) => {
  gateway.respond(testApiKey, { body: testApiKey.sample.response })
  gateway.respond(listApiKeys, { body: [bitgetKey('unified')] })
  await page.goto('/api-keys')
  await labelIn(page, 'grid-bot').focus()
  await expect(page.getByRole('tooltip')).toBeVisible()
  await expectAccessibleAtBothWidths(page)
  await page.keyboard.press('Escape')
  await testKeys(page)
  await expectAccessibleAtBothWidths(page)
})

test('who adds Bitget keys reads which permission a unified account needs', async ({ page }) => {
  await page.goto('/api-keys')
  await page.getByRole('button', { name: 'Add API Keys' }).click()
  const dialog = page.getByRole('dialog')
  const apiKey = dialog.getByLabel('API Key', { exact: true })
  await expect(apiKey).toHaveAccessibleDescription(/never withdrawal/)
  await expect(apiKey).not.toHaveAccessibleDescription(/unified/)
  await dialog.getByRole('combobox', { name: 'Exchange' }).click()
  await page.getByRole('option', { name: 'Bitget', exact: true }).click()
  await expect(apiKey).toHaveAccessibleDescription(/on a unified account also .*uta_mgt.*never/)
})

test('the page about balances says what they are on each kind of account', async ({ page }) => {
  await page.goto('/bitget/account/info')
  const main = page.getByRole('main')
  await expect(main).toContainText('On a classic account, spot and futures have rows of their own.')
  await expect(main).toContainText('On a unified account, spot and futures share one balance')
})

const LONG_ID = 'client_1772721022000_k3v9x2m4q'
const LONG_NOTE = 'sub-account number two of the grid bots, Europe'

for (const [name, widths] of [
  ['narrow', [320, 390]],
  ['wide', [1280, 1440]],
] as const)
  test(`the kind is on one line, and nothing covers anything: ${name}`, {
    tag: `@${name}`,
  }, async ({ page, gateway }) => {
    const long = { ...bitgetKey('unified', LONG_ID), note: LONG_NOTE, expiresAt: TOMORROW }
    gateway.respond(listApiKeys, { body: [long, bitgetKey('classic')] })
    await page.goto('/api-keys')
    for (const width of widths)
      await test.step(`${width} px`, async () => {
        await page.setViewportSize({ width, height: 800 })
        for (const clientId of [LONG_ID, 'grid-bot']) {
          expect((await labelIn(page, clientId).boundingBox())?.height).toBeLessThan(24)
          expect(await crowdedIn(rowOf(page, clientId))).toEqual([])
        }
        await labelIn(page, LONG_ID).focus()
        const tip = await page.getByRole('tooltip').boundingBox()
        expect(tip?.x).toBeGreaterThan(0)
        expect((tip?.x ?? 0) + (tip?.width ?? width)).toBeLessThan(width)
        expect(isNarrow(page)).toBe(name === 'narrow')
        await labelIn(page, LONG_ID).blur()
        await expect(page.getByRole('tooltip')).toHaveCount(0)
      })
  })

/** What is cut off, leaves the card, or covers the next part of a row. */
function crowdedIn(row: Locator): Promise<string[]> {
  return row.evaluate((element) => {
    const card = element.closest('section')?.getBoundingClientRect()
    const parts = [...element.querySelectorAll('a, button, [role=note], .mantine-Badge-root, td')]
    const boxes = parts
      .filter((part) => part.tagName !== 'TD' || part.childElementCount === 0)
      .map((part) => ({ text: part.textContent ?? '', part, box: part.getBoundingClientRect() }))
    const isCut = ({ part }: (typeof boxes)[number]) =>
      [part, ...part.children].some((each) => each.scrollWidth > each.clientWidth + 1)
    const isOutside = ({ box }: (typeof boxes)[number]) => box.right > (card?.right ?? 0)
    const isCovered = ({ part, box }: (typeof boxes)[number]) =>
      boxes.some(
        (other) =>
          other.part !== part &&
          !other.part.contains(part) &&
          !part.contains(other.part) &&
          other.box.left < box.right - 1 &&
          box.left < other.box.right - 1 &&
          other.box.top < box.bottom - 1 &&
          box.top < other.box.bottom - 1,
      )
    return boxes
      .filter((each) => isCut(each) || isOutside(each) || isCovered(each))
      .map(({ text, part }) => `${part.tagName} ${text || part.getAttribute('aria-label')}`)
  })
}
