import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { getOrderLife, mxSubmitOrder, type OrderLife, urlOf } from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createPaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { ADMIN, createBotClient, signIn } from './crash/clients.ts'
import { MAIN, spawnGateway } from './crash/gateway.ts'
import { tempFolder } from './support/temp-folder.ts'

// Two processes start, on machines that do other things as well.
vi.setConfig({ testTimeout: 120_000 })

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

test('after kill -9 an order has what was written before it was sent, and what the next process found out', async () => {
  const paper = await createPaperExchange()
  onTestFinished(() => paper.close())
  const env = {
    DATABASE_URL: `file:${join(tempFolder(), 'sluice.db')}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    ...{ MEXC_SPOT_URL: paper.url, MEXC_FUTURES_URL: paper.url, BITGET_URL: paper.url },
  }
  const start = async () => {
    const gateway = spawnGateway({ entry: MAIN, env })
    onTestFinished(async () => {
      gateway.signal('SIGKILL')
      await gateway.ended
    })
    return { gateway, url: await gateway.url }
  }
  const first = await start()
  const bot = await signIn(first.url, await createBotClient(first.url, paper.accounts, 'bot'))
  // The exchange carries the order out, and never responds.
  paper.faults.add({ kind: 'timeout-after', match: { method: 'POST' } })
  const post = fetch(`${first.url}${mxSubmitOrder.path}`, {
    method: 'POST',
    headers: { ...bot, 'content-type': 'application/json', 'idempotency-key': 'k-1' },
    body: JSON.stringify(ORDER),
  }).catch(() => 'killed')
  await expect.poll(() => paper.orders('mx').length, { timeout: 30_000 }).toBe(1)
  first.gateway.signal('SIGKILL')
  expect(await post).toBe('killed')
  await first.gateway.ended

  const next = await start()
  const signedIn = await fetch(`${next.url}/auth/login`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(ADMIN),
  })
  const { token } = (await signedIn.json()) as { token: string }
  const read = async (path: string) =>
    (await fetch(`${next.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).json()
  const [{ id }] = (await read('/api/admin/orders?find=k-1')) as [{ id: string }]
  const lifeNow = async () => (await read(urlOf(getOrderLife, { params: { id } }))) as OrderLife
  await expect
    .poll(async () => (await lifeNow()).state, { timeout: 60_000, interval: 200 })
    .toBe('resolved')
  const life = await lifeNow()
  expect(life.events.map(({ type }) => type)).toEqual([
    ...['received', 'checked', 'queued', 'slot', 'sent', 'recovered', 'lookup', 'settled'],
  ])
  expect(life.events.find(({ type }) => type === 'lookup')).toMatchObject({ found: 'found' })
  // The bot got no response, so there is no log row.
  expect(life.logIds).toEqual([])
})
