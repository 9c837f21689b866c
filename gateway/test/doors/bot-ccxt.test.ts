import { spawnSync } from 'node:child_process'
import { bitget, type Exchange, mexc } from 'ccxt'
import { expect, onTestFinished, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { importProgram, runProgram } from './run-program.ts'
import { sharedSluice } from './sluice.ts'

// The programs took ccxt's client order id as the key, so that an id that was used again placed
// nothing, and every error of the gateway was a plain ExchangeError, even the one that says that an
// order may exist.

const sluice = sharedSluice()
const classes = { mx: mexc, bg: bitget } as const
type Code = keyof typeof classes
const both = ['mx', 'bg'] as const
const limitBuy = ['BTC/USDT', 'limit', 'buy', 0.001, 48_000] as const

/** ccxt as the program of the page makes it, for another bot when one is given. */
async function ccxtFor(code: Code, bot: TestClient = sluice().bot, settings = {}) {
  const { viaSluice } = await importProgram({ ...sluice(), bot }, 'sluice-ccxt.mjs')
  if (typeof viaSluice !== 'function') throw new Error('The program exports no viaSluice()')
  const made: Exchange = viaSluice(classes[code], code, settings)
  return made
}
const nameOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'went well',
    (error) => Object.getPrototypeOf(error).constructor.name,
  )
const post = { method: 'POST' } as const

test.each(both)('on %s a reused client order id places another order', async (code) => {
  const exchange = await ccxtFor(code)
  const params = { clientOrderId: `again-${code}` }
  const first = await exchange.createOrder(...limitBuy, params)
  await exchange.cancelOrder(`${first.id}`, 'BTC/USDT')
  const second = await exchange.createOrder(...limitBuy, params)
  expect(second.id).not.toBe(first.id)
  expect(await exchange.fetchOrder(`${second.id}`, 'BTC/USDT')).toMatchObject({ status: 'open' })
})

test.each(both)('on %s an idempotency key makes two attempts one order', async (code) => {
  const { paper } = sluice()
  const exchange = await ccxtFor(code)
  await exchange.loadMarkets()
  const before = paper.orders(code).length
  const params = { idempotencyKey: `own-${code}` }
  const first = await exchange.createOrder(...limitBuy, params)
  expect((await exchange.createOrder(...limitBuy, params)).id).toBe(first.id)
  expect(paper.orders(code)).toHaveLength(before + 1)
  const other = ['BTC/USDT', 'limit', 'buy', 0.002, 48_000] as const
  expect(await nameOf(exchange.createOrder(...other, params))).toBe('BadRequest')
})

test.each(both)('on %s an order that may exist is a RequestTimeout', async (code) => {
  const exchange = await ccxtFor(code)
  await exchange.loadMarkets()
  sluice().paper.faults.add({ kind: 'reset-before', match: { ...post, exchange: code } })
  expect(await nameOf(exchange.createOrder(...limitBuy))).toBe('RequestTimeout')
})

test.each(both)('a call that is closed on %s is PermissionDenied', async (code) => {
  const exchange = await ccxtFor(code)
  const params = { network: 'ERC20' }
  const withdrawal = exchange.withdraw('USDT', 10, `0x${'1'.repeat(40)}`, undefined, params)
  expect(await nameOf(withdrawal)).toBe('PermissionDenied')
})

test('a wrong secret is an AuthenticationError', async () => {
  const bot = { ...sluice().bot, clientSecret: 'sls_wrong' }
  const exchange = await ccxtFor('bg', bot)
  expect(await nameOf(exchange.fetchBalance())).toBe('AuthenticationError')
})

test('a request that the queue rejects is ExchangeNotAvailable, which ccxt sends again', async () => {
  const { app, asAdmin, paper } = sluice()
  const exchange = await ccxtFor('bg')
  await exchange.loadMarkets()
  const turn = (how: 'stop' | 'resume') =>
    app.inject({
      method: 'POST',
      url: `/api/admin/exchanges/bg/${how}`,
      headers: asAdmin,
      ...(how === 'stop' ? { payload: { reason: 'a test' } } : {}),
    })
  onTestFinished(() => void turn('resume'))
  expect((await turn('stop')).statusCode).toBeLessThan(300)
  expect(await nameOf(exchange.createOrder(...limitBuy))).toBe('ExchangeNotAvailable')
  const before = paper.orders('bg').length
  exchange.options.maxRetriesOnFailure = 20
  exchange.options.maxRetriesOnFailureDelay = 50
  const patient = exchange.createOrder(...limitBuy)
  await turn('resume')
  await patient
  expect(paper.orders('bg')).toHaveLength(before + 1)
})

