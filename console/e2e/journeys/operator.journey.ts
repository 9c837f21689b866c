import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { type LogEntry, listLogs } from 'schema'
import { createAccount } from '../../../scripts/src/deploy-locally.ts'
import { choose, fill, send } from '../support/try-it.ts'
import { createBot, storeKeys, testKeys } from './bot.ts'
import {
  ADMIN,
  expect,
  expectRefusal,
  goTo,
  goToDocs,
  logoutOf,
  signIn,
  signInScreenOf,
  test,
} from './journey.ts'

const BOT = 'grid-bot'

test('an administrator brings a bot to both exchanges, follows it and takes it away again', async ({
  page,
  deployment,
  complaints,
}) => {
  const { paper, gatewayUrl } = deployment
  const keys = {
    MEXC: createAccount(paper, 'mx', BOT),
    Bitget: createAccount(paper, 'bg', BOT),
  }

  await test.step('signs in', async () => {
    await page.goto('/')
    await signIn(page)
    await expect(page.getByText(`Welcome back, ${ADMIN.email}`)).toBeVisible()
  })

  const secret = await test.step('creates a client and copies its secret', async () => {
    await goTo(page, 'Client Credentials')
    const copied = await createBot(page, BOT, 'Grid bot, both exchanges')
    await expect(page.getByRole('heading', { name: 'Client Credentials (1)' })).toBeVisible()
    return copied
  })

  await test.step('stores and tests its keys for both exchanges', async () => {
    await goTo(page, 'API Key Management')
    for (const exchange of ['MEXC', 'Bitget'] as const) {
      await storeKeys(page, { clientId: BOT, exchange }, keys[exchange])
      const row = page.getByRole('row').filter({ hasText: exchange })
      await expect(row).toContainText('Not tested yet')
      await testKeys(page, row)
      await expect(row.getByText('Success', { exact: true })).toBeVisible()
    }
    expect(await page.content()).not.toContain(keys.Bitget.apiSecret)
  })

  await test.step('gets a token in the try-it', async () => {
    await goToDocs(page, 'MEXC', 'Authentication', 'Get Token')
    await fill(page, { clientId: BOT, clientSecret: secret })
    expect(await send(page, 200)).toMatchObject({ expiresInSeconds: 600 })
  })

  await test.step('places an order at MEXC futures, Bitget spot and Bitget futures', async () => {
    await goToDocs(page, 'MEXC', 'Trading APIs', 'Place Order')
    await fill(page, { symbol: 'BTC_USDT', quantity: '0.01', price: '59000' })
    expect(await send(page, 200)).toMatchObject({ success: true })

    await goToDocs(page, 'Bitget', 'Trading APIs', 'Spot Orders')
    await choose(page, 'side', 'sell')
    await fill(page, { symbol: 'BTCUSDT', size: '0.002', price: '61000' })
    expect(await send(page, 200)).toMatchObject({ success: true })

    await goToDocs(page, 'Bitget', 'Trading APIs', 'Futures Orders')
    await fill(page, { symbol: 'BTCUSDT', size: '0.02', price: '58000' })
    expect(await send(page, 200)).toMatchObject({ success: true })

    expect(
      paper
        .orders()
        .map(({ account, market, symbol, side, size, price, status }) =>
          [account, market, symbol, side, size, price, status].join(' '),
        ),
    ).toEqual([
      'grid-bot-mx futures BTCUSDT buy 0.01 59000 open',
      'grid-bot-bg spot BTCUSDT sell 0.002 61000 open',
      'grid-bot-bg futures BTCUSDT buy 0.02 58000 open',
    ])
  })

  await test.step('finds them in the logs', async () => {
    await goTo(page, 'Logs')
    const table = page.getByRole('table', { name: 'Recent API Calls' })
    for (const endpoint of [
      '/api/mx/v1/submitOrder',
      '/api/bg/v1/spot/trade/place-order',
      '/api/bg/v1/futures/trade/place-order',
    ])
      await expect(table.getByRole('row').filter({ hasText: endpoint })).toContainText(BOT)
    await page.getByLabel('Search', { exact: true }).fill('SPOT/trade')
    await expect(table.getByRole('row')).toHaveCount(2)
    await expect(page).toHaveURL(/q=SPOT/)
    await page.getByLabel('Search', { exact: true }).fill('')
  })

  await test.step('exports what the gateway lists', async () => {
    // A form that is open for 400 ms reads the last price, which is one more on a busy machine.
    await expect(page.getByText(/^Showing (\d+) of \1 requests/)).toBeVisible()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const text = await readFile(await (await download).path(), 'utf8')
    const [header, ...rows] = parseCsv(text.replace(/^\ufeff/, ''))
    expect(header).toHaveLength(6)
    expect(rows).toEqual((await readLogs(page, gatewayUrl)).map(toRow))
  })

  await test.step('takes the permission to trade away: the token that is out places nothing', async () => {
    await goTo(page, 'Client Credentials')
    await page.getByRole('button', { name: `Edit ${BOT}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit client' })
    await dialog.getByRole('checkbox', { name: 'Trade' }).uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: BOT })).not.toContainText('Trade')

    await goToDocs(page, 'MEXC', 'Trading APIs', 'Place Order')
    await fill(page, { quantity: '0.01', price: '59000' })
    expect(await send(page, 403)).toMatchObject({ code: 'SCOPE_INSUFFICIENT' })
    await expectRefusal(complaints, 403)
    expect(paper.orders()).toHaveLength(3)
  })

  await test.step('switches the client off: its token fails at once', async () => {
    await goTo(page, 'Client Credentials')
    await page.getByRole('switch', { name: `${BOT} is active` }).press('Space')
    const dialog = page.getByRole('dialog', { name: 'Database Test' })
    await expect(dialog).toContainText('INACTIVE')
    await expect(dialog).toContainText('Token generation is blocked')
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()

    const before = paper.received().length
    await goToDocs(page, 'MEXC', 'Trading APIs', 'Place Order')
    await fill(page, { quantity: '0.01', price: '59000' })
    expect(await send(page, 401)).toMatchObject({ code: 'TOKEN_REVOKED' })
    await expectRefusal(complaints, 401)
    expect(paper.received()).toHaveLength(before)
    expect(paper.orders()).toHaveLength(3)
  })

  await test.step('deletes the client with two confirmations', async () => {
    await goTo(page, 'Client Credentials')
    await page.getByRole('button', { name: `Delete ${BOT}` }).click()
    const first = page.getByRole('dialog', { name: 'Delete client credentials?' })
    await first.getByRole('button', { name: 'Delete' }).click()
    const last = page.getByRole('dialog', { name: 'Final confirmation' })
    await expect(last).toContainText(BOT)
    await last.getByRole('button', { name: `Delete permanently: ${BOT}` }).click()
    await expect(page.getByText('No client credentials found')).toBeVisible()
    await goTo(page, 'API Key Management')
    await expect(page.getByText('No API keys configured')).toBeVisible()
    await goTo(page, 'Logs')
    // What remains is the rejected call, which belongs to no client.
    await expect(page.getByText('Showing 1 of 1 requests')).toBeVisible()
    await expect(page.getByRole('table', { name: 'Recent API Calls' })).not.toContainText(BOT)
  })

  await test.step('signs out, and the token opens nothing any more', async () => {
    const token = await storedToken(page)
    const signedOut = page.waitForResponse((response) => response.url().endsWith('/auth/logout'))
    await logoutOf(page).click()
    await expect(signInScreenOf(page)).toBeVisible()
    expect((await signedOut).status()).toBe(204)
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${gatewayUrl}${listLogs.path}`, { headers })
    expect(response.status).toBe(401)
  })
})

const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('authToken'))

async function readLogs(page: Page, gatewayUrl: string): Promise<LogEntry[]> {
  const headers = { authorization: `Bearer ${await storedToken(page)}` }
  const response = await fetch(`${gatewayUrl}${listLogs.path}`, { headers })
  return response.json()
}

/** The browser's zone, Europe/Berlin, as Intl has it. */
function toRow(entry: LogEntry): string[] {
  const time = new Date(entry.timestamp).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' })
  const { method, endpoint, statusCode, responseTime, clientId } = entry
  return [time, method, endpoint, `${statusCode}`, `${responseTime}`, clientId ?? '']
}

/**
 * The rows of a CSV file (RFC 4180), the header among them, read without the console's own writer
 * in mind.
 * @throws when a line does not end in CRLF
 */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  for (const line of text.split(/(?<=\r\n)/)) {
    if (!line.endsWith('\r\n')) throw new Error(`"${line}" does not end in CRLF`)
    rows.push(
      [...line.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    )
  }
  return rows
}
