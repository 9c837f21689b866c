import { expect, test, vi } from 'vitest'
import { createBotClient, signIn } from './campaign/clients.ts'
import { restarts } from './support/restarts.ts'

// Two processes start, on machines that do other things as well.
vi.setConfig({ testTimeout: 300_000 })

const ORDER = { symbol: 'BTC_USDT', vol: 100, side: 1, type: 1, openType: 2, price: 40000 }
const READS = '/api/v1/private/order/*'

test('after kill -9 an order whose outcome is unknown is not repeated, and an id still belongs to its order', async () => {
  const { paper, start } = await restarts()
  const first = await start()
  const bot = await signIn(first.url, await createBotClient(first.url, paper.accounts, 'bot'))
  const post = (url: string, more: object = {}, headers: Record<string, string> = {}) =>
    fetch(`${url}/mx/api/v1/private/order/create`, {
      method: 'POST',
      headers: { ...bot, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...ORDER, ...more }),
    })
  // The exchange carries both orders out, never responds, and cannot be asked.
  paper.faults.add({ kind: 'timeout-after', match: { method: 'POST' }, times: 2 })
  paper.faults.add({ kind: '5xx', match: { method: 'GET', path: READS }, times: 0 })
  const lost = [{}, { externalOid: 'mine' }].map((more) =>
    post(first.url, more).catch(() => 'killed'),
  )
  await expect.poll(() => paper.orders('mx').length, { timeout: 60_000 }).toBe(2)
  await first.kill()
  expect(await Promise.all(lost)).toEqual(['killed', 'killed'])

  const next = await start()
  const again = await post(next.url)
  expect(again.status).toBe(409)
  expect(await again.json()).toMatchObject({ code: 'OUTCOME_PENDING', outcome: 'not-sent' })
  const path = again.headers.get('location')
  const status = await (await fetch(`${next.url}${path}`, { headers: bot })).json()
  expect(status).toMatchObject({ state: 'unknown' })
  const retried = await post(next.url, { externalOid: 'mine' })
  expect(retried.headers.get('idempotency-replayed')).toBe('true')
  expect(await retried.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', clientOrderId: 'mine' })
  expect(paper.orders('mx')).toHaveLength(2)
})
