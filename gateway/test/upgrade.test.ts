import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { openStore } from '../src/store/sqlite/open.ts'
import { createClientSecrets } from '../src/vault/client-secret.ts'
import { checkValue, deriveKey, toMasterKey } from '../src/vault/master-key.ts'
import { createPasswords } from '../src/vault/password.ts'
import { createSealer } from '../src/vault/sealing.ts'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { makeOlderDatabase, migrations, type Rows, readAll } from './support/older-database.ts'
import { tempFolder } from './support/temp-folder.ts'

/** Every migration that was released, by the hash that databases remember. */
const RELEASED = {
  '0000_start': 'b8edb33495277177f053367c774b55a448162343926ea003640aded4f36f9381',
  '0001_order_journal': 'd56957689c7238b2f93166fab381054e322129ff0976df037cce3d3253e1659f',
  '0002_client_permissions': '13c08126efe4b004eb188256fa66473adbcfa65f56898e573cb4e934433cfcc5',
  '0003_order_keys': '6b9877ff73dc8918eec1b785b10c439c1e64f88fc86152c199876471350fe9f6',
  '0004_account_kind': '674bf883bdc1362ba644f831a0b099687f5c36c83bcac66bc9c81fff732bcd49',
  '0005_key_expiry': '68c1514ccde0011fdbe2d1b00d114009e0ed308ba8ff5d29672920ea1f7cff43',
  '0006_settings_permission': 'd5213f47d942b5f214d7a644426d1d64fddaf7860994038606bb3b7c74b50ed5',
  '0007_log_index': 'bb1b84fb97dddb78fb22ed51b92cd956dee6c1988703e5657657dfa72bd698ee',
  '0008_client_limits': '84b77b393796dc24e7d6237618285c3bd8c96da80d1b258c2587b5ec45684be3',
  '0009_order_life': 'c5a6dd05a9c679f6ecc2ad31625f5276ddd60055a439a8f5bb77f0f8aadaef05',
  '0010_operations': '777abe1e8cceeaf0d6c59eafe207ddb35b89f291b54a89c1c598a0a31bc19632',
  '0011_log_search': 'cebe92650b17c6d26a699d29cacb977416cda0bfbef039b0127c34312390c8c3',
  '0012_order_ended': 'ce777f06814fd89e35972e3743e632a8611e8326092d3296021e4975df6af55f',
  '0013_audit': '77ade497cc251004190eb2d2e3a6f2f366b8606b627da085221679333f1d298f',
  '0014_people': 'c3d185734382f5c39c8b75eb20fbc552d42550ea0677f824b8dd6ccae8e72dc1',
  '0015_key_withdrawal': '2387b217e5e856dd6b1f9b7f69532a34d32578f8de00d7e9b602b179c4457862',
  '0016_last_sign_in': 'fa48ce3034a2f00c2bb4ac1d1dd4e87f86d0a45258f7043fe21c1ea051d5c64b',
  '0017_approvals': 'c46885724f145de8b1307e3d7cc91c09d4d705cbb47509bcdf665c7ee5db9d89',
  '0018_openid': '23f9c4d04993a1e2f6f835984ac5b19343f2458a6d19c0e54de3060df9ea144e',
  '0019_handed_over': '8b7483a663a747051278ceef9224a52ee7e14f5c9d3a9c9196eee489ca282fc2',
  '0020_client_orders': '060a11068dd3af6ac5c3caa803e09aab02ed787059c781bf4e3f82f6099b887e',
  '0021_own_positions': '42ec4072734f60f6b9793797346a7316443ea428e8fb1fff478b97d040fcfacc',
  '0022_listed_orders': '8c5affde70c9fa5dbd1b4ff51caa2c75e632065cb2818c3223bf86710d96e93b',
  '0023_streams': '048aec984befa8b1b502877e7496eb955d110e9d91a580bef3a4ce6f31b45589',
}
/** The index of the log is made anew from its rows: since then its kinds have the error's code. */
const INDEX_TABLES = ['log_kinds', 'log_keys']
const STEPS_BEFORE_SEARCH = Object.keys(RELEASED).indexOf('0011_log_search')
/** The migrations that there were while `trade` covered the account's settings. */
const STEPS_BEFORE_SETTINGS = Object.keys(RELEASED).indexOf('0006_settings_permission')
const VERSIONS = Object.keys(RELEASED).map((name, index) => ({ name, steps: index + 1 }))

