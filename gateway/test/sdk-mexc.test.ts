import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startProgram } from './sdk/run-program.ts'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sdk/sluice.ts'

const child = fileURLToPath(new URL('./paper-exchange/mexc-sdk-child.ts', import.meta.url))
const sluice = sharedSluice()

type Call = readonly [method: string, ...args: unknown[]]

/**
 * Responses of MEXC's own SDK, unmodified but for its base URL. It cannot send a header: the door
 * adds the token.
 */
async function callSdk(calls: readonly Call[]) {
  const door = await startProgram(sluice(), 'sluice-door.mjs')
  const settings = { url: `${door}/mx`, calls }
  const { stdout } = await promisify(execFile)(process.execPath, [
    child,
    JSON.stringify({ ...settings, apiKey: PLACEHOLDER, apiSecret: PLACEHOLDER }),
  ])
  return JSON.parse(stdout)
}

test("MEXC's own SDK trades through the gateway, signed with the stored key", async () => {
  const { paper, bot, arrivedText } = sluice()
  const byClientId = { origClientOrderId: 'sdk-1' }
  const order = { quantity: '0.01', price: '59000' }
  const responses = await callSdk([
    ['time'],
    ['tickerPrice', 'BTCUSDT'],
    ['exchangeInfo', { symbol: 'BTCUSDT' }],
    ['newOrderTest', 'BTCUSDT', 'BUY', 'LIMIT', order],
    ['newOrder', 'BTCUSDT', 'BUY', 'LIMIT', { ...order, newClientOrderId: 'sdk-1' }],
    ['queryOrder', 'BTCUSDT', byClientId],
    ['openOrders', 'BTCUSDT'],
    ['cancelOrder', 'BTCUSDT', byClientId],
    ['allOrders', 'BTCUSDT'],
    ['accountInfo'],
    ['accountTradeList', 'BTCUSDT'],
  ])
  expect(responses).toMatchObject([
    { serverTime: expect.any(Number) },
    { symbol: 'BTCUSDT', price: '60000' },
    { symbols: [{ symbol: 'BTCUSDT' }] },
    {},
    { orderId: expect.stringMatching(/^C02__\d{18}$/) },
    { clientOrderId: 'sdk-1', status: 'NEW' },
    [{ clientOrderId: 'sdk-1' }],
    { status: 'CANCELED' },
    [{ clientOrderId: 'sdk-1', status: 'CANCELED' }],
    { canTrade: true },
    [],
  ])
  expect(paper.orders().map(({ account }) => account)).toEqual(['sdk-bot-mx'])
  for (const own of [PLACEHOLDER, tokenOf(bot), 'Bearer']) expect(arrivedText()).not.toContain(own)
})

test("a withdrawal, a transfer and a listen key are closed to MEXC's own SDK", async () => {
  const { paper } = sluice()
  const before = paper.received().at(-1)?.seq ?? 0
  const responses = await callSdk([
    ['signRequest', 'POST', '/capital/withdraw', { coin: 'USDT', address: '0x1', amount: '10' }],
    ['signRequest', 'POST', '/capital/transfer', { asset: 'USDT', amount: '10' }],
    ['signRequest', 'POST', '/userDataStream', {}],
  ])
  for (const { statusCode, body } of responses) {
    expect(statusCode).toBe(403)
    expect(`${Buffer.from(body.data)}`).toContain('"code":"ENDPOINT_FORBIDDEN"')
  }
  expect(paper.received({ since: before })).toEqual([])
})
