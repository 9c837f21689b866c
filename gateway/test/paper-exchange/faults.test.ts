import { expect, test } from 'vitest'
import type { Fault } from '../../paper-exchange/src/faults.ts'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { bitget, mexcFutures, mexcSpot, paperExchange, send } from './paper.ts'

const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '59000' }
const place = (paper: PaperExchange) => mexcSpot(paper, 'POST', '/order', order)

const failure = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: Error) => Object(error.cause).code ?? error.message,
  )

test.each([
  ['reset-before', 0],
  ['reset-after', 1],
] as const)('%s: the connection is reset and %i orders exist', async (kind, orders) => {
  const paper = await paperExchange()
  paper.faults.add({ kind })
  expect(await failure(place(paper))).toBe('ECONNRESET')
  expect(paper.orders()).toHaveLength(orders)
  expect(paper.received()).toMatchObject([{ fault: kind, status: null }])
  expect((await place(paper)).status).toBe(200)
})

test.each([
  ['timeout-before', 0],
  ['timeout-after', 1],
] as const)('%s: no response comes, and %i orders exist', async (kind, orders) => {
  const paper = await paperExchange()
  paper.faults.add({ kind, match: { path: '/api/v3/order' } })
  const call = failure(place(paper))
  await expect.poll(() => paper.received()[0]?.body).toBe('')
  await expect.poll(() => paper.orders().length).toBe(orders)
  // Later requests are served while the first one still waits.
  expect((await send(`${paper.url}/api/v3/time`)).status).toBe(200)
  await paper.close()
  expect(await call).not.toBe('answered')
  expect(paper.received()[0]).toMatchObject({ fault: kind, status: null })
})

const responses: readonly [fault: Fault, status: number, orders: number][] = [
  [{ kind: '429', retryAfterSeconds: 7 }, 429, 0],
  [{ kind: '418' }, 418, 0],
  [{ kind: '5xx' }, 500, 0],
  [{ kind: '5xx', status: 503 }, 503, 0],
  [{ kind: '5xx', status: 504, when: 'after' }, 504, 1],
  [{ kind: 'html' }, 502, 0],
  [{ kind: 'html', status: 403, when: 'after' }, 403, 1],
  [{ kind: 'cdn' }, 451, 0],
  [{ kind: 'truncated' }, 200, 1],
  [{ kind: 'truncated', when: 'before' }, 200, 0],
  [{ kind: 'garbage' }, 200, 1],
  [{ kind: 'empty' }, 200, 1],
  [{ kind: 'empty', when: 'before' }, 200, 0],
  [{ kind: 'oversized', bytes: 2_000_000 }, 200, 1],
  [{ kind: 'slow', delayMs: 1 }, 200, 1],
]

test.each(responses)(
  'the fault %j responds with %i, and %i orders exist',
  async (fault, status, orders) => {
    const paper = await paperExchange()
    paper.faults.add(fault)
    const response = await rawOrder(paper)
    expect(response.status).toBe(status)
    expect(paper.orders()).toHaveLength(orders)
    expect(paper.received()).toMatchObject([{ fault: fault.kind, status }])
  },
)

/** The response as text, for responses that are not JSON. */
const rawOrder = (paper: PaperExchange) =>
  place(paper).catch((error: unknown) => {
    if (error instanceof SyntaxError) return { status: 200 }
    throw error
  })

test('broken responses are a page, half a JSON, no JSON, nothing, or megabytes', async () => {
  const paper = await paperExchange()
  const text = async (fault: Fault) => {
    paper.faults.add(fault)
    return (await fetch(`${paper.url}/api/v3/ticker/price`)).text()
  }
  const whole = await (await fetch(`${paper.url}/api/v3/ticker/price`)).text()
  expect(await text({ kind: 'html' })).toMatch(/^<!DOCTYPE html>/)
  const half = await text({ kind: 'truncated' })
  expect(whole.startsWith(half)).toBe(true)
  expect(half.length).toBe(Math.floor(whole.length / 2))
  const garbage = await text({ kind: 'garbage' })
  expect(() => JSON.parse(garbage)).toThrow(SyntaxError)
  expect(await text({ kind: 'empty' })).toBe('')
  expect((await text({ kind: 'oversized', bytes: 3_000_000 })).length).toBeGreaterThan(3_000_000)
})

test('429 carries Retry-After, and each family has its own words for it', async () => {
  const paper = await paperExchange()
  paper.faults.add({ kind: '429', retryAfterSeconds: 7, times: 2 })
  const spot = await place(paper)
  expect(spot).toMatchObject({ status: 429, json: { code: 429 } })
  expect(spot.headers.get('retry-after')).toBe('7')
  const assets = await bitget(paper, 'GET', '/spot/account/assets')
  expect(assets).toMatchObject({ status: 429, json: { code: '429' } })
  paper.faults.add({ kind: '510', match: { path: '/api/v1/*' } })
  expect(await mexcFutures(paper, 'GET', '/account/assets')).toMatchObject({
    status: 200,
    json: { success: false, code: 510 },
  })
})

test('a fault applies only to matching requests, as often as it says, until it is cleared', async () => {
  const paper = await paperExchange()
  const match = { exchange: 'mx', method: 'POST', path: '/api/v3/order' } as const
  paper.faults.add({ kind: '5xx', times: 0, match })
  const time = () => send(`${paper.url}/api/v3/time`)
  expect([(await place(paper)).status, (await place(paper)).status]).toEqual([500, 500])
  expect((await time()).status).toBe(200)
  expect((await bitget(paper, 'GET', '/spot/account/assets')).status).toBe(200)
  paper.faults.clear()
  expect((await place(paper)).status).toBe(200)
  paper.faults.add({ kind: '5xx', times: 2 })
  for (const status of [500, 500, 200]) expect(await time()).toMatchObject({ status })
})

test('a wrong clock shows in the time endpoints and in what counts as too old', async () => {
  const nowMs = 1_785_000_000_000
  const paper = await paperExchange({ nowMs: () => nowMs })
  paper.faults.add({ kind: 'wrong-clock', offsetMs: 3_600_000, match: { exchange: 'mx' } })
  expect((await send(`${paper.url}/api/v3/time`)).json.serverTime).toBe(nowMs + 3_600_000)
  expect((await send(`${paper.url}/api/v1/contract/ping`)).json.data).toBe(nowMs + 3_600_000)
  expect((await send(`${paper.url}/api/v2/public/time`)).json.data.serverTime).toBe(`${nowMs}`)
  const signedAt = (signedAtMs: number) =>
    mexcSpot(paper, 'GET', '/account', {}, { nowMs: signedAtMs })
  expect((await signedAt(nowMs)).json.code).toBe(700003)
  expect((await signedAt(nowMs + 3_600_000)).status).toBe(200)
})
