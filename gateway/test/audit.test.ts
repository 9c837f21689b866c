import {
  type AuditEntry,
  catalogue,
  createClient,
  deleteApiKey,
  exportAudit,
  listApiKeys,
  listAudit,
  listClients,
  login,
  logout,
  mxGetAccountInfo,
  replaceClientLimits,
  resumeExchange,
  stopExchange,
  toggleClient,
} from 'schema'
import { expect, test } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { onDisk } from './support/on-disk.ts'
import { createPerson, withNewSession } from './support/person.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

/** What is logged changes nothing of the trail. */
const shared = sharedApp({ env: { LOG_LEVEL: 'silent' } })

async function entriesOf({ call }: Pick<TestApp, 'call'>, action?: string): Promise<AuditEntry[]> {
  const listed = await call(listAudit, {
    query: { limit: 1000, ...(action === undefined ? {} : { action }) },
  })
  expect(listed.status).toBe(200)
  return listed.body.entries
}

const signInWrongly = ({ call }: TestApp, email: string, remoteAddress = '203.0.113.9') =>
  call(login, { body: { email, password: 'not the password' } }, { headers: {}, remoteAddress })

test('sign-ins, failed ones and sign-outs say who and from where', async () => {
  const t = await testApp()
  await signInWrongly(t, 'eve@example.com')
  await t.call(logout)
  const again = await withNewSession(t)
  const [newest, out, failed, first, created] = await entriesOf(again)
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
  await t.call(toggleClient, { params: { id: bot.id }, body: { isActive: false } })
  await t.token(bot)
  const [refused, failed] = await entriesOf(t, 'token')
  expect(refused).toMatchObject({ action: 'token.refused', after: { code: 'CLIENT_INACTIVE' } })
  expect(failed).toMatchObject({
    ...{ action: 'token.failed', subject: 'grid-bot', address: '127.0.0.1' },
    after: { code: 'CLIENT_SECRET_INVALID' },
  })
  expect(await entriesOf(t, 'token')).toHaveLength(2)
})

test('a flood of names writes 30 entries and a count each minute, and hides no account that exists', async () => {
  const time = createSetTime()
  const t = await testApp({ time })
  await t.client('grid-bot')
  for (let i = 0; i < 35; i += 1) {
    await signInWrongly(t, `eve${i}@example.com`, `203.0.113.${i}`)
    await t.token({ clientId: `eve-${i}`, clientSecret: 'wrong' })
  }
  await signInWrongly(t, ADMIN.email.toUpperCase())
  await t.token({ clientId: 'grid-bot', clientSecret: 'wrong' })
  for (const [action, actor] of [
    ['sign-in.failed', ADMIN.email.toUpperCase()],
    ['token.failed', 'grid-bot'],
  ] as const) {
    const entries = await entriesOf(t, action)
    expect([entries.length, entries[0]?.actor]).toEqual([31, actor])
  }
  // What a crash loses: the counts of less than a minute.
  await time.advance(60_000)
  for (const action of ['sign-in.failed-counted', 'token.failed-counted']) {
    // PostgreSQL writes it when the time has passed.
    await expect
      .poll(() => entriesOf(t, action))
      .toMatchObject([{ after: { count: 5, names: { length: 5 } } }])
  }
  for (let i = 0; i < 2; i += 1) await signInWrongly(t, 'eve@example.com')
  expect(await entriesOf(t, 'sign-in.failed')).toHaveLength(32)
})

interface Act {
  readonly action: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly payload?: object
  readonly before?: unknown
  readonly after?: unknown
  readonly subject?: string
}

const KEYS = { apiKey: 'key-to-hide', apiSecret: 'secret-to-hide' }
const STOP = { reason: 'odd orders' }

