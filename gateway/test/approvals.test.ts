import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Approval, catalogue } from 'schema'
import { expect, test } from 'vitest'
import { rotate } from '../src/operations/rotation/rotate.ts'
import { backUp } from '../src/store/sqlite/backup.ts'
import {
  ADMIN,
  createAccount,
  type TestApp,
  type TestAppOptions,
  testApp,
  testConfig,
} from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { clockAt } from './support/clock-at.ts'
import { eventually } from './support/eventually.ts'
import { createPerson, sessionOf, type TestPerson } from './support/person.ts'
import { tempFolder } from './support/temp-folder.ts'

const APPROVALS = '/api/admin/approvals'
const LIMITS = '/api/admin/client-credentials/1/limits'
const KEYS = '/api/admin/client-api-keys'
const PEOPLE = '/api/admin/people'
const GRACE = { email: 'grace@sluice.test', password: 'the password of admin' }

/** One database, and one gateway after the other on it. */
function onDisk(masterKey = randomBytes(32).toString('base64')) {
  const folder = tempFolder()
  const env = {
    DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
    MASTER_KEY: masterKey,
  }
  const logLines: string[] = []
  const start = async (more: Record<string, string> = {}, app: TestAppOptions['app'] = {}) => {
    const ends: (() => Promise<unknown>)[] = []
    const onEnd = (end: () => Promise<unknown>) => void ends.push(end)
    const t = await testApp({ env: { ...env, ...more }, logLines, app, onEnd })
    const close = async () => {
      for (const end of ends.splice(0).reverse()) await end()
    }
    return { ...t, close }
  }
  return { folder, path: join(folder, 'sluice.db'), env, logLines, start }
}

const REQUIRED = { REQUIRE_SECOND_ADMIN: 'true' }

/** A client with keys and limits, two admins, and a gateway that requires both of them. */
async function twoAdmins(
  { MASTER_KEY, ...env }: Record<string, string> = {},
  app: TestAppOptions['app'] = {},
) {
  const disk = onDisk(MASTER_KEY)
  const before = await disk.start({}, app)
  const bot = await before.client('grid-bot')
  await createPerson(before, 'admin', GRACE.email)
  await before.app.inject({
    ...{ method: 'PATCH', url: LIMITS, headers: before.asAdmin },
    payload: { maxOrderValue: '100', maxLeverage: 5 },
  })
  await before.close()
  const t = await disk.start({ ...REQUIRED, ...env }, app)
  return { ...world(t, await sessionOf(t, GRACE)), ...disk, bot }
}

type Headers = TestPerson['headers']
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

function world<T extends TestApp>(t: T, asGrace: Headers) {
  const call = (method: Method, url: string, payload?: object, headers: Headers = t.asAdmin) =>
    t.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
  return {
    ...t,
    asGrace,
    call,
    /** Asks, and expects that it waits. */
    async ask(method: Method, url: string, payload?: object, headers?: Headers): Promise<Approval> {
      const asked = await call(method, url, payload, headers)
      expect([asked.statusCode, asked.body]).toEqual([202, expect.any(String)])
      return asked.json().approval
    },
    decide: (id: number, how: string, headers: Headers = asGrace, payload?: object) =>
      call('POST', `${APPROVALS}/${id}/${how}`, payload, headers),
    list: async (state = ''): Promise<Approval[]> =>
      (await call('GET', `${APPROVALS}${state === '' ? '' : `?state=${state}`}`)).json(),
    limits: async () => (await call('GET', LIMITS)).json(),
    keys: async () => (await call('GET', '/api/admin/api-keys')).json(),
    people: async () => (await call('GET', PEOPLE)).json(),
    trail: async (action: string) =>
      (await call('GET', `/api/admin/audit?limit=1000&action=${action}`)).json().entries,
  }
}
type World = Awaited<ReturnType<typeof twoAdmins>>

const sealedIn = (path: string): unknown[] => {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare('select request_sealed from approvals order by id').pluck().all()
  } finally {
    db.close()
  }
}

