import { createAccount } from '../../../scripts/src/screenshots/create-account.ts'
import { storeKeys } from './api-keys.ts'
import { createBot } from './clients.ts'
import { expect, goTo, signIn, test } from './journey.ts'

const BOT = 'grid-bot'
/** Rests on the paper exchange. */
const ORDER = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

test('an administrator stops an exchange with its orders, sees what was done, and resumes it', async ({
  page,
  deployment: { paper, gatewayUrl },
}) => {
  const send = (path: string, body: object, token?: string) =>
    fetch(`${gatewayUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })

  await page.goto('/client-credentials')
  await signIn(page)
  await goTo(page, 'Client Credentials')
  const clientSecret = await createBot(page, BOT)
  await goTo(page, 'API Key Management')
  await storeKeys(page, { clientId: BOT, exchange: 'MEXC' }, createAccount(paper, 'mx', BOT))
  const { token } = await (await send('/auth/token', { clientId: BOT, clientSecret })).json()
  expect((await send('/api/mx/v1/submitOrder', ORDER, token)).status).toBe(200)

  await page.getByRole('link', { name: 'Operations' }).click()
  const mexc = page.getByRole('region', { name: /^MEXC (real|paper)/ })
  await expect(mexc).toContainText('goes at once')
  await expect(page.getByRole('table', { name: 'Clients' })).toContainText(BOT)

  await test.step('stops it by a button that is held', async () => {
    await mexc.getByLabel('Reason').fill('unusual losses')
    await mexc.getByLabel('Also cancel working orders').check()
    await mexc.getByRole('button', { name: 'Stop MEXC' }).hover()
    await page.mouse.down()
    await expect(mexc).toContainText('Stopped: unusual losses')
    await page.mouse.up()
    await expect(mexc.getByText(/^Complete since/)).toBeVisible()
    await expect(mexc.locator('dl > div', { hasText: /^Cancelled/ })).toContainText('1')
    const refused = await send('/api/mx/v1/submitOrder', ORDER, token)
    expect(await refused.json()).toMatchObject({ code: 'EXCHANGE_STOPPED' })
    const strip = page.getByRole('navigation', { name: 'State of the exchanges' })
    await expect(strip.getByRole('link', { name: 'MEXC' })).toContainText('stopped')
  })

  await test.step('resumes it', async () => {
    await mexc.getByRole('button', { name: 'Resume MEXC' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume MEXC' }).click()
    await expect(mexc).toContainText('Last stop: unusual losses')
    await expect(mexc).toContainText('Running')
  })
})
