import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test, vi } from 'vitest'
import { createAccount, type TestApp, testApp } from './app.ts'
import { tempFolder } from './support/temp-folder.ts'

const KEYS = '/api/admin/client-api-keys'
const DAY_MS = 86_400_000

afterEach(() => {
  vi.useRealTimers()
})

const save = ({ app, asAdmin }: TestApp, payload: object) =>
  app.inject({ method: 'POST', url: KEYS, headers: asAdmin, payload })
const list = async ({ app, asAdmin }: TestApp) =>
  (await app.inject({ url: '/api/admin/api-keys', headers: asAdmin })).json()
const tryKeys = ({ app, asAdmin }: TestApp, payload: object) =>
  app.inject({ method: 'POST', url: '/api/admin/test-credentials', headers: asAdmin, payload })

/** An app with the client "bot", which has no keys yet. */
async function appWithBot(env: Record<string, string> = {}): Promise<TestApp> {
  const t = await testApp({ env })
  await t.app.inject({
    method: 'POST',
    url: '/api/admin/client-credentials',
    headers: t.asAdmin,
    payload: { clientId: 'bot' },
  })
  return t
}

const bitgetKeys = {
  clientId: 'bot',
  exchange: 'bg',
  apiKey: 'bg_0123456789',
  apiSecret: 'a-secret-of-bitget',
  passphrase: 'a-phrase',
  note: ' main account ',
}

test('saved keys are returned and listed as flags, never as values', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await appWithBot()
  const saved = await save(t, bitgetKeys)
  expect(saved.statusCode).toBe(201)
  expect(saved.json()).toEqual({
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
  const listed = await t.app.inject({ url: '/api/admin/api-keys', headers: t.asAdmin })
  expect(listed.json()).toEqual([saved.json()])
  for (const value of [bitgetKeys.apiKey, bitgetKeys.apiSecret, bitgetKeys.passphrase])
    expect(saved.body + listed.body).not.toContain(value)
})

test('a passphrase sent with MEXC keys is not stored', async () => {
  const t = await appWithBot()
  const saved = await save(t, { ...bitgetKeys, exchange: 'mx' })
  expect(saved.json()).toMatchObject({ exchange: 'mx', hasPassphrase: false })
})

test.each([
  [{ ...bitgetKeys, clientId: '' }, 'clientId', 'Client ID is required'],
  [{ ...bitgetKeys, exchange: 'kraken' }, 'exchange', 'must be one of mx, bg'],
  [{ ...bitgetKeys, apiKey: '' }, 'apiKey', 'API Key is required'],
  [{ ...bitgetKeys, apiSecret: '' }, 'apiSecret', 'API Secret is required'],
  [{ ...bitgetKeys, apiSecret: 'line\nbreak' }, 'apiSecret', expect.any(String)],
  [{ ...bitgetKeys, note: 'x'.repeat(51) }, 'note', 'Note must be 50 characters or less'],
  [{ ...bitgetKeys, environment: 'real' }, 'environment', 'is not a known field'],
])('wrong keys are rejected by field: %#', async (payload, field, message) => {
  const t = await appWithBot()
  const rejected = await save(t, payload)
  expect(rejected.statusCode).toBe(400)
  expect(rejected.json()).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field, message }] })
  expect(await list(t)).toEqual([])
})

test('an error does not repeat the submitted secret', async () => {
  const t = await appWithBot()
  const rejected = await save(t, { ...bitgetKeys, apiSecret: 'my secret with a space', note: 7 })
  expect(rejected.statusCode).toBe(400)
  expect(rejected.body).not.toContain('my secret')
})

test.each([
  ['apiKey', 'bg_0123\u0000', '^[\\x21-\\x7e]+$'],
  ['apiSecret', 'a-secret\nof two lines', '^[\\x21-\\x7e]+$'],
  ['passphrase', 'a-\u0007phrase', '^[\\x20-\\x7e]*$'],
])(
  'a control character in the %s is reported as such, with the name of the field',
  async (field, value, pattern) => {
    const rejected = await save(await appWithBot(), { ...bitgetKeys, [field]: value })
    const message = `contains a character that is not allowed; it must match pattern "${pattern}"`
    expect(rejected.statusCode).toBe(400)
    expect(rejected.json()).toMatchObject({
      message: `The request is not valid: ${field}: ${message}`,
      fields: [{ field, message }],
    })
  },
)