interface Action {
  readonly call: readonly [method: Method, url: string, payload?: object]
  /** Everything that it may change. */
  readonly state: (w: World) => Promise<unknown>
  readonly before?: (w: World) => Promise<unknown>
  readonly result: object
  readonly entry: string
}

const newKeys = (w: World) => ({
  ...{ clientId: 'grid-bot', exchange: 'mx', note: 'second account' },
  ...createAccount(w.paper, 'mx', 'second'),
})
const CHOSEN = 'a password that was chosen'
const BOB = 'bob@sluice.test'

const ACTIONS: Readonly<Record<string, Action>> = {
  saveApiKey: {
    call: ['POST', KEYS],
    state: async (w) => (await w.keys()).map(({ note }: { note: string }) => note),
    result: { clientId: 'grid-bot', note: 'second account' },
    entry: 'exchange-keys.saved',
  },
  changeClientLimits: {
    call: ['PATCH', LIMITS, { maxOrderValue: '100.01' }],
    state: (w) => w.limits(),
    result: { maxOrderValue: '100.01', maxLeverage: 5 },
    entry: 'client-limits.changed',
  },
  replaceClientLimits: {
    call: ['PUT', LIMITS, { maxOrderValue: '100' }],
    state: (w) => w.limits(),
    result: { maxOrderValue: '100', maxLeverage: null },
    entry: 'client-limits.changed',
  },
  resumeClient: {
    before: (w) => w.call('POST', '/api/admin/client-credentials/1/stop', { reason: 'odd' }),
    call: ['POST', '/api/admin/client-credentials/1/resume'],
    state: (w) => w.limits(),
    result: { reason: 'odd', resumedAt: expect.any(String) },
    entry: 'client.resumed',
  },
  resumeExchange: {
    before: (w) => w.call('POST', '/api/admin/exchanges/mx/stop', { reason: 'odd' }),
    call: ['POST', '/api/admin/exchanges/mx/resume?reason=repaired'],
    state: async (w) => (await w.call('GET', '/api/admin/exchanges/mx/stop')).json(),
    result: { exchange: 'mx', state: 'running' },
    entry: 'exchange.resumed',
  },
  resumeEverything: {
    before: (w) => w.call('POST', '/api/admin/stop', { reason: 'odd' }),
    call: ['POST', '/api/admin/resume'],
    state: async (w) => (await w.call('GET', '/api/admin/stop')).json(),
    result: { reason: 'odd', resumedAt: expect.any(String) },
    entry: 'exchange.resumed',
  },
  createPerson: {
    call: ['POST', PEOPLE, { email: BOB, role: 'admin', password: CHOSEN }],
    state: async (w) => (await w.people()).length,
    result: { person: { email: BOB, role: 'admin' }, password: null },
    entry: 'admin.created',
  },
  changePerson: {
    before: (w) => w.call('POST', PEOPLE, { email: BOB, role: 'operator' }),
    call: ['PATCH', `${PEOPLE}/3`, { role: 'admin' }],
    state: async (w) => (await w.people()).map(({ role }: { role: string }) => role),
    result: { person: { email: BOB, role: 'admin' } },
    entry: 'admin.role-changed',
  },
  resetPassword: {
    // The two admins of the others are the ones who ask and decide.
    before: async (w) => {
      const { id } = await w.ask('POST', PEOPLE, { email: BOB, role: 'admin' })
      await w.decide(id, 'approve')
    },
    call: ['POST', `${PEOPLE}/3/password`],
    state: async (w) => (await w.trail('admin.password-reset')).length,
    result: { password: expect.any(String), endedSessions: 0 },
    entry: 'admin.password-reset',
  },
}

test('every endpoint that says that it waits is tried here', () => {
  const waiting = catalogue.filter(({ approval }) => approval !== undefined)
  expect(waiting.map(({ id }) => id).toSorted()).toEqual(Object.keys(ACTIONS).toSorted())
})

