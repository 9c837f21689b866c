import { type AuditEntry, exportAudit, getAuditKey, listAudit } from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from './support/axe.ts'
import { expect, expectNoExcess, goWithin, saved, test } from './support/test.ts'

const entry = (id: number, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ id, at: '2026-03-05T14:30:22.000Z', actor: 'ada@example.com', actorKind: 'admin' },
  ...{ session: 'a-session', address: '203.0.113.7', action: 'client.disabled' },
  ...{ subjectKind: 'client', subject: 'client_1772721022000_k3v9x2m4q' },
  ...{ before: { isActive: true }, after: { isActive: false }, requestId: 'a-request' },
  ...{ previousHash: '5c'.repeat(32), hash: '9b'.repeat(32) },
  ...changes,
})

test.beforeEach(({ signedIn: _, gateway }) => {
  const failed = entry(41, {
    action: 'sign-in.failed',
    before: null,
    after: { code: 'LOGIN_FAILED' },
  })
  gateway.respond(listAudit, { body: { entries: [entry(42), failed], nextCursor: null } })
})

test('a change is a sentence with its time, and opens to old and new side by side', async ({
  page,
  gateway,
  sidebar,
}) => {
  const limits = { maxDayValue: '50000', maxOpenOrders: 10 }
  const raised = entry(43, {
    ...{ action: 'client-limits.changed', subject: 'grid-bot' },
    ...{ before: limits, after: { ...limits, maxDayValue: '80000' } },
  })
  gateway.respond(listAudit, { body: { entries: [raised, entry(42)], nextCursor: null } })
  await page.goto('/')
  await (await sidebar()).getByRole('link', { name: 'Audit' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Audit trail')
  const list = page.getByRole('table', { name: 'Entries' })
  const row = list.getByRole('row').filter({ hasText: 'grid-bot' })
  const sentence = 'ada@example.com raised Value per day of grid-bot from 50,000 to 80,000 USDT'
  await expect(row).toContainText(sentence)
  await expect(row).toContainText('Mar 05, 2026')
  await expect(row).toContainText('203.0.113.7')
  await row.getByText('raised').click()
  await expect(row.getByRole('definition')).toHaveText(['50,000 USDT → 80,000 USDT'])
  await row.getByText('Document').click()
  await expect(row.getByRole('figure', { name: 'After' })).toContainText('"maxOpenOrders": 10')
  await expect(row).toContainText(`43:${'9b'.repeat(32)}`)
  await expectAccessible(page)
})

test('the trail is filtered, continued, saved and read at any width', async ({ page, gateway }) => {
  await test.step('nothing is cut off or unreadable at any width, light and dark', async () => {
    await page.goto('/audit')
    await page.getByText('disabled client_').click()
    await expectNoExcess(page, 768, 390, 320, 1440)
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('a filter applies by itself, and is in the address', async () => {
    await goWithin(page, '/audit?action=client')
    await expect(page.getByText('disabled client_')).toBeVisible()
    gateway.respond(listAudit, { body: { entries: [], nextCursor: null } })
    await page.getByLabel('Who').fill('ada')
    await expect(page.getByText('No entry passes these filters.')).toBeVisible()
    await expect(page).toHaveURL(/\/audit\?action=client&actor=ada$/)
    const urls = gateway.calls(listAudit).map((call) => call.url())
    expect(urls.at(-1)).toContain('actor=ada&action=client')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect(page).toHaveURL(/\/audit$/)
    await expect(page.getByLabel('Who')).toHaveValue('')
  })
  await test.step('a link asks who changed one limit of one client', async () => {
    const change = (id: number, after: Record<string, unknown>) =>
      entry(id, { action: 'client-limits.changed', subject: 'grid-bot', before: {}, after })
    const entries = [change(45, { maxOpenOrders: 5 }), change(44, { maxDayValue: '80000' })]
    gateway.respond(listAudit, { body: { entries, nextCursor: null } })
    await goWithin(page, '/audit?action=client-limits&subject=grid-bot&field=maxDayValue')
    await expect(page.getByText('set Value per day of grid-bot to 80,000 USDT')).toBeVisible()
    await expect(page.getByText('Open orders of grid-bot')).toBeHidden()
  })
  await test.step('older entries follow the newest', async () => {
    gateway.respond(listAudit, { body: { entries: [entry(42)], nextCursor: 42 } })
    await goWithin(page, '/audit?action=key')
    const older = page.getByRole('button', { name: 'Load older entries' })
    await expect(older).toBeVisible()
    const oldest = { entries: [entry(41, { subject: 'older-bot' })], nextCursor: null }
    gateway.respond(listAudit, { body: oldest })
    await older.click()
    await expect(page.getByText('older-bot')).toBeVisible()
    await expect(older).toBeHidden()
  })
  await test.step('the trail is saved as a file', async () => {
    gateway.respond(exportAudit, { body: 'Id,Time\r\n42,2026\r\n' })
    const { name, text } = await saved(page, 'Export CSV')
    expect(name).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/)
    expect(text).toBe('Id,Time\r\n42,2026\r\n')
  })
  await test.step('a signed bundle is of the days alone, and the page says how it is checked', async () => {
    await goWithin(page, '/audit?action=client&actor=ada&from=2026-03-05')
    const { name } = await saved(page, 'Signed bundle')
    expect(name).toMatch(/^audit-\d{4}-\d\d-\d\d\.signed\.jsonl$/)
    const query = new URL(gateway.calls(exportAudit).at(-1)?.url() ?? '').searchParams
    expect([...query.keys()]).toEqual(['from', 'format'])
    const key = getAuditKey.sample.response.key
    gateway.respond(getAuditKey, { body: getAuditKey.sample.response })
    await page.getByText('How a signed bundle is checked').click()
    await expect(page.getByRole('figure', { name: 'Command' })).toContainText(`--key=${key}`)
    await expectAccessible(page)
    await expectNoExcess(page, 390, 320, 1440)
  })
})
