import {
  createClient,
  deleteApiKey,
  type ExchangeCode,
  listApiKeys,
  mxGetAccountInfo,
  saveApiKey,
  testApiKey,
  toggleClient,
} from 'schema'
import { afterEach, expect, test, vi } from 'vitest'
import { createAccount, type TestApp, type TestClient, testApp } from './app.ts'
import { wrong } from './support/call.ts'
import { onDisk } from './support/on-disk.ts'
import { sharedApp } from './support/shared-app.ts'

const DAY_MS = 86_400_000

afterEach(() => {
  vi.useRealTimers()
})

const shared = sharedApp()
let bots = 0

/** What an admin does with the keys of a client. */
function keysOf(t: TestApp, clientId: string) {
  return {
    ...t,
    clientId,
    save: (exchange: ExchangeCode, keys: object) =>
      t.call(saveApiKey, { body: wrong({ clientId, exchange, ...keys }) }),
    tryKeys: (exchange: ExchangeCode) => t.call(testApiKey, { body: { clientId, exchange } }),
    remove: (exchange: ExchangeCode) => t.call(deleteApiKey, { params: { clientId, exchange } }),
    list: async () => (await t.call(listApiKeys)).body.filter((key) => key.clientId === clientId),
  }
}

/** A new client without keys. */
async function newBot() {
  bots += 1
  const clientId = `new-bot-${bots}`
  await shared().call(createClient, { body: { clientId } })
  return keysOf(shared(), clientId)
}

/** A new client with keys for both exchanges. */
async function botWithKeys(t = shared()) {
  const bot = await t.client()
  return { ...keysOf(t, bot.clientId), bot, read: () => readBalances(t, bot) }
}
const readBalances = ({ call }: TestApp, bot: TestClient) => call(mxGetAccountInfo, {}, bot)

type Account = Parameters<TestApp['paper']['accounts']['add']>[0]
const KEYS = { apiKey: 'the-key', apiSecret: 'the-secret', passphrase: 'the-phrase' }
let accounts = 0

/** A new client whose stored keys are those of an account at the exchange, but for `stored`. */
async function botAt(account: Partial<Account> & Pick<Account, 'exchange'>, stored = {}) {
  const bot = await newBot()
  accounts += 1
  const keys = { ...KEYS, apiKey: `the-key-${accounts}` }
  bot.paper.accounts.add({ ...keys, name: `account-${accounts}`, ...account })
  await bot.save(account.exchange, { ...keys, ...stored })
  return { ...bot, keys: { ...keys, ...stored } }
}

const bitgetKeys = {
  apiKey: 'bg_0123456789',
  apiSecret: 'a-secret-of-bitget',
  passphrase: 'a-phrase',
  note: ' main account ',
}