test.each(Object.entries(ACTIONS))(
  '%s waits, and is carried out once another admin approves',
  async (action, tried) => {
    const w = await twoAdmins()
    await tried.before?.(w)
    const unchanged = await tried.state(w)
    const [method, url, payload = action === 'saveApiKey' ? newKeys(w) : undefined] = tried.call
    const { id } = await w.ask(method, url, payload)
    const [waiting] = await w.list('waiting')
    expect(waiting).toMatchObject({ id, action, requestedBy: ADMIN.email, decidedBy: null })
    expect(await tried.state(w)).toEqual(unchanged)

    const own = await w.decide(id, 'approve', w.asAdmin)
    expect([own.statusCode, own.json().code]).toEqual([403, 'OWN_REQUEST'])
    expect(await tried.state(w)).toEqual(unchanged)

    const approved = await w.decide(id, 'approve')
    expect([approved.statusCode, approved.json()]).toMatchObject([
      200,
      {
        approval: { id, state: 'approved', requestedBy: ADMIN.email, decidedBy: GRACE.email },
        result: tried.result,
      },
    ])
    expect(await tried.state(w)).not.toEqual(unchanged)
    const [entry] = await w.trail(tried.entry)
    expect(entry).toMatchObject({
      ...{ actor: GRACE.email, requestId: approved.headers['x-request-id'] },
      after: { approval: { id, requestedBy: ADMIN.email } },
    })
    const [decided, asked] = await w.trail('approval')
    expect(decided).toMatchObject({ action: 'approval.approved', actor: GRACE.email })
    expect(asked).toMatchObject({ action: 'approval.requested', actor: ADMIN.email })
    await w.close()
  },
  30_000,
)

test('without the setting nothing waits', async () => {
  const t = await testApp()
  await t.client()
  const direct = (url: string, payload?: object) =>
    t.app.inject({
      ...{ method: 'POST' as const, url, headers: t.asAdmin },
      ...(payload === undefined ? {} : { payload }),
    })
  expect((await direct('/api/admin/resume')).statusCode).toBe(200)
  expect((await direct(PEOPLE, { email: BOB, role: 'admin' })).statusCode).toBe(201)
  const listed = await t.app.inject({ url: APPROVALS, headers: t.asAdmin })
  expect(listed.json()).toEqual([])
})

test('what tightens, stops, or concerns no admin is done at once', async () => {
  const w = await twoAdmins()
  const done = [
    await w.call('PATCH', LIMITS, { maxOrderValue: '50', state: 'reducing', markets: ['spot'] }),
    await w.call('PUT', LIMITS, {
      ...{ maxOrderValue: '50', maxLeverage: 5, state: 'halted', markets: ['spot'] },
    }),
    await w.call('POST', '/api/admin/stop', { reason: 'odd' }),
    await w.call('POST', PEOPLE, { email: BOB, role: 'operator' }),
    await w.call('PATCH', `${PEOPLE}/3`, { role: 'viewer' }),
    await w.call('POST', `${PEOPLE}/3/password`),
    await w.call('DELETE', `${KEYS}/grid-bot/mx`),
  ]
  expect(done.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 201, 200, 200, 204])
  expect(await w.list()).toEqual([])
  await w.close()
})

test('two admins who approve at the same time carry it out once', async () => {
  const w = await twoAdmins()
  const { id: raise } = await w.ask('POST', PEOPLE, { email: BOB, role: 'admin', password: CHOSEN })
  await w.decide(raise, 'approve')
  const asBob = await sessionOf(w, { email: BOB, password: CHOSEN })
  const { id } = await w.ask('POST', KEYS, newKeys(w))
  const all = await Promise.all([
    w.decide(id, 'approve'),
    w.decide(id, 'approve', asBob),
    w.decide(id, 'approve'),
    w.decide(id, 'reject', asBob, {}),
  ])
  const codes = all.map((each) => each.json().code ?? 'done').toSorted()
  expect(codes).toEqual(['APPROVAL_DECIDED', 'APPROVAL_DECIDED', 'APPROVAL_DECIDED', 'done'])
  // The two of the client, and the one that replaced one of them.
  expect(await w.trail('exchange-keys.saved')).toHaveLength(3)
  await w.close()
})

