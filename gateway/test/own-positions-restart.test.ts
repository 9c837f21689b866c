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

test('after kill -9 the record has every order that was carried out, once, also of keys that were saved again', async () => {
  const { paper, start, databasePath } = await restarts()
  const record = async () => {
    const db = new Database(databasePath, { readonly: true })
    const rows = db.prepare('select * from own_position_orders order by id').all()
    db.close()
    return recordIn(rows as Record<string, unknown>[])
  }
  const first = await start()
  const bot = await signIn(first.url, await createBotClient(first.url, paper.accounts, 'bot'))
  const post = (url: string, order: object) =>
    fetch(`${url}/mx/api/v1/private/order/create`, {
      method: 'POST',
      headers: { ...bot, 'content-type': 'application/json' },
      body: JSON.stringify({ ...ORDER, ...order }),
    })
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
  // The exchange carries the second one out, never responds, and cannot be asked.
  paper.faults.add({ kind: 'timeout-after', match: { method: 'POST' } })
  paper.faults.add({ kind: '5xx', match: { method: 'GET', path: READS }, times: 0 })
  const lost = post(first.url, { side: 1, vol: 4 }).catch(() => 'killed')
  await expect.poll(() => paper.orders('mx').length, { timeout: 60_000 }).toBe(2)
  await first.kill()
  expect(await lost).toBe('killed')
  expect((await record()).rows).toMatchObject([{ asked: '30', isFinal: false }])
  const [before, after] = storedKeys(databasePath)
  expect(before).toMatchObject({ exchange: 'bg', account_ref: null })
  const { keysRef } = (await record()).rows[0] ?? {}
  expect(after).toMatchObject({ exchange: 'mx', account_ref: keysRef })
  expect(after?.id).toBeGreaterThan(keysRef ?? Number.POSITIVE_INFINITY)

  // The next process finds the second one, with its fill.
  paper.faults.clear()
  const next = await start()
  await expect
    .poll(async () => (await record()).rows.map(({ filled }) => filled), { timeout: 60_000 })
    .toEqual(['0', '4'])
  expect((await post(next.url, { side: 4, vol: 3 })).status).toBe(200)
  await next.kill()
  const { rows, openOf } = await record()
  expect(rows.map(({ does, asked, isFinal }) => [does, asked, isFinal])).toEqual([
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
