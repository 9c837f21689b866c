import { type AuditEntry, exportAudit, listAudit } from 'schema'
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

test('an entry shows who, when and from where, and opens with before and after', async ({
  page,
  sidebar,
}) => {
  await page.goto('/')
  await (await sidebar()).getByRole('link', { name: 'Audit' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Audit trail')
  const list = page.getByRole('region', { name: 'Entries' })
  const line = list.getByText('client.disabled')
  await expect(list).toContainText('ada@example.com from 203.0.113.7')
  await line.click()
  await expect(list.getByRole('figure', { name: 'Before' })).toContainText('"isActive": true')
  await expect(list.getByRole('figure', { name: 'After' }).first()).toContainText(
    '"isActive": false',
  )
  await expect(list).toContainText(`42:${'9b'.repeat(32)}`)
  await expectAccessible(page)
})

test('the trail is filtered, continued, saved and read at any width', async ({ page, gateway }) => {
  await test.step('nothing is cut off or unreadable at any width, light and dark', async () => {
    await page.goto('/audit')
    await page.getByText('client.disabled').click()
    await expectNoExcess(page, 768, 390, 320, 1440)
    await expectAccessibleAtBothWidths(page)
  })
  await test.step('filters are sent when they are applied, and are in the address', async () => {
    await goWithin(page, '/audit?action=client')
    await expect(page.getByText('client.disabled')).toBeVisible()
    await page.getByLabel('Who').fill('ada')
    gateway.respond(listAudit, { body: { entries: [], nextCursor: null } })
    await page.getByLabel('Who').press('Enter')
    await expect(page.getByText('No entry passes these filters.')).toBeVisible()
    await expect(page).toHaveURL(/\/audit\?action=client&actor=ada$/)
    const urls = gateway.calls(listAudit).map((call) => call.url())
    expect(urls.at(-1)).toContain('actor=ada&action=client')
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
})
