import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type TestAppOptions, testApp } from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { eventually } from './support/eventually.ts'
import { sendRaw } from './support/raw-http.ts'
import { createSetTime } from './support/set-time.ts'

/** What a keep-alive connection may stay open without a request. */
const KEEP_ALIVE_MS = 75_000

/** An app that listens, and where. */
async function listening(options: TestAppOptions = {}) {
  const t = await testApp(options)
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
  return { ...t, url, connect: () => connect(Number(new URL(url).port), '127.0.0.1') }
}

/** A request whose body has not come whole. */
const begunRequest = (bytes: number) =>
  `POST /auth/token HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n{`

// A response sent while the server closed left its keep-alive connection open, so the stop lasted
// as long as the client kept it.
test('a stop finishes the order in flight and then waits for no open connection', async () => {
  const { app, paper, client, url } = await listening()
  const { headers } = await client()
  paper.faults.add({ kind: 'slow', delayMs: 500, match: { method: 'POST' } })
  const order = fetch(`${url}/api/v1/private/order/submit`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"symbol":"BTC_USDT","price":50000,"vol":1,"side":1,"type":1,"openType":2}',
  })
  await eventually(() => expect(paper.received({ path: '/api/v1/private/*' })).toHaveLength(1))
  const startedAt = performance.now()
  const closed = app.close()
  const response = await order
  expect(response.status).toBe(200)
  expect(response.headers.get('connection')).toBe('close')
  expect(await response.json()).toMatchObject({ success: true })
  await closed
  expect(performance.now() - startedAt).toBeLessThan(KEEP_ALIVE_MS * 0.8)
  await expect(fetch(`${url}/health/live`)).rejects.toThrow('fetch failed')
})

const GET = 'GET /health/live HTTP/1.1\r\nHost: gateway\r\n\r\n'

// A bot that sent a request at the moment in which its connection was closed got no response.
test('a stop takes no new connection, and ends each open one with its next response or after a second without one', async () => {
  const time = createSetTime({ passesByItselfMs: 10 })
  const { app, url } = await listening({ time })
  const next = Promise.withResolvers<string>()
  let begun = 0
  const later = (text: Promise<string> | string) => async () => {
    begun += 1
    return text
  }
  const used = sendRaw(app, GET, { later: later(next.promise) })
  let isUnusedOpen = true
  const unused = sendRaw(app, GET, { later: later('') }).then(() => {
    isUnusedOpen = false
  })
  await eventually(() => expect(begun).toBe(2))
  const closed = app.close()
  await time.untilWaiting(20)
  const refused = await fetch(`${url}/health/live`).catch(({ cause }) => cause)
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' })
  next.resolve(GET)
  const [first, second] = (await used).text.split('HTTP/1.1 200 OK').slice(1)
  expect([first, second].map((each) => /connection: ([\w-]+)/i.exec(each ?? '')?.[1])).toEqual([
    'keep-alive',
    'close',
  ])
  await time.advance(900)
  expect(isUnusedOpen).toBe(true)
  await time.advance(200)
  await unused
  await time.fly(closed)
})

// Requests were cut off while a stop sent the last alerts.
test('a request that ends while a stop waits for something else gets its response', async () => {
  const { env, attempts } = await alertReceiver([0])
  const time = createSetTime()
  const t = await listening({ time, env: { ...env, AUDIT_HEAD_HOURS: '24' } })
  const { app } = t
  await eventually(() => expect(attempts).toHaveLength(1))
  const begun = once(app.server, 'request')
  const caller = t.connect()
  let response = ''
  caller.on('data', (data) => (response += data))
  caller.write(begunRequest(2))
  await begun
  const closed = app.close()
  // So long the stop waits for the request, then for the receiver, and then for the request again.
  await time.untilWaiting(20)
  await time.advance(3_000)
  await time.untilWaiting(2_000)
  await time.advance(2_000)
  await time.untilWaiting(20)
  const ended = once(caller, 'close')
  caller.end('}')
  await Promise.all([closed, ended])
  expect(response).toMatch(/^HTTP\/1.1 400 /)
})

// Any caller could delay each stop until it was ended by force, with its alerts and spans unsent.
test('a caller that never sends the rest of its request does not hold up a stop', async () => {
  const t = await listening()
  const { app } = t
  // Node itself would end it after half a minute.
  Object.assign(app.server, { headersTimeout: 0, requestTimeout: 0 })
  const begun = once(app.server, 'request')
  const stalled = t.connect()
  onTestFinished(() => void stalled.destroy())
  const ended = new Promise((resolve) => stalled.once('close', resolve))
  stalled.on('error', () => {}) // The cut connection is expected.
  stalled.write(begunRequest(100))
  await begun
  await app.close()
  await ended
})
