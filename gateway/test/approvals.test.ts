import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Approval,
  type ApprovalNeeded,
  type ApprovalState,
  approve,
  catalogue,
  changeClientLimits,
  changePerson,
  createClient,
  createPerson,
  deleteApiKey,
  deleteClient,
  getClientLimits,
  getExchangeStop,
  getStopOfEverything,
  listApiKeys,
  listApprovals,
  listAudit,
  listPeople,
  type PersonChanges,
  rejectApproval,
  replaceClientLimits,
  resetPassword,
  resumeClient,
  resumeEverything,
  resumeExchange,
  saveApiKey,
  stopClient,
  stopEverything,
  stopExchange,
  withdrawApproval,
} from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import type { AppOptions } from '../src/app.ts'
import { rotate } from '../src/operations/rotate.ts'
import { backUp } from '../src/store/sqlite/backup.ts'
import { ADMIN, createAccount, type TestApp, testApp, testConfig } from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { callOf } from './support/call.ts'
import { clockAt } from './support/clock-at.ts'
import { closable } from './support/closable.ts'
import { onDisk } from './support/on-disk.ts'
import * as people from './support/person.ts'
import { shared } from './support/shared-app.ts'

const GRACE = { email: 'grace@sluice.test', password: 'the password of admin' }
const CHOSEN = 'a password that was chosen'
const REQUIRED = { REQUIRE_SECOND_ADMIN: 'true' }
const MX = { exchange: 'mx' } as const
const refusal = (status: number, code: string) => ({ status, body: { code } })
const OUTDATED = refusal(409, 'APPROVAL_OUTDATED')
const OWN = refusal(403, 'OWN_REQUEST')

type Headers = TestApp['asAdmin']

/** A gateway that requires two admins, and both of them: the second one is from before. */
async function twoAdmins(
  { MASTER_KEY, ...more }: Record<string, string> = {},
  app: AppOptions = {},
  onEnd: Parameters<typeof onDisk>[1] = onTestFinished,
) {
  const disk = onDisk(MASTER_KEY, onEnd)
  const logLines: string[] = []
  const start = (env: Record<string, string> = {}) =>
    closable({ env: { ...disk.env, ...env }, logLines, app, onEnd })
  const before = await start()
  await people.createPerson(before, 'admin', GRACE.email)
  await before.close()
  const sealed = () => disk.column('select request_sealed from approvals order by id')
  return { ...disk, logLines, start, sealed, ...(await start({ ...REQUIRED, ...more })) }
}
type Gateway = Awaited<ReturnType<typeof twoAdmins>>

// Saving keys asks the exchange what they may do: the paper exchange says so at once.
const gateway = shared((onEnd) => twoAdmins({}, { newKeyWaitMs: 5_000 }, onEnd))

let worlds = 0

/** New sessions of both admins, a client with limits, and an address for a person to come. */
async function worldOf<T extends TestApp>(app: T) {
  worlds += 1
  const clientId = `grid-bot-${worlds}`
  const created = await app.call(createClient, { body: { clientId } })
  const params = { id: created.body.id }
  // Limits that are set for the first time only tighten.
  const limits = { maxOrderValue: '100', maxLeverage: 5 }
  await app.call(changeClientLimits, { params, body: limits })
  const t = await people.withNewSession(app)
  const asGrace = await people.sessionOf(t, GRACE, `10.8.0.${worlds}`)
  const { call } = t
  return {
    ...t,
    asGrace,
    bot: { clientId, params },
    bob: `bob-${worlds}@sluice.test`,
    approve: (id: number, as: Headers = asGrace) => call(approve, { params: { id } }, as),
    reject: (id: number, as: Headers = asGrace, body: { reason?: string } = {}) =>
      call(rejectApproval, { params: { id }, body }, as),
    raise: (as: Headers = t.asAdmin) =>
      call(changeClientLimits, { params, body: { maxOrderValue: '200' } }, as),
    listed: async (state?: ApprovalState) =>
      (await call(listApprovals, state === undefined ? {} : { query: { state } })).body,
    limits: async () => (await call(getClientLimits, { params })).body,
    keys: async () => (await call(listApiKeys)).body.filter((key) => key.clientId === clientId),
    people: async () => (await call(listPeople)).body,
    trail: async (action: string, subject = '') =>
      (await call(listAudit, { query: { limit: 1000, action, subject } })).body.entries,
  }
}
type World = Awaited<ReturnType<typeof worldOf<Gateway>>>
const sharedWorld = () => worldOf(gateway())
const ownWorld = async (...options: Parameters<typeof twoAdmins>) =>
  worldOf(await twoAdmins(...options))