// A database whose migration was edited after its release would be taken for a newer program's.
test('every released migration is unchanged and listed here, and its databases are upgraded below', () => {
  expect(migrations.map(({ hash }) => hash)).toEqual(Object.values(RELEASED))
})

const masterKey = randomBytes(32).toString('base64')
const master = toMasterKey(masterKey, 'MASTER_KEY')
const sealer = createSealer(master)
// As the first release made the hashes: by a key that was derived and not kept.
const { secret, hash, preview } = createClientSecrets({
  key: deriveKey(master.key, 'client secret'),
}).make()
const keys = { apiKey: 'mx-key-of-long-ago', apiSecret: 'mx-secret-of-long-ago' }
const passwordHash = await createPasswords().hash(ADMIN.password)
const response = '{"success":true,"orderId":"9007199254740993","message":"Order submitted"}'

/**
 * What a gateway of that time had: somebody who signs in, a bot that trades, an order with its
 * response.
 */
function rowsOfThatTime(nowMs: number): Rows {
  const part = (field: 'apiKey' | 'apiSecret') =>
    sealer.seal(keys[field], { clientRef: 7, exchange: 'mx', field })
  const rows = {
    admins: { id: 3, email: ADMIN.email, password_hash: passwordHash, created_at_ms: 1 },
    admin_sessions: { jti: 's', admin_id: 3, issued_at_ms: 1, expires_at_ms: 2 },
    admin_addresses: { admin_id: 3, address: '203.0.113.7', last_at_ms: 1 },
    openid_identities: { issuer: 'https://id', subject: 's', admin_id: 3, created_at_ms: 1 },
    second_factors: {
      id: 1,
      admin_id: 3,
      kind: 'passkey',
      name: 'key',
      created_at_ms: 1,
      credential_id: 'c',
    },
    recovery_codes: { id: 1, admin_id: 3, hash: 'not one', created_at_ms: 1, used_at_ms: 2 },
    approvals: {
      ...{ id: 4, action: 'saveApiKey', subject_kind: 'client', subject: 'bot', basis: 'hash' },
      ...{ requested_by: 3, requested_at_ms: 1, expires_at_ms: 2 },
    },
    clients: {
      ...{ id: 7, client_id: 'old-bot', description: 'ä', secret_hash: hash },
      ...{ secret_preview: preview, active: 1, created_at_ms: 1, updated_at_ms: 1 },
    },
    client_tokens: { jti: 't', client_ref: 7, issued_at_ms: 1, expires_at_ms: 2 },
    api_keys: {
      ...{ id: 5, client_ref: 7, exchange: 'mx', api_key_sealed: part('apiKey') },
      ...{ api_secret_sealed: part('apiSecret'), key_id: master.keyId, note: 'main' },
      created_at_ms: 1,
    },
    request_logs: {
      ...{ id: 11, at_ms: nowMs, method: 'POST', endpoint: mxSubmitOrder.path, status_code: 200 },
      ...{ response_ms: 12, queue_ms: 3, client_ref: 7, client_id: 'old-bot', request_id: 'r' },
    },
    log_minutes: {
      ...{ minute: Math.floor(nowMs / 60_000), client_key: 7, client_ref: 7, total: 1 },
      ...{ success: 1, failed: 0, response_ms_sum: 12 },
    },
    log_kinds: {
      ...{ id: 1, endpoint: mxSubmitOrder.path, client_id: 'old-bot', status_code: 200 },
      ...{ method: 'POST', code: '' },
    },
    log_keys: { kind: 1, at_ms: nowMs, id: 11 },
    settings: { name: 'master_key_check', value: checkValue(master) },
    order_journal: {
      ...{ id: 'r', client_ref: 7, client_id: 'old-bot', exchange: 'mx', method: 'POST' },
      ...{ endpoint: mxSubmitOrder.path, fingerprint: 'not looked at here' },
      ...{ idempotency_key: 'k', state: 'answered', created_at_ms: nowMs, settled_at_ms: nowMs },
      ...{ status_code: 200, content_type: 'application/json; charset=utf-8', body: response },
    },
    order_names: { order_ref: 'r', name: 'a-1' },
    audit_entries: {
      ...{ id: 1, at_ms: 1, actor: ADMIN.email, actor_kind: 'admin', action: 'client.created' },
      ...{ subject_kind: 'client', subject: 'old-bot', after: '{"active":true}' },
      ...{ previous_hash: '0'.repeat(64), hash: 'f'.repeat(64) },
    },
    own_position_orders: {
      ...{ id: 6, client_ref: 7, exchange: 'mx', keys_ref: 5, place: 'futures BTC_USDT' },
      ...{ side: 'long', does: 'open', exit_kind: null, has_attached_exit: 0, is_netting: 0 },
      ...{ is_either_side: 0, filled: '0.10000000000000001' },
      ...{ counted: '0', is_final: 1, placed_at_ms: nowMs },
    },
    heartbeats: { client_ref: 7, ttl_ms: 86_400_000, last_at_ms: nowMs },
    old_secrets: { id: 1, client_ref: 7, hash, preview, expires_at_ms: nowMs + 3_600_000 },
    queue_minutes: {
      ...{ at_ms: Math.floor(nowMs / 60_000) * 60_000, exchange: 'mx' },
      ...{ cancels: 1, lookups: 2, orders: 79, account_reads: 3, market_reads: 4, sent: 118 },
    },
    listen_keys: { hash: 'h', client_ref: 7, created_at_ms: 1, expires_at_ms: 2 },
    stream_events: {
      ...{ seq: 9, account_ref: 5, owner_ref: 7, type: 'order', exchange: 'mx', market: 'spot' },
      ...{ received_at_ms: nowMs, source: 'stream', data: '{}', latest_of: 'o' },
    },
    removed_keys: { client_ref: 7, exchange: 'bg', account_uid: '7290000001', account_ref: 3 },
    secret_uses: { client_ref: 7, preview, used_at_ms: 1, address: '203.0.113.7' },
    stops: {
      ...{ scope: 'client:7', reason: 'long ago', cancel_orders: 1, failed: '[]' },
      ...{ started_at_ms: 1, completed_at_ms: 2, resumed_at_ms: 3 },
      ...{ dropped: 1, in_flight: 0, cancelled: 2 },
    },
    working_orders: {
      ...{ id: 4, client_ref: 7, exchange: 'mx', client_order_id: 'sl-old', order_id: '12' },
      ...{ keys_ref: 5, journal_id: 'r', placed_at_ms: nowMs },
      order_key: JSON.stringify({
        ...{ exchange: 'mx', family: 'mexc-futures', market: 'futures', action: 'place' },
        ...{ symbol: 'BTC_USDT', clientOrderId: 'sl-old' },
      }),
    },
  }
  return Object.fromEntries(Object.entries(rows).map(([table, row]) => [table, [row]]))
}