test('what has changed since is not carried out', async () => {
  const w = await twoAdmins()
  const raise = await w.ask('PATCH', LIMITS, { maxOrderValue: '200' })
  const keys = await w.ask('POST', KEYS, newKeys(w))
  const exchange = await w.ask('POST', '/api/admin/exchanges/mx/resume')
  const everything = await w.ask('POST', '/api/admin/resume')
  const other = await w.ask('POST', '/api/admin/exchanges/bg/resume')
  // Another one tightens the limits, and stops the exchange, for a reason that nobody has judged.
  await w.call('PATCH', LIMITS, { maxOrderValue: '10' }, w.asGrace)
  await w.call('POST', '/api/admin/exchanges/mx/stop', { reason: 'worse' }, w.asGrace)
  await w.call('POST', '/api/admin/stop', { reason: 'all of it' }, w.asGrace)
  for (const { id } of [raise, keys, exchange, everything, other]) {
    const refused = await w.decide(id, 'approve')
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'APPROVAL_OUTDATED'])
  }
  expect(await w.limits()).toMatchObject({ maxOrderValue: '10' })
  expect(await w.list('failed')).toMatchObject([
    { decidedBy: GRACE.email, reason: expect.stringContaining('no longer as it was') },
    ...[{}, {}, {}, {}],
  ])
  expect(await w.trail('approval.failed')).toHaveLength(5)
  expect(new Set(sealedIn(w.path))).toEqual(new Set([null]))
  await w.close()
})

test('the client that is created anew under the same name does not get the keys', async () => {
  const w = await twoAdmins()
  const { id } = await w.ask('POST', KEYS, newKeys(w))
  await w.call('DELETE', '/api/admin/client-credentials/1')
  const created = await w.call('POST', '/api/admin/client-credentials', { clientId: 'grid-bot' })
  expect(created.statusCode).toBe(201)
  const refused = await w.decide(id, 'approve')
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'APPROVAL_OUTDATED'])
  expect(await w.keys()).toEqual([])
  await w.close()
})

test('a rejected, a withdrawn and an expired request change nothing', async () => {
  const clock = { ms: Date.now() }
  const w = await twoAdmins({}, { time: clockAt(() => clock.ms) })
  const ask = () => w.ask('PATCH', LIMITS, { maxOrderValue: '200' })
  const rejected = await ask()
  const why = await w.decide(rejected.id, 'reject', w.asGrace, { reason: 'too much' })
  expect(why.json()).toMatchObject({ state: 'rejected', reason: 'too much' })
  const withdrawn = await ask()
  const url = `${APPROVALS}/${withdrawn.id}`
  const others = await w.call('DELETE', url, undefined, w.asGrace)
  expect([others.statusCode, others.json().code]).toEqual([403, 'NOT_OWN_REQUEST'])
  const ownReject = await w.decide(withdrawn.id, 'reject', w.asAdmin, {})
  expect([ownReject.statusCode, ownReject.json().code]).toEqual([403, 'OWN_REQUEST'])
  expect((await w.call('DELETE', url)).json()).toMatchObject({ state: 'withdrawn' })
  const expired = await ask()
  clock.ms += 24 * 3_600_000
  const later = world(w, await sessionOf(w, GRACE))
  for (const { id } of [rejected, withdrawn, expired]) {
    const refused = await later.decide(id, 'approve')
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'APPROVAL_DECIDED'])
  }
  const unknown = await later.decide(99, 'approve')
  expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'APPROVAL_NOT_FOUND'])
  const asAdmin = await sessionOf(w, ADMIN)
  const again = world({ ...w, asAdmin }, later.asGrace)
  expect((await again.list()).map(({ state }) => state)).toEqual([
    'expired',
    'withdrawn',
    'rejected',
  ])
  expect(await again.limits()).toMatchObject({ maxOrderValue: '100' })
  expect(sealedIn(w.path)).toEqual([null, null, null])
  const [entry] = await again.trail('approval.expired')
  expect(entry).toMatchObject({
    ...{ actor: 'gateway', subject: 'grid-bot' },
    after: { approval: { id: expired.id, requestedBy: ADMIN.email } },
  })
  await w.close()
})