test('saved keys are returned and listed as flags, never as values', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp()
  await t.call(createClient, { body: { clientId: 'bot' } })
  const saved = await keysOf(t, 'bot').save('bg', bitgetKeys)
  expect(saved.status).toBe(201)
  expect(saved.body).toEqual({
    clientId: 'bot',
    exchange: 'bg',
    note: 'main account',
    testStatus: 'untested',
    testMessage: null,
    testedAt: null,
    hasApiKey: true,
    hasApiSecret: true,
    hasPassphrase: true,
    isReadable: true,
    expiresAt: null,
    accountKind: null,
    canWithdraw: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  const listed = await t.call(listApiKeys)
  expect(listed.body).toEqual([saved.body])
  for (const value of [bitgetKeys.apiKey, bitgetKeys.apiSecret, bitgetKeys.passphrase])
    expect(saved.text + listed.text).not.toContain(value)
})

test('a passphrase sent with MEXC keys is not stored', async () => {
  const saved = await (await newBot()).save('mx', bitgetKeys)
  expect(saved.body).toMatchObject({ exchange: 'mx', hasPassphrase: false })
})

const NOT_ALLOWED = 'contains a character that is not allowed; it must match pattern'
test.each([
  [{ clientId: '' }, 'clientId', 'Client ID is required'],
  [{ exchange: 'kraken' }, 'exchange', 'must be one of mx, bg'],
  [{ apiKey: '' }, 'apiKey', 'API Key is required'],
  [{ apiSecret: '' }, 'apiSecret', 'API Secret is required'],
  [{ note: 'x'.repeat(51) }, 'note', 'Note must be 50 characters or less'],
  [{ environment: 'real' }, 'environment', 'is not a known field'],
  // A control character is reported as such.
  [{ apiKey: 'bg_0123\u0000' }, 'apiKey', `${NOT_ALLOWED} "^[\\x21-\\x7e]+$"`],
  [{ apiSecret: 'of two\nlines' }, 'apiSecret', `${NOT_ALLOWED} "^[\\x21-\\x7e]+$"`],
  [{ passphrase: 'a-\u0007phrase' }, 'passphrase', `${NOT_ALLOWED} "^[\\x20-\\x7e]*$"`],
])('wrong keys are rejected by field: %#', async (fields, field, message) => {
  const bot = await newBot()
  const rejected = await bot.save('bg', { ...bitgetKeys, ...fields })
  expect(rejected.status).toBe(400)
  expect(rejected.body).toMatchObject({
    code: 'VALIDATION_FAILED',
    message: `The request is not valid: ${field}: ${message}`,
    fields: [{ field, message }],
  })
  expect(await bot.list()).toEqual([])
})

test('an error does not repeat the submitted secret', async () => {
  const secret = { apiSecret: 'my secret with a space', note: 7 }
  const rejected = await (await newBot()).save('bg', { ...bitgetKeys, ...secret })
  expect(rejected.status).toBe(400)
  expect(rejected.text).not.toContain('my secret')
})

test('keys that are not stored, or of no client, are neither saved, tested nor deleted', async () => {
  const nobody = keysOf(shared(), 'nobody')
  const bot = await newBot()
  await bot.save('bg', bitgetKeys)
  for (const [refused, code] of [
    [await nobody.save('bg', bitgetKeys), 'CLIENT_NOT_FOUND'],
    [await nobody.tryKeys('bg'), 'CLIENT_NOT_FOUND'],
    [await nobody.remove('bg'), 'CLIENT_NOT_FOUND'],
    [await bot.tryKeys('mx'), 'API_KEY_NOT_FOUND'],
    [await bot.remove('mx'), 'API_KEY_NOT_FOUND'],
  ] as const)
    expect(refused).toMatchObject({ status: 404, body: { code } })
  expect(await bot.list()).toHaveLength(1)
})

test("deleted keys are gone, and the bot's error says to ask the administrator", async () => {
  const { remove, list, read } = await botWithKeys()
  const deleted = await remove('mx')
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  expect(await list()).toMatchObject([{ exchange: 'bg' }])
  expect(await read()).toMatchObject({
    status: 403,
    body: { code: 'EXCHANGE_KEYS_MISSING', outcome: 'not-sent' },
  })
})

test('new keys replace the old ones, count as untested and are used from then on', async () => {
  const { paper, save, tryKeys, list, read } = await botWithKeys()
  await tryKeys('mx')
  await save('mx', createAccount(paper, 'mx', 'other'))
  expect(await list()).toMatchObject([
    { exchange: 'mx', testStatus: 'untested', testedAt: null },
    { exchange: 'bg' },
  ])
  paper.clearReceived()
  await read()
  expect(paper.received().at(-1)).toMatchObject({ account: 'other-mx', status: 200 })
})

test.each([
  ['mx', 'MEXC'],
  ['bg', 'Bitget'],
] as const)('good keys of %s pass the test, and the list says so', async (exchange, name) => {
  const { clientId, tryKeys, list } = await botWithKeys()
  const result = await tryKeys(exchange)
  expect(result.status).toBe(200)
  expect(result.body).toMatchObject({
    ...{ success: true, clientId, exchange, testStatus: 'success' },
    ...{ message: `${name} accepted the keys.`, clockOffsetMs: expect.any(Number) },
  })
  const row = (await list()).find((key) => key.exchange === exchange)
  expect(row).toMatchObject({ testStatus: 'success', testedAt: expect.stringMatching(/Z$/) })
})

test('the key test reports permissions, addresses and what should change', async () => {
  const bot = await botAt({ exchange: 'bg', permissions: ['read', 'trade', 'withdraw'] })
  const result = (await bot.tryKeys('bg')).body
  expect(result.permissions).toEqual(['readonly', 'trade', 'withdraw'])
  expect(result.ipBinding).toEqual([])
  expect(result.warnings).toEqual([
    expect.stringContaining('may withdraw'),
    expect.stringContaining('not bound to an IP address'),
  ])
  expect((await bot.list())[0]?.testMessage).toContain('may withdraw')
})

const WRONG = { apiSecret: 'wrong-secret' }
test.each([
  ['mx', 'a wrong secret', {}, WRONG, /secret.*key|MEXC/i],
  ['bg', 'a wrong secret', {}, WRONG, /Bitget/],
  ['bg', 'a wrong passphrase', {}, { passphrase: 'wrong' }, /passphrase/i],
  ['mx', 'a key that does not exist', {}, { apiKey: 'wrong' }, /new keys have to be stored/],
  ['bg', 'a key that does not exist', {}, { apiKey: 'wrong' }, /new keys have to be stored/],
  ['mx', 'an expired key', { expired: true }, {}, /new keys have to be stored/],
  ['bg', 'an expired key', { expired: true }, {}, /new keys have to be stored/],
  ['mx', 'a key for other addresses', { ipWhitelist: ['198.51.100.1'] }, {}, /is not allowed/],
  ['bg', 'a key for other addresses', { ipWhitelist: ['198.51.100.1'] }, {}, /is not allowed/],
  // Whatever is asked instead, of a unified account.
  ['bg', 'a wrong secret of a unified account', { unified: true }, WRONG, /Bitget/],
] as const)(
  '%s: %s fails the test, and the list says why',
  async (exchange, _what, account, stored, words) => {
    const bot = await botAt({ exchange, ...Object(account) }, stored)
    const result = await bot.tryKeys(exchange)
    expect(result.status).toBe(200)
    expect(result.body).toMatchObject({ success: false, testStatus: 'failure' })
    expect(result.body.message).toMatch(words)
    expect(result.text).not.toContain(bot.keys.apiSecret)
    expect(await bot.list()).toMatchObject([
      { testStatus: 'failure', testMessage: result.body.message },
    ])
    if ('unified' in account) expect(result.body.accountKind).toBe('unified')
  },
)

test('the key test of MEXC describes the key itself: permissions, addresses and expiry', async () => {
  const permissions = ['read', 'trade', 'withdraw'] as const
  const bot = await botAt({ exchange: 'mx', permissions, keyDaysLeft: 82 })
  const before = Date.now()
  const result = (await bot.tryKeys('mx')).body
  expect(result).toMatchObject({ success: true, ipBinding: [] })
  expect(result.permissions).toContain('SPOT_WITHDRAW_WRITE')
  expect(result.warnings).toEqual([
    expect.stringContaining('may withdraw'),
    expect.stringContaining('MEXC lets it expire after 90 days; 82 days are left'),
  ])
  const endsAtMs = Date.parse(result.expiresAt ?? '')
  expect(endsAtMs - before).toBeGreaterThanOrEqual(82 * DAY_MS)
  expect(endsAtMs - Date.now()).toBeLessThanOrEqual(82 * DAY_MS)
  expect(await bot.list()).toMatchObject([{ testStatus: 'success', expiresAt: result.expiresAt }])

  // Other keys have another expiry.
  await bot.save('mx', bot.keys)
  expect(await bot.list()).toMatchObject([{ expiresAt: null }])
})

test('keys of MEXC that are bound to an address do not expire; one that may only read is warned of', async () => {
  const bound = await botAt({ exchange: 'mx', ipWhitelist: ['127.0.0.1'] })
  expect((await bound.tryKeys('mx')).body).toMatchObject({
    ...{ warnings: [], ipBinding: ['127.0.0.1'], expiresAt: null },
  })
  const reader = await botAt({ exchange: 'mx', permissions: ['read'] })
  const { testStatus, warnings } = (await reader.tryKeys('mx')).body
  expect([testStatus, warnings[0]]).toEqual(['success', expect.stringContaining('may not trade')])
})

test('keys pass the test of MEXC when it does not describe the key, and what was known stays', async () => {
  const { paper, tryKeys } = await botWithKeys()
  const first = (await tryKeys('mx')).body
  paper.faults.add({ kind: 'html', status: 403, match: { path: '/api/v3/apiKeyInfo' } })
  const result = (await tryKeys('mx')).body
  expect(result).toMatchObject({
    ...{ success: true, permissions: ['SPOT'], ipBinding: null, expiresAt: first.expiresAt },
  })
  expect(result.warnings[0]).toContain('did not report what it may do')
})

test('the key that MEXC is asked about is in no log line and in no response', async () => {
  const logLines: string[] = []
  const { bot, paper, tryKeys } = await botWithKeys(await testApp({ logLines }))
  const tested = [await tryKeys('mx')]
  for (const kind of ['garbage', 'reset-after', '5xx'] as const) {
    paper.faults.add({ kind, match: { path: '/api/v3/apiKeyInfo' } })
    tested.push(await tryKeys('mx'))
  }
  // After a reset the read is sent once more.
  expect(paper.received({ path: '/api/v3/apiKeyInfo' })).toHaveLength(5)
  const shown = [...logLines, ...tested.map(({ text }) => text)].join('\n')
  for (const key of bot.keys) expect(shown).not.toContain(key)
})

const BOUND = { ipBinding: ['127.0.0.1'] }
test.each([
  [['read', 'trade', 'manage'], { ...BOUND, warnings: [] }],
  [['read', 'manage'], { ...BOUND, warnings: [expect.stringContaining('not trade')] }],
  [
    ['read', 'trade'],
    {
      ...{ ipBinding: null, canWithdraw: null, permissions: ['uta_trade'] },
      warnings: [expect.stringContaining('uta_mgt'), expect.stringContaining('not known whether')],
    },
  ],
] as const)(
  'Bitget keys of a unified account with %j are tested through v3, with what they lack',
  async (permissions, found) => {
    const ipWhitelist = ['127.0.0.1']
    const bot = await botAt({ exchange: 'bg', unified: true, permissions, ipWhitelist })
    const expected = { testStatus: 'success', accountKind: 'unified', ...found }
    expect((await bot.tryKeys('bg')).body).toMatchObject(expected)
    expect(await bot.list()).toMatchObject([{ exchange: 'bg', accountKind: 'unified' }])
  },
)

test.each(['html', 'reset-before', 'garbage'] as const)(
  'an exchange that is broken (%s) says nothing about the keys',
  async (kind) => {
    const { paper, tryKeys, list } = await botWithKeys()
    // After a reset the read is sent once more.
    const times = kind === 'reset-before' ? 2 : 1
    paper.faults.add({ kind, times, match: { path: '/api/v2/spot/account/info' } })
    expect((await tryKeys('bg')).status).toBeOneOf([502, 504])
    expect((await list())[0]).toMatchObject({ exchange: 'bg', testStatus: 'untested' })
  },
)

test('keys of an inactive client can be tested', async () => {
  const { bot, call, tryKeys } = await botWithKeys()
  await call(toggleClient, { params: { id: bot.id }, body: { isActive: false } })
  expect((await tryKeys('mx')).body.success).toBe(true)
})

test('keys sealed with another master key are shown as such, do not break the list, and can be replaced', async () => {
  const { env, exec } = onDisk()
  const t = await testApp({ env })
  const { list, read, tryKeys, save } = await botWithKeys(t)
  exec(`update api_keys set key_id = 'c0ffee', api_secret_sealed =
    (select api_secret_sealed from api_keys where exchange = 'bg') where exchange = 'mx'`)
  expect(await list()).toMatchObject([
    { exchange: 'bg', isReadable: true },
    { exchange: 'mx', isReadable: false },
  ])
  expect(await read()).toMatchObject({
    status: 403,
    body: { code: 'EXCHANGE_KEYS_UNREADABLE', outcome: 'not-sent' },
  })
  expect((await tryKeys('mx')).body).toMatchObject({
    ...{ success: false, testStatus: 'failure' },
    message: expect.stringContaining('cannot be opened'),
  })

  await save('mx', createAccount(t.paper, 'mx', 'anew'))
  expect((await list())[0]).toMatchObject({ exchange: 'mx', isReadable: true })
  expect((await read()).status).toBe(200)
})

test("two clients' sealed keys cannot be swapped in the database", async () => {
  const { env, exec } = onDisk()
  const t = await testApp({ env })
  const [poor, rich] = [await t.client('poor'), await t.client('rich')]
  const from = (column: string) =>
    `(select ${column} from api_keys where client_ref = ${rich.id} and exchange = 'mx')`
  exec(`update api_keys set api_key_sealed = ${from('api_key_sealed')},
    api_secret_sealed = ${from('api_secret_sealed')}
    where client_ref = ${poor.id} and exchange = 'mx'`)
  expect((await readBalances(t, poor)).body.code).toBe('EXCHANGE_KEYS_UNREADABLE')
})
