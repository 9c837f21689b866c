import {
  catalogue,
  changeClientLimits,
  changePerson,
  createClient,
  type Endpoint,
  getClientLimits,
  hasRole,
  type InputOf,
  listAudit,
  ROLES,
  type Role,
  resumeEverything,
  roleOf,
  stopExchange,
} from 'schema'
import { expect, test } from 'vitest'
import { ADMIN, testApp } from './app.ts'
import type { CallAs } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { createPerson, withNewSession } from './support/person.ts'
import { sampleCall } from './support/sample-call.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()

/** What changes something and yet is for everybody: the own account and session. */
const FOR_VIEWERS = [
  ...['changePassword', 'confirm', 'confirmPasskey', 'endOwnSession', 'logout'],
  ...['createTotp', 'confirmTotp', 'passkeyOptions', 'createPasskey', 'createRecoveryCodes'],
  ...['renameFactor', 'removeFactor'],
]
/** What stops, drops, tests keys, and tightens the state of limits. */
const FOR_OPERATORS = [
  'changeClientLimits',
  'dropQueueEntry',
  'dropQueueOfClient',
  'stopClient',
  'stopEverything',
  'stopExchange',
  'testApiKey',
]
const READS_FOR_ADMINS = ['listPeople', 'listSessionsOfPerson', 'listApprovals']

const forAdministrators = catalogue.filter(({ access }) => access === 'admin')

function neededRole({ id, method }: Endpoint): Role {
  if (FOR_OPERATORS.includes(id)) return 'operator'
  if (FOR_VIEWERS.includes(id)) return 'viewer'
  return method === 'GET' && !READS_FOR_ADMINS.includes(id) ? 'viewer' : 'admin'
}

test.each(ROLES)('the role %s opens what it covers, and nothing else', async (role) => {
  const t = await testApp()
  // The samples are about the person with the number 2.
  await createPerson(t, 'viewer', 'somebody@sluice.test')
  const { headers } = await createPerson(t, role)
  const isLast = ({ id }: Endpoint) => id === 'logout'
  const inOrder = [
    ...forAdministrators.filter((e) => !isLast(e)),
    ...forAdministrators.filter(isLast),
  ]
  for (const endpoint of inOrder) {
    const call = sampleCall(endpoint)
    const response = await t.app.inject({ ...call, headers: { ...call.headers, ...headers } })
    const needed = neededRole(endpoint)
    const isOpen = ROLES.indexOf(role) >= ROLES.indexOf(needed)
    const isJson = `${response.headers['content-type']}`.startsWith('application/json')
    const answer = isJson ? response.json() : null
    if (isOpen) expect(`${answer?.code}`, endpoint.id).not.toMatch(/^(ROLE|TOKEN|FRESH)_/)
    else
      expect([endpoint.id, response.statusCode, answer]).toEqual([
        ...[endpoint.id, 403],
        expect.objectContaining({ code: 'ROLE_FORBIDDEN', role: needed }),
      ])
  }
})

test('OpenAPI says of each route which role it needs, whether a factor must be fresh, and what waits for another admin', async () => {
  const { app } = shared()
  const { paths } = (await app.inject({ url: '/docs/admin/json' })).json()
  for (const endpoint of catalogue.filter(({ access }) => access === 'admin')) {
    const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()]
    expect([endpoint.id, operation?.['x-role'], operation?.['x-confirm']]).toEqual([
      ...[endpoint.id, neededRole(endpoint), endpoint.confirm],
    ])
    const mayWait = endpoint.approval !== undefined
    expect([endpoint.id, '202' in (operation?.responses ?? {})]).toEqual([endpoint.id, mayWait])
  }
})

test('an operator tightens the state of limits, loosens nothing, and changes no other limit', async () => {
  const t = await withNewSession(shared())
  const { id } = await t.client()
  const operator = await createPerson(t, 'operator', 'tightens@sluice.test')
  const change = (body: InputOf<typeof changeClientLimits>['body'], as: CallAs = operator) =>
    t.call(changeClientLimits, { params: { id }, body }, as)
  expect((await change({ state: 'reducing' })).body).toMatchObject({ state: 'reducing' })
  for (const refused of [
    await change({ state: 'active' }),
    await change({ maxOrderValue: '1' }),
    await change({ state: 'halted', maxOrderValue: '1000000' }),
  ])
    expect(refused).toMatchObject({ status: 403, body: { code: 'ROLE_FORBIDDEN', role: 'admin' } })
  expect((await change({ state: 'halted' })).status).toBe(200)
  const limits = await t.call(getClientLimits, { params: { id } }, operator)
  expect(limits.body).toMatchObject({ state: 'halted', maxOrderValue: null })
  expect((await change({ state: 'active' }, t.asAdmin)).status).toBe(200)
})

test('what a role or a session does not cover is in the trail; a flood of it fills no disk, and hides nobody else', async () => {
  // Refused calls are counted by the minute, which must not end.
  const time = createSetTime()
  const t = await testApp({ time })
  const viewer = await createPerson(t, 'viewer')
  for (let n = 0; n < 40; n += 1) {
    const refused = await t.call(createClient, { body: { clientId: 'mine' } }, viewer)
    expect(refused.status).toBe(403)
  }
  const query = { limit: 100, action: 'role.refused' }
  const { entries } = (await t.call(listAudit, { query })).body
  expect(entries).toHaveLength(30)
  expect(entries[0]).toMatchObject({
    ...{ actor: viewer.email, actorKind: 'admin', session: expect.any(String) },
    ...{ address: '127.0.0.1', subjectKind: 'endpoint' },
    subject: 'POST /api/admin/client-credentials',
    after: { code: 'ROLE_FORBIDDEN', neededRole: 'admin' },
  })
  const another = await createPerson(t, 'viewer', 'another@sluice.test')
  await t.call(createClient, { body: { clientId: 'mine' } }, another)
  const [newest] = (await t.call(listAudit, { query })).body.entries
  expect(newest).toMatchObject({ action: 'role.refused', actor: another.email })

  time.stepWallClock(6 * 60_000)
  for (let n = 0; n < 40; n += 1)
    expect((await t.call(resumeEverything)).body).toMatchObject({ code: 'FRESH_FACTOR_NEEDED' })
  const needed = { limit: 100, action: 'confirm.needed' }
  expect((await t.call(listAudit, { query: needed })).body.entries).toHaveLength(30)
  await time.advance(60_000)
  const counted = { limit: 1, action: 'confirm.needed-counted' }
  await eventually(async () =>
    expect((await t.call(listAudit, { query: counted })).body.entries).toMatchObject([
      { subjectKind: 'endpoint', after: { count: 10, names: [{ name: ADMIN.email, count: 10 }] } },
    ]),
  )
})

test('a change of the role counts for a session that began before', async () => {
  const t = await withNewSession(shared())
  const operator = await createPerson(t, 'operator', 'changes@sluice.test')
  const stop = () => {
    const input = { params: { exchange: 'mx' as const }, body: { reason: 'odd' } }
    return t.call(stopExchange, input, operator)
  }
  expect((await stop()).status).toBe(200)
  await t.call(changePerson, { params: { id: operator.id }, body: { role: 'viewer' } })
  expect((await stop()).status).toBe(401)
})

test('the roles are in an order, and the helpers of the catalogue say the same', () => {
  expect(hasRole('admin', 'operator')).toBe(true)
  expect(hasRole('viewer', 'operator')).toBe(false)
  expect(forAdministrators.map(roleOf)).toEqual(forAdministrators.map(neededRole))
})
