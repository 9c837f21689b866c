import type { Page } from '@playwright/test'
import { createClient, getToken, login, mxSubmitOrder, putHeartbeat, saveApiKey } from 'schema'
import { createAccount, type LocalDeployment } from '../../../scripts/src/deploy-locally.ts'
import { expectAccessibleAtBothWidths } from '../support/axe.ts'
import { ADMIN, expect, expectRefusal, test } from './journey.ts'

const CLIENT_ID = 'grid-bot'

/** Creates a client with keys of MEXC, and returns its secret. */
async function createBot({ gatewayUrl, paper }: LocalDeployment): Promise<string> {
  const post = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    return Object(await (await fetch(`${gatewayUrl}${path}`, sent)).json())
  }
  const { token } = await post(login.path, ADMIN)
  const { clientSecret } = await post(createClient.path, { clientId: CLIENT_ID }, token)
  const keys = { clientId: CLIENT_ID, exchange: 'mx', ...createAccount(paper, 'mx', CLIENT_ID) }
  await post(saveApiKey.path, keys, token)
  return clientSecret
}

const callOf = (page: Page, { id }: { readonly id: string }) => page.locator(`[id$="-${id}"]`)

test('a developer authorizes on /docs with id and secret, and places an order there', async ({
  page,
  deployment,
  complaints,
  passMs,
}) => {
  const secret = await createBot(deployment)
  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  await page.goto(`${deployment.gatewayUrl}/docs`)
  const order = callOf(page, mxSubmitOrder)

  await test.step('the sections are those of bots, and the first order is near the top', async () => {
    await expect(page).toHaveTitle('Sluice')
    const sections = page.locator('.opblock-tag')
    await expect(sections).toHaveText([
      /^Token/,
      /^MEXC/,
      /^Bitget/,
      /^Raw routes/,
      /^Streams/,
      /^Requests and heartbeat/,
      /^Errors/,
    ])
    expect((await order.boundingBox())?.y).toBeLessThan(800)
    await expect(page.locator('[data-tag=Errors]')).toContainText('OUTCOME_UNKNOWN')
  })
  await test.step('the filter finds a call by its path', async () => {
    await page.getByPlaceholder('Filter').fill('HEARTBEAT')
    await expect(callOf(page, putHeartbeat)).toBeVisible()
    await expect(callOf(page, getToken)).toHaveCount(0)
    await page.getByPlaceholder('Filter').fill('')
  })
  await test.step('an order is placed with the token that Authorize gets', async () => {
    const authorize = page.getByRole('button', { name: 'Authorize' })
    await authorize.click()
    const dialog = page.getByRole('dialog', { name: 'Authorize' })
    await expect(dialog.getByLabel('client_id')).toBeFocused()
    await page.keyboard.type(CLIENT_ID)
    await dialog.getByLabel('client_secret').fill(secret)
    await expectAccessibleAtBothWidths(page)
    await dialog.getByRole('button', { name: 'Authorize' }).click()
    await expect(dialog).toContainText('Authorized')
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(authorize).toBeFocused()
    await order.locator('.opblock-summary-control').click()
    await order.getByRole('button', { name: 'Try it out' }).click()
    await order.getByRole('button', { name: 'Execute' }).click()
    await expect(order.locator('.live-responses-table')).toContainText('Order submitted')
    expect(deployment.paper.orders('mx')).toHaveLength(1)
  })
  await test.step('the page works at both widths, in light and dark, without foreign hosts', async () => {
    await expectAccessibleAtBothWidths(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect(page.locator('html')).toHaveClass(/dark-mode/)
    expect([...origins]).toEqual([deployment.gatewayUrl])
  })
  await test.step('an expired token is an error that the page knows', async () => {
    passMs(601_000)
    await order.getByRole('button', { name: 'Execute' }).click()
    const response = order.locator('.live-responses-table')
    await expect(response).toContainText('TOKEN_EXPIRED')
    await expect(response).not.toContainText('Undocumented')
    await expectRefusal(complaints, 401)
  })
  await test.step('administrators have a page of their own', async () => {
    const opened = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'a page of their own' }).click()
    const other = await opened
    await expect(other).toHaveTitle('Sluice for administrators')
    const creating = callOf(other, createClient)
    await creating.locator('.opblock-summary-control').click()
    await expect(creating.getByRole('button', { name: 'Try it out' })).toBeVisible()
    await expect(callOf(other, mxSubmitOrder)).toHaveCount(0)
    await expectAccessibleAtBothWidths(other)
  })
})
