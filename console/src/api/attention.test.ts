import {
  ALERT_TYPES,
  type ApiKey,
  getOperations,
  listApiKeys,
  type OpenAlert,
  type Operations,
} from 'schema'
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
const SINCE = '2026-03-05T14:20:22.000Z'
const alert = (name: string, subject: string, changes: Partial<OpenAlert> = {}): OpenAlert => ({
  ...{ name, subject, text: `About ${subject}`, since: SINCE, count: 1 },
  ...changes,
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
    {
      ...{ subject: 'Bitget', what: expect.stringContaining('Broken'), since },
      ...{ about: [{ why: 'connect ETIMEDOUT' }], href: '/operations#exchange-bg' },
    },
    { subject: 'MEXC', sign: 'off', about: [{ why: expect.stringContaining('until an admin') }] },
  ])
})

test.each([
  [{ expiresAt: '2026-03-09T00:00:00.000Z' }, 'waiting', 'Bitget key: expires in 4 days', ''],
  [{ expiresAt: '2026-03-01T00:00:00.000Z' }, 'bad', 'Bitget key has expired', ''],
  [{ testStatus: 'untested' }, 'waiting', 'Bitget key was never tested', 'first request'],
  [{ testStatus: 'failure', testMessage: '40037' }, 'bad', 'failed its last test', '40037'],
  [{ testStatus: 'failure', testMessage: null }, 'bad', 'failed its last test', ''],
  [{ canWithdraw: true }, 'bad', 'Bitget key can withdraw funds', 'a key that cannot'],
  [{ isReadable: false }, 'bad', 'another master key: save it again', ''],
  [
    { testStatus: 'untested', expiresAt: '2026-03-06T00:00:00.000Z' },
    ...(['waiting', 'Bitget key: expires in 1 day', 'day. It was never tested'] as const),
  ],
] as const)('a key with %j is listed once', (changes, sign, what, why) => {
  expect(listOf({}, [{ ...key, clientId: 'a b', ...changes }])).toMatchObject([
    {
      ...{ id: 'key bg/a b', sign, subject: 'a b', what: expect.stringContaining(what), count: 1 },
      ...{ href: '/api-key-management?client=a+b&exchange=bg', linkText: 'Open the key' },
      about: [{ why: expect.stringContaining(why) }],
    },
  ])
})

test('a client is listed from 80 % of a limit on, and is urgent from 100 % on', () => {
  const using = (used: number) => ({
    ...client,
    nearestLimit: { limit: 'maxDayValue', used, max: 2000 } as const,
  })
  expect(listOf({ clients: [using(1589)] })).toEqual([])
  const near = expect.stringMatching(/^Near a limit: .* 1,640.5 of 2,000, 82\s%$/)
  expect(listOf({ clients: [using(1640.5)] })).toMatchObject([
    { sign: 'waiting', subject: 'grid-bot', what: near, href: '/client-credentials/7' },
  ])
  expect(listOf({ clients: [using(2000)] })).toMatchObject([
    { sign: 'bad', what: expect.stringContaining('Limit reached') },
  ])
})

test('an alert is left out when an entry says the same in more detail', () => {
  const exchanges = [{ ...mexc, state: 'paused' as const }, bitget]
  const alerts = [
    alert('exchange.throttled', 'mx'),
    alert('order.unknown', 'mx/grid-bot'),
    alert('cancel.unknown', 'bg/grid-bot'),
    alert('cancel.unknown', 'bg/other', { since: '2026-03-05T14:00:00.000Z' }),
    alert('key.expiring', `bg/${key.clientId}`),
  ]
  const expiring = { ...key, expiresAt: '2026-03-09T00:00:00.000Z' }
  const unknown = { unknownOrders: 1, unknownCancels: 9 }
  const listed = listOf({ exchanges, alerts, ...unknown }, [expiring])
  expect(listed).toMatchObject([
    { id: 'order.unknown', subject: 'grid-bot', count: 1, since: SINCE },
    {
      ...{ id: 'cancel.unknown', subject: 'All clients', count: 9 },
      ...{ since: '2026-03-05T14:00:00.000Z', href: '/operations#open-outcomes' },
    },
    { id: 'exchange mx' },
    { id: `key bg/${key.clientId}` },
  ])
  expect(listOf({ alerts }).map(({ count }) => count)).toEqual([1, 2, 1, 1])
})

