import type { Page } from '@playwright/test'
import {
  changeClientLimits,
  confirm,
  getClientHeartbeat,
  getClientLimits,
  getClientStop,
  resumeClient,
  type Stop,
  stopClient,
} from 'schema'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { NOW, openFrozen, passMs } from './support/freeze-clock.ts'
import { limitsOf, stopOf } from './support/samples.ts'
import { settle } from './support/stub-gateway.ts'
import { expect, pressFirst, reopen, test, toastOf } from './support/test.ts'

const ADDRESS = '/client-credentials/7'

const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const stopButton = (page: Page) =>
  page.getByRole('main').getByRole('button', { name: 'Stop client' })
// How it asks, and what it says: operations.spec.ts.
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Stop grid-bot' })

const failed: Stop['failed'] = [
  {
    clientId: 'grid-bot',
    exchange: 'mx',
    symbol: 'BTCUSDT',
    orderId: '1253261109769874438',
    clientOrderId: null,
    message: 'The exchange did not respond',
    ...{ tries: 5, lastTriedAt: '2026-03-05T14:30:22.000Z', unreachable: true },
  },
]

test.beforeEach(({ signedIn: _ }) => {})

test("a client is stopped beside its name, which is typed, and its page shows the stop's end", async ({
  page,
  gateway,
}) => {
  // From this call on, the page's own reads show the stop as well.
  gateway.respond(stopClient, () => {
    gateway.respond(getClientStop, { body: stopOf() })
    return { body: stopOf() }
  })
  await page.goto(ADDRESS)
  await expect(cardOf(page, 'Stop')).toHaveCount(0)
  await stopButton(page).click()
  const dialog = dialogOf(page)
  await expect(dialog.getByRole('status').first()).toHaveText(/^Drops 4 .*cancels 9 orders/)
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await expectAccessibleAtBothWidths(page)
  await dialog.getByLabel('Reason').fill(' strategy misbehaves ')
  const press = () => dialog.getByRole('button', { name: 'Stop client' }).click()
  await press()
  await dialog.getByLabel('Type grid-bot').fill('grid-bot')
  expect(gateway.calls(stopClient)).toHaveLength(0)
  await press()
  await expect(dialog).toContainText('Complete since')
  expect(gateway.calls(stopClient)[0]?.postDataJSON()).toEqual({
    reason: 'strategy misbehaves',
    cancelOrders: true,
  })
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(cardOf(page, 'Stop')).toContainText('strategy misbehaves')
  await expect(cardOf(page, 'Stop')).toContainText('9 orders cancelled')
  await expect(page.getByRole('main').getByRole('button', { name: 'Resume client' })).toBeVisible()
})

test('reducing is offered first, and the page shows it', async ({ page, gateway }) => {
  gateway.respond(changeClientLimits, () => {
    gateway.respond(getClientLimits, { body: limitsOf({ state: 'reducing' }) })
    return { body: limitsOf({ state: 'reducing' }) }
  })
  await page.goto(ADDRESS)
  await stopButton(page).click()
  await dialogOf(page).getByText('Reducing', { exact: true }).first().click()
  await dialogOf(page).getByRole('button', { name: 'Set to reducing' }).click()
  await expect(toastOf(page)).toContainText('grid-bot is reducing now.')
  await expect(page.getByRole('radio', { name: /^Reducing/ })).toBeChecked()
  expect(gateway.calls(stopClient)).toHaveLength(0)
})

test('what changes while the page is open', async ({ page, gateway }) => {
  const card = cardOf(page, 'Stop')
  const expiresAt = new Date(NOW.getTime() + 45_000).toISOString()
  gateway.respond(getClientHeartbeat, { body: { ttlSeconds: 3600, expiresAt } })
  await openFrozen(page, ADDRESS, stopButton(page))
  await test.step('a heartbeat shows how long the client may stay silent', async () => {
    const heartbeat = cardOf(page, 'Heartbeat')
    await expect(heartbeat.getByText('Armed', { exact: true })).toBeVisible()
    await expect(heartbeat).toContainText('within 1 h of the last')
    await expect(heartbeat.getByRole('timer')).toHaveText('45 s left')
    await passMs(page, 3000)
    await expect(heartbeat.getByRole('timer')).toHaveText('42 s left')
    gateway.respond(getClientHeartbeat, { body: { ttlSeconds: 0, expiresAt: null } })
    await passMs(page, 5000)
    await expect(heartbeat.getByText('Not armed')).toBeVisible()
    await expect(heartbeat).toContainText('PUT /api/heartbeat')
  })
  await test.step('a stop that another administrator began appears, and is read until it is complete', async () => {
    gateway.respond(getClientStop, { body: stopOf({ completedAt: null }) })
    await passMs(page, 5000)
    await expect(card).toContainText('9 of 9 cancelled')
    gateway.respond(getClientStop, { body: stopOf() })
    await passMs(page, 1000)
    await expect(card).toContainText('Complete since')
    gateway.respond(getClientStop, { body: null })
    await passMs(page, 5000)
    await expect(stopButton(page)).toBeVisible()
  })
})

