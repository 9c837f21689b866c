import { renameSync, writeFileSync } from 'node:fs'
import { bgSpotTickers, healthLive, healthReady, mxTickerPrice, stopExchange, urlOf } from 'schema'
import { expect, test } from 'vitest'
import { COMMIT, VERSION } from '../src/version.ts'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { onDisk } from './support/on-disk.ts'
import { place } from './support/place.ts'

// That the store cannot be written: disk.test.ts, disk-full.test.ts. A real process that gets a
// stop signal: stop.test.ts.

/** A gateway on a database file that others alter under its feet. */
async function ailing() {
  const { path, env, exec } = onDisk()
  const t = await testApp({ env })
  const ready = async () => {
    const { status, body } = await t.call(healthReady)
    return { statusCode: status, ...body }
  }
  return { ...t, path, exec, ready }
}

const RUNNING = { version: VERSION, commit: COMMIT }
const notReady = (reason: RegExp) => ({
  ...RUNNING,
  statusCode: 503,
  status: 'not-ready',
  reasons: [expect.stringMatching(reason)],
})
const READY = { ...RUNNING, statusCode: 200, status: 'ready', reasons: [] }

test('it takes no work on a database that lacks migrations, as one that an older backup was put back over', async () => {
  const { exec, ready } = await ailing()
  exec(`delete from __drizzle_migrations
    where created_at = (select max(created_at) from __drizzle_migrations)`)
  expect(await ready()).toEqual(notReady(/migrations are pending.*restart/))
})

// SQLite keeps writing into a file that nobody will find again, and a bot that retries after the
// restart would be a stranger with a new order.
test('it takes no work, and sends no order, while its database file is missing or replaced', async () => {
  const t = await ailing()
  const { paper, path, ready } = t
  const bot = await t.client()
  const order = () => place(t, bot)
  renameSync(path, `${path}.moved`)
  expect(await ready()).toEqual(notReady(/removed or replaced/))
  expect((await order()).json()).toMatchObject({ code: 'STORE_GONE', outcome: 'not-sent' })
  writeFileSync(path, 'another file')
  expect(await ready()).toEqual(notReady(/removed or replaced/))
  expect(paper.received({ path: '/api/v1/private/*' })).toEqual([])
  renameSync(`${path}.moved`, path)
  expect(await ready()).toEqual(READY)
  expect((await order()).statusCode).toBe(200)
})

test('it takes no work on a database sealed with another master key, and its response names no key', async () => {
  const { exec, ready } = await ailing()
  exec(`UPDATE settings SET value = 'abcdefabcdef:xyz' WHERE name = 'master_key_check'`)
  const { reasons, ...rest } = await ready()
  expect(rest).toEqual({ ...RUNNING, statusCode: 503, status: 'not-ready' })
  expect(reasons).toEqual([expect.stringMatching(/master key(?!.*[0-9a-f]{12})/)])
})

test('it takes no work while it drains, and stays alive until it has drained', async () => {
  const { app, paper, client, holdAt, release } = await heldExchange()
  const { headers } = await client()
  const path = '/api/v2/spot/market/tickers'
  holdAt(path)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const probe = async (path: string) => {
    const response = await fetch(`${url}${path}`)
    return { statusCode: response.status, ...Object(await response.json()) }
  }
  const read = fetch(`${url}${urlOf(bgSpotTickers)}`, { headers })
  await eventually(() => expect(paper.received({ path })).toHaveLength(1))
  expect(await probe(healthReady.path)).toEqual(READY)
  const closing = app.close()
  expect(await probe(healthReady.path)).toEqual(notReady(/shutting down/))
  expect(await probe(healthLive.path)).toEqual({ ...RUNNING, statusCode: 200, status: 'ok' })
  release()
  expect((await read).status).toBe(200)
  await closing
})

test('it stays ready while an exchange is stopped or broken: its orders get a named error, the other exchange works', async () => {
  const { call, paper, client } = await testApp()
  const bot = await client()
  const ask = () => call(mxTickerPrice, {}, bot)
  const tickers = (symbol: string) => call(bgSpotTickers, { query: { symbol } }, bot)
  await call(stopExchange, { params: { exchange: 'mx' }, body: { reason: 'a drill' } })
  expect(await ask()).toMatchObject({
    body: { code: 'EXCHANGE_STOPPED' },
    headers: { 'retry-after': '60', ratelimit: '"mx";r=0;t=60' },
  })
  expect((await tickers('BTCUSDT')).status).toBe(200)
  paper.faults.add({ kind: '5xx', times: 0, match: { exchange: 'bg' } })
  for (let i = 0; i < 5; i += 1) await tickers(`S${i}`)
  expect((await tickers('BTCUSDT')).body.code).toBe('EXCHANGE_UNAVAILABLE')
  const { status, body } = await call(healthReady)
  expect({ statusCode: status, ...body }).toEqual(READY)
})

test('liveness is reported without reading the store', async () => {
  const { call, exec, ready } = await ailing()
  exec('drop table settings')
  expect(await ready()).toEqual(notReady(/its log has the reason/))
  const alive = await call(healthLive)
  expect([alive.status, alive.body]).toEqual([200, { ...RUNNING, status: 'ok' }])
})
