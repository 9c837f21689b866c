import type { Locator, Page } from '@playwright/test'
import { type AccountKind, type ApiKey, listApiKeys, testApiKey } from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { apiKeyOf } from './support/samples.ts'
import { choose, expect, goWithin, isNarrow, refresh, test, toastOf } from './support/test.ts'

const LABEL = /account$/
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()
const LABELS = { classic: 'Classic account', unified: 'Unified account' } as const
const MEANS = { classic: /separate balances.*v2 API/, unified: /one balance.*v3 API/ } as const
const KINDS = Object.keys(LABELS) as AccountKind[]
const LONG_ID = 'client_1772721022000_k3v9x2m4q'
const LONG_NOTE = 'sub-account number two of the grid bots, Europe'

const bitgetKey = (accountKind: AccountKind | null, clientId = 'grid-bot') =>
  apiKeyOf({ clientId, exchange: 'bg', note: null, hasPassphrase: true, accountKind })
const rowOf = (page: Page, clientId: string) => page.getByRole('row').filter({ hasText: clientId })
const labelIn = (page: Page, clientId: string) =>
  rowOf(page, clientId).getByRole('note').filter({ hasText: LABEL })

/** Opens the test of the keys of grid-bot and sends it. */
async function testKeys(page: Page, exchange: 'Bitget' | 'MEXC' = 'Bitget') {
  await page.getByRole('button', { name: `Test ${exchange} API keys of grid-bot` }).click()
  await page.getByRole('button', { name: 'Test Credentials' }).click()
  await expect(toastOf(page)).toBeVisible()
}

test.beforeEach(({ signedIn: _ }) => {})

test('the kind of the account of each key', async ({ page, gateway }) => {
  const list = async (...body: Partial<ApiKey>[]) => {
    gateway.respond(listApiKeys, { body })
    await refresh(page)
  }
  const result = page.getByRole('dialog').getByRole('note')
  const { response } = testApiKey.sample
  // Of a gateway that knows no kinds.
  const { accountKind: _, ...unaware } = bitgetKey(null, 'unaware')
  gateway.respond(listApiKeys, {
    body: [
      unaware,
      bitgetKey('classic', 'older'),
      bitgetKey('unified', 'newer'),
      bitgetKey(null, 'untested'),
      apiKeyOf({ clientId: 'mexc-bot', note: null }),
    ],
  })
  await page.goto('/api-keys')
  await test.step('each Bitget key shows the kind of its account, once that is known', async () => {
    await expect(labelIn(page, 'older')).toHaveText('Classic account')
    await expect(labelIn(page, 'newer')).toHaveText('Unified account')
    for (const clientId of ['untested', 'mexc-bot', 'unaware']) {
      await expect(rowOf(page, clientId)).toBeVisible()
      await expect(labelIn(page, clientId)).toHaveCount(0)
    }
  })
  await test.step('axe finds nothing: a kind with its explanation', async () => {
    await labelIn(page, 'newer').focus()
    await expect(page.getByRole('tooltip')).toBeVisible()
    await expectAccessibleAtBothWidths(page)
    await page.keyboard.press('Escape')
  })
  for (const kind of KINDS)
    await test.step(`a test shows that the account is ${kind}, and so does the row then`, async () => {
      await list(bitgetKey(null))
      await expect(labelIn(page, 'grid-bot')).toHaveCount(0)
      gateway.respond(testApiKey, { body: { ...response, accountKind: kind } })
      gateway.respond(listApiKeys, { body: [bitgetKey(kind)] })
      await testKeys(page)
      await expect(result).toContainText(LABELS[kind])
      await expect(result).toContainText(MEANS[kind])
      if (kind === 'unified') await expectAccessibleAtBothWidths(page)
      await page.keyboard.press('Escape')
      await expect(labelIn(page, 'grid-bot')).toHaveText(LABELS[kind])
    })
  await test.step('a failed test shows the kind that was learned, and the reason', async () => {
    await list(bitgetKey(null))
    const message = 'Bitget: give the key the permission uta_mgt'
    const failed = { ...response, success: false, testStatus: 'failure', message }
    gateway.respond(testApiKey, { body: failed })
    await testKeys(page)
    await expect(result).toContainText(message)
    await expect(result).toContainText('Unified account')
    await page.keyboard.press('Escape')
  })
  await test.step('a test of MEXC keys says nothing about kinds', async () => {
    await list(apiKeyOf())
    gateway.respond(testApiKey, { body: { ...response, accountKind: null } })
    await testKeys(page, 'MEXC')
    await expect(result).toContainText('accepted the keys')
    await expect(result).not.toContainText('account')
  })
})

test('what a kind means for who adds keys and who reads balances', async ({ page }) => {
  await test.step('who adds Bitget keys reads which permission a unified account needs', async () => {
    await page.goto('/api-keys')
    await page.getByRole('button', { name: 'Add API Keys' }).click()
    const dialog = page.getByRole('dialog')
    const apiKey = dialog.getByLabel('API Key', { exact: true })
    await expect(apiKey).toHaveAccessibleDescription(/never withdrawal/)
    await expect(apiKey).not.toHaveAccessibleDescription(/unified/)
    await choose(page, dialog.getByRole('combobox', { name: 'Exchange' }), 'Bitget')
    const needed = /on a unified account also .*uta_mgt.*never/
    await expect(apiKey).toHaveAccessibleDescription(needed)
    await page.keyboard.press('Escape')
  })
  await test.step('the page about balances says what they are on each kind of account', async () => {
    await goWithin(page, '/bitget/account/info')
    const main = page.getByRole('main')
    await expect(main).toContainText(
      'On a classic account, spot and futures have rows of their own.',
    )
    await expect(main).toContainText('On a unified account, spot and futures share one balance')
  })
})

test('the kind is explained, is on one line and covers nothing', { tag: '@both' }, async ({
  page,
  gateway,
}) => {
  const long = { ...bitgetKey('unified', LONG_ID), note: LONG_NOTE, expiresAt: TOMORROW }
  gateway.respond(listApiKeys, { body: [long, bitgetKey('classic')] })
  await page.goto('/api-keys')
  for (const [clientId, kind] of [
    ['grid-bot', 'classic'],
    [LONG_ID, 'unified'],
  ] as const)
    await test.step(`what a ${kind} account means is explained by keyboard`, async () => {
      await page.getByRole('row').getByRole('link', { name: clientId, exact: true }).focus()
      await page.keyboard.press('Tab')
      const label = labelIn(page, clientId)
      await expect(label).toBeFocused()
      await expect(page.getByRole('tooltip')).toHaveText(MEANS[kind])
      await expect(label).toHaveAccessibleDescription(MEANS[kind])
      await page.keyboard.press('Escape')
      await label.blur()
      await expect(page.getByRole('tooltip')).toHaveCount(0)
    })
  for (const width of isNarrow(page) ? [320, 390] : [1280, 1440])
    await test.step(`the kind is on one line, and nothing covers anything: ${width} px`, async () => {
      await page.setViewportSize({ width, height: 800 })
      for (const clientId of [LONG_ID, 'grid-bot']) {
        expect((await labelIn(page, clientId).boundingBox())?.height).toBeLessThan(24)
        expect(await crowdedIn(rowOf(page, clientId))).toEqual([])
      }
      await labelIn(page, LONG_ID).focus()
      const tip = await page.getByRole('tooltip').boundingBox()
      expect(tip?.x).toBeGreaterThan(0)
      expect((tip?.x ?? 0) + (tip?.width ?? width)).toBeLessThan(width)
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