test("ccxt's demo trading stays demo trading", async () => {
  const { paper } = sluice()
  const exchange = await ccxtFor('bg')
  await exchange.loadMarkets()
  exchange.setSandboxMode(true)
  await exchange.createOrder(...limitBuy)
  const [order] = paper.received({ path: '/api/v2/spot/trade/place-order' }).slice(-1)
  expect(order?.headers).toMatchObject({ paptrading: '1' })
})

test.each([
  ['classic', 'unified'],
  ['unified', 'classic'],
] as const)(
  'when a %s account becomes %s, one call of ccxt fails and the next one is made for it',
  async (from, to) => {
    const { paper, client } = sluice()
    const bot = await client(`ccxt-becomes-${to}`, { unified: from === 'unified' })
    const exchange = await ccxtFor('bg', bot)
    const placed = () =>
      paper.orders('bg').filter(({ account }) => account === `${bot.clientId}-bg`).length
    const { id } = await exchange.createOrder(...limitBuy)
    paper.accounts.migrate(`${bot.clientId}-bg`, to)
    // Nothing was done, so that the key is free for the order in its other form.
    const params = { idempotencyKey: `becomes-${to}` }
    expect(await nameOf(exchange.createOrder(...limitBuy, params))).toBe('ExchangeError')
    expect(placed()).toBe(1)
    await exchange.createOrder(...limitBuy, params)
    expect(placed()).toBe(2)
    expect(await exchange.fetchOrder(`${id}`, 'BTC/USDT')).toMatchObject({ status: 'open' })
  },
)

test('a unified account that ccxt could not detect is known after one call', async () => {
  const { paper, client } = sluice()
  const exchange = await ccxtFor('bg', await client('undetected', { unified: true }))
  paper.faults.add({ kind: '5xx', match: { path: '/api/v3/account/settings' } })
  await exchange.loadMarkets()
  expect(exchange.options.uta).toBe(false)
  expect(await nameOf(exchange.createOrder(...limitBuy))).toBe('ExchangeError')
  expect((await exchange.createOrder(...limitBuy)).id).toMatch(/^\d+$/)
})

test('a client for market data alone loads the markets of both', async () => {
  const { app, asAdmin, client, token } = sluice()
  const bot = await client('market-only')
  const url = `/api/admin/client-credentials/${bot.id}`
  const payload = { permissions: ['market'] }
  await app.inject({ method: 'PATCH', url, headers: asAdmin, payload })
  expect((await token(bot)).statusCode).toBe(200)
  for (const code of both) {
    const exchange = await ccxtFor(code, bot)
    expect(await exchange.loadMarkets()).toHaveProperty('BTC/USDT')
    expect(await nameOf(exchange.fetchBalance())).toBe('PermissionDenied')
  }
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test.runIf(hasPython)('ccxt in Python does the same', async () => {
  const { paper } = sluice()
  const fault = JSON.stringify({ kind: 'reset-before', match: { ...post, exchange: 'mx' } })
  const printed = await runProgram(
    sluice(),
    'mexc_ccxt.py',
    `
import subprocess
place = lambda **params: exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 47000, params)
print("one order", place(idempotencyKey="own-py")["orderId"] == place(idempotencyKey="own-py")["orderId"])
subprocess.check_call(["curl", "-sSf", "-o", "/dev/null", "-H", "content-type: application/json", "-d", ${JSON.stringify(fault)}, "${paper.url}/paper/faults"])
for what in (place, lambda: exchange.request("capital/withdraw", "private", "POST", {}), lambda: place(idempotencyKey="a, b")):
    try:
        what()
    except ccxt.BaseError as error:
        print("raised", type(error).__name__)
`,
  )
  expect(printed).toContain('one order True')
  expect(printed.match(/raised \w+/g)).toEqual([
    'raised RequestTimeout',
    'raised PermissionDenied',
    'raised BadRequest',
  ])
  expect(paper.orders('mx').filter(({ price }) => price === '47000')).toHaveLength(1)
})

test.runIf(hasPython)('ccxt in Python follows an account that becomes unified', async () => {
  const { paper, client } = sluice()
  const bot = await client('python-migrated')
  const printed = await runProgram(
    { ...sluice(), bot },
    'bitget_ccxt.py',
    `
import subprocess
subprocess.check_call(["curl", "-sSf", "-o", "/dev/null", "-H", "content-type: application/json", "-d", '{"to":"unified"}', "${paper.url}/paper/accounts/python-migrated-bg/migrate"])
try:
    exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 46000)
except ccxt.ExchangeError as error:
    print("raised", "40085" in str(error))
print("placed", exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 46000))
`,
  )
  expect(printed).toContain('raised True')
  expect(printed).toMatch(/placed .*\d{18}/)
  expect(paper.orders('bg').filter(({ price }) => price === '46000')).toHaveLength(1)
})
