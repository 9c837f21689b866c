import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { bgSpotTickers, healthLive, healthReady, mxSubmitOrder, stopExchange, urlOf } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { COMMIT, VERSION } from '../src/version.ts'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { tempFolder } from './support/temp-folder.ts'

// That the store cannot be written: disk.test.ts, disk-full.test.ts. A real process that gets a
// stop signal: stop.test.ts.

/** A gateway on a database file, and a second connection that alters it under its feet. */
async function ailing() {
  const path = join(tempFolder(), 'sluice.db')
  const { app, paper, client } = await testApp({ env: { DATABASE_URL: `file:${path}` } })
  const db = new Database(path)
  onTestFinished(() => void db.close())
  const ready = async () => {
    const { statusCode, body } = await app.inject(healthReady.path)
    return { statusCode, ...JSON.parse(body) }
  }
  return { app, paper, client, path, db, ready }
}

const RUNNING = { version: VERSION, commit: COMMIT }
const notReady = (reason: RegExp) => ({
  ...RUNNING,
  statusCode: 503,
  status: 'not-ready',
  reasons: [expect.stringMatching(reason)],
})
const READY = { ...RUNNING, statusCode: 200, status: 'ready', reasons: [] }

test('a gateway that runs takes work', async () => {
  const { ready } = await ailing()
  expect(await ready()).toEqual(READY)
})

test('it takes no work on a database that lacks migrations, as one that an older backup was put back over', async () => {
  const { db, ready } = await ailing()
  db.exec(
    'DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)',
  )
  expect(await ready()).toEqual(notReady(/migrations are pending.*restart/))
})

// SQLite keeps writing into a file that nobody will find again, and a bot that retries after the
// restart would be a stranger with a new order.
test('it takes no work, and sends no order, while its database file is missing or replaced', async () => {
  const { app, paper, client, path, ready } = await ailing()
  const { headers } = await client()
  const order = () =>
    app.inject({
      method: 'POST',
      url: mxSubmitOrder.path,
      headers,
      payload: { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
    })
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
  const { db, ready } = await ailing()
  db.exec(`UPDATE settings SET value = 'abcdefabcdef:xyz' WHERE name = 'master_key_check'`)
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
  const { app, paper, asAdmin, client } = await testApp()
  const { headers } = await client()
  const ask = (path: string) => app.inject({ url: path, headers })
  const code = async (path: string) => (await ask(path)).json().code
  const tickers = '/mx/api/v3/ticker/price'
  await app.inject({
    method: 'POST',
    url: urlOf(stopExchange, { params: { exchange: 'mx' } }),
    headers: asAdmin,
    payload: { reason: 'a drill' },
  })
  expect(await code(tickers)).toBe('EXCHANGE_STOPPED')
  const stopped = { 'retry-after': '60', ratelimit: '"mx";r=0;t=60' }
  expect((await ask(tickers)).headers).toMatchObject(stopped)
  expect((await ask(bgSpotTickers.path)).statusCode).toBe(200)
  paper.faults.add({ kind: '5xx', times: 0, match: { exchange: 'bg' } })
  for (let i = 0; i < 5; i += 1) await ask(urlOf(bgSpotTickers, { query: { symbol: `S${i}` } }))
  expect(await code(bgSpotTickers.path)).toBe('EXCHANGE_UNAVAILABLE')
  const { statusCode, body } = await app.inject(healthReady.path)
  expect({ statusCode, ...JSON.parse(body) }).toEqual(READY)
})

test('liveness is reported without reading the store', async () => {
  const { app, db, ready } = await ailing()
  db.exec('DROP TABLE settings')
  expect(await ready()).toEqual(notReady(/its log has the reason/))
  const alive = await app.inject(healthLive.path)
  expect([alive.statusCode, alive.json()]).toEqual([200, { ...RUNNING, status: 'ok' }])
})
