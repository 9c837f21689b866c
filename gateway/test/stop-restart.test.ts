import { expect, onTestFinished, test, vi } from 'vitest'
import { adminHeader, createBotClient, signIn } from './campaign/clients.ts'
import { ownErrorOf } from './support/call.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { restarts } from './support/restarts.ts'

// Two processes start, on machines that do other things as well.
vi.setConfig({ testTimeout: 300_000 })

const ORDERS = 8
const ORDER = '/mx/api/v3/order?symbol=BTCUSDT&side=BUY&quantity=0.01&price=50000&type=LIMIT'

test('a stop that kill -9 interrupts is completed by the next process', async () => {
  const network = await startHoldingProxy(() => Number(new URL(paper.url).port))
  onTestFinished(() => network.close())
  const { paper, start } = await restarts({
    ...{ RATE_LIMIT_PER_SECOND: '4', MEXC_SPOT_URL: `http://127.0.0.1:${network.port}` },
  })
  const first = await start()
  const client = await createBotClient(first.url, paper.accounts, 'bot')
  const bot = await signIn(first.url, client)
  const placed = await Promise.all(
    Array.from({ length: ORDERS }, () =>
      fetch(`${first.url}${ORDER}`, { method: 'POST', headers: bot }),
    ),
  )
  expect(placed.map(({ status }) => status)).toEqual(placed.map(() => 200))
  const path = `/api/admin/client-credentials/${client.id}/stop`
  const headers = await adminHeader(first.url)
  const asAdmin = (url: string, body?: object) =>
    fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const cancels = () => paper.received().filter(({ method }) => method === 'DELETE').length
  const open = () => paper.orders('mx').filter(({ status }) => status === 'open').length
  // The second cancel arrives, and its response never comes.
  network.once('DELETE ', () => {
    network.cutAfter('DELETE ')
    return true
  })
  const interrupted = asAdmin(first.url, { reason: 'interrupted', cancelOrders: true }).catch(
    () => 'killed',
  )
  await expect.poll(cancels, { timeout: 60_000 }).toBe(2)
  await first.kill()
  network.heal(false)
  expect(await interrupted).toBe('killed')
  expect(open()).toBeGreaterThan(0)

  const next = await start()
  await expect
    .poll(async () => (await asAdmin(next.url)).json(), { timeout: 60_000, interval: 200 })
    .toMatchObject({
      reason: 'interrupted',
      cancelled: ORDERS,
      failed: [],
      completedAt: expect.any(String),
    })
  expect(open()).toBe(0)
  // The client stays stopped.
  const refused = await fetch(`${next.url}${ORDER}`, { method: 'POST', headers: bot })
  expect(ownErrorOf(await refused.json())).toMatchObject({ code: 'LIMIT_HALTED' })
})