test('a person who got another password since is not made an admin', async () => {
  const w = await twoAdmins()
  await w.call('POST', PEOPLE, { email: BOB, role: 'operator' })
  const { id } = await w.ask('PATCH', `${PEOPLE}/3`, { role: 'admin' })
  expect((await w.call('POST', `${PEOPLE}/3/password`)).statusCode).toBe(200)
  const refused = await w.decide(id, 'approve')
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'APPROVAL_OUTDATED'])
  await w.close()
})

// A reset of an operator's password needs no approval, and its hash takes some milliseconds: one
// that was begun before the operator became an admin gave the account of an admin to who asked.
test('a reset that was begun before its person became an admin is refused', async () => {
  const w = await twoAdmins()
  const created = await w.call('POST', PEOPLE, { email: BOB, role: 'operator', password: CHOSEN })
  const { id: bob } = created.json().person
  const { id } = await w.ask('PATCH', `${PEOPLE}/${bob}`, { role: 'admin' })
  const reset = w.call('POST', `${PEOPLE}/${bob}/password`)
  expect((await w.decide(id, 'approve')).statusCode).toBe(200)
  expect([(await reset).statusCode, (await reset).json().code]).toEqual([409, 'PERSON_CHANGED'])
  expect((await sessionOf(w, { email: BOB, password: CHOSEN })).authorization).toMatch(/^Bearer/)
  await w.close()
})

// One admin could ask for a hundred things, and nobody could ask for the resuming after a stop.
test('what one admin asks for leaves room for the others', async () => {
  const w = await twoAdmins()
  await w.call('POST', '/api/admin/stop', { reason: 'odd' })
  const ask = (asWho?: Headers) => w.call('POST', '/api/admin/resume', undefined, asWho)
  let full = await ask()
  for (let asked = 1; asked <= 100 && full.statusCode === 202; asked += 1) full = await ask()
  expect([full.statusCode, full.json().code]).toEqual([409, 'APPROVALS_FULL'])
  expect((await w.list('waiting')).length).toBeLessThan(100)
  const { id } = await w.ask('POST', '/api/admin/resume', undefined, w.asGrace)
  expect((await w.decide(id, 'approve', w.asAdmin)).statusCode).toBe(200)
  await w.close()
}, 30_000)

test('what cannot be carried out any more fails, and says why', async () => {
  const w = await twoAdmins()
  const { id } = await w.ask('POST', PEOPLE, { email: BOB, role: 'admin' })
  await w.call('POST', PEOPLE, { email: BOB, role: 'viewer' })
  const refused = await w.decide(id, 'approve')
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'ADMIN_EXISTS'])
  expect(await w.list()).toMatchObject([{ state: 'failed', reason: expect.stringContaining(BOB) }])
  expect(await w.people()).toHaveLength(3)
  await w.close()
})

test.each([{ isDisabled: true }, { role: 'operator' }])(
  'what somebody asked for who is %j since then is not approved',
  async (change) => {
    const w = await twoAdmins()
    const asked = await w.ask('PATCH', LIMITS, { maxOrderValue: '200' }, w.asGrace)
    expect((await w.call('PATCH', `${PEOPLE}/2`, change)).statusCode).toBe(200)
    const refused = await w.decide(asked.id, 'approve', w.asAdmin)
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { code: 'APPROVAL_OUTDATED', message: expect.stringContaining(GRACE.email) },
    ])
    expect(await w.limits()).toMatchObject({ maxOrderValue: '100' })
    await w.close()
  },
)

