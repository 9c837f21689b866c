import {
  createClient,
  deleteApiKey,
  type ExchangeCode,
  listApiKeys,
  listAudit,
  type NewApiKey,
  saveApiKey,
  stopExchange,
  testApiKey,
} from 'schema'
import { expect, test } from 'vitest'
import type { Permission } from '../paper-exchange/src/account.ts'
import { testApp } from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { scrape } from './support/metrics.ts'

const WITHDRAWS = ['read', 'trade', 'manage', 'withdraw'] as const
const TRADES = ['read', 'trade', 'manage'] as const
/** Longer than any response of the paper exchange takes on a busy machine. */
const PATIENT_MS = 60_000

interface Key {
  readonly exchange: ExchangeCode
  readonly permissions?: readonly Permission[]
  readonly unified?: boolean
}

/** A gateway that asks the exchange about new keys, with the client "bot", which has none. */
async function world(newKeyWaitMs = PATIENT_MS, env: Record<string, string> = {}) {
  const t = await testApp({ env, app: { newKeyWaitMs } })
  const { call } = t
  await call(createClient, { body: { clientId: 'bot' } })
  let made = 0
  return {
    ...t,
    /** A key at the paper exchange. */
    keyOf({ exchange, permissions = TRADES, unified = false }: Key) {
      made += 1
      const [apiKey, apiSecret] = [`key-${made}`, `secret-${made}`]
      const key = { apiKey, apiSecret, passphrase: `phrase-${made}` }
      t.paper.accounts.add({ ...key, exchange, name: `account-${made}`, permissions, unified })
      return { clientId: 'bot', exchange, ...key }
    },
    save: (body: NewApiKey) => call(saveApiKey, { body }),
    list: async () => (await call(listApiKeys)).body,
    test: async (exchange: ExchangeCode) =>
      (await call(testApiKey, { body: { clientId: 'bot', exchange } })).body,
    audit: async (action: string) =>
      (await call(listAudit, { query: { action } })).body.entries.map(({ after }) => after),
  }
}

test.each([
  { exchange: 'mx', unified: false },
  { exchange: 'bg', unified: false },
  { exchange: 'bg', unified: true },
] as const)('a key of $exchange (unified: $unified) that may withdraw is refused', async (kind) => {
  const w = await world()
  const refused = await w.save(w.keyOf({ ...kind, permissions: WITHDRAWS }))
  expect(refused).toMatchObject({ status: 422, body: { code: 'KEY_CAN_WITHDRAW' } })
  expect(refused.body.message).toMatch(/may withdraw funds from (MEXC|Bitget), and was not stored/)
  expect(await w.list()).toEqual([])
  expect(await w.audit('exchange-keys')).toEqual([{ exchange: kind.exchange, canWithdraw: true }])

  const saved = await w.save(w.keyOf(kind))
  expect(saved.status).toBe(201)
  expect(saved.body).toMatchObject({ canWithdraw: false, testStatus: 'untested' })
})

test('a key that may withdraw is stored when that is allowed, and stays marked', async () => {
  const w = await world()
  const key = w.keyOf({ exchange: 'mx', permissions: WITHDRAWS })
  const saved = await w.save({ ...key, allowWithdrawal: true })
  expect(saved.status).toBe(201)
  expect(saved.body).toMatchObject({ canWithdraw: true })
  expect(await w.test('mx')).toMatchObject({ success: true, canWithdraw: true })
  expect(await w.list()).toMatchObject([{ canWithdraw: true, testStatus: 'success' }])
  const [entry] = await w.audit('exchange-keys.saved')
  expect(entry).toMatchObject({ canWithdraw: true, withdrawalAllowed: true, apiKey: '***' })
  const { value } = await scrape(w.app)
  const counted = (withdrawal: string) =>
    value('sluice_exchange_keys', { exchange: 'mx', withdrawal })
  expect(['yes', 'no', 'unknown'].map(counted)).toEqual([1, 0, 0])
})