type Asked = Promise<{
  readonly status: number
  readonly text: string
  readonly body: Partial<ApprovalNeeded>
}>

/** Expects that a call waits for another admin. */
async function waits(asked: Asked): Promise<Approval> {
  const { status, text, body } = await asked
  if (status !== 202 || body.approval === undefined) throw new Error(`${status} ${text}`)
  return body.approval
}

const newKeys = (w: World) => ({
  ...{ clientId: w.bot.clientId, ...MX, note: 'second account' },
  ...createAccount(w.paper, 'mx', w.bot.clientId),
})
const createBob = (w: World, role: 'admin' | 'operator') =>
  w.call(createPerson, { body: { email: w.bob, role, password: CHOSEN } })
/** He was made an admin, by both of the others. */
const approveBob = async (w: World) => w.approve((await waits(createBob(w, 'admin'))).id)
const sessionOfBob = (w: World) => people.sessionOf(w, { email: w.bob, password: CHOSEN })
const askForKeys = (w: World) => waits(w.call(saveApiKey, { body: newKeys(w) }))
const bobIn = async (w: World) => (await w.people()).find(({ email }) => email === w.bob)
const ofBob = async (w: World) => ({ params: { id: (await bobIn(w))?.id ?? 0 } })

interface Action {
  readonly call: (w: World) => Asked
  /** Everything that it may change. */
  readonly state: (w: World) => Promise<unknown>
  readonly before?: (w: World) => Promise<unknown>
  readonly result: (w: World) => object
  readonly entry: string
}

const ODD = { body: { reason: 'odd' } }
const RESUMED = { reason: 'odd', resumedAt: expect.any(String) }

const ACTIONS: Readonly<Record<string, Action>> = {
  saveApiKey: {
    call: (w) => w.call(saveApiKey, { body: newKeys(w) }),
    state: async (w) => (await w.keys()).map(({ note }) => note),
    result: (w) => ({ clientId: w.bot.clientId, note: 'second account' }),
    entry: 'exchange-keys.saved',
  },
  changeClientLimits: {
    call: ({ call, bot }) =>
      call(changeClientLimits, { params: bot.params, body: { maxOrderValue: '100.01' } }),
    state: (w) => w.limits(),
    result: () => ({ maxOrderValue: '100.01', maxLeverage: 5 }),
    entry: 'client-limits.changed',
  },
  replaceClientLimits: {
    call: ({ call, bot }) =>
      call(replaceClientLimits, { params: bot.params, body: { maxOrderValue: '100' } }),
    state: (w) => w.limits(),
    result: () => ({ maxOrderValue: '100', maxLeverage: null }),
    entry: 'client-limits.changed',
  },
  resumeClient: {
    before: ({ call, bot }) => call(stopClient, { params: bot.params, ...ODD }),
    call: ({ call, bot }) => call(resumeClient, { params: bot.params }),
    state: (w) => w.limits(),
    result: () => RESUMED,
    entry: 'client.resumed',
  },
  resumeExchange: {
    before: ({ call }) => call(stopExchange, { params: MX, ...ODD }),
    call: ({ call }) => call(resumeExchange, { params: MX, query: { reason: 'repaired' } }),
    state: async ({ call }) => (await call(getExchangeStop, { params: MX })).text,
    result: () => ({ exchange: 'mx', state: 'running' }),
    entry: 'exchange.resumed',
  },
  resumeEverything: {
    before: ({ call }) => call(stopEverything, ODD),
    call: ({ call }) => call(resumeEverything),
    state: async ({ call }) => (await call(getStopOfEverything)).text,
    result: () => RESUMED,
    entry: 'exchange.resumed',
  },
  createPerson: {
    call: (w) => createBob(w, 'admin'),
    state: bobIn,
    result: (w) => ({ person: { email: w.bob, role: 'admin' }, password: null }),
    entry: 'admin.created',
  },
  changePerson: {
    before: (w) => createBob(w, 'operator'),
    call: async (w) => w.call(changePerson, { ...(await ofBob(w)), body: { role: 'admin' } }),
    state: async (w) => (await bobIn(w))?.role,
    result: (w) => ({ person: { email: w.bob, role: 'admin' } }),
    entry: 'admin.role-changed',
  },
  resetPassword: {
    // The two admins of the others are the ones who ask and decide.
    before: approveBob,
    call: async (w) => w.call(resetPassword, await ofBob(w)),
    state: async (w) => (await w.trail('admin.password-reset')).length,
    result: () => ({ password: expect.any(String), endedSessions: 0 }),
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
    const w = await sharedWorld()
    await tried.before?.(w)
    const unchanged = await tried.state(w)
    const { id } = await waits(tried.call(w))
    const [waiting] = await w.listed('waiting')
    expect(waiting).toMatchObject({ id, action, requestedBy: ADMIN.email, decidedBy: null })
    expect(await tried.state(w)).toEqual(unchanged)

    expect(await w.approve(id, w.asAdmin)).toMatchObject(OWN)
    expect(await tried.state(w)).toEqual(unchanged)

    const approved = await w.approve(id)
    expect(approved).toMatchObject({
      status: 200,
      body: {
        approval: { id, state: 'approved', requestedBy: ADMIN.email, decidedBy: GRACE.email },
        result: tried.result(w),
      },
    })
    expect(await tried.state(w)).not.toEqual(unchanged)
    const [entry] = await w.trail(tried.entry)
    expect(entry).toMatchObject({
      ...{ actor: GRACE.email, requestId: approved.headers['x-request-id'] },
      after: { approval: { id, requestedBy: ADMIN.email } },
    })
    const [decided, asked] = await w.trail('approval')
    expect(decided).toMatchObject({ action: 'approval.approved', actor: GRACE.email })
    expect(asked).toMatchObject({ action: 'approval.requested', actor: ADMIN.email })
  },
)

