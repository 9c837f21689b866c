import { getOrderLife, mxSubmitOrder, type OrderLife, urlOf } from 'schema'
import { expect, test, vi } from 'vitest'
import { adminHeader, createBotClient, signIn } from './campaign/clients.ts'
import { restarts } from './support/restarts.ts'

// Two processes start, on machines that do other things as well.
vi.setConfig({ testTimeout: 300_000 })

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

test('after kill -9 an order has what was written before it was sent, and what the next process found out', async () => {
  const { paper, start } = await restarts()
  const first = await start()
  const bot = await signIn(first.url, await createBotClient(first.url, paper.accounts, 'bot'))
  // The exchange carries the order out, and never responds.
  paper.faults.add({ kind: 'timeout-after', match: { method: 'POST' } })
  const post = fetch(`${first.url}${mxSubmitOrder.path}`, {
    method: 'POST',
    headers: { ...bot, 'content-type': 'application/json', 'idempotency-key': 'k-1' },
    body: JSON.stringify(ORDER),
  }).catch(() => 'killed')
  await expect.poll(() => paper.orders('mx').length, { timeout: 60_000 }).toBe(1)
  await first.kill()
  expect(await post).toBe('killed')

  const next = await start()
  const headers = await adminHeader(next.url)
  const read = async (path: string) => (await fetch(`${next.url}${path}`, { headers })).json()
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