test('a refused key leaves the stored one in place and in use', async () => {
  const w = await world()
  await w.save(w.keyOf({ exchange: 'mx' }))
  const [before] = await w.list()
  await w.save(w.keyOf({ exchange: 'mx', permissions: WITHDRAWS }))
  expect(await w.list()).toEqual([before])
  await w.test('mx')
  expect(w.paper.received({ path: '/api/v3/apiKeyInfo' }).at(-1)).toMatchObject({
    account: 'account-1',
  })
})

test.each<[what: string, fall: (w: Awaited<ReturnType<typeof world>>) => unknown]>([
  [
    'is stopped',
    (w) => w.call(stopExchange, { params: { exchange: 'mx' }, body: { reason: 'a drill' } }),
  ],
  ['is down', (w) => w.paper.close()],
  ['answers with errors', (w) => w.paper.faults.add({ kind: '5xx', times: 0 })],
  [
    'does not know the question, like an older one',
    (w) => w.paper.faults.add({ kind: 'html', status: 404, match: { path: '/api/v3/apiKeyInfo' } }),
  ],
])('while the exchange %s, a key is stored, and marked as not known', async (_what, fall) => {
  const w = await world()
  const key = w.keyOf({ exchange: 'mx', permissions: WITHDRAWS })
  await fall(w)
  const saved = await w.save(key)
  expect(saved.status).toBe(201)
  expect(saved.body).toMatchObject({ canWithdraw: null, testStatus: 'untested' })
  const [entry] = await w.audit('exchange-keys.saved')
  expect(entry).toMatchObject({ canWithdraw: null, withdrawalUnknown: expect.any(String) })
})

test('saving waits only so long for the exchange, and a test finds out later', async () => {
  const w = await world(50)
  w.paper.faults.add({ kind: 'slow', delayMs: 2_000, match: { path: '/api/v3/apiKeyInfo' } })
  const saved = await w.save(w.keyOf({ exchange: 'mx', permissions: WITHDRAWS }))
  expect(saved.body).toMatchObject({ canWithdraw: null })
  const [entry] = await w.audit('exchange-keys.saved')
  expect(entry).toMatchObject({ withdrawalUnknown: 'No response within 50 ms' })
  expect(await w.test('mx')).toMatchObject({ canWithdraw: true })
  expect(await w.list()).toMatchObject([{ canWithdraw: true }])
})

test('keys that were stored unasked are marked by their test, and stay marked', async () => {
  const w = await world(0)
  await w.save(w.keyOf({ exchange: 'bg', permissions: WITHDRAWS }))
  expect(await w.list()).toMatchObject([{ canWithdraw: null }])
  expect(await w.test('bg')).toMatchObject({
    success: true,
    canWithdraw: true,
    warnings: expect.arrayContaining([expect.stringContaining('may withdraw')]),
  })
  expect(await w.list()).toMatchObject([{ canWithdraw: true }])
  // A response that says nothing of it takes nothing back.
  w.paper.faults.add({ kind: '5xx', match: { path: '/api/v2/spot/account/info' } })
  await w.test('bg')
  expect(await w.list()).toMatchObject([{ canWithdraw: true }])
})

test('a wrong key is stored as before, raises no alert, and its test says what is wrong', async () => {
  const receiver = await alertReceiver()
  const w = await world(PATIENT_MS, receiver.env)
  const saved = await w.save({ ...w.keyOf({ exchange: 'mx' }), apiSecret: 'another' })
  expect(saved.body).toMatchObject({ canWithdraw: null })
  expect((await scrape(w.app)).value('sluice_alerts_raised', { type: 'key.refused' })).toBe(0)
  expect(await w.test('mx')).toMatchObject({ success: false, canWithdraw: null })
  await w.call(deleteApiKey, { params: { clientId: 'bot', exchange: 'mx' } })
  expect(await w.list()).toEqual([])
})
