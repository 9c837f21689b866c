import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { testApp } from './app.ts'

const ORDER = { symbol: 'BTC_USDT', vol: 1, side: 1, type: 1, openType: 2 }

/** The app listening, two orders of a bot on their way: one at the exchange, one in the queue. */
async function appWithOrders() {
  const t = await testApp({ env: { RATE_LIMIT_PER_SECOND: '2' } })
  const { headers } = await t.client()
  await t.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = t.app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const order = (price: string) =>
    fetch(`${url}/api/v1/private/order/submit`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...ORDER, price }),
    })
  await fetch(`${url}/api/v3/ticker/price`, { headers })
  t.paper.faults.add({ kind: 'slow', delayMs: 1_000, match: { method: 'POST' } })
  t.paper.clearReceived()
  const first = order('50000')
  await vi.waitFor(() => expect(t.paper.received()).toHaveLength(1), { timeout: 5_000 })
  const second = order('50001')
  await vi.waitFor(
    async () => {
      const queue = await t.app.inject({ url: '/api/admin/queue', headers: t.asAdmin })
      expect(queue.json()).toHaveLength(1)
    },
    { timeout: 5_000 },
  )
  return { ...t, headers, url, first, second }
}

test('when the gateway stops, what waits is told not sent and what was sent is answered', async () => {
  const { app, paper, first, second } = await appWithOrders()
  const closed = app.close()
  const waited = await second
  expect(waited.status).toBe(503)
  expect(await waited.json()).toMatchObject({ code: 'GATEWAY_STOPPING', outcome: 'not-sent' })
  const sent = await first
  expect(sent.status).toBe(200)
  expect(await sent.json()).toMatchObject({ success: true })
  await closed
  expect(paper.orders('mx').map(({ price }) => price)).toEqual(['50000'])
})

test('while the gateway stops it says that it takes no work', async () => {
  const { app, url, first } = await appWithOrders()
  const ready = fetch(`${url}/health/ready`)
  expect((await ready).status).toBe(200)
  const closed = app.close()
  await first
  await closed
  await expect(fetch(`${url}/health/live`)).rejects.toThrow('fetch failed')
})

test('a bot that hangs up while its order waits does not get it placed, and the log says so', async () => {
  const { app, paper, asAdmin, headers, url, first, second } = await appWithOrders()
  const hangUp = new AbortController()
  const third = fetch(`${url}/api/v1/private/order/submit`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ORDER, price: '50002' }),
    signal: hangUp.signal,
  })
  const queued = async () =>
    (await app.inject({ url: '/api/admin/queue', headers: asAdmin })).json()
  await vi.waitFor(async () => expect(await queued()).toHaveLength(2), { timeout: 5_000 })
  hangUp.abort()
  await expect(third).rejects.toThrow('aborted')
  await vi.waitFor(async () => {
    const logged = await app.inject({ url: '/api/logs?status=error', headers: asAdmin })
    expect(logged.json()).toMatchObject([
      { statusCode: 499, code: 'CALLER_GONE', upstreamTime: null },
    ])
  })
  expect((await first).status).toBe(200)
  expect((await second).status).toBe(200)
  expect(paper.orders('mx').map(({ price }) => price)).toEqual(['50000', '50001'])
})