test('without the setting nothing waits', async () => {
  const { call } = await testApp()
  expect((await call(resumeEverything)).status).toBe(200)
  const body = { email: 'bob@sluice.test', role: 'admin' } as const
  expect((await call(createPerson, { body })).status).toBe(201)
  expect((await call(listApprovals)).body).toEqual([])
})

test('what tightens, stops, or concerns no admin is done at once', async () => {
  const w = await sharedWorld()
  const { call, bot } = w
  await w.approve((await askForKeys(w)).id)
  const { params } = bot
  const tighter = { maxOrderValue: '50', markets: ['spot' as const] }
  const whole = { ...tighter, maxLeverage: 5, state: 'halted' as const }
  const done = [
    await call(changeClientLimits, { params, body: { ...tighter, state: 'reducing' } }),
    await call(replaceClientLimits, { params, body: whole }),
    await call(stopEverything, ODD),
    await createBob(w, 'operator'),
    await call(changePerson, { ...(await ofBob(w)), body: { role: 'viewer' } }),
    await call(resetPassword, await ofBob(w)),
    await call(deleteApiKey, { params: { clientId: bot.clientId, ...MX } }),
  ]
  expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 201, 200, 200, 204])
  expect(await w.listed('waiting')).toEqual([])
  await w.approve((await waits(call(resumeEverything))).id)
})

test('two admins who approve at the same time carry it out once', async () => {
  const w = await sharedWorld()
  await approveBob(w)
  const asBob = await sessionOfBob(w)
  const savedOnes = async () => (await w.trail('exchange-keys.saved')).length
  const before = await savedOnes()
  const { id } = await askForKeys(w)
  const tries = [w.approve(id), w.approve(id, asBob), w.approve(id), w.reject(id, asBob)]
  const all = await Promise.all(tries)
  const codes = all.map(({ body }) => body.code ?? 'done').toSorted()
  expect(codes).toEqual(['APPROVAL_DECIDED', 'APPROVAL_DECIDED', 'APPROVAL_DECIDED', 'done'])
  expect(await savedOnes()).toBe(before + 1)
})

test('what has changed since is not carried out', async () => {
  const w = await ownWorld()
  const { call, asGrace, bot } = w
  const asked = [
    await waits(w.raise()),
    await askForKeys(w),
    await waits(call(resumeExchange, { params: MX })),
    await waits(call(resumeEverything)),
    await waits(call(resumeExchange, { params: { exchange: 'bg' } })),
  ]
  // Another one tightens the limits, and stops the exchange, for a reason that nobody has judged.
  const tighter = { params: bot.params, body: { maxOrderValue: '10' } }
  await call(changeClientLimits, tighter, asGrace)
  await call(stopExchange, { params: MX, body: { reason: 'worse' } }, asGrace)
  await call(stopEverything, { body: { reason: 'all of it' } }, asGrace)
  for (const { id } of asked) expect(await w.approve(id)).toMatchObject(OUTDATED)
  expect(await w.limits()).toMatchObject({ maxOrderValue: '10' })
  expect(await w.listed('failed')).toMatchObject([
    { decidedBy: GRACE.email, reason: expect.stringContaining('no longer as it was') },
    ...[{}, {}, {}, {}],
  ])
  expect(await w.trail('approval.failed')).toHaveLength(5)
  expect(new Set(w.sealed())).toEqual(new Set([null]))
})

