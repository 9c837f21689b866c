import { createAccount } from '../../../scripts/src/screenshots/create-account.ts'
import { storeKeys } from './api-keys.ts'
import { createBot } from './clients.ts'
import { expect, expectRefusal, goTo, signIn, test } from './journey.ts'

const BOT = 'grid-bot'
/** Rests on the paper exchange; worth 500 USDT. */
const ORDER = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

test('an administrator limits a bot, stops it with its order, resumes it and rotates its secret', async ({
  page,
  deployment: { paper, gatewayUrl },
  complaints,
}) => {
  const send = (method: string, path: string, body: object, token?: string) =>
    fetch(`${gatewayUrl}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
  const signInAs = (clientSecret: string) =>
    send('POST', '/auth/token', { clientId: BOT, clientSecret })
  const cardOf = (name: string) => page.getByRole('region', { name, exact: true })

  await page.goto('/client-credentials')
  await signIn(page)
  await goTo(page, 'Client Credentials')
  const secret = await createBot(page, BOT)
  await goTo(page, 'API Key Management')
  await storeKeys(page, { clientId: BOT, exchange: 'MEXC' }, createAccount(paper, 'mx', BOT))
  const { token } = await (await signInAs(secret)).json()

  await test.step('sets limits; a wrong address is reported at its field', async () => {
    await goTo(page, 'Client Credentials')
    await page.getByRole('link', { name: BOT, exact: true }).click()
    await page.getByLabel('Value of one order').fill('500')
    await page.getByLabel('Value of a day').fill('600')
    const addresses = page.getByLabel('Addresses', { exact: true }).first()
    await addresses.fill('10.0.0.0/33')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await expect(addresses).toHaveAccessibleDescription(/must be an address or a network/)
    await expectRefusal(complaints, 400)
    await page.getByRole('button', { name: 'Remove 10.0.0.0/33' }).click()
    await page.getByRole('button', { name: 'Save limits' }).click()
    await expect(page.getByText('Limits Saved')).toBeVisible()
  })

  await test.step('sees what the bot uses of them', async () => {
    const order = (changes: object = {}) =>
      send('POST', '/api/mx/v1/submitOrder', { ...ORDER, ...changes }, token)
    expect((await order()).status).toBe(200)
    expect(await (await order({ quantity: '0.011' })).json()).toMatchObject({
      code: 'LIMIT_ORDER_VALUE',
    })
    expect((await send('PUT', '/api/heartbeat', { ttlSeconds: 3600 }, token)).status).toBe(200)
    const meter = page.getByRole('meter', { name: 'Value of the last 24 hours' })
    await expect(meter).toHaveAttribute('aria-valuetext', '500 of 600 USDT, 83 %')
    await expect(page.getByText('Near the limit')).toBeVisible()
    await expect(cardOf('Heartbeat').getByText('Armed', { exact: true })).toBeVisible()
  })

  await test.step('stops it; its order is cancelled', async () => {
    await page.getByRole('button', { name: 'Stop client' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop the client?' })
    await dialog.getByLabel('Reason').fill('strategy misbehaves')
    await dialog.getByRole('button', { name: 'Stop client' }).click()
    await expect(cardOf('Stop')).toContainText('Stopped: strategy misbehaves')
    await expect(cardOf('Stop').getByRole('status')).toContainText('Complete since')
    await expect(cardOf('Stop').locator('dl > div', { hasText: /^Cancelled/ })).toContainText('1')
    const refused = await send('POST', '/api/mx/v1/submitOrder', ORDER, token)
    expect(await refused.json()).toMatchObject({ code: 'LIMIT_HALTED' })
    await goTo(page, 'Client Credentials')
    const row = page.getByRole('listitem').filter({ hasText: BOT })
    await expect(row.getByText('Stopped', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: BOT, exact: true }).click()
  })

  await test.step('resumes it', async () => {
    await page.getByRole('button', { name: 'Resume client' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume client' }).click()
    await expect(cardOf('Stop')).toContainText('Last stop: strategy misbehaves')
  })

  await test.step('rotates its secret; the old one works until it is ended', async () => {
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('button', { name: 'Create new secret' }).click()
    const once = page.getByRole('dialog', { name: 'Keep this secret now' })
    await once.getByRole('button', { name: `Copy Client Secret of ${BOT}` }).click()
    await once.getByRole('button', { name: 'Done' }).click()
    const fresh = await page.evaluate(() => navigator.clipboard.readText())
    expect([(await signInAs(fresh)).status, (await signInAs(secret)).status]).toEqual([200, 200])
    await page.getByRole('button', { name: 'End the old secret' }).click()
    await page.getByRole('button', { name: 'End it now' }).click()
    await expect(cardOf('Secrets')).toContainText('No old secret works.')
    expect([(await signInAs(fresh)).status, (await signInAs(secret)).status]).toEqual([200, 401])
  })
})
