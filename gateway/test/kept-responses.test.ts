import { bgAllPositions, bgSpotTickers, deleteApiKey, stopExchange } from 'schema'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { type HeldExchange, heldExchange } from './support/held-exchange.ts'
import { scrape } from './support/metrics.ts'
import { createSetTime, type SetTime } from './support/set-time.ts'
import { keysOf, secondKeys, shareKeys, storeKeys } from './support/share-keys.ts'

// Thirty bots that read one ticker, or load the markets, cost thirty slots.

const TICKER = '/bg/api/v2/spot/market/tickers?symbol=BTCUSDT'
const SYMBOLS = '/mx/api/v3/exchangeInfo'
const COINS = '/mx/api/v3/capital/config/getall'
const POSITIONS = '/bg/api/v2/mix/position/all-position?productType=USDT-FUTURES'
const upTo = (seconds: number) => ({ 'cache-control': `max-age=${seconds}` })

let time: SetTime
let t: TestApp
let one: Bot
let two: Bot
/** How many calls for a path have come since the test began. */
const arrived = (url: string) =>
  t.paper.received({ path: url.replace(/^\/(mx|bg)/, '').replace(/\?.*/, '') }).length
/** The status, and the age when it has one. */
async function ask(bot: Bot, url: string, headers: Record<string, string> = {}) {
  const { statusCode, headers: of } = await bot.get(url, headers)
  return of.age === undefined ? `${statusCode}` : `${statusCode}, ${of.age} s old`
}
const codeOf = async (bot: Bot, url: string) => ownErrorOf((await bot.get(url)).json()).code

beforeEach(async () => {
  time = createSetTime()
  t = await testApp({ time })
  one = await botOf(t)
  two = await botOf(t)
})

test('lists that hardly change are asked for once in five minutes, for all bots', async () => {
  const urls = [
    ...[SYMBOLS, '/mx/api/v1/contract/detail', '/bg/api/v3/market/instruments?category=SPOT'],
    '/bg/api/v2/mix/market/contracts?productType=USDT-FUTURES',
  ]
  const first = await Promise.all(urls.map((url) => one.get(url)))
  for (const { headers } of first) expect(headers).not.toHaveProperty('age')
  await time.advance(299_000)
  const second = await Promise.all(urls.map((url) => two.get(url)))
  for (const [nth, { body, headers }] of second.entries()) {
    const { 'content-type': type } = first[nth]?.headers ?? {}
    expect(headers).toMatchObject({ age: '299', 'content-type': type, 'x-queue-wait-ms': '0' })
    expect(body).toBe(first[nth]?.body)
  }
  await time.advance(2_000)
  for (const url of urls) {
    expect(arrived(url)).toBe(1)
    expect(await ask(two, url)).toBe('200')
  }
  const rows = (await t.app.inject({ url: '/api/logs?limit=8', headers: t.asAdmin })).json()
  const isShared = rows.map(({ shared }: { shared: boolean }) => shared)
  expect(isShared).toEqual([...Array(4).fill(false), ...Array(4).fill(true)])
})

test('thirty bots that read one ticker with an age of two seconds cost one call', async () => {
  const bots = [one, two, ...(await Promise.all(Array.from({ length: 28 }, () => botOf(t))))]
  const askAll = () => Promise.all(bots.map((bot) => ask(bot, TICKER, upTo(2))))
  await askAll()
  await time.advance(1_900)
  expect(new Set(await askAll())).toEqual(new Set(['200, 1 s old']))
  expect(arrived(TICKER)).toBe(1)
  await time.advance(200)
  await askAll()
  expect(arrived(TICKER)).toBe(2)
  const { value } = await scrape(t.app)
  const counted = (result: string) =>
    value('sluice_kept_responses_total', { exchange: 'bg', result }) ?? 0
  expect(counted('hit') + counted('miss')).toBe(90)
  expect(counted('hit')).toBeGreaterThanOrEqual(30)
})

test('a price without a stated age is a new one, and serves those who take an older one', async () => {
  for (const headers of [{}, {}, upTo(0), { 'cache-control': 'no-cache' }])
    expect(await ask(one, TICKER, headers)).toBe('200')
  expect(arrived(TICKER)).toBe(4)
  await time.advance(4_900)
  expect(await ask(two, TICKER, upTo(5))).toBe('200, 4 s old')
  expect(await ask(two, TICKER, upTo(4))).toBe('200')
})