test('the client that is created anew under the same name does not get the keys', async () => {
  const w = await sharedWorld()
  const { id } = await askForKeys(w)
  await w.call(deleteClient, { params: w.bot.params })
  const created = await w.call(createClient, { body: { clientId: w.bot.clientId } })
  expect(created.status).toBe(201)
  expect(await w.approve(id)).toMatchObject(OUTDATED)
  expect(await w.keys()).toEqual([])
})

test('a rejected, a withdrawn and an expired request change nothing', async () => {
  const clock = { ms: Date.now() }
  const w = await ownWorld({}, { time: clockAt(() => clock.ms) })
  const rejected = await waits(w.raise())
  const why = await w.reject(rejected.id, w.asGrace, { reason: 'too much' })
  expect(why.body).toMatchObject({ state: 'rejected', reason: 'too much' })
  const withdrawn = await waits(w.raise())
  const withdraw = (as: Headers) => w.call(withdrawApproval, { params: { id: withdrawn.id } }, as)
  expect(await withdraw(w.asGrace)).toMatchObject(refusal(403, 'NOT_OWN_REQUEST'))
  expect(await w.reject(withdrawn.id, w.asAdmin)).toMatchObject(OWN)
  expect((await withdraw(w.asAdmin)).body).toMatchObject({ state: 'withdrawn' })
  const expired = await waits(w.raise())
  clock.ms += 24 * 3_600_000
  const asAdmin = await people.sessionOf(w, ADMIN)
  const asGrace = await people.sessionOf(w, GRACE)
  for (const { id } of [rejected, withdrawn, expired])
    expect(await w.approve(id, asGrace)).toMatchObject(refusal(409, 'APPROVAL_DECIDED'))
  expect(await w.approve(99, asGrace)).toMatchObject(refusal(404, 'APPROVAL_NOT_FOUND'))
  const later = callOf(w.app, asAdmin)
  const states = (await later(listApprovals)).body.map(({ state }) => state)
  expect(states).toEqual(['expired', 'withdrawn', 'rejected'])
  const limits = await later(getClientLimits, { params: w.bot.params })
  expect(limits.body).toMatchObject({ maxOrderValue: '100' })
  expect(w.sealed()).toEqual([null, null, null])
  const trail = await later(listAudit, { query: { action: 'approval.expired' } })
  expect(trail.body.entries[0]).toMatchObject({
    ...{ actor: 'gateway', subject: w.bot.clientId },
    after: { approval: { id: expired.id, requestedBy: ADMIN.email } },
  })
})

/** Bob is an operator, whom the admin asks to make an admin. */
async function promotedBob() {
  const w = await sharedWorld()
  await createBob(w, 'operator')
  const bob = await ofBob(w)
  const { id } = await waits(w.call(changePerson, { ...bob, body: { role: 'admin' } }))
  return { w, bob, id }
}

test('a person who got another password since is not made an admin', async () => {
  const { w, bob, id } = await promotedBob()
  expect((await w.call(resetPassword, bob)).status).toBe(200)
  expect(await w.approve(id)).toMatchObject(OUTDATED)
})

// A reset of an operator's password needs no approval, and its hash takes some milliseconds: one
// that was begun before the operator became an admin gave the account of an admin to who asked.
test('a reset that was begun before its person became an admin is refused', async () => {
  const { w, bob, id } = await promotedBob()
  const reset = w.call(resetPassword, bob)
  expect((await w.approve(id)).status).toBe(200)
  expect(await reset).toMatchObject(refusal(409, 'PERSON_CHANGED'))
  expect((await sessionOfBob(w)).authorization).toMatch(/^Bearer/)
})

