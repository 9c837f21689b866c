import { replaceClientLimits, saveApiKey } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createAccount, type TestClient } from '../app.ts'
import { PERMISSIONS, sharedSluice } from './sluice.ts'

const sluice = sharedSluice({ env: { ACCOUNT_STREAMS: 'on' } })
const arg = { instType: 'USDT-FUTURES', channel: 'positions-history', instId: 'default' }

/** The symbols of closed positions that a bot gets from now on. */
async function closedPositions({ headers }: TestClient): Promise<readonly string[]> {
  const url = `${sluice().url.replace('http', 'ws')}/bg/v2/ws/private`
  const socket = new WebSocket(url, { headers })
  onTestFinished(() => socket.terminate())
  const symbols: string[] = []
  let isSubscribed = false
  socket.on('message', (frame: Buffer) => {
    const { event, data = [] } = JSON.parse(frame.toString())
    isSubscribed ||= event === 'subscribe'
    symbols.push(...data.map(({ instId }: { instId: string }) => instId))
  })
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ op: 'subscribe', args: [arg] }))
  await expect.poll(() => isSubscribed, { interval: 5 }).toBe(true)
  return symbols
}

test('a bot hears of positions that have closed, a limited one of those that its limits cover', async () => {
  const { app, paper, call, client } = sluice()
  const keys = createAccount(paper, 'bg', 'shared')
  const [free, limited] = [
    await client('free', { permissions: PERMISSIONS }),
    await client('limited', { permissions: PERMISSIONS }),
  ]
  for (const { clientId } of [free, limited])
    await call(saveApiKey, { body: { clientId, exchange: 'bg', ...keys } })
  await call(replaceClientLimits, { params: { id: limited.id }, body: { symbols: ['ETHUSDT'] } })
  const [all, some] = [await closedPositions(free), await closedPositions(limited)]
  const trade = async (symbol: string, fields: object) => {
    const order = { symbol, productType: 'USDT-FUTURES', marginCoin: 'USDT', size: '0.1' }
    const placed = await app.inject({
      ...{ method: 'POST', url: '/bg/api/v2/mix/order/place-order', headers: free.headers },
      payload: { ...order, marginMode: 'crossed', orderType: 'market', ...fields },
    })
    expect(placed.statusCode, placed.body).toBe(200)
  }
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    await trade(symbol, { side: 'buy' })
    await trade(symbol, { side: 'sell', reduceOnly: 'YES' })
  }
  await expect.poll(() => all).toEqual(['BTCUSDT', 'ETHUSDT'])
  await expect.poll(() => some).toEqual(['ETHUSDT'])
})