test('keys of a client that does not exist are neither saved, tested nor deleted', async () => {
  const t = await testApp()
  const responses = [
    await save(t, bitgetKeys),
    await tryKeys(t, { clientId: 'bot', exchange: 'bg' }),
    await t.app.inject({ method: 'DELETE', url: `${KEYS}/bot/bg`, headers: t.asAdmin }),
  ]
  for (const response of responses) {
    expect(response.statusCode).toBe(404)
    expect(response.json()).toMatchObject({ code: 'CLIENT_NOT_FOUND' })
  }
})

test('keys that are not stored are neither tested nor deleted', async () => {
  const t = await appWithBot()
  await save(t, bitgetKeys)
  const responses = [
    await tryKeys(t, { clientId: 'bot', exchange: 'mx' }),
    await t.app.inject({ method: 'DELETE', url: `${KEYS}/bot/mx`, headers: t.asAdmin }),
  ]
  for (const response of responses) {
    expect(response.statusCode).toBe(404)
    expect(response.json()).toMatchObject({ code: 'API_KEY_NOT_FOUND' })
  }
  expect(await list(t)).toHaveLength(1)
})

test("deleted keys are gone, and the bot's error says to ask the administrator", async () => {
  const t = await testApp()
  const { clientId, headers } = await t.client()
  const url = `${KEYS}/${clientId}/mx`
  const deleted = await t.app.inject({ method: 'DELETE', url, headers: t.asAdmin })
  expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
  expect(await list(t)).toMatchObject([{ exchange: 'bg' }])
  const order = await t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers })
  expect(order.statusCode).toBe(403)
  expect(order.json()).toMatchObject({ code: 'EXCHANGE_KEYS_MISSING', outcome: 'not-sent' })
})

test('new keys replace the old ones, count as untested and are used from then on', async () => {
  const t = await testApp()
  const { clientId, headers } = await t.client()
  await tryKeys(t, { clientId, exchange: 'mx' })
  const anew = createAccount(t.paper, 'mx', 'other')
  await save(t, { clientId, exchange: 'mx', ...anew })
  expect(await list(t)).toMatchObject([
    { exchange: 'mx', testStatus: 'untested', testedAt: null },
    { exchange: 'bg' },
  ])
  t.paper.clearReceived()
  await t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers })
  expect(t.paper.received().at(-1)).toMatchObject({ account: 'other-mx', status: 200 })
})

test.each(['mx', 'bg'] as const)(
  'good keys of %s pass the test, and the list says so',
  async (exchange) => {
    const t = await testApp()
    const { clientId } = await t.client()
    const result = await tryKeys(t, { clientId, exchange })
    expect(result.statusCode).toBe(200)
    expect(result.json()).toMatchObject({
      success: true,
      clientId,
      exchange,
      testStatus: 'success',
      message: `${exchange === 'mx' ? 'MEXC' : 'Bitget'} accepted the keys.`,
      clockOffsetMs: expect.any(Number),
    })
    const [row] = (await list(t)).filter((key: { exchange: string }) => key.exchange === exchange)
    expect(row).toMatchObject({ testStatus: 'success', testedAt: expect.stringMatching(/Z$/) })
  },
)

test('the key test reports permissions, addresses and what should change', async () => {
  const t = await appWithBot()
  t.paper.accounts.add({
    exchange: 'bg',
    name: 'careless',
    apiKey: 'careless-key',
    apiSecret: 'careless-secret',
    passphrase: 'phrase',
    permissions: ['read', 'trade', 'withdraw'],
  })
  await save(t, {
    ...bitgetKeys,
    apiKey: 'careless-key',
    apiSecret: 'careless-secret',
    passphrase: 'phrase',
  })
  const result = (await tryKeys(t, { clientId: 'bot', exchange: 'bg' })).json()
  expect(result.permissions).toEqual(['readonly', 'trade', 'withdraw'])
  expect(result.ipBinding).toEqual([])
  expect(result.warnings).toEqual([
    expect.stringContaining('may withdraw'),
    expect.stringContaining('not bound to an IP address'),
  ])
  expect((await list(t))[0].testMessage).toContain('may withdraw')
})

