import { catalogue, type Endpoint, hasRole, ROLES, type Role, roleOf } from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { createPerson } from './support/person.ts'
import { sampleCall } from './support/sample-call.ts'

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

test.each(ROLES)(
  'the role %s opens what it covers, and nothing else',
  async (role) => {
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
  },
  60_000,
)

test('OpenAPI says of each route which role it needs, whether a factor must be fresh, and what waits for another admin', async () => {
  const { app } = await testApp()
  const { paths } = (await app.inject({ url: '/docs/json' })).json()
  for (const endpoint of catalogue) {
    const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()]
    const role = endpoint.access === 'admin' ? neededRole(endpoint) : undefined
    expect([endpoint.id, operation?.['x-role'], operation?.['x-confirm']]).toEqual([
      ...[endpoint.id, role, endpoint.confirm],
    ])
    expect([endpoint.id, '202' in (operation?.responses ?? {})]).toEqual([
      ...[endpoint.id, endpoint.approval !== undefined],
    ])
  }
})

const LIMITS = '/api/admin/client-credentials/1/limits'
const change = ({ app }: TestApp, headers: Record<string, string>, payload: object) =>
  app.inject({ method: 'PATCH', url: LIMITS, headers, payload })

test('an operator tightens the state of limits, loosens nothing, and changes no other limit', async () => {
  const t = await testApp()
  await t.client()
  const { headers } = await createPerson(t, 'operator')
  expect((await change(t, headers, { state: 'reducing' })).json()).toMatchObject({
    state: 'reducing',
  })
  const refused = [
    await change(t, headers, { state: 'active' }),
    await change(t, headers, { maxOrderValue: '1' }),
    await change(t, headers, { state: 'halted', maxOrderValue: '1000000' }),
  ]
  for (const response of refused) {
    expect(response.statusCode).toBe(403)
    expect(response.json()).toMatchObject({ code: 'ROLE_FORBIDDEN', role: 'admin' })
  }
  expect((await change(t, headers, { state: 'halted' })).statusCode).toBe(200)
  const limits = await t.app.inject({ url: LIMITS, headers })
  expect(limits.json()).toMatchObject({ state: 'halted', maxOrderValue: null })
  expect((await change(t, t.asAdmin, { state: 'active' })).statusCode).toBe(200)
})

test('what a role does not cover is in the trail, and a flood of it does not fill the disk', async () => {
  const t = await testApp()
  const { email, headers } = await createPerson(t, 'viewer')
  const create = () =>
    t.app.inject({
      ...{ method: 'POST', url: '/api/admin/client-credentials', headers },
      payload: { clientId: 'mine' },
    })
  for (let n = 0; n < 40; n += 1) expect((await create()).statusCode).toBe(403)
  const listed = await t.app.inject({
    url: '/api/admin/audit?limit=100&action=role.refused',
    headers: t.asAdmin,
  })
  const { entries } = listed.json()
  expect(entries).toHaveLength(30)
  expect(entries[0]).toMatchObject({
    ...{ actor: email, actorKind: 'admin', session: expect.any(String), address: '127.0.0.1' },
    ...{ subjectKind: 'endpoint', subject: 'POST /api/admin/client-credentials' },
    after: { code: 'ROLE_FORBIDDEN', neededRole: 'admin' },
  })
})

test('a change of the role counts for a session that began before', async () => {
  const t = await testApp()
  const { id, headers } = await createPerson(t, 'operator')
  const stop = () =>
    t.app.inject({
      ...{ method: 'POST', url: '/api/admin/exchanges/mx/stop', headers },
      payload: { reason: 'odd' },
    })
  expect((await stop()).statusCode).toBe(200)
  await t.app.inject({
    ...{ method: 'PATCH', url: `/api/admin/people/${id}`, headers: t.asAdmin },
    payload: { role: 'viewer' },
  })
  expect((await stop()).statusCode).toBe(401)
})

test('the roles are in an order, and the helpers of the catalogue say the same', () => {
  expect(hasRole('admin', 'operator')).toBe(true)
  expect(hasRole('viewer', 'operator')).toBe(false)
  expect(forAdministrators.map(roleOf)).toEqual(forAdministrators.map(neededRole))
})