test('stops that fail, are tried again, or end', async ({ page, gateway }) => {
  await test.step('a client can be stopped although its limits and last stop cannot be read', async () => {
    const boom = { status: 500, body: { message: 'boom' } }
    gateway.respond(getClientLimits, boom)
    gateway.respond(getClientStop, boom)
    await page.goto(ADDRESS)
    await expect(page.getByText('Could not read the limits of the client')).toBeVisible()
    await expect(stopButton(page)).toBeEnabled()
    gateway.respond(getClientLimits, { body: limitsOf() })
    await reopen(page, ADDRESS)
    await expect(page.getByText('Could not read the stop of the client')).toBeVisible()
    await expect(stopButton(page)).toBeEnabled()
  })
  await test.step('what could not be cancelled is tried again', async () => {
    gateway.respond(getClientStop, { body: stopOf({ remaining: 1, failed }) })
    await reopen(page, ADDRESS)
    const order = cardOf(page, 'Stop').getByRole('listitem')
    await expect(order).toContainText('MEXC BTCUSDT order 1253261109769874438')
    await expect(order).toContainText('The exchange did not respond (cancel tried 5 times, last')
    gateway.respond(stopClient, { body: stopOf({ cancelled: 10, total: 10 }) })
    gateway.respond(getClientStop, { body: stopOf({ cancelled: 10, total: 10 }) })
    const button = page.getByRole('button', { name: 'Try again to cancel' })
    await pressFirst(gateway, getClientStop, button)
    await expect(cardOf(page, 'Stop')).toContainText('10 orders cancelled')
    await expect(order).toHaveCount(0)
    const again = { reason: 'strategy misbehaves', cancelOrders: true }
    expect(gateway.calls(stopClient)[0]?.postDataJSON()).toEqual(again)
  })
  const question = page.getByRole('dialog', { name: 'Resume grid-bot?' })
  await test.step('resuming is confirmed, and then the last stop is history', async () => {
    const stopped = { reason: 'strategy misbehaves', at: NOW.toISOString() }
    gateway.respond(getClientLimits, { body: limitsOf({ stopped }) })
    await reopen(page, ADDRESS)
    await expect(page.getByText('Stopped', { exact: true })).toBeVisible()
    await expect(page.getByText('Would trade within its limits')).toBeVisible()
    await expect(page.getByText('Trades within its limits')).toHaveCount(0)
    await page.getByRole('button', { name: 'Resume client' }).click()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await settle(page)
    expect(gateway.calls(resumeClient)).toHaveLength(0)
    await page.getByRole('button', { name: 'Resume client' }).click()
    const resumed = { body: stopOf({ resumedAt: '2026-03-05T14:40:00.000Z' }) }
    // Not earlier: a read that shows the stop as resumed closes the dialog.
    const resume = () => {
      gateway.respond(getClientStop, resumed)
      gateway.respond(getClientLimits, { body: limitsOf() })
      return resumed
    }
    gateway.respond(resumeClient, {
      status: 403,
      body: { message: 'A factor', code: 'FRESH_FACTOR_NEEDED', factors: ['password'] },
    })
    gateway.respond(confirm, () => {
      gateway.respond(resumeClient, resume)
      return { body: confirm.sample.response }
    })
    await question.getByRole('button', { name: 'Resume client' }).click()
    const factor = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await factor.getByLabel('Password', { exact: true }).fill('right')
    await page.keyboard.press('Enter')
    await expect(toastOf(page)).toContainText('Client Resumed')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    expect(gateway.calls(resumeClient)).toHaveLength(2)
    await expect(cardOf(page, 'Stop')).toContainText('Last stop: strategy misbehaves')
    await expect(page.getByText('Stopped', { exact: true })).toHaveCount(0)
  })
  await test.step('axe finds nothing: a stop with orders that could not be cancelled, and the question before its end', async () => {
    const expiresAt = new Date(Date.now() + 30_000).toISOString()
    gateway.respond(getClientHeartbeat, { body: { ttlSeconds: 60, expiresAt } })
    const message = 'MEXC cannot be reached: 1 order stays open there until it can'
    const unreachable = [{ exchange: 'mx' as const, orders: 1, message }]
    const left = { remaining: 1, estimateSeconds: null, unreachable, failed }
    gateway.respond(getClientStop, { body: stopOf({ completedAt: null, ...left }) })
    await reopen(page, ADDRESS)
    await expect(page.getByText(message)).toBeVisible()
    await expect(page.getByText('1 order may still be open')).toBeVisible()
    await expectAccessibleAtBothWidths(page)
    await page.getByRole('button', { name: 'Resume client' }).click()
    await expect(question).toContainText('What it has not cancelled by now stays.')
    await expect(question.getByRole('button', { name: 'Resume client' })).toBeEnabled()
    await expectAccessibleAtBothWidths(page)
  })
})
