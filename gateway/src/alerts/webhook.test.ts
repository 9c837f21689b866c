import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import { systemTime, type Time } from '../time.ts'
import type { Alert } from './alert-board.ts'
import { type KeptAlerts, signWebhook, Webhook } from './webhook.ts'

const SECRET = Buffer.alloc(32, 'webhook')
const URL_OF_RECEIVER = 'http://127.0.0.1:9/hook'

const alertOf = (subject: string): Alert => ({
  ...{ type: 'order.unknown', at: '2026-01-01T00:00:00.000Z', subject, state: 'raised' },
  ...{ message: 'It is unknown whether MEXC carried out a request', detail: {} },
})

/** A webhook whose receiver responds by `respond`, and what became of each alert. */
function webhookTo(
  respond: (request: RequestInit) => Promise<Response>,
  more: { readonly kept?: KeptAlerts; readonly time?: Time } = {},
) {
  vi.stubGlobal('fetch', (_url: string, request: RequestInit) => respond(request))
  const delivered: string[] = []
  const lost: string[] = []
  const webhook = new Webhook({
    url: URL_OF_RECEIVER,
    ...{ secret: SECRET, time: systemTime, pausesMs: more.kept === undefined ? [] : [60_000] },
    ...more,
    onDelivered: ({ subject }) => delivered.push(subject),
    onLost: ({ subject }, why) => lost.push(`${subject}: ${why}`),
  })
  return { webhook, delivered, lost }
}
afterEach(() => void vi.unstubAllGlobals())

test('when too many alerts wait the oldest is dropped and reported; the others come in order', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { webhook, delivered, lost } = webhookTo(async () => {
    await promise
    return new Response(null)
  })
  // The first is on its way, the next thousand wait.
  for (let i = 0; i <= 1002; i += 1) webhook.send(alertOf(`${i}`))
  const why = 'too many alerts are waiting for the receiver'
  expect(lost).toEqual([`1: ${why}`, `2: ${why}`])
  resolve()
  await webhook.close(2_000)
  expect(delivered).toEqual(['0', ...Array.from({ length: 1000 }, (_, i) => `${i + 3}`)])
  expect(lost).toHaveLength(2)
})

test('an alert that came while the database was down is kept once it can be', async () => {
  const kept = new Set<string>()
  let isWritable = false
  const time = createSetTime()
  const { webhook, lost } = webhookTo(async () => new Response(null, { status: 503 }), {
    time,
    kept: {
      async keep({ alert: { subject } }) {
        if (isWritable) kept.add(subject)
        return isWritable
      },
      forget: async () => {},
    },
  })
  for (const subject of ['on its way', 'waits']) webhook.send(alertOf(subject))
  isWritable = true
  webhook.send(alertOf('writable again'))
  await vi.waitFor(() => expect(kept).toEqual(new Set(['writable again', 'on its way', 'waits'])))
  await time.fly(webhook.close(2_000))
  expect(lost).toEqual([])
})

/**
 * The end of an alert for a real receiver that responds by `respond`; without one, nothing listens.
 */
async function receivedBy(
  respond?: (response: ServerResponse) => void,
  time: Time = createSetTime(),
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => respond?.(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  if (respond === undefined) close()
  return outcomeOf(`http://127.0.0.1:${port}/hook`, time)
}

/** `delivered`, or the reason why the alert was lost. */
function outcomeOf(url: string, time: Time): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  new Webhook({
    ...{ url, secret: SECRET, time, pausesMs: [], onDelivered: () => resolve('delivered') },
    onLost: (_alert, why) => resolve(why),
  }).send(alertOf('a'))
  return promise
}

test('the reason for a lost alert says what to fix: a redirect, a silent receiver, one that is not there', async () => {
  const redirected = receivedBy((response) => response.writeHead(302, { location: '/' }).end())
  expect(await redirected).toMatch(/^the receiver responded with 302, a redirect/)
  const time = createSetTime()
  const silent = receivedBy(() => void time.advance(10_000), time)
  expect(await silent).toMatch(/did not respond within 10 s/)
  expect(await receivedBy()).toBe('the receiver cannot be reached (ECONNREFUSED)')
})

// It counted as no response after ten seconds, and came again.
test('a receiver that takes the alert and never ends its response has accepted it', async () => {
  const outcome = await receivedBy((response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
    response.on('close', () => clearInterval(timer))
  })
  expect(outcome).toBe('delivered')
})

type Verify = (headers: object, body: string, secret: string) => boolean

/** The verification that alerts.md gives to receivers. */
async function verifierOfThePage(): Promise<Verify> {
  const page = readFileSync(new URL('../../../docs/operations/alerts.md', import.meta.url), 'utf8')
  const [, source = ''] = /```js\n(.*?)```/s.exec(page) ?? []
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  return module.isFromSluice
}

test('the check in alerts.md accepts what the gateway sends, and nothing altered, old or from elsewhere', async () => {
  const isFromSluice = await verifierOfThePage()
  const { promise: sent, resolve } = Promise.withResolvers<RequestInit>()
  const { webhook } = webhookTo(async (request) => {
    resolve(request)
    return new Response('')
  })
  webhook.send(alertOf('a'))
  const { headers, body } = await sent
  const got = { ...Object(headers) }
  const text = String(body)
  const secret = `whsec_${SECRET.toString('base64')}`
  expect(isFromSluice(got, text, secret)).toBe(true)
  expect(isFromSluice(got, text, SECRET.toString('base64'))).toBe(true)
  const several = { ...got, 'webhook-signature': `v1,other ${got['webhook-signature']}` }
  expect(isFromSluice(several, text, secret)).toBe(true)

  expect(isFromSluice(got, text.replace('raised', 'cleared'), secret)).toBe(false)
  expect(isFromSluice(got, text, Buffer.alloc(32).toString('base64'))).toBe(false)
  expect(isFromSluice({ ...got, 'webhook-id': 'msg_other' }, text, secret)).toBe(false)
  const { 'webhook-signature': _none, ...unsigned } = got
  expect(isFromSluice(unsigned, text, secret)).toBe(false)
  expect(isFromSluice({}, text, secret)).toBe(false)
  vi.useFakeTimers({ now: Date.now() + 301_000 })
  expect(isFromSluice(got, text, secret)).toBe(false)
  vi.useRealTimers()
})

test('a message is signed as the reference implementation of Standard Webhooks signs it', () => {
  // From the libraries' own tests (github.com/standard-webhooks/standard-webhooks).
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1614265330,
    body: '{"test": 2432232314}',
  }
  expect(signWebhook(secret, message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})