/**
 * Every act of an administrator, on the client and the viewer who have its name, and the entry that
 * it leaves.
 */
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
    ...{ action: 'admin.role-changed', payload: { role: 'operator' } },
    ...{ before: { role: 'viewer' }, after: { role: 'operator' } },
  },
  resetPassword: { action: 'admin.password-reset' },
  endSessionsOfPerson: { action: 'admin.sessions-ended' },
  createClient: { action: 'client.created', payload: { clientId: 'another' }, before: null },
  updateClient: {
    ...{ action: 'client.changed', payload: { description: 'new' } },
    ...{ before: { description: null }, after: { description: 'new' } },
  },
  toggleClient: {
    ...{ action: 'client.disabled', payload: { isActive: false }, subject: 'bot-toggleClient' },
    ...{ before: { isActive: true }, after: { isActive: false } },
  },
  deleteClient: {
    action: 'client.deleted',
    ...{ before: { permissions: expect.any(Array) }, after: null },
  },
  rotateClientSecret: {
    ...{ action: 'client-secret.rotated', payload: {} },
    before: { secretPreview: expect.stringMatching(/^sls_/) },
    after: { secretPreview: expect.stringMatching(/^sls_/) },
  },
  endOldSecret: { action: 'client-secret.old-ended' },
  issueClientToken: {
    ...{ action: 'token.issued', subject: 'bot-issueClientToken' },
    ...{ before: null, after: { permissions: expect.any(Array) } },
  },
  replaceClientLimits: {
    ...{ action: 'client-limits.changed', payload: { maxOrderValue: '10' } },
    ...{ before: null, after: { maxOrderValue: '10' } },
  },
  changeClientLimits: {
    ...{ action: 'client-limits.changed', payload: { maxOrderValue: '20' } },
    ...{ before: null, after: { maxOrderValue: '20' } },
  },
  stopClient: { action: 'client.stopped', payload: STOP, after: STOP },
  resumeClient: { action: 'client.resumed' },
  saveApiKey: {
    action: 'exchange-keys.saved',
    payload: { clientId: 'bot-saveApiKey', exchange: 'mx', ...KEYS },
    ...{ before: { apiKey: '***' }, after: { apiKey: '***', apiSecret: '***', passphrase: null } },
  },
  deleteApiKey: { action: 'exchange-keys.deleted', before: { exchange: 'mx' }, after: null },
  testApiKey: {
    ...{ action: 'exchange-keys.tested', payload: { clientId: 'bot-testApiKey', exchange: 'mx' } },
    after: { exchange: 'mx', testStatus: 'success' },
  },
  dropQueueOfClient: {
    ...{ action: 'queue.drop', query: { clientId: 'bot-dropQueueOfClient', reason: 'too old' } },
    after: { clientId: 'bot-dropQueueOfClient', reason: 'too old', dropped: 0 },
  },
  stopExchange: { action: 'exchange.stopped', payload: STOP, after: STOP },
  resumeExchange: {
    ...{ action: 'exchange.resumed', query: { reason: 'repaired' } },
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
  // What needs a certain request or ends a session has a test of its own; restored-orders.test.ts
  // has that of endOrder.
  const elsewhere = ['dropQueueEntry', 'endOrder', 'changePassword', 'endOwnSession']
  const tried = [...Object.keys(ACTS), ...elsewhere, ...ABOUT_FACTORS, ...CHALLENGES, ...DECISIONS]
  expect(acts.map(({ id }) => id).toSorted()).toEqual(tried.toSorted())
})