test('a refused key is listed once, as refused, with why its test failed', () => {
  const named = ['key.refused', 'key.test-failed'].map((name) => alert(name, `bg/${key.clientId}`))
  const failed = { ...key, testStatus: 'failure', testMessage: '40037' } as const
  const alerts = named.slice(0, 1)
  expect(listOf({ alerts }, [failed])).toMatchObject([
    { what: 'Bitget rejects the key', since: SINCE, about: [{ why: 'Test failed: 40037' }] },
  ])
  expect(listOf({ alerts: named })).toMatchObject([{ what: 'Bitget rejects the key' }])
  const expiring = { ...key, expiresAt: '2026-03-09T00:00:00.000Z' }
  expect(listOf({ alerts }, [expiring])).toMatchObject([{ what: 'Bitget rejects the key' }])
  const untested = { ...key, testStatus: 'untested' } as const
  expect(listOf({ alerts }, [untested])).toMatchObject([{ what: 'Bitget rejects the key' }])
})

test.each([
  ['exchange.stuck', 'mx', 'MEXC', '/operations#exchange-mx'],
  ['disk.low', 'disk', 'Disk', '/operations'],
  ['order.unknown', 'mx/grid-bot', 'grid-bot', '/operations#open-outcomes'],
  ['key.refused', 'mx/a', 'a', '/api-key-management?client=a&exchange=mx'],
  ['exchange.account-broken', 'bg/a/b', 'a/b', '/api-key-management?client=a%2Fb&exchange=bg'],
  ['client.refused', 'grid-bot', 'grid-bot', '/client-credentials/7'],
  ['client.silent', 'long gone', 'long gone', '/client-credentials?q=long+gone'],
  ['approval.waiting', '12', 'Change 12', '/approvals'],
  ['node.missing', 'https://10.0.0.4', 'https://10.0.0.4', '/operations'],
])('the alert %s about %s names it apart, and leads to it', (name, of, subject, href) => {
  expect(listOf({ alerts: [alert(name, of)] })).toMatchObject([
    { subject, href, since: SINCE, about: [{ why: `About ${of}` }] },
  ])
})

test('every alert has a sentence of at most 80 characters, without its subject', () => {
  const alerts = ALERT_TYPES.map((name) => alert(name, `bg/${name}-${'x'.repeat(40)}`))
  const listed = listOf({ alerts })
  expect(listed).toHaveLength(ALERT_TYPES.length)
  for (const { what } of listed) expect(what).toMatch(/^(?!About|.*xxx).{4,80}$/)
  // What a newer gateway reports says it itself.
  expect(listOf({ alerts: [alert('new.alert', 'disk')] })).toMatchObject([
    { what: 'About disk', sign: 'bad' },
  ])
})

test('equal ones are one entry with a count, which leads to all of them', () => {
  const keysOf = (count: number, changes: Partial<ApiKey>) =>
    Array.from({ length: count }, (_, i) => ({ ...key, clientId: `bot-${i}`, ...changes }))
  const untested = keysOf(40, { testStatus: 'untested' })
  const failed = keysOf(2, { testStatus: 'failure', testMessage: null })
  const [first, second, ...rest] = listOf({ unknownOrders: 2 }, [...untested, ...failed])
  expect(rest).toHaveLength(1)
  expect(first).toMatchObject({ what: 'Order unknown', count: 2 })
  expect(second).toMatchObject({
    subject: 'bot-0',
    count: 2,
    href: '/api-key-management?need=failed',
  })
  expect(second?.about[1]).toMatchObject({
    subject: 'bot-1',
    href: '/api-key-management?client=bot-1&exchange=bg',
  })
  expect(rest[0]).toMatchObject({ what: 'Bitget key was never tested', count: 40 })
})

test('what is urgent comes first, and what was never tested last', () => {
  const untested = { ...key, testStatus: 'untested' as const }
  const alerts = ['backup.old', 'new.alert', 'store.damaged', 'client.refused'].map((name) =>
    alert(name, 'database'),
  )
  const listed = listOf({ unknownOrders: 2, alerts }, [untested])
  expect(listed.map(({ id }) => id)).toEqual([
    ...['alert store.damaged database', 'order.unknown', 'alert new.alert database'],
    ...['alert client.refused database', 'alert backup.old database', `key bg/${key.clientId}`],
  ])
})
