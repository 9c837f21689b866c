import { type ApiKey, getOperations, listApiKeys, type OpenAlert, type Operations } from 'schema'
import { expect, test } from 'vitest'
import { attentionOf } from './attention.ts'

const NOW = Date.parse('2026-03-05T14:30:22.000Z')
const sample = getOperations.sample.response as Operations
const [mexc, bitget] = sample.exchanges
const [client] = sample.clients
const [sampleKey] = listApiKeys.sample.response as readonly ApiKey[]
if (!mexc || !bitget || !client || !sampleKey) throw new Error('The samples have no entries')
const key = sampleKey

const calm: Operations = { ...sample, clients: [{ ...client, nearestLimit: null }] }
const listOf = (changes: Partial<Operations>, keys: readonly ApiKey[] = []) =>
  attentionOf({ ...calm, ...changes }, keys, NOW)
const alert = (name: string, subject: string): OpenAlert => ({
  ...{ name, subject, text: `About ${subject}` },
  ...{ since: '2026-03-05T14:20:22.000Z', count: 1 },
})

test('nothing is listed when everything is in order, and when nothing is known yet', () => {
  expect(listOf({}, [key])).toEqual([])
  expect(attentionOf(undefined, undefined, NOW)).toEqual([])
})

test('an exchange that does not run says how it is, since when and why', () => {
  const since = '2026-03-05T14:27:10.000Z'
  const broken = { ...bitget, state: 'broken', reason: 'connect ETIMEDOUT', since } as const
  const stopped = { ...mexc, state: 'stopped', reason: null } as const
  expect(listOf({ exchanges: [stopped, broken] })).toMatchObject([
    { what: expect.stringMatching(/^Bitget is broken, for 3.min$/), why: 'connect ETIMEDOUT' },
    {
      what: 'MEXC is stopped',
      why: expect.stringContaining('until an administrator'),
      sign: 'off',
    },
  ])
})

test.each([
  [{ expiresAt: '2026-03-09T00:00:00.000Z' }, 'waiting', 'Expires in 4 days'],
  [{ expiresAt: '2026-03-01T00:00:00.000Z' }, 'bad', 'Expired'],
  [{ testStatus: 'untested' }, 'waiting', 'It was never tested'],
  [{ testStatus: 'failure', testMessage: '40037' }, 'bad', 'Test failed: 40037'],
  [{ testStatus: 'failure', testMessage: null }, 'bad', 'Its last test failed'],
  [{ canWithdraw: true }, 'bad', 'It can withdraw funds: replace it by a key that cannot'],
  [{ isReadable: false }, 'bad', 'Encrypted with another master key: save it again'],
  [
    { testStatus: 'untested', expiresAt: '2026-03-06T00:00:00.000Z' },
    'waiting',
    'Expires in 1 day. It was never tested',
  ],
] as const)('a key with %j is listed once', (changes, sign, why) => {
  expect(listOf({}, [{ ...key, clientId: 'a b', ...changes }])).toEqual([
    {
      id: 'key bg/a b',
      sign,
      what: 'Bitget key of a b',
      why,
      href: '/api-key-management?client=a+b&exchange=bg',
      linkText: 'Open the key',
    },
  ])
})

test('a client is listed from 80 % of a limit on, and is urgent from 100 % on', () => {
  const using = (used: number) => ({
    ...client,
    nearestLimit: { limit: 'maxDayValue', used, max: 2000 } as const,
  })
  expect(listOf({ clients: [using(1589)] })).toEqual([])
  expect(listOf({ clients: [using(1640.5)] })).toMatchObject([
    { sign: 'waiting', why: 'Day value: 1,640.5 of 2,000, 82 %', href: '/client-credentials/7' },
  ])
  expect(listOf({ clients: [using(2000)] })).toMatchObject([
    { sign: 'bad', what: 'grid-bot has reached a limit' },
  ])
})

test('an alert is left out when an entry says the same in more detail', () => {
  const exchanges = [{ ...mexc, state: 'paused' as const }, bitget]
  const alerts = [
    alert('exchange.throttled', 'mx'),
    alert('order.unknown', 'mx/grid-bot'),
    alert('cancel.unknown', 'bg/grid-bot'),
    alert('key.expiring', `bg/${key.clientId}`),
  ]
  const expiring = { ...key, expiresAt: '2026-03-09T00:00:00.000Z' }
  const unknown = { unknownOrders: 1, unknownCancels: 2 }
  const listed = listOf({ exchanges, alerts, ...unknown }, [expiring])
  const known = ['orders', 'cancels', 'exchange mx', `key bg/${key.clientId}`]
  expect(listed.map(({ id }) => id)).toEqual(known)
  expect(listed[1]?.what).toBe('The outcomes of 2 cancels of stops are unknown')
  expect(listOf({ alerts }).map(({ id }) => id)).toHaveLength(4)
})

test('a refused key is listed once: with why its test failed, otherwise as its alert', () => {
  const alerts = [alert('key.refused', `bg/${key.clientId}`)]
  const failed = { ...key, testStatus: 'failure', testMessage: '40037' } as const
  expect(listOf({ alerts }, [failed])).toMatchObject([{ why: 'Test failed: 40037' }])
  const untested = { ...key, testStatus: 'untested' } as const
  expect(listOf({ alerts }, [untested])).toMatchObject([{ what: `About bg/${key.clientId}` }])
})

test.each([
  ['exchange.throttled', 'mx', '/operations'],
  ['disk.low', 'disk', '/operations'],
  ['order.unknown', 'mx/grid-bot', '/operations#open-outcomes'],
  ['cancel.unknown', 'mx/grid-bot', '/operations#open-outcomes'],
  ['key.refused', 'mx/grid-bot', '/api-key-management?client=grid-bot&exchange=mx'],
  ['exchange.account-broken', 'bg/a/b', '/api-key-management?client=a%2Fb&exchange=bg'],
  ['client.refused', 'grid-bot', '/client-credentials/7'],
  ['client.silent', 'long gone', '/client-credentials?q=long+gone'],
])('the alert %s about %s leads to %s', (name, subject, href) => {
  expect(listOf({ alerts: [alert(name, subject)] })).toMatchObject([
    { href, what: `About ${subject}`, why: expect.stringMatching(/^Alert, raised 10.min ago$/) },
  ])
})

test('more than three keys that were only never tested are one entry', () => {
  const keysOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      ...key,
      clientId: `bot-${i}`,
      testStatus: 'untested' as const,
    }))
  const failed = { ...key, testStatus: 'failure' as const, testMessage: null }
  expect(listOf({}, keysOf(3))).toHaveLength(3)
  expect(listOf({}, [...keysOf(4), failed])).toMatchObject([
    { why: 'Its last test failed' },
    { what: '4 keys were never tested', href: '/api-key-management' },
  ])
})

test('what is urgent comes first', () => {
  const untested = { ...key, testStatus: 'untested' as const }
  const listed = listOf({ unknownOrders: 2, alerts: [alert('store.damaged', 'database')] }, [
    untested,
  ])
  expect(listed.map(({ sign }) => sign)).toEqual(['bad', 'bad', 'waiting'])
})