test.each([
  ['mx', 'a wrong secret', { secret: 'wrong' }, /secret.*key|MEXC/i],
  ['bg', 'a wrong secret', { secret: 'wrong' }, /Bitget/],
  ['bg', 'a wrong passphrase', { passphrase: 'wrong' }, /passphrase/i],
  ['mx', 'a key that does not exist', { key: 'wrong' }, /new keys have to be stored/],
  ['bg', 'a key that does not exist', { key: 'wrong' }, /new keys have to be stored/],
  ['mx', 'an expired key', { expired: true }, /new keys have to be stored/],
  ['bg', 'an expired key', { expired: true }, /new keys have to be stored/],
  ['mx', 'a key for other addresses', { ipWhitelist: ['198.51.100.1'] }, /address is not allowed/],
  ['bg', 'a key for other addresses', { ipWhitelist: ['198.51.100.1'] }, /address is not allowed/],
] as const)(
  '%s: %s fails the test, and the list says why',
  async (exchange, _what, flaw, words) => {
    const t = await appWithBot()
    const { secret, passphrase, key, ...account } = { secret: '', passphrase: '', key: '', ...flaw }
    t.paper.accounts.add({
      exchange,
      name: 'bot',
      apiKey: 'the-key',
      apiSecret: 'the-secret',
      passphrase: 'the-phrase',
      ...account,
    })
    await save(t, {
      clientId: 'bot',
      exchange,
      apiKey: key === '' ? 'the-key' : key,
      apiSecret: secret === '' ? 'the-secret' : secret,
      passphrase: passphrase === '' ? 'the-phrase' : passphrase,
    })
    const result = await tryKeys(t, { clientId: 'bot', exchange })
    expect(result.statusCode).toBe(200)
    expect(result.json()).toMatchObject({ success: false, testStatus: 'failure' })
    expect(result.json().message).toMatch(words)
    expect(result.body).not.toContain('the-secret')
    expect(await list(t)).toMatchObject([
      { testStatus: 'failure', testMessage: result.json().message },
    ])
  },
)

test('a key that may only read passes the test of MEXC with a warning', async () => {
  const t = await appWithBot()
  t.paper.accounts.add({
    exchange: 'mx',
    name: 'reader',
    apiKey: 'the-key',
    apiSecret: 'the-secret',
    permissions: ['read'],
  })
  await save(t, { clientId: 'bot', exchange: 'mx', apiKey: 'the-key', apiSecret: 'the-secret' })
  const result = (await tryKeys(t, { clientId: 'bot', exchange: 'mx' })).json()
  expect(result).toMatchObject({ success: true, testStatus: 'success' })
  expect(result.warnings[0]).toContain('may not trade')
})

test('the key test of MEXC describes the key itself: permissions, addresses and expiry', async () => {
  const t = await appWithBot()
  const stored = { apiKey: 'the-key', apiSecret: 'the-secret' }
  t.paper.accounts.add({
    ...stored,
    exchange: 'mx',
    name: 'careless',
    permissions: ['read', 'trade', 'withdraw'],
    keyDaysLeft: 82,
  })
  await save(t, { clientId: 'bot', exchange: 'mx', ...stored })
  const before = Date.now()
  const result = (await tryKeys(t, { clientId: 'bot', exchange: 'mx' })).json()
  expect(result).toMatchObject({ success: true, ipBinding: [] })
  expect(result.permissions).toContain('SPOT_WITHDRAW_WRITE')
  expect(result.warnings).toEqual([
    expect.stringContaining('may withdraw'),
    expect.stringContaining('MEXC lets it expire after 90 days; 82 days are left'),
  ])
  const endsAtMs = Date.parse(result.expiresAt)
  expect(endsAtMs - before).toBeGreaterThanOrEqual(82 * DAY_MS)
  expect(endsAtMs - Date.now()).toBeLessThanOrEqual(82 * DAY_MS)
  expect(await list(t)).toMatchObject([{ testStatus: 'success', expiresAt: result.expiresAt }])

  // Other keys have another expiry.
  await save(t, { clientId: 'bot', exchange: 'mx', ...stored })
  expect(await list(t)).toMatchObject([{ expiresAt: null }])
})

