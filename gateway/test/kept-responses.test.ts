import {
  bgAllPositions,
  bgSpotTickers,
  deleteApiKey,
  type LogEntry,
  mxSubmitOrder,
  stopExchange,
} from 'schema'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { type HeldExchange, heldExchange } from './support/held-exchange.ts'
import { scrape } from './support/metrics.ts'
import { ORDER } from './support/place.ts'
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
  expect(counted('hit')).toBeGreaterThanOrEqual(30)
  expect(counted('miss')).toBe(2)
})

test('a price without a stated age is a new one, and only a read with an age keeps it', async () => {
  for (const headers of [{ 'cache-control': 'no-cache' }, {}, {}, upTo(0)])
    expect(await ask(one, TICKER, headers)).toBe('200')
  expect(arrived(TICKER)).toBe(4)
  await time.advance(4_900)
  expect(await ask(two, TICKER)).toBe('200')
  expect(await ask(two, TICKER, upTo(5))).toBe('200, 4 s old')
  expect(await ask(two, TICKER, upTo(4))).toBe('200')
  await time.advance(4_900)
  expect(await ask(one, TICKER, upTo(5))).toBe('200, 4 s old')
})

test('a documented read and a raw one that make the same call share its response', async () => {
  await one.get(TICKER, upTo(1))
  const documented = await two.get(`${bgSpotTickers.path}?symbol=BTCUSDT`, upTo(1))
  expect(documented.headers.age).toBe('0')
  expect(documented.json().data).toMatchObject([{ symbol: 'BTCUSDT' }])
  expect(arrived(TICKER)).toBe(1)
})

test('of Cache-Control, only what can be understood counts, and the lowest age', async () => {
  const ages = {
    ...{ 'max-age=2': 'new', 'max-age=4': '3', 'max-age=1, max-age=600': 'new' },
    ...{ 'MAX-AGE="60"': '3', 'max-age=600, no-cache': 'new' },
    ...{ 'stale-if-error=4,max-age=99999999999999999999': '3', 'ext="a, b",max-age=60': '6' },
    // Without an age, a price is a new one, which is not kept.
    ...{ 'max-age': 'new', 'max-age=-1': 'new', 'max-age=6e1': 'new', 'max-age=60.5': 'new' },
    ...{ 'max-age="60': 'new', 'max-age=sixty': 'new', ',;=': 'new' },
    ...{ 'ext="a, max-age=60, b"': 'new', 'ext="\\", max-age=60, "': 'new' },
    ...{ 'max-age=600, no-store': 'new', 'max-age=39': 'new', 'max-age=4 ': '3' },
  }
  for (const [text, age] of Object.entries(ages)) {
    await time.advance(3_000)
    const { statusCode, headers } = await two.get(TICKER, { 'cache-control': text })
    expect([text, statusCode, headers.age ?? 'new']).toEqual([text, 200, age])
  }
})

test.each([SYMBOLS, COINS])(
  'no-store keeps nothing, and no-cache brings a new response: %s',
  async (url) => {
    await shareKeys(one, two)
    await ask(one, url, { 'cache-control': 'no-store' })
    expect(await ask(one, url)).toBe('200')
    await time.advance(3_000)
    expect(await ask(one, url, { 'cache-control': 'no-store' })).toBe('200')
    expect(await ask(two, url)).toBe('200, 3 s old')
    await ask(one, url, { 'cache-control': 'no-cache' })
    expect(await ask(two, url)).toBe('200, 0 s old')
  },
)

test('the time that a call declares counts, whatever age a bot sends with all its reads', async () => {
  expect(await ask(one, SYMBOLS, upTo(2))).toBe('200')
  await time.advance(299_000)
  expect(await ask(two, SYMBOLS, upTo(2))).toBe('200, 299 s old')
  await time.advance(2_000)
  expect(await ask(two, SYMBOLS, upTo(3_600))).toBe('200')
  expect(await ask(two, SYMBOLS, upTo(0))).toBe('200')
})

