import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram } from './sdk/run-program.ts'
import { sharedSluice } from './sdk/sluice.ts'
import { eventually } from './support/eventually.ts'

// The door dropped the headers of both sides: an order for the demo account was placed with real
// money.

const sluice = sharedSluice()
const PATH = '/api/v2/spot/trade/place-order'
const ORDER = JSON.stringify({
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '50000',
  size: '0.001',
})

const JSON_TYPE = { 'content-type': 'application/json' }

async function placeVia(headers: Record<string, string>) {
  const door = await startProgram(sluice(), 'sluice-door.mjs')
  return () =>
    fetch(`${door}/bg${PATH}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: ORDER,
    })
}

test('an order for the demo account stays a demo order behind the door', async () => {
  const { paper } = sluice()
  const place = await placeVia({ paptrading: '1' })
  expect((await place()).status).toBe(200)
  expect(paper.received({ path: PATH }).at(-1)?.headers).toMatchObject({ paptrading: '1' })
})

test("an idempotency key works behind the door, and the gateway's response headers pass through", async () => {
  const { paper } = sluice()
  const before = paper.orders('bg').length
  const place = await placeVia({ 'idempotency-key': 'behind-the-door' })
  const [first, again] = [await place(), await place()]
  expect(await again.text()).toBe(await first.text())
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.headers.get('location')).toBe(`/api/requests/${first.headers.get('x-request-id')}`)
  expect(first.headers.get('ratelimit')).not.toBeNull()
  expect(paper.orders('bg')).toHaveLength(before + 1)
})

test('an asynchronous order works behind the door, and its state can be read', async () => {
  const door = await startProgram(sluice(), 'sluice-door.mjs')
  const headers = { ...JSON_TYPE, prefer: 'respond-async' }
  const handedIn = await fetch(`${door}/bg${PATH}`, { method: 'POST', headers, body: ORDER })
  expect(handedIn.status).toBe(202)
  await eventually(async () => {
    const asked = await fetch(`${door}${handedIn.headers.get('location')}`)
    expect(await asked.json()).toMatchObject({ state: 'answered' })
  })
})

test('a bot that disconnects behind the door withdraws what was not sent', async () => {
  const { paper, app, asAdmin } = sluice()
  const door = await startProgram(sluice(), 'sluice-door.mjs')
  paper.faults.add({ kind: 'slow', delayMs: 2_000, match: { path: '/api/v2/spot/account/assets' } })
  const busy = fetch(`${door}/bg/api/v2/spot/account/assets`)
  await eventually(() =>
    expect(paper.received({ path: '/api/v2/spot/account/assets' })).toHaveLength(1),
  )
  const since = paper.received().at(-1)?.seq ?? 0
  const hangUp = new AbortController()
  const waiting = fetch(`${door}/bg${PATH}`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: ORDER,
    signal: hangUp.signal,
  }).catch(() => 'hung up')
  await eventually(async () => {
    const queue = await app.inject({ url: '/api/admin/queue', headers: asAdmin })
    expect(queue.body).toContain(PATH)
  })
  hangUp.abort()
  expect(await waiting).toBe('hung up')
  expect((await busy).status).toBe(200)
  expect(paper.received({ path: PATH, since })).toEqual([])
})

test('a door that gets no token returns the reason to the bot', async () => {
  const gate = { ...sluice(), bot: { ...sluice().bot, clientSecret: 'sls_wrong' } }
  const response = await fetch(`${await startProgram(gate, 'sluice-door.mjs')}/mx/api/v3/account`)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ code: 'CLIENT_SECRET_INVALID' })
})

test('the door forwards no credentials of the bot', async () => {
  const arrived: Record<string, unknown>[] = []
  const gateway = createServer((request, response) => {
    arrived.push(request.headers)
    const token = JSON.stringify({ token: 't', expiresInSeconds: 600 })
    response.writeHead(200, { 'content-type': 'application/json', 'x-of-the-exchange': 'yes' })
    response.end(request.url === '/auth/token' ? token : '{}')
  })
  onTestFinished(() => void gateway.close())
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  const door = await startProgram({ url, bot: sluice().bot }, 'sluice-door.mjs')
  const own = {
    authorization: 'Basic own',
    'access-key': 'own',
    'access-sign': 'own',
    signature: 'own',
  }
  const response = await fetch(`${door}/mx/api/v3/account`, {
    headers: { ...own, locale: 'zh-CN', 'user-agent': 'my-bot' },
  })
  expect(response.headers.get('x-of-the-exchange')).toBe('yes')
  expect(arrived.at(-1)).toMatchObject({
    authorization: 'Bearer t',
    locale: 'zh-CN',
    'user-agent': 'my-bot',
    host: url.slice('http://'.length),
  })
  expect(JSON.stringify(arrived.at(-1))).not.toContain('own')
})
