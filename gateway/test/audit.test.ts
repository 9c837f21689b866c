import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type AuditEntry, catalogue, urlOf } from 'schema'
import { afterEach, expect, test, vi } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { createPerson } from './support/person.ts'
import { tempFolder } from './support/temp-folder.ts'

const CLIENTS = '/api/admin/client-credentials'

afterEach(() => {
  vi.useRealTimers()
})

async function entriesOf({ app, asAdmin }: TestApp, query = ''): Promise<AuditEntry[]> {
  const listed = await app.inject({ url: `/api/admin/audit?limit=1000&${query}`, headers: asAdmin })
  expect(listed.statusCode).toBe(200)
  return listed.json().entries
}

function asAdmin(
  t: TestApp,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
) {
  return t.app.inject({
    method,
    url,
    headers: t.asAdmin,
    ...(payload === undefined ? {} : { payload }),
  })
}

const signIn = ({ app }: TestApp, email: string, remoteAddress = '203.0.113.9') =>
  app.inject({
    method: 'POST',
    url: '/auth/login',
    remoteAddress,
    payload: { email, password: 'not the password' },
  })

test('at the log level warn, disabling and deleting a client still leave entries', async () => {
  const t = await testApp({ env: { LOG_LEVEL: 'silent' } })
  const { id, clientId } = await t.client('grid-bot')
  await asAdmin(t, 'PATCH', `${CLIENTS}/${id}/toggle`, { isActive: false })
  expect((await asAdmin(t, 'DELETE', `${CLIENTS}/${id}`)).statusCode).toBe(204)
  const entries = await entriesOf(t, 'action=client&subject=grid')
  expect(entries.map(({ action }) => action)).toEqual([
    'client.deleted',
    'client.deletion-requested',
    'client.disabled',
    'client.created',
  ])
  expect(entries[2]).toMatchObject({
    ...{ actor: ADMIN.email, actorKind: 'admin', address: '127.0.0.1', subject: clientId },
    before: { isActive: true },
    after: { isActive: false },
    session: expect.stringMatching(/^[\w-]{36}$/),
    requestId: expect.any(String),
  })
  expect(entries[0]).toMatchObject({ before: { permissions: expect.any(Array) }, after: null })
})

test('sign-ins, failed ones and sign-outs say who and from where', async () => {
  const t = await testApp()
  await signIn(t, 'eve@example.com')
  await t.app.inject({ method: 'POST', url: '/auth/logout', headers: t.asAdmin })
  const again = await t.app.inject({ method: 'POST', url: '/auth/login', payload: ADMIN })
  const fresh = { ...t, asAdmin: { authorization: `Bearer ${again.json().token}` } }
  const [newest, out, failed, first, created] = await entriesOf(fresh)
  expect(newest).toMatchObject({ action: 'sign-in.succeeded', actor: ADMIN.email })
  expect(out).toMatchObject({ action: 'sign-out', actor: ADMIN.email, session: first?.session })
  expect(failed).toMatchObject({
    ...{ action: 'sign-in.failed', actor: 'eve@example.com', actorKind: 'anonymous' },
    ...{ address: '203.0.113.9', after: { code: 'LOGIN_FAILED' }, session: null },
  })
  expect(created).toMatchObject({ action: 'admin.created', actorKind: 'gateway' })
})

test('refused token requests leave entries, and tokens that are issued do not', async () => {
  const t = await testApp()
  const bot = await t.client('grid-bot')
  await t.token({ clientId: 'grid-bot', clientSecret: 'wrong' })
  await asAdmin(t, 'PATCH', `${CLIENTS}/${bot.id}/toggle`, { isActive: false })
  await t.token(bot)
  const [refused, failed] = await entriesOf(t, 'action=token')
  expect(refused).toMatchObject({ action: 'token.refused', after: { code: 'CLIENT_INACTIVE' } })
  expect(failed).toMatchObject({
    ...{ action: 'token.failed', subject: 'grid-bot', address: '127.0.0.1' },
    after: { code: 'CLIENT_SECRET_INVALID' },
  })
  expect(await entriesOf(t, 'action=token')).toHaveLength(2)
})