// One admin could ask for a hundred things, and nobody could ask for the resuming after a stop.
test('what one admin asks for leaves room for the others', async () => {
  const w = await ownWorld()
  await w.call(stopEverything, ODD)
  let full = await w.call(resumeEverything)
  for (let asked = 1; asked <= 100 && full.status === 202; asked += 1)
    full = await w.call(resumeEverything)
  expect(full).toMatchObject(refusal(409, 'APPROVALS_FULL'))
  expect((await w.listed('waiting')).length).toBeLessThan(100)
  const { id } = await waits(w.call(resumeEverything, {}, w.asGrace))
  expect((await w.approve(id, w.asAdmin)).status).toBe(200)
})

test('what cannot be carried out any more fails, and says why', async () => {
  const w = await sharedWorld()
  const { id } = await waits(createBob(w, 'admin'))
  await createBob(w, 'operator')
  expect(await w.approve(id)).toMatchObject(refusal(409, 'ADMIN_EXISTS'))
  const [failed] = await w.listed()
  expect(failed).toMatchObject({ id, state: 'failed', reason: expect.stringContaining(w.bob) })
  expect(await bobIn(w)).toMatchObject({ role: 'operator' })
})

test.each<PersonChanges>([{ isDisabled: true }, { role: 'operator' }])(
  'what somebody asked for who is %j since then is not approved',
  async (change) => {
    const w = await sharedWorld()
    await approveBob(w)
    const { id } = await waits(w.raise(await sessionOfBob(w)))
    const changed = await w.call(changePerson, { ...(await ofBob(w)), body: change })
    expect(changed.status).toBe(200)
    expect(await w.approve(id, w.asAdmin)).toMatchObject({
      status: 409,
      body: { code: 'APPROVAL_OUTDATED', message: expect.stringContaining(w.bob) },
    })
    expect(await w.limits()).toMatchObject({ maxOrderValue: '100' })
  },
)

test('a change whose approval cannot be settled with it is not made', async () => {
  const w = await sharedWorld()
  const { id } = await waits(w.raise())
  w.exec(`create trigger blocked before update on approvals when new.state = 'approved'
    begin select raise(abort, 'no'); end`)
  onTestFinished(() => w.exec('drop trigger blocked'))
  expect((await w.approve(id)).status).toBe(500)
  expect(await w.limits()).toMatchObject({ maxOrderValue: '100' })
  expect(await w.trail('client-limits.changed', w.bot.clientId)).toHaveLength(1)
  const [failed] = await w.listed()
  expect(failed).toMatchObject({ id, state: 'failed', reason: 'internal error' })
})

test('a key that the exchange reports as able to withdraw is refused before anybody is asked, and again at the approval', async () => {
  const w = await sharedWorld()
  const account = { apiKey: 'bg-key-of-grace', apiSecret: 'secret-1', passphrase: 'pass-1' }
  const permissions = ['read', 'trade', 'withdraw'] as const
  w.paper.accounts.add({ exchange: 'bg', name: 'other', permissions, ...account })
  const body = { clientId: w.bot.clientId, exchange: 'bg' as const, ...account }
  expect(await w.call(saveApiKey, { body })).toMatchObject(refusal(422, 'KEY_CAN_WITHDRAW'))
  expect(await w.listed('waiting')).toEqual([])
  const allowed = w.call(saveApiKey, { body: { ...body, allowWithdrawal: true } })
  const { id, summary } = await waits(allowed)
  expect(summary.after).toMatchObject({ canWithdraw: true, withdrawalAllowed: true })
  expect((await w.approve(id)).body).toMatchObject({ result: { canWithdraw: true } })
})

test('the request is stored sealed, in no answer, log, entry or backup in clear, and gone once it is decided', async () => {
  const w = await sharedWorld()
  const keys = newKeys(w)
  const secrets = [keys.apiKey, keys.apiSecret, CHOSEN]
  const asked = await w.call(saveApiKey, { body: keys })
  const person = await createBob(w, 'admin')
  const sealed = () => w.sealed().slice(-2)
  expect(sealed()).toEqual([expect.stringMatching(/^v1\./), expect.stringMatching(/^v1\./)])
  const copy = join(w.folder, 'backup.db')
  await backUp(w.path, copy)
  const shown = [
    ...[asked.text, person.text, JSON.stringify(await w.listed())],
    ...[JSON.stringify(await w.trail('approval')), w.logLines.join('\n')],
    ...[w.path, `${w.path}-wal`, copy].map((path) => readFileSync(path, 'latin1')),
  ]
  for (const text of shown) for (const secret of secrets) expect(text).not.toContain(secret)
  await w.approve(asked.body.approval?.id ?? 0)
  await w.reject(person.body.approval?.id ?? 0)
  expect(sealed()).toEqual([null, null])
  expect(w.logLines.join('\n')).not.toContain(keys.apiSecret)
})