test('a change whose approval cannot be settled with it is not made', async () => {
  const w = await twoAdmins()
  const { id } = await w.ask('PATCH', LIMITS, { maxOrderValue: '200' })
  const other = new Database(w.path)
  other.exec(
    "create trigger blocked before update on approvals when new.state = 'approved' begin select raise(abort, 'no'); end",
  )
  other.close()
  expect((await w.decide(id, 'approve')).statusCode).toBe(500)
  expect(await w.limits()).toMatchObject({ maxOrderValue: '100' })
  expect(await w.trail('client-limits.changed')).toHaveLength(1)
  expect(await w.list()).toMatchObject([{ state: 'failed', reason: 'internal error' }])
  await w.close()
})

test('what waits survives a restart', async () => {
  const w = await twoAdmins()
  const { id } = await w.ask('POST', KEYS, newKeys(w))
  await w.close()
  const t = await w.start(REQUIRED)
  const later = world(t, await sessionOf(t, GRACE))
  expect((await later.decide(id, 'approve')).json()).toMatchObject({
    approval: { state: 'approved' },
    result: { note: 'second account' },
  })
  await t.close()
})

test('a key that the exchange reports as able to withdraw is refused before anybody is asked, and again at the approval', async () => {
  const w = await twoAdmins({}, { newKeyWaitMs: 5_000 })
  const account = { apiKey: 'bg-key-of-grace', apiSecret: 'secret-1', passphrase: 'pass-1' }
  const permissions = (all: readonly string[]) =>
    w.paper.accounts.add({
      ...{ exchange: 'bg', name: 'other', ...account },
      permissions: all,
    } as Parameters<typeof w.paper.accounts.add>[0])
  permissions(['read', 'trade', 'withdraw'])
  const payload = { clientId: 'grid-bot', exchange: 'bg', ...account }
  const refused = await w.call('POST', KEYS, payload)
  expect([refused.statusCode, refused.json().code]).toEqual([422, 'KEY_CAN_WITHDRAW'])
  expect(await w.list()).toEqual([])
  const { id, summary } = await w.ask('POST', KEYS, { ...payload, allowWithdrawal: true })
  expect(summary.after).toMatchObject({ canWithdraw: true, withdrawalAllowed: true })
  expect((await w.decide(id, 'approve')).json()).toMatchObject({ result: { canWithdraw: true } })
  await w.close()
})

test('the request is stored sealed, in no answer, log, entry or backup in clear, and gone once it is decided', async () => {
  const w = await twoAdmins()
  const keys = newKeys(w)
  const secrets = [keys.apiKey, keys.apiSecret, CHOSEN]
  const asked = await w.call('POST', KEYS, keys)
  const person = await w.call('POST', PEOPLE, { email: BOB, role: 'admin', password: CHOSEN })
  expect(sealedIn(w.path)).toEqual([expect.stringMatching(/^v1\./), expect.stringMatching(/^v1\./)])
  const copy = join(w.folder, 'backup.db')
  await backUp(w.path, copy)
  const shown = [
    ...[asked.body, person.body, JSON.stringify(await w.list())],
    ...[JSON.stringify(await w.trail('approval')), w.logLines.join('\n')],
    ...[w.path, `${w.path}-wal`, copy].map((path) => readFileSync(path, 'latin1')),
  ]
  for (const text of shown) for (const secret of secrets) expect(text).not.toContain(secret)
  await w.decide(asked.json().approval.id, 'approve')
  await w.decide(person.json().approval.id, 'reject', w.asGrace, {})
  expect(sealedIn(w.path)).toEqual([null, null])
  expect(w.logLines.join('\n')).not.toContain(keys.apiSecret)
  await w.close()
})

test('a rotation of the master key takes what waits along', async () => {
  const w = await twoAdmins({ MASTER_KEY: '' }, { keyLookEveryMs: 50 })
  const { id } = await w.ask('POST', KEYS, newKeys(w))
  const [before] = sealedIn(w.path)
  const config = testConfig(w.paper.url, w.env)
  await rotate({ config, nowMs: Date.now, onStep: () => {} })
  const [after] = sealedIn(w.path)
  expect(`${after}`.split('.')[1]).not.toBe(`${before}`.split('.')[1])
  expect((await w.decide(id, 'approve')).statusCode).toBe(200)
  await w.close()
})