function olderDatabase(steps: number): string {
  const path = join(tempFolder(), 'sluice.db')
  makeOlderDatabase(path, steps, rowsOfThatTime(Date.now()))
  return path
}

/** A client that could trade could change the account's settings, and can after the upgrade. */
function withSettings({ permissions, ...row }: Rows[string][number]): Rows[string][number] {
  if (permissions === undefined) return row
  return { ...row, permissions: `${permissions}`.replace('"trade"', '"trade","settings"') }
}

const setPositionMode = ({ app }: TestApp, headers: Record<string, string>) =>
  app.inject({
    ...{ method: 'POST', url: '/mx/api/v1/private/position/change_position_mode', headers },
    payload: { positionMode: 1 },
  })

test.each(VERSIONS)(
  'a database of $name is upgraded with every row that it had, and its administrators and bots still work',
  async ({ steps }) => {
    const path = olderDatabase(steps)
    const before = readAll(path)
    openStore(path).close()
    const after = readAll(path)
    for (const [table, rows] of Object.entries(before)) {
      expect(rows, table).not.toHaveLength(0)
      if (INDEX_TABLES.includes(table) && steps <= STEPS_BEFORE_SEARCH) continue
      expect(after[table], table).toMatchObject(
        steps > STEPS_BEFORE_SETTINGS ? rows : rows.map(withSettings),
      )
    }
    // A second start finds nothing to do.
    openStore(path).close()
    expect(readAll(path)).toEqual(after)

    const t = await testApp({ env: { DATABASE_URL: `file:${path}`, MASTER_KEY: masterKey } })
    t.paper.accounts.add({
      exchange: 'mx',
      name: 'old',
      ...keys,
      futuresBalances: { USDT: '1000' },
    })
    expect(t.asAdmin.authorization).not.toContain('undefined')
    const issued = await t.token({ clientId: 'old-bot', clientSecret: secret })
    const headers = { authorization: `Bearer ${issued.json().token}` }
    const account = await t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers })
    expect(account.statusCode).toBe(200)
    if (steps <= STEPS_BEFORE_SETTINGS)
      expect((await setPositionMode(t, headers)).json()).toMatchObject({ success: true })
    const logged = await t.app.inject({ url: '/api/logs', headers: t.asAdmin })
    expect(logged.json()).toContainEqual(expect.objectContaining({ requestId: 'r' }))
    if (steps < 2) return
    const asked = await t.app.inject({ url: '/api/requests/r', headers })
    expect(asked.json()).toMatchObject({ state: 'answered', answer: { statusCode: 200 } })
    expect(asked.body).toContain('9007199254740993')
  },
)