test('a documented read and a raw one that make the same call share its response', async () => {
  await one.get(TICKER)
  const documented = await two.get(`${bgSpotTickers.path}?symbol=BTCUSDT`, upTo(1))
  expect(documented.headers.age).toBe('0')
  expect(documented.json().data).toMatchObject([{ symbol: 'BTCUSDT' }])
  expect(arrived(TICKER)).toBe(1)
})

test('of Cache-Control, only what can be understood counts, and the lowest age', async () => {
  await one.get(TICKER)
  const ages = {
    ...{ 'max-age=2': 'new', 'max-age=4': '3', 'max-age=1, max-age=600': 'new' },
    ...{ 'MAX-AGE="60"': '3', 'max-age=600, no-cache': 'new' },
    ...{ 'stale-if-error=4,max-age=99999999999999999999': '3' },
    // Without an age, a price is a new one.
    ...{ 'max-age': 'new', 'max-age=-1': 'new', 'max-age=6e1': 'new', 'max-age=60.5': 'new' },
    ...{ 'max-age="60': 'new', 'max-age=sixty': 'new', ',;=': 'new' },
    ...{ 'max-age=600, no-store': 'new', 'max-age=7': '6' },
  }
  for (const [text, age] of Object.entries(ages)) {
    await time.advance(3_000)
    const { statusCode, headers } = await two.get(TICKER, { 'cache-control': text })
    expect([text, statusCode, headers.age ?? 'new']).toEqual([text, 200, age])
  }
})

test('no-store keeps nothing, and no-cache brings a new response for all', async () => {
  await ask(one, SYMBOLS, { 'cache-control': 'no-store' })
  expect(await ask(one, SYMBOLS)).toBe('200')
  await time.advance(3_000)
  expect(await ask(one, SYMBOLS, { 'cache-control': 'no-store' })).toBe('200')
  expect(await ask(two, SYMBOLS)).toBe('200, 3 s old')
  await ask(one, SYMBOLS, { 'cache-control': 'no-cache' })
  expect(await ask(two, SYMBOLS)).toBe('200, 0 s old')
})

test('an age above what the call declares is cut, and the time is never kept', async () => {
  await one.get(SYMBOLS)
  await time.advance(301_000)
  expect(await ask(two, SYMBOLS, upTo(3_600))).toBe('200')
  // The exchange itself is asked while its clock cannot be measured.
  t.paper.faults.add({ kind: 'garbage', times: 0, match: { path: '/api/v3/time' } })
  const ping = '/mx/api/v1/contract/ping'
  for (const bot of [one, two]) expect(await ask(bot, ping, upTo(60))).toBe('200')
  expect(arrived(ping)).toBe(2)
})

test('reads that differ in query, language or demo trading have their own responses', async () => {
  const variants: [string, Record<string, string>][] = [
    [TICKER, {}],
    [TICKER.replace('BTC', 'ETH'), {}],
    [TICKER, { locale: 'zh-CN' }],
    [TICKER, { paptrading: '1' }],
  ]
  for (const [url, headers] of variants)
    expect(await ask(one, url, { ...headers, ...upTo(60) })).not.toContain('old')
  for (const [url, headers] of variants)
    expect(await ask(two, url, { ...headers, ...upTo(60) })).toContain('old')
  expect(arrived(TICKER)).toBe(variants.length)
})

test('a read of the account is never kept, whatever age it states', async () => {
  for (const url of [POSITIONS, '/api/bg/v1/futures/position/all-position', '/mx/api/v3/account'])
    for (let turn = 0; turn < 2; turn += 1) expect(await ask(one, url, upTo(60))).toBe('200')
  expect([arrived(POSITIONS), arrived('/mx/api/v3/account')]).toEqual([4, 2])
})

