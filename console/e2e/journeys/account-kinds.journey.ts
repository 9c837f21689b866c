import type { Page } from '@playwright/test'
import { type AccountKind, bgFuturesDetail, bgSpotOrderInfo } from 'schema'
import { createAccount } from '../../../scripts/src/deploy-locally.ts'
import { choose, fill, send } from '../support/try-it.ts'
import { createBot, storeKeys, testKeys } from './bot.ts'
import { expect, goTo, goToDocs, signIn, test } from './journey.ts'

const BOT = 'bitget-bot'
const LABELS = { classic: 'Classic account', unified: 'Unified account' } as const
const text = expect.any(String)
const placed = { success: true, data: { orderId: text, clientOid: text } }

const rowOf = (page: Page) => page.getByRole('row').filter({ hasText: BOT })

/** Signs in, creates the bot, stores its keys, and gets it a token for the forms of the tab. */
async function setUp(page: Page, keys: ReturnType<typeof createAccount>): Promise<void> {
  await page.goto('/')
  await signIn(page)
  await goTo(page, 'Client Credentials')
  const secret = await createBot(page, BOT)
  await goTo(page, 'API Key Management')
  await storeKeys(page, { clientId: BOT, exchange: 'Bitget' }, keys)
  await expect(rowOf(page)).toContainText('Not tested yet')
  await goToDocs(page, 'Bitget', 'Authentication', 'Get Token')
  await fill(page, { clientId: BOT, clientSecret: secret })
  await send(page, 200)
}

async function placeSpotOrder(page: Page): Promise<string> {
  await goToDocs(page, 'Bitget', 'Trading APIs', 'Spot Orders')
  await choose(page, 'side', 'sell')
  await fill(page, { symbol: 'BTCUSDT', size: '0.002', price: '61000' })
  return orderIdOf(await send(page, 200))
}

async function placeFuturesOrder(page: Page, price: string): Promise<string> {
  await goToDocs(page, 'Bitget', 'Trading APIs', 'Futures Orders')
  await fill(page, { symbol: 'BTCUSDT', size: '0.02', price })
  return orderIdOf(await send(page, 200))
}

function orderIdOf(response: unknown): string {
  expect(response).toEqual(placed)
  return (response as { data: { orderId: string } }).data.orderId
}

// How each call behaves on both kinds: gateway/test/doors/bitget-account-kinds.test.ts.
test('the forms for Bitget work, also on an account that becomes unified', async ({
  page,
  deployment: { paper },
}) => {
  await setUp(page, createAccount(paper, 'bg', BOT, 'classic'))
  const expectKind = async (kind: AccountKind) => {
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(rowOf(page).getByText(LABELS[kind], { exact: true })).toBeVisible()
  }

  await test.step('the test of the keys names the kind, and the row then does', async () => {
    await goTo(page, 'API Key Management')
    expect(await testKeys(page, rowOf(page))).toContain(LABELS.classic)
    await expectKind('classic')
    await placeSpotOrder(page)
  })

  paper.accounts.migrate(`${BOT}-bg`, 'unified')
  const spot = await placeSpotOrder(page)
  await test.step('the next order works, and the row says so', async () => {
    await goTo(page, 'API Key Management')
    await expectKind('unified')
    expect(paper.orders()).toHaveLength(2)
  })
  const futures = await placeFuturesOrder(page, '58000')

  await test.step('the orders are found', async () => {
    await goToDocs(page, 'Bitget', 'Trading APIs', 'Order Details')
    await fill(page, { orderId: spot }, bgSpotOrderInfo)
    expect(await send(page, 200, bgSpotOrderInfo)).toMatchObject({
      data: { orderId: spot, side: 'sell', size: '0.002', price: '61000', status: 'live' },
    })
    await fill(page, { symbol: 'BTCUSDT', orderId: futures }, bgFuturesDetail)
    expect(await send(page, 200, bgFuturesDetail)).toMatchObject({
      data: { orderId: futures, side: 'buy', size: '0.02', price: '58000', state: 'live' },
    })
  })
})