test.each([
  [
    ['market', 'account', 'trade'],
    ['market', 'account', 'trade', 'settings'],
  ],
  [['trade'], ['trade', 'settings']],
  [
    ['market', 'account'],
    ['market', 'account'],
  ],
])('a client that had %j has %j after the upgrade', async (before, after) => {
  const path = join(tempFolder(), 'sluice.db')
  const rows = rowsOfThatTime(Date.now())
  const clients = rows.clients?.map((row) => ({ ...row, permissions: JSON.stringify(before) }))
  makeOlderDatabase(path, STEPS_BEFORE_SETTINGS, { ...rows, clients: clients ?? [] })
  const t = await testApp({ env: { DATABASE_URL: `file:${path}`, MASTER_KEY: masterKey } })
  const listed = await t.app.inject({
    url: '/api/admin/client-credentials',
    headers: t.asAdmin,
  })
  expect(listed.json()).toMatchObject([{ clientId: 'old-bot', permissions: after }])
})

test('sign-ins of before are known from the audit trail', () => {
  const path = join(tempFolder(), 'sluice.db')
  const rows = rowsOfThatTime(Date.now())
  const hashAt = (index: number) => `${index}`.repeat(64)
  const entries = (
    [
      [ADMIN.email, 'sign-in.succeeded', 5],
      [ADMIN.email, 'sign-in.succeeded', 7],
      [ADMIN.email, 'sign-in.failed', 9],
      ['somebody@else.test', 'sign-in.succeeded', 11],
    ] as const
  ).map(([subject, action, atMs], index) => ({
    ...{ id: index + 1, at_ms: atMs, actor: subject, actor_kind: 'admin', action },
    ...{ subject_kind: 'admin', subject, previous_hash: hashAt(index), hash: hashAt(index + 1) },
  }))
  const steps = Object.keys(RELEASED).indexOf('0016_last_sign_in')
  makeOlderDatabase(path, steps, { ...rows, audit_entries: entries })
  openStore(path).close()
  expect(readAll(path).admins).toMatchObject([{ email: ADMIN.email, last_sign_in_at_ms: 7 }])
})