test('keys of MEXC that are bound to an address do not expire', async () => {
  const t = await appWithBot()
  const stored = { apiKey: 'the-key', apiSecret: 'the-secret' }
  t.paper.accounts.add({ ...stored, exchange: 'mx', name: 'bound', ipWhitelist: ['127.0.0.1'] })
  await save(t, { clientId: 'bot', exchange: 'mx', ...stored })
  const result = (await tryKeys(t, { clientId: 'bot', exchange: 'mx' })).json()
  expect(result).toMatchObject({ warnings: [], ipBinding: ['127.0.0.1'], expiresAt: null })
})

test('keys pass the test of MEXC when it does not describe the key, and what was known stays', async () => {
  const t = await testApp()
  const { clientId } = await t.client()
  const first = (await tryKeys(t, { clientId, exchange: 'mx' })).json()
  t.paper.faults.add({ kind: 'html', status: 403, match: { path: '/api/v3/apiKeyInfo' } })
  const result = (await tryKeys(t, { clientId, exchange: 'mx' })).json()
  expect(result).toMatchObject({
    success: true,
    permissions: ['SPOT'],
    ipBinding: null,
    expiresAt: first.expiresAt,
  })
  expect(result.warnings[0]).toContain('did not report what it may do')
})

test('the key that MEXC is asked about is in no log line and in no response', async () => {
  const logLines: string[] = []
  const t = await testApp({ logLines })
  const { clientId, keys } = await t.client()
  const tested = [await tryKeys(t, { clientId, exchange: 'mx' })]
  for (const kind of ['garbage', 'reset-after', '5xx'] as const) {
    t.paper.faults.add({ kind, match: { path: '/api/v3/apiKeyInfo' } })
    tested.push(await tryKeys(t, { clientId, exchange: 'mx' }))
  }
  expect(t.paper.received({ path: '/api/v3/apiKeyInfo' })).toHaveLength(4)
  const text = [...logLines, ...tested.map(({ body }) => body)].join('\n')
  for (const key of keys) expect(text).not.toContain(key)
})

test.each([
  { permissions: ['read', 'trade', 'manage'] as const, warning: undefined },
  { permissions: ['read', 'manage'] as const, warning: 'may not trade' },
])('Bitget keys of a unified account with $permissions are tested through v3', async (key) => {
  const t = await appWithBot()
  const stored = { apiKey: 'the-key', apiSecret: 'the-secret', passphrase: 'the-passphrase' }
  t.paper.accounts.add({
    ...stored,
    exchange: 'bg',
    name: 'unified',
    unified: true,
    permissions: [...key.permissions],
    ipWhitelist: ['127.0.0.1'],
  })
  await save(t, { clientId: 'bot', exchange: 'bg', ...stored })
  const result = (await tryKeys(t, { clientId: 'bot', exchange: 'bg' })).json()
  expect(result).toMatchObject({
    testStatus: 'success',
    ipBinding: ['127.0.0.1'],
    accountKind: 'unified',
  })
  expect(result.warnings).toEqual(
    key.warning === undefined ? [] : [expect.stringContaining(key.warning)],
  )
  expect(await list(t)).toContainEqual(
    expect.objectContaining({ exchange: 'bg', accountKind: 'unified' }),
  )
})

test('Bitget keys of a unified account that may only trade pass, with what they lack', async () => {
  const t = await appWithBot()
  const stored = { apiKey: 'the-key', apiSecret: 'the-secret', passphrase: 'the-passphrase' }
  const permissions = ['read', 'trade'] as const
  t.paper.accounts.add({ ...stored, exchange: 'bg', name: 'trader', unified: true, permissions })
  await save(t, { clientId: 'bot', exchange: 'bg', ...stored })
  const result = (await tryKeys(t, { clientId: 'bot', exchange: 'bg' })).json()
  expect(result).toMatchObject({
    ...{ testStatus: 'success', accountKind: 'unified', permissions: ['uta_trade'] },
    ipBinding: null,
    canWithdraw: null,
    warnings: [expect.stringContaining('uta_mgt'), expect.stringContaining('not known whether')],
  })
})

