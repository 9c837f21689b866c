import { expect, onTestFinished, test } from 'vitest'
import type { NewAuditEntry } from '../audit-chain.ts'
import { createAuditStore } from './audit-store.ts'
import { openStore } from './open.ts'

function open() {
  const { db, close } = openStore(':memory:')
  onTestFinished(close)
  return { db, audit: createAuditStore(db), sql: db.$client }
}

const entry = (subject: string, changes: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  author: {
    atMs: 1_000,
    actor: 'ada@example.com',
    actorKind: 'admin',
    session: 'jti',
    address: '203.0.113.7',
    requestId: null,
  },
  action: 'client.created',
  subjectKind: 'client',
  subject,
  before: null,
  after: { active: true },
  ...changes,
})

/** A trail of four entries, on which somebody with the database file may do anything. */
async function trail() {
  const opened = open()
  for (const subject of ['one', 'two', 'three', 'four']) await opened.audit.append(entry(subject))
  return opened
}

const withoutTriggers = (sql: ReturnType<typeof open>['sql']) =>
  sql.exec(
    'drop trigger audit_entries_changed; drop trigger audit_entries_removed; drop trigger audit_entries_inserted',
  )

test('entries are appended in a chain that verifies', async () => {
  const { audit } = await trail()
  const [newest, ...older] = await audit.page({ limit: 10 })
  expect(newest).toMatchObject({ id: 4, subject: 'four', after: '{"active":true}' })
  expect(newest?.previousHash).toBe(older[0]?.hash)
  expect(await audit.verify()).toEqual({
    entries: 4,
    head: { id: 4, hash: newest?.hash },
    broken: undefined,
  })
})

test.each([
  "update audit_entries set actor = 'eve' where id = 2",
  'delete from audit_entries where id = 4',
  'delete from audit_entries',
  'insert or replace into audit_entries select * from audit_entries where id = 2',
  `insert into audit_entries select 9, at_ms, actor, actor_kind, session, address, action, subject_kind, subject, before, after, request_id, previous_hash, hash from audit_entries where id = 2`,
])('the database refuses: %s', async (statement) => {
  const { audit, sql } = await trail()
  expect(() => sql.exec(statement)).toThrow('append-only')
  expect(await audit.verify()).toMatchObject({ entries: 4, broken: undefined })
})

test.each([
  ["update audit_entries set actor = 'eve' where id = 2", 2, 'it was changed'],
  ["update audit_entries set after = '{}' where id = 4", 4, 'it was changed'],
  ["update audit_entries set hash = 'f' where id = 2", 2, 'it was changed'],
  ['delete from audit_entries where id = 2', 3, 'the entries 2 to 2 are missing'],
  ['delete from audit_entries where id = 1', 2, 'the entries 1 to 1 are missing'],
  ['delete from audit_entries where id >= 3', 3, 'the entries 3 to 4 are missing'],
  ['delete from audit_entries', 1, 'the entries 1 to 4 are missing'],
])('the check finds: %s', async (statement, id, problem) => {
  const { audit, sql } = await trail()
  withoutTriggers(sql)
  sql.exec(statement)
  const { broken } = await audit.verify()
  expect(broken?.id).toBe(id)
  expect(broken?.problem).toContain(problem)
})

// Somebody who can write the file can also make the numbering forget the entries.
test('an end that was cut off without a trace is found with the help of a head that was seen', async () => {
  const { audit, sql } = await trail()
  const head = await audit.head()
  withoutTriggers(sql)
  sql.exec(
    "delete from audit_entries where id >= 3; update sqlite_sequence set seq = 2 where name = 'audit_entries'",
  )
  expect((await audit.verify()).broken).toBeUndefined()
  expect((await audit.verify([head ?? { id: 0, hash: '' }])).broken?.problem).toContain('3 to 4')
  // The trail goes on: the number is there again, under another hash.
  await audit.append(entry('another three'))
  await audit.append(entry('another four'))
  expect((await audit.verify([head ?? { id: 0, hash: '' }])).broken).toEqual({
    id: 4,
    problem: 'it is not the entry that was seen before under this number',
  })
})

test('an entry after a cut end does not hide the gap', async () => {
  const { audit, sql } = await trail()
  withoutTriggers(sql)
  sql.exec('delete from audit_entries where id = 4')
  expect(await audit.append(entry('five'))).toMatchObject({ id: 5 })
  expect((await audit.verify()).broken).toEqual({
    id: 5,
    problem: 'the entries 4 to 4 are missing',
  })
})

test('filters find entries by time, actor, action and subject', async () => {
  const { audit } = open()
  const at = (atMs: number, actor: string) => ({ ...entry('').author, atMs, actor })
  await audit.append(entry('grid-bot', { author: at(1_000, 'ada@example.com') }))
  await audit.append(
    entry('grid-bot', { author: at(2_000, 'Bob@example.com'), action: 'client.deleted' }),
  )
  await audit.append(entry('mx', { author: at(3_000, 'ada@example.com'), action: 'clientele' }))
  const idsOf = async (filter: object) =>
    (await audit.page({ limit: 10, ...filter })).map(({ id }) => id)
  expect(await idsOf({ fromMs: 2_000 })).toEqual([3, 2])
  expect(await idsOf({ toMs: 2_000 })).toEqual([1])
  expect(await idsOf({ actor: 'bob' })).toEqual([2])
  expect(await idsOf({ action: 'client' })).toEqual([2, 1])
  expect(await idsOf({ action: 'client.deleted' })).toEqual([2])
  expect(await idsOf({ subject: 'GRID' })).toEqual([2, 1])
  expect(await idsOf({ beforeId: 3, subject: 'grid' })).toEqual([2, 1])
  expect(await idsOf({ actor: '%' })).toEqual([])
})

// Found by the fuzzer: it went through the ids in steps, and did not come to an end.
test('a page before an id far above the last entry comes at once', async () => {
  const { audit } = open()
  await audit.append(entry('one'))
  const page = await audit.page({ limit: 10, beforeId: Number.MAX_SAFE_INTEGER })
  expect(page.map(({ id }) => id)).toEqual([1])
})

test('pages go through a trail that is longer than one step', async () => {
  const { audit, db } = open()
  await Promise.all(Array.from({ length: 2_100 }, (_, i) => audit.append(entry(`s${i % 700}`))))
  const found: number[] = []
  let beforeId: number | undefined
  for (;;) {
    const page = await audit.page({ limit: 2, subject: 's699', beforeId })
    if (page.length === 0) break
    found.push(...page.map(({ id }) => id))
    beforeId = page.at(-1)?.id
  }
  expect(found).toEqual([2_100, 1_400, 700])
  expect(await audit.verify()).toMatchObject({ entries: 2_100, broken: undefined })
  expect(db.$client.pragma('integrity_check', { simple: true })).toBe('ok')
})