describe("MEXC's coins, which it gives only to callers with a key", () => {
  test('are shared by the clients with the same keys, and by no other', async () => {
    await shareKeys(one, two)
    const other = await botOf(t)
    await one.get(COINS)
    expect(await ask(two, COINS)).toBe('200, 0 s old')
    expect(await ask(other, COINS)).toBe('200')
    expect(arrived(COINS)).toBe(2)
    // The other's keys are still those of its account, but not the same.
    await storeKeys(one, 'mx', secondKeys(one, 'mx'))
    expect(await ask(one, COINS)).toBe('200')
    expect(await ask(two, COINS)).toBe('200, 0 s old')
  })

  test('are read for each account when keys are replaced while both wait for one call', async () => {
    time = createSetTime()
    t = await testApp({ time, env: { RATE_LIMIT_PER_SECOND: '0.7' } })
    const [mine, same, other] = [await botOf(t), await botOf(t), await botOf(t)]
    await time.during(shareKeys(mine, same))
    await time.during(mine.get('/mx/api/v3/account'))
    const waiting = Promise.all([mine.get(COINS), same.get(COINS)])
    await eventually(async () => expect(await mine.admin('GET', '/queue')).toHaveLength(2))
    await time.during(storeKeys(mine, 'mx', keysOf(other, 'mx')))
    const responses = await time.during(waiting)
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    const accounts = t.paper.received({ path: COINS.slice(3) }).map(({ account }) => account)
    expect(accounts.toSorted()).toEqual([`${mine.clientId}-mx`, `${other.clientId}-mx`])
  })

  test('are not given to a client without keys or without the permission', async () => {
    await shareKeys(one, two)
    const stranger = await botOf(t, { permissions: ['account'] })
    await one.get(COINS)
    expect(await codeOf(stranger, COINS)).toBe('SCOPE_INSUFFICIENT')
    await t.call(deleteApiKey, { params: { clientId: two.clientId, exchange: 'mx' } })
    expect(await codeOf(two, COINS)).toBe('EXCHANGE_KEYS_MISSING')
    expect(await ask(one, COINS)).toBe('200, 0 s old')
  })
})

test.each([
  ['an error status', { kind: '5xx', status: 503 }],
  ['a body that is not JSON', { kind: 'garbage' }],
  ['an empty response', { kind: 'empty' }],
] as const)('%s is not kept', async (_name, fault) => {
  t.paper.faults.add({ ...fault, match: { path: '/api/v3/exchangeInfo' } })
  const first = await one.get(SYMBOLS)
  const second = await two.get(SYMBOLS)
  expect(second.headers).not.toHaveProperty('age')
  expect(second.statusCode).toBe(200)
  expect(second.body).not.toBe(first.body)
  expect(await ask(one, SYMBOLS)).toBe('200, 0 s old')
})

test('OpenAPI says of public reads that they take Cache-Control and may have an Age', async () => {
  const { paths } = (await t.app.inject('/docs/json')).json()
  const headersOf = (path: string) => {
    const { parameters, responses } = paths[path].get
    const names = parameters.map(({ name }: { name: string }) => name)
    return [names.includes('Cache-Control'), responses['200'].headers?.Age !== undefined]
  }
  expect(headersOf(bgSpotTickers.path)).toEqual([true, true])
  expect(headersOf(bgAllPositions.path)).toEqual([false, false])
})

test("the exchange's refusal with HTTP 200 is not kept", async () => {
  const unknown = '/mx/api/v1/contract/detail?symbol=NOT_THERE'
  for (let turn = 1; turn <= 2; turn += 1) {
    expect((await one.get(unknown)).json()).toMatchObject({ success: false })
    expect(arrived(unknown)).toBe(turn)
  }
})

test('a kept response serves while its exchange is stopped, and no longer than its time', async () => {
  await one.get(SYMBOLS)
  const params = { exchange: 'mx' } as const
  expect((await t.call(stopExchange, { params, body: { reason: 'a test' } })).status).toBe(200)
  expect(await ask(two, SYMBOLS)).toBe('200, 0 s old')
  await time.advance(301_000)
  expect(await codeOf(two, SYMBOLS)).toBe('EXCHANGE_STOPPED')
})

test('reads that come while the call is on its way wait for it, also when its caller hangs up', async () => {
  t = await heldExchange()
  const [caller, other] = [await botOf(t), await botOf(t)]
  const { app, holdAt, release } = t as HeldExchange
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const hangUp = new AbortController()
  holdAt('/api/v3/exchangeInfo')
  const { headers } = caller
  const asked = fetch(`${url}${SYMBOLS}`, { headers, signal: hangUp.signal })
  await eventually(() => expect(arrived(SYMBOLS)).toBe(1))
  const joined = ask(other, SYMBOLS)
  hangUp.abort()
  await expect(asked).rejects.toThrow()
  release()
  expect(await joined).toMatch(/^200, \d+ s old$/)
  expect(arrived(SYMBOLS)).toBe(1)
})
