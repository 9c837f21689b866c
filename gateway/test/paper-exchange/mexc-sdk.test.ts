import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Alteration, alteringProxy } from './altering-proxy.ts'
import { mexcKeys, paperExchange, sharedPaper } from './paper.ts'

const paper = sharedPaper()

const child = fileURLToPath(new URL('./mexc-sdk-child.ts', import.meta.url))

type Call = readonly [method: string, ...args: unknown[]]
interface Session {
  readonly url: string
  readonly keys?: typeof mexcKeys
  readonly calls: readonly Call[]
}

/** Responses of MEXC's own SDK, unmodified but for its base URL, for each session in turn. */
async function callSdk(sessions: readonly Session[]) {
  const settings = sessions.map(({ url, keys = mexcKeys, calls }) => ({ url, ...keys, calls }))
  const args = [child, JSON.stringify(settings)]
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout)
}

const order = { quantity: '0.01', price: '59000' }
const placeOrder: Call = [
  'newOrder',
  'BTCUSDT',
  'BUY',
  'LIMIT',
  { ...order, newClientOrderId: 'sdk-1' },
]

// The SDK signs its first call before it starts the process that sends it, which can take its time.
const patientOrder: Call = ['newOrder', 'BTCUSDT', 'BUY', 'LIMIT', { ...order, recvWindow: 60_000 }]

// What the responses are like is shown through the gateway (doors/own-door.test.ts).
test("MEXC's own SDK is taken as it signs: a GET, a POST and a DELETE", async () => {
  const { url } = paper
  const byClientId = { origClientOrderId: 'sdk-1' }
  const calls: Call[] = [
    ['ping'],
    placeOrder,
    ['queryOrder', 'BTCUSDT', byClientId],
    ['cancelOrder', 'BTCUSDT', byClientId],
    ['accountInfo'],
  ]
  expect(await callSdk([{ url, calls }])).toMatchObject([
    [
      {},
      { orderId: expect.stringMatching(/^C02__\d{18}$/) },
      { clientOrderId: 'sdk-1', status: 'NEW' },
      { status: 'CANCELED' },
      { canTrade: true, canWithdraw: false },
    ],
  ])
})

const alterations: readonly [what: string, alter: Alteration, code: number][] = [
  ['another price', ({ target }) => ({ target: target.replace('59000', '59001') }), 700002],
  ['another order of parameters', ({ target }) => ({ target: swapped(target) }), 700002],
  ['an added body', () => ({ body: 'price=1' }), 700002],
  [
    'another signature',
    ({ target }) => ({ target: target.replace(/signature=../, 'signature=zz') }),
    700002,
  ],
  ['no signature', ({ target }) => ({ target: target.replace(/&signature=.*/, '') }), 700004],
  ['no key', ({ headers: { 'x-mexc-apikey': _, ...headers } }) => ({ headers }), 400],
  [
    'another content type',
    ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/plain' } }),
    700013,
  ],
]

function swapped(target: string): string {
  const [path, query = ''] = target.split('?')
  const [first = '', second = '', ...rest] = query.split('&')
  return `${path}?${[second, first, ...rest].join('&')}`
}

test("an order of MEXC's own SDK is rejected when it was altered on its way, is late, or has a wrong key or secret", async () => {
  const { url } = paper
  const wrong: [what: string, session: Session, code: number][] = [
    ['a wrong key', { url, keys: { ...mexcKeys, apiKey: 'mx0' }, calls: [placeOrder] }, 10072],
    [
      'a wrong secret',
      { url, keys: { ...mexcKeys, apiSecret: 'x' }, calls: [patientOrder] },
      700002,
    ],
  ]
  for (const [what, alter, code] of alterations)
    wrong.push([what, { url: await alteringProxy(url, alter), calls: [patientOrder] }, code])
  for (const offMs of [60_000, -60_000]) {
    const late = await paperExchange({ nowMs: () => Date.now() + offMs })
    wrong.push([`a clock off by ${offMs} ms`, { url: late.url, calls: [placeOrder] }, 700003])
  }
  const responses = await callSdk(wrong.map(([, session]) => session))
  expect(wrong.map(([what], nth) => [what, responses[nth]])).toMatchObject(
    wrong.map(([what, , code]) => [what, [{ rejection: { code } }]]),
  )
  expect(paper.orders()).toEqual([])
})