test.each(Object.entries(ACTS))('%s leaves an entry with what changed', async (id, act) => {
  const t = await withNewSession(shared())
  const bot = await t.client(`bot-${id}`)
  const viewer = await createPerson(t, 'viewer', `${id.toLowerCase()}@sluice.test`)
  const endpoint = catalogue.find((each) => each.id === id)
  if (endpoint === undefined) throw new Error(`${id} is not in the catalogue`)
  const { query = {}, payload: body } = act
  const isOfPerson = endpoint.path.includes('/people/')
  const params = {
    ...{ id: isOfPerson ? viewer.id : bot.id, clientId: bot.clientId, exchange: 'mx' },
  }
  const acted = await t.call(endpoint, { params, query, body })
  expect(acted.status, acted.text).toBeLessThan(300)
  const [, entry, ...older] = await entriesOf(await withNewSession(t))
  // What takes long, or may fail, has an entry of its beginning, too.
  if (id === 'deleteClient') expect(older[0]?.action).toBe('client.deletion-requested')
  expect(entry).toMatchObject({
    ...{ action: act.action, actor: ADMIN.email, actorKind: 'admin', address: '127.0.0.1' },
    ...{ requestId: acted.headers['x-request-id'], session: expect.stringMatching(/^[\w-]{36}$/) },
    ...(act.subject === undefined ? {} : { subject: act.subject }),
    ...(act.before === undefined ? {} : { before: act.before }),
    ...(act.after === undefined ? {} : { after: act.after }),
  })
  const trail = JSON.stringify([entry, ...older])
  const shownOnce = /"(?:password|token)":"([^"]+)"/.exec(acted.text)?.[1] ?? viewer.password
  const passwords = [ADMIN.password, viewer.password, shownOnce]
  for (const secret of [...bot.keys, bot.clientSecret, KEYS.apiKey, KEYS.apiSecret, ...passwords])
    expect(trail).not.toContain(secret)
})

/** A gateway whose audit trail takes no entry until it is released. */
async function withBlockedTrail() {
  const { env, exec } = onDisk()
  const logLines: string[] = []
  const t = await testApp({ logLines, env })
  const bot = await t.client()
  exec("create trigger blocked before insert on audit_entries begin select raise(abort, 'no'); end")
  return { ...t, bot, logLines, release: () => exec('drop trigger blocked') }
}

test('a change whose entry cannot be written is not made', async () => {
  const t = await withBlockedTrail()
  const params = { id: t.bot.id }
  const refused = [
    await t.call(toggleClient, { params, body: { isActive: false } }),
    await t.call(replaceClientLimits, { params, body: { maxOrderValue: '10' } }),
    await t.call(deleteApiKey, { params: { clientId: 'bot-1', exchange: 'mx' } }),
    await t.call(createClient, { body: { clientId: 'another' } }),
    await t.call(login, { body: ADMIN }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
  expect((await t.call(listClients)).body).toMatchObject([
    { clientId: 'bot-1', isActive: true, nearestLimit: null },
  ])
  expect((await t.call(listApiKeys)).body).toHaveLength(2)
})

// Stopping comes first: the entry is written as soon as that is possible.
test('an exchange is stopped even when the entry cannot be written yet', async () => {
  const t = await withBlockedTrail()
  const stopped = await t.call(stopExchange, { params: { exchange: 'mx' }, body: STOP })
  expect(stopped.status).toBe(503)
  const read = await t.call(mxGetAccountInfo, {}, t.bot)
  expect(read.body).toMatchObject({ code: 'EXCHANGE_STOPPED' })
  const resumed = await t.call(resumeExchange, { params: { exchange: 'mx' } })
  expect(resumed.status).toBe(500)
  expect(t.logLines.join()).toContain('exchange stopped')
  expect(t.logLines.join()).not.toContain('exchange resumed')
  t.release()
  await eventually(async () => {
    const [entry] = await entriesOf(t, 'exchange.stopped')
    expect(entry).toMatchObject({ actor: ADMIN.email, subject: 'mx', after: STOP })
  })
})

test('the trail is read page by page and exported as a file', async () => {
  const t = await testApp()
  await t.client('=cmd')
  const all = await entriesOf(t)
  const { entries, nextCursor } = (await t.call(listAudit, { query: { limit: 2 } })).body
  expect(entries).toEqual(all.slice(0, 2))
  const rest = await t.call(listAudit, { query: { limit: 500, cursor: nextCursor ?? 0 } })
  expect(rest.body).toEqual({ entries: all.slice(2), nextCursor: null })

  const { text } = await t.call(exportAudit, { query: { format: 'jsonl' } })
  const lines = text.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(all)
  const csv = await t.call(exportAudit, { query: { format: 'csv' } })
  expect(csv.headers['content-type']).toContain('text/csv')
  expect(csv.text.split('\r\n')).toHaveLength(all.length + 2)
  expect(csv.text).toContain(",client,'=cmd,")
})