test('a flood of failures writes 30 entries, one per minute, and one that counts the rest', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const t = await testApp()
  // Throttled attempts are failures as well.
  for (let i = 0; i < 100; i += 1) await signIn(t, `eve${i}@example.com`, `203.0.113.${i}`)
  expect(await entriesOf(t, 'action=sign-in.failed')).toHaveLength(30)
  vi.setSystemTime(Date.now() + 61_000)
  for (let i = 0; i < 5; i += 1) await signIn(t, 'eve@example.com')
  expect(await entriesOf(t, 'action=sign-in.failed')).toHaveLength(31)
  vi.setSystemTime(Date.now() + 3_600_000)
  await signIn(t, 'eve@example.com')
  const [counted] = await entriesOf(t, 'action=sign-in.failed-counted')
  expect(counted?.after).toMatchObject({ count: 74, addresses: expect.any(Array) })
  expect(counted?.after?.addresses).toHaveLength(10)
})

interface Act {
  readonly action: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly payload?: object
  readonly before?: unknown
  readonly after?: unknown
}

const ID = { id: 1 }
const PERSON = { id: 2 }
const ON_MX = { exchange: 'mx' }
const KEYS = { apiKey: 'key-to-hide', apiSecret: 'secret-to-hide' }
const STOP = { reason: 'odd orders' }

/** Every act of an administrator, on the first client or a viewer, and the entry that it leaves. */
const ACTS: Readonly<Record<string, Act>> = {
  logout: { action: 'sign-out' },
  createTotp: {
    ...{ action: 'second-factor.begun', payload: { name: 'Phone' } },
    after: { kind: 'totp', name: 'Phone' },
  },
  confirm: {
    ...{ action: 'confirm.succeeded', payload: { password: ADMIN.password } },
    after: { factor: 'password' },
  },
  createPerson: {
    ...{ action: 'admin.created', payload: { email: 'eve@sluice.test', role: 'operator' } },
    ...{ before: null, after: { role: 'operator' } },
  },
  changePerson: {
    ...{ action: 'admin.role-changed', params: PERSON, payload: { role: 'operator' } },
    ...{ before: { role: 'viewer' }, after: { role: 'operator' } },
  },
  resetPassword: { action: 'admin.password-reset', params: PERSON },
  endSessionsOfPerson: { action: 'admin.sessions-ended', params: PERSON },
  createClient: { action: 'client.created', payload: { clientId: 'another' }, before: null },
  updateClient: {
    ...{ action: 'client.changed', params: ID, payload: { description: 'new' } },
    ...{ before: { description: null }, after: { description: 'new' } },
  },
  toggleClient: {
    ...{ action: 'client.disabled', params: ID, payload: { isActive: false } },
    ...{ before: { isActive: true }, after: { isActive: false } },
  },
  deleteClient: { action: 'client.deleted', params: ID, after: null },
  rotateClientSecret: {
    ...{ action: 'client-secret.rotated', params: ID, payload: {} },
    before: { secretPreview: expect.stringMatching(/^sls_/) },
    after: { secretPreview: expect.stringMatching(/^sls_/) },
  },
  endOldSecret: { action: 'client-secret.old-ended', params: ID },
  replaceClientLimits: {
    ...{ action: 'client-limits.changed', params: ID, payload: { maxOrderValue: '10' } },
    ...{ before: null, after: { maxOrderValue: '10' } },
  },
  changeClientLimits: {
    ...{ action: 'client-limits.changed', params: ID, payload: { maxOrderValue: '20' } },
    ...{ before: null, after: { maxOrderValue: '20' } },
  },
  stopClient: { action: 'client.stopped', params: ID, payload: STOP, after: STOP },
  resumeClient: { action: 'client.resumed', params: ID },
  saveApiKey: {
    ...{ action: 'exchange-keys.saved', payload: { clientId: 'bot-1', ...ON_MX, ...KEYS } },
    ...{ before: { apiKey: '***' }, after: { apiKey: '***', apiSecret: '***', passphrase: null } },
  },
  deleteApiKey: {
    ...{ action: 'exchange-keys.deleted', params: { clientId: 'bot-1', ...ON_MX } },
    ...{ before: { exchange: 'mx' }, after: null },
  },
  testApiKey: {
    ...{ action: 'exchange-keys.tested', payload: { clientId: 'bot-1', ...ON_MX } },
    after: { exchange: 'mx', testStatus: 'success' },
  },
  dropQueueOfClient: {
    ...{ action: 'queue.drop', params: ON_MX, query: { clientId: 'bot-1', reason: 'too old' } },
    after: { clientId: 'bot-1', reason: 'too old', dropped: 0 },
  },
  stopExchange: { action: 'exchange.stopped', params: ON_MX, payload: STOP, after: STOP },
  resumeExchange: {
    ...{ action: 'exchange.resumed', params: ON_MX, query: { reason: 'repaired' } },
    after: { reason: 'repaired' },
  },
  stopEverything: { action: 'exchange.stopped', payload: STOP, after: { everything: true } },
  resumeEverything: { action: 'exchange.resumed', after: { everything: true } },
}