test('the time is never kept', async () => {
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

  test('are read with the keys of the moment, and serve those who wait with the same ones', async () => {
    time = createSetTime()
    t = await testApp({ time, env: { RATE_LIMIT_PER_SECOND: '0.7' } })
    const [gone, moved, same] = [await botOf(t), await botOf(t), await botOf(t)]
    const [third, other] = [await botOf(t), await botOf(t)]
    for (const bot of [moved, same, third]) await time.during(shareKeys(gone, bot))
    await time.during(gone.get('/mx/api/v3/account'))
    const waiting = Promise.all([gone, moved, same, third].map((bot) => bot.get(COINS)))
    await eventually(async () => expect(await gone.admin('GET', '/queue')).toHaveLength(4))
    const params = { clientId: gone.clientId, exchange: 'mx' } as const
    await time.during(t.call(deleteApiKey, { params }))
    await time.during(storeKeys(moved, 'mx', keysOf(other, 'mx')))
    const [refused, ...served] = await time.during(waiting)
    expect(ownErrorOf(refused?.json()).code).toBe('EXCHANGE_KEYS_MISSING')
    expect(served.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    const accounts = t.paper.received({ path: COINS.slice(3) }).map(({ account }) => account)
    expect(accounts.toSorted()).toEqual([`${gone.clientId}-mx`, `${other.clientId}-mx`].toSorted())
    expect(await ask(other, COINS)).toMatch(/s old$/)
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

test('a kept response serves while its exchange is stopped, and no longer than its time', async () => {
  await one.get(SYMBOLS)
  const params = { exchange: 'mx' } as const
  expect((await t.call(stopExchange, { params, body: { reason: 'a test' } })).status).toBe(200)
  expect(await ask(two, SYMBOLS)).toBe('200, 0 s old')
  await time.advance(301_000)
  expect(await codeOf(two, SYMBOLS)).toBe('EXCHANGE_STOPPED')
})

describe('a read that comes while an equal one is on its way', () => {
  let held: HeldExchange
  beforeEach(async () => {
    time = createSetTime()
    held = await heldExchange({ time })
    t = held
    one = await botOf(t)
    two = await botOf(t)
  })
  /** What a read gets that came while the first one's response is held for some seconds. */
  async function heldFor(seconds: number, url: string, headers: Record<string, string>) {
    held.holdAt(url.slice(3).split('?')[0] ?? '')
    const first = ask(one, url, headers)
    await eventually(() => expect(arrived(url)).toBe(1))
    const second = two.get(url, headers)
    await eventually(async () => expect(await two.admin('GET', '/queue')).toHaveLength(1))
    await time.advance(seconds * 1000)
    return { first, second }
  }

  test('is served by that response, also when the first caller hangs up', async () => {
    const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
    const hangUp = new AbortController()
    held.holdAt('/api/v3/exchangeInfo')
    const asked = fetch(`${url}${SYMBOLS}`, { headers: one.headers, signal: hangUp.signal })
    await eventually(() => expect(arrived(SYMBOLS)).toBe(1))
    const second = ask(two, SYMBOLS)
    hangUp.abort()
    await expect(asked).rejects.toThrow()
    held.release()
    expect(await time.during(second)).toMatch(/^200, \d+ s old$/)
    expect(arrived(SYMBOLS)).toBe(1)
  })

  test('is served with no older response than it accepts', async () => {
    const { first, second } = await heldFor(5, TICKER, upTo(3))
    held.release()
    expect(await time.during(first)).toBe('200')
    const { statusCode, headers } = await time.during(second)
    expect([statusCode, headers.age]).toEqual([200, undefined])
    expect(Number(headers['x-queue-wait-ms'])).toBeGreaterThanOrEqual(5_000)
    expect(arrived(TICKER)).toBe(2)
  })

  test('waits no longer than its caller does', async () => {
    const { first, second } = await heldFor(5, SYMBOLS, { prefer: 'wait=4' })
    expect(ownErrorOf((await second).json()).code).toBe('QUEUE_DEADLINE_PASSED')
    held.release()
    expect(await time.during(first)).toBe('200')
  })
})

test('what the gateway serves itself writes a bounded number of log rows, and takes none of a refusal', async () => {
  time = createSetTime({ nowMs: Math.floor(Date.now() / 60_000) * 60_000 })
  t = await testApp({ time, env: { CLIENT_REFUSALS_LOGGED_PER_MINUTE: '3' } })
  one = await botOf(t)
  const place = () => one.post(mxSubmitOrder.path, ORDER, { 'idempotency-key': 'grid-1' })
  await place()
  for (let nth = 0; nth < 4; nth += 1) await one.get(SYMBOLS)
  for (let nth = 0; nth < 3; nth += 1) await one.get('/mx/api/v3/time')
  for (let nth = 0; nth < 3; nth += 1) await place()
  expect(await codeOf(one, '/mx/api/v3/withdraw')).toBe('ENDPOINT_FORBIDDEN')
  const rows = async () =>
    (await t.app.inject({ url: '/api/logs', headers: t.asAdmin })).json() as LogEntry[]
  const states = (await rows()).map(({ statusCode, shared }) => `${statusCode} ${shared}`)
  const first = ['200 false', '200 false']
  expect(states).toEqual(['403 false', ...Array(3).fill('200 true'), ...first])
  await time.advance(60_000)
  await one.get(SYMBOLS)
  await eventually(async () =>
    expect((await rows()).map(({ note }) => note)).toContainEqual(
      expect.stringMatching(/^6 served requests of this minute have no row/),
    ),
  )
})