test('one admin alone finds no way around', async () => {
  const w = await twoAdmins()
  const bob = { email: BOB, role: 'operator', password: CHOSEN }
  expect((await w.call('POST', PEOPLE, bob)).statusCode).toBe(201)
  const waits = async (method: Method, url: string, payload?: object) => {
    const { id } = await w.ask(method, url, payload)
    await w.call('DELETE', `${APPROVALS}/${id}`)
  }
  // A second account.
  await waits('POST', PEOPLE, { email: 'eve@sluice.test', role: 'admin' })
  await waits('PATCH', `${PEOPLE}/3`, { role: 'admin' })
  await waits('PATCH', `${PEOPLE}/3`, { role: 'admin', isDisabled: true })
  // The account of the other admin, also after that one was disabled.
  await waits('POST', `${PEOPLE}/2/password`)
  await waits('PATCH', `${PEOPLE}/2`, { withoutSecondFactor: true })
  await waits('PATCH', `${PEOPLE}/2`, { withoutSecondFactor: true, role: 'viewer' })
  await w.call('PATCH', `${PEOPLE}/2`, { isDisabled: true })
  await waits('PATCH', `${PEOPLE}/2`, { isDisabled: false })
  await waits('POST', `${PEOPLE}/2/password`)
  // Another role on the way, and back.
  await w.call('PATCH', `${PEOPLE}/2`, { role: 'viewer' })
  await w.call('PATCH', `${PEOPLE}/2`, { isDisabled: false })
  await waits('PATCH', `${PEOPLE}/2`, { role: 'admin' })
  // Limits in two steps, of which none may loosen.
  await w.call('PATCH', LIMITS, { maxOrderValue: '50' })
  await waits('PATCH', LIMITS, { maxOrderValue: '60' })
  await waits('PUT', LIMITS, {})
  await waits('PATCH', LIMITS, { mode: 'shadow' })
  // An operator is refused, and nothing waits.
  const asBob = await sessionOf(w, bob)
  const loosened = await w.call('PATCH', LIMITS, { state: 'active', maxLeverage: 9 }, asBob)
  expect([loosened.statusCode, loosened.json().code]).toEqual([403, 'ROLE_FORBIDDEN'])
  const listed = await w.call('GET', APPROVALS, undefined, asBob)
  expect([listed.statusCode, listed.json().code]).toEqual([403, 'ROLE_FORBIDDEN'])
  expect(await w.list('waiting')).toEqual([])
  expect(await w.limits()).toMatchObject({ maxOrderValue: '50', mode: 'enforce', maxLeverage: 5 })
  await w.close()
})

test('a lone admin reads where a second one comes from', async () => {
  const t = await testApp({ env: REQUIRED })
  const asked = await t.app.inject({
    ...{ method: 'POST', url: PEOPLE, headers: t.asAdmin },
    payload: { email: BOB, role: 'admin' },
  })
  expect([asked.statusCode, asked.json().message]).toEqual([
    202,
    expect.stringContaining('npm run admin -- create'),
  ])
})

test('an alert is raised while something waits', async () => {
  const receiver = await alertReceiver()
  const w = await twoAdmins(receiver.env)
  const { id } = await w.ask('PATCH', LIMITS, { maxOrderValue: '200' })
  const sent = (state: string) =>
    receiver.attempts.find(
      ({ alert }) => alert.type === 'approval.waiting' && alert.state === state,
    )?.alert
  await eventually(() =>
    expect(sent('raised')).toMatchObject({
      subject: `${id}`,
      detail: { action: 'changeClientLimits', subject: 'grid-bot', requestedBy: ADMIN.email },
    }),
  )
  await w.decide(id, 'approve')
  await eventually(() => expect(sent('cleared')).toMatchObject({ subject: `${id}` }))
  await w.close()
})