/** They need a second factor: `second-factor.test.ts` reads their entries. */
const ABOUT_FACTORS = [
  ...['confirmTotp', 'createPasskey', 'renameFactor', 'removeFactor', 'createRecoveryCodes'],
]
/** What a passkey has to sign is kept in memory, and changes nothing. */
const CHALLENGES = ['passkeyOptions', 'confirmPasskey']
/** They need something that waits: `approvals.test.ts` reads their entries. */
const DECISIONS = ['approve', 'rejectApproval', 'withdrawApproval']

test('every endpoint that changes something for an administrator is tried below', () => {
  const acts = catalogue.filter(({ access, method }) => access === 'admin' && method !== 'GET')
  // What needs a request that waits, or ends a session, has a test of its own.
  const elsewhere = ['dropQueueEntry', 'changePassword', 'endOwnSession']
  const tried = [...Object.keys(ACTS), ...elsewhere, ...ABOUT_FACTORS, ...CHALLENGES, ...DECISIONS]
  expect(acts.map(({ id }) => id).toSorted()).toEqual(tried.toSorted())
})

test.each(Object.entries(ACTS))('%s leaves an entry with what changed', async (id, act) => {
  const t = await testApp()
  const bot = await t.client()
  const viewer = await createPerson(t, 'viewer')
  const endpoint = catalogue.find((each) => each.id === id)
  if (endpoint === undefined) throw new Error(`${id} is not in the catalogue`)
  const { params = {}, query = {}, payload } = act
  const response = await t.app.inject({
    method: endpoint.method,
    url: urlOf(endpoint, { params, query }),
    headers: t.asAdmin,
    ...(payload === undefined ? {} : { payload }),
  })
  expect(response.statusCode, response.body).toBeLessThan(300)
  const signedIn = await t.app.inject({ method: 'POST', url: '/auth/login', payload: ADMIN })
  const later = { ...t, asAdmin: { authorization: `Bearer ${signedIn.json().token}` } }
  const [, entry, ...older] = await entriesOf(later)
  expect(entry).toMatchObject({
    ...{ action: act.action, actor: ADMIN.email, actorKind: 'admin', address: '127.0.0.1' },
    requestId: response.headers['x-request-id'],
    ...(act.before === undefined ? {} : { before: act.before }),
    ...(act.after === undefined ? {} : { after: act.after }),
  })
  const trail = JSON.stringify([entry, ...older])
  const shownOnce = /"password":"([^"]+)"/.exec(response.body)?.[1] ?? viewer.password
  const passwords = [ADMIN.password, viewer.password, shownOnce]
  for (const secret of [...bot.keys, bot.clientSecret, KEYS.apiKey, KEYS.apiSecret, ...passwords])
    expect(trail).not.toContain(secret)
})