test('a rotation of the master key takes what waits along, and a restart, too', async () => {
  const w = await ownWorld({ MASTER_KEY: '' }, { keyLookEveryMs: 50 })
  const [first, second] = [await askForKeys(w), await waits(w.raise())]
  const [before] = w.sealed()
  const config = testConfig(w.paper.url, w.env)
  await rotate({ config, nowMs: Date.now, onStep: () => {} })
  const [after] = w.sealed()
  expect(`${after}`.split('.')[1]).not.toBe(`${before}`.split('.')[1])
  const approved = await w.approve(first.id)
  expect(approved.body).toMatchObject({ result: { note: 'second account' } })
  await w.close()
  const t = await w.start(REQUIRED)
  const asGrace = await people.sessionOf(t, GRACE)
  const later = await t.call(approve, { params: { id: second.id } }, asGrace)
  expect(later.body).toMatchObject({
    ...{ approval: { state: 'approved' }, result: { maxOrderValue: '200' } },
  })
})

test('one admin alone finds no way around', async () => {
  const w = await ownWorld()
  const { call, bot } = w
  expect((await createBob(w, 'operator')).status).toBe(201)
  const bob = await ofBob(w)
  const grace = { params: { id: 2 } }
  const mustWait = async (asked: Asked) => {
    const { id } = await waits(asked)
    await call(withdrawApproval, { params: { id } })
  }
  const change = (person: typeof bob, body: PersonChanges) =>
    call(changePerson, { ...person, body })
  // A second account.
  await mustWait(call(createPerson, { body: { email: 'eve@sluice.test', role: 'admin' } }))
  await mustWait(change(bob, { role: 'admin' }))
  await mustWait(change(bob, { role: 'admin', isDisabled: true }))
  // The account of the other admin, also after that one was disabled.
  await mustWait(call(resetPassword, grace))
  await mustWait(change(grace, { withoutSecondFactor: true }))
  await mustWait(change(grace, { withoutSecondFactor: true, role: 'viewer' }))
  await change(grace, { isDisabled: true })
  await mustWait(change(grace, { isDisabled: false }))
  await mustWait(call(resetPassword, grace))
  // Another role on the way, and back.
  await change(grace, { role: 'viewer' })
  await change(grace, { isDisabled: false })
  await mustWait(change(grace, { role: 'admin' }))
  // Limits in two steps, of which none may loosen.
  const { params } = bot
  await call(changeClientLimits, { params, body: { maxOrderValue: '50' } })
  await mustWait(call(changeClientLimits, { params, body: { maxOrderValue: '60' } }))
  await mustWait(call(replaceClientLimits, { params, body: {} }))
  await mustWait(call(changeClientLimits, { params, body: { mode: 'shadow' } }))
  // An operator is refused, and nothing waits.
  const asBob = await sessionOfBob(w)
  const looser = { params, body: { state: 'active', maxLeverage: 9 } } as const
  const forbidden = refusal(403, 'ROLE_FORBIDDEN')
  expect(await call(changeClientLimits, looser, asBob)).toMatchObject(forbidden)
  expect(await call(listApprovals, {}, asBob)).toMatchObject(forbidden)
  expect(await w.listed('waiting')).toEqual([])
  expect(await w.limits()).toMatchObject({ maxOrderValue: '50', mode: 'enforce', maxLeverage: 5 })
})

test('a lone admin reads where a second one comes from', async () => {
  const { call } = await testApp({ env: REQUIRED })
  const asked = await call(createPerson, { body: { email: 'bob@sluice.test', role: 'admin' } })
  expect(asked).toMatchObject({
    status: 202,
    body: { message: expect.stringContaining('npm run admin -- create') },
  })
})

test('an alert is raised while something waits', async () => {
  const receiver = await alertReceiver()
  const w = await ownWorld(receiver.env)
  const { id } = await waits(w.raise())
  await receiver.expectAlerts('approval.waiting', `raised ${id}`)
  const { alert } = receiver.attempts.find((one) => one.alert.type === 'approval.waiting') ?? {}
  expect(alert?.detail).toMatchObject({
    ...{ action: 'changeClientLimits', subject: w.bot.clientId, requestedBy: ADMIN.email },
  })
  await w.approve(id)
  await receiver.expectAlerts('approval.waiting', `raised ${id}`, `cleared ${id}`)
})