test('a wrong secret of a unified account fails the test, whatever is asked instead', async () => {
  const t = await appWithBot()
  const stored = { apiKey: 'the-key', apiSecret: 'the-secret', passphrase: 'the-passphrase' }
  t.paper.accounts.add({ ...stored, exchange: 'bg', name: 'wrong', unified: true })
  await save(t, { clientId: 'bot', exchange: 'bg', ...stored, apiSecret: 'another-secret' })
  const result = (await tryKeys(t, { clientId: 'bot', exchange: 'bg' })).json()
  expect(result).toMatchObject({ testStatus: 'failure', accountKind: 'unified' })
})

test.each(['html', 'reset-before', 'garbage'] as const)(
  'an exchange that is broken (%s) says nothing about the keys',
  async (kind) => {
    const t = await testApp()
    const { clientId } = await t.client()
    t.paper.faults.add({ kind, match: { path: '/api/v2/spot/account/info' } })
    const result = await tryKeys(t, { clientId, exchange: 'bg' })
    expect(result.statusCode).toBeOneOf([502, 504])
    expect((await list(t))[0]).toMatchObject({ exchange: 'bg', testStatus: 'untested' })
  },
)

test('keys of an inactive client can be tested', async () => {
  const t = await testApp()
  const { id, clientId } = await t.client()
  await t.app.inject({
    method: 'PATCH',
    url: `/api/admin/client-credentials/${id}/toggle`,
    headers: t.asAdmin,
    payload: { isActive: false },
  })
  expect((await tryKeys(t, { clientId, exchange: 'mx' })).json().success).toBe(true)
})

test('keys sealed with another master key are shown as such, do not break the list, and can be replaced', async () => {
  const file = join(tempFolder(), 'sluice.db')
  const t = await testApp({ env: { DATABASE_URL: `file:${file}` } })
  const { clientId, headers } = await t.client()
  const db = new Database(file)
  db.exec(`update api_keys set key_id = 'c0ffee', api_secret_sealed =
    (select api_secret_sealed from api_keys where exchange = 'bg') where exchange = 'mx'`)
  db.close()
  expect(await list(t)).toMatchObject([
    { exchange: 'bg', isReadable: true },
    { exchange: 'mx', isReadable: false },
  ])
  const read = await t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers })
  expect(read.statusCode).toBe(403)
  expect(read.json()).toMatchObject({ code: 'EXCHANGE_KEYS_UNREADABLE', outcome: 'not-sent' })
  const tested = await tryKeys(t, { clientId, exchange: 'mx' })
  expect(tested.json()).toMatchObject({ success: false, testStatus: 'failure' })
  expect(tested.json().message).toContain('cannot be opened')

  await save(t, { clientId, exchange: 'mx', ...createAccount(t.paper, 'mx', 'anew') })
  expect((await list(t))[0]).toMatchObject({ exchange: 'mx', isReadable: true })
  const again = await t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers })
  expect(again.statusCode).toBe(200)
})

test("two clients' sealed keys cannot be swapped in the database", async () => {
  const file = join(tempFolder(), 'sluice.db')
  const t = await testApp({ env: { DATABASE_URL: `file:${file}` } })
  const [poor, rich] = [await t.client('poor'), await t.client('rich')]
  const db = new Database(file)
  const from = (column: string) =>
    `(select ${column} from api_keys where client_ref = ${rich.id} and exchange = 'mx')`
  db.exec(`update api_keys set api_key_sealed = ${from('api_key_sealed')},
    api_secret_sealed = ${from('api_secret_sealed')}
    where client_ref = ${poor.id} and exchange = 'mx'`)
  db.close()
  const read = await t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers: poor.headers })
  expect(read.json().code).toBe('EXCHANGE_KEYS_UNREADABLE')
})