/** A gateway whose audit trail takes no entry until it is released. */
async function withBlockedTrail() {
  const path = join(tempFolder(), 'sluice.db')
  const t = await testApp({ env: { DATABASE_URL: `file:${path}` } })
  const bot = await t.client()
  const exec = (statement: string) => {
    const other = new Database(path)
    other.exec(statement)
    other.close()
  }
  exec("create trigger blocked before insert on audit_entries begin select raise(abort, 'no'); end")
  return { ...t, bot, path, release: () => exec('drop trigger blocked') }
}

test('a change whose entry cannot be written is not made', async () => {
  const t = await withBlockedTrail()
  const { id } = t.bot
  const refused = [
    await asAdmin(t, 'PATCH', `${CLIENTS}/${id}/toggle`, { isActive: false }),
    await asAdmin(t, 'PUT', `${CLIENTS}/${id}/limits`, { maxOrderValue: '10' }),
    await asAdmin(t, 'DELETE', '/api/admin/client-api-keys/bot-1/mx'),
    await asAdmin(t, 'POST', CLIENTS, { clientId: 'another' }),
    await t.app.inject({ method: 'POST', url: '/auth/login', payload: ADMIN }),
  ]
  expect(refused.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500, 500, 500])
  const clients = await t.app.inject({ url: CLIENTS, headers: t.asAdmin })
  expect(clients.json()).toMatchObject([{ clientId: 'bot-1', isActive: true, nearestLimit: null }])
  const keys = await t.app.inject({ url: '/api/admin/api-keys', headers: t.asAdmin })
  expect(keys.json()).toHaveLength(2)
})

// Stopping comes first: the entry is written as soon as that is possible.
test('an exchange is stopped even when the entry cannot be written yet', async () => {
  const t = await withBlockedTrail()
  const stopped = await asAdmin(t, 'POST', '/api/admin/exchanges/mx/stop', STOP)
  expect(stopped.statusCode).toBe(503)
  const order = await t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers: t.bot.headers })
  expect(order.json()).toMatchObject({ code: 'EXCHANGE_STOPPED' })
  t.release()
  await eventually(async () => {
    const [entry] = await entriesOf(t, 'action=exchange.stopped')
    expect(entry).toMatchObject({ actor: ADMIN.email, subject: 'mx', after: STOP })
  })
})

test('the trail is read page by page and exported as a file, for administrators only', async () => {
  const t = await testApp()
  const bot = await t.client('=cmd')
  const all = await entriesOf(t)
  const first = await t.app.inject({ url: '/api/admin/audit?limit=2', headers: t.asAdmin })
  const { entries, nextCursor } = first.json()
  expect(entries).toEqual(all.slice(0, 2))
  const rest = await t.app.inject({
    url: `/api/admin/audit?limit=500&cursor=${nextCursor}`,
    headers: t.asAdmin,
  })
  expect(rest.json()).toEqual({ entries: all.slice(2), nextCursor: null })

  const exportOf = async (format: string) =>
    t.app.inject({ url: `/api/admin/audit/export?format=${format}`, headers: t.asAdmin })
  const lines = (await exportOf('jsonl')).body.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(all)
  const csv = await exportOf('csv')
  expect(csv.headers['content-type']).toContain('text/csv')
  expect(csv.body.split('\r\n')).toHaveLength(all.length + 2)
  expect(csv.body).toContain(",client,'=cmd,")
  for (const url of ['/api/admin/audit', '/api/admin/audit/export'])
    expect((await t.app.inject({ url, headers: bot.headers })).statusCode).toBe(401)
})
