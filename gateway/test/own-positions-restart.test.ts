import Database from 'better-sqlite3'
import { expect, test, vi } from 'vitest'
import { adminHeader, createBotClient, signIn } from './campaign/clients.ts'
import { recordIn } from './support/own-record.ts'
import { restarts } from './support/restarts.ts'

// Two processes start, on machines that do other things as well.
vi.setConfig({ testTimeout: 300_000 })

const PLACE = 'futures BTC_USDT'
const ORDER = { symbol: 'BTC_USDT', type: 5, openType: 2, leverage: 1, price: 60000 }
const READS = '/api/v1/private/order/*'
const MIX = '/bg/api/v2/mix/order'
const MIX_SCOPE = { productType: 'USDT-FUTURES', symbol: 'ETHUSDT' }

test('after kill -9 the record has each order that was carried out once, and what nobody can look up as closed', async () => {
  const { paper, start, databasePath } = await restarts()
  const record = async () => {
    const db = new Database(databasePath, { readonly: true })
    const rows = db.prepare('select * from own_position_orders order by id').all()
    db.close()
    const read = await recordIn(rows as Record<string, unknown>[])
    return { ...read, at: (name: string) => read.rows.filter(({ exchange }) => exchange === name) }
  }
  const first = await start()
  const bot = await signIn(first.url, await createBotClient(first.url, paper.accounts, 'bot'))
  const send = (url: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { ...bot, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const post = (url: string, order: object) =>
    send(`${url}/mx/api/v1/private/order/create`, { ...ORDER, ...order })
  const keys = { apiKey: 'a-known-key', apiSecret: 'a-known-secret' }
  const account = { ...keys, exchange: 'mx', name: 'known' } as const
  paper.accounts.add({ ...account, futuresBalances: { USDT: '1000000' } })
  const save = async () => {
    const response = await fetch(`${first.url}/api/admin/client-api-keys`, {
      method: 'POST',
      headers: { ...(await adminHeader(first.url)), 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: 'bot', exchange: 'mx', ...keys }),
    })
    expect(response.status).toBe(201)
  }
  await save()
  expect((await post(first.url, { side: 1, vol: 30 })).status).toBe(200)
  await save()
  for (const symbol of ['ETHUSDT', 'BTCUSDT']) {
    const entry = { side: 'buy', orderType: 'market', size: '0.1', marginMode: 'crossed' }
    const order = { ...MIX_SCOPE, ...entry, symbol, marginCoin: 'USDT' }
    expect((await send(`${first.url}${MIX}/place-order`, order)).status).toBe(200)
  }
  // The exchanges carry out what comes next, never respond, and MEXC cannot be asked.
  paper.faults.add({ kind: 'timeout-after', match: { method: 'POST' }, times: 2 })
  paper.faults.add({ kind: '5xx', match: { method: 'GET', path: READS }, times: 0 })
  const lost = post(first.url, { side: 1, vol: 4 }).catch(() => 'killed')
  const lostClose = send(`${first.url}${MIX}/close-positions`, MIX_SCOPE).catch(() => 'killed')
  const arrived = () => [...paper.orders('mx'), ...paper.orders('bg')].length
  await expect.poll(arrived, { timeout: 60_000 }).toBe(5)
  await first.kill()
  expect(await Promise.all([lost, lostClose])).toEqual(['killed', 'killed'])
  expect((await record()).rows.map(({ does, asked }) => [does, asked])).toEqual([
    ...[
      ['open', '30'],
      ['open', '0.1'],
      ['open', '0.1'],
    ],
  ])
  const [before, after] = storedKeys(databasePath)
  expect(before).toMatchObject({ exchange: 'bg', account_ref: null })
  const { keysRef } = (await record()).rows[0] ?? {}
  expect(after).toMatchObject({ exchange: 'mx', account_ref: keysRef })
  expect(after?.id).toBeGreaterThan(keysRef ?? Number.POSITIVE_INFINITY)

  // The next process finds the second one, with its fill.
  paper.faults.clear()
  const next = await start()
  await expect
    .poll(async () => (await record()).at('mx').map(({ filled }) => filled), { timeout: 60_000 })
    .toEqual(['0', '4'])
  expect((await record()).at('bg')).toMatchObject([
    ...[{ place: 'futures USDT-FUTURES ETHUSDT', does: 'open' }, { does: 'open' }],
    // Nobody knows how much of which side it closed.
    { place: 'futures USDT-FUTURES ETHUSDT', does: 'close', asked: null, side: 'long' },
    { place: 'futures USDT-FUTURES ETHUSDT', does: 'close', asked: null, side: 'short' },
  ])
  expect((await post(next.url, { side: 4, vol: 3 })).status).toBe(200)
  await next.kill()
  const { at, openOf } = await record()
  expect(at('mx').map(({ does, asked, isFinal }) => [does, asked, isFinal])).toEqual([
    ['open', '30', false],
    ['open', '4', true],
    ['close', '3', false],
  ])
  expect(openOf('mx', PLACE)).toMatchObject({ open: '1', isCertain: false })
})

function storedKeys(databasePath: string) {
  const db = new Database(databasePath, { readonly: true })
  const rows = db.prepare('select id, exchange, account_ref from api_keys order by id').all()
  db.close()
  return rows as { id: number; exchange: string; account_ref: number | null }[]
}
