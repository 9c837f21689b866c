import { describe, expect, test } from 'vitest'
import type { NewAuditEntry } from '../../src/store/audit-chain.ts'
import type { AuditFilter } from '../../src/store/audit-store.ts'
import { type Engine, engines, type OpenStores } from './engines.ts'
import { unwritable } from './people.ts'

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

/** A trail of four entries, on which somebody with the database may do anything. */
async function openTrail(open: Engine['open']) {
  const opened = await open()
  const { audit } = opened.stores
  for (const subject of ['one', 'two', 'three', 'four']) await audit.append(entry(subject))
  return { ...opened, audit }
}

/** What somebody does who may do anything. */
const TAMPERING = {
  sqlite: {
    withoutTriggers:
      'drop trigger audit_entries_changed; drop trigger audit_entries_removed; drop trigger audit_entries_inserted',
    forget: "update sqlite_sequence set seq = 2 where name = 'audit_entries'",
    refused: [
      'insert or replace into audit_entries select * from audit_entries where id = 2',
      'insert into audit_entries select * from audit_entries where id = 2',
    ],
  },
  postgres: {
    withoutTriggers: 'alter table audit_entries disable trigger user',
    forget: 'update audit_highest set highest = 2',
    refused: [
      'insert into audit_entries select * from audit_entries where id = 2 on conflict (id) do update set actor = excluded.hash',
      'truncate audit_entries',
    ],
  },
}

async function idsOf({ stores }: OpenStores, filter: AuditFilter & { beforeId?: number }) {
  return (await stores.audit.page({ limit: 10, ...filter })).map(({ id }) => id)
}

describe.each(engines)('the audit trail in $name', ({ name, open }) => {
  const { withoutTriggers, forget, refused } = TAMPERING[name]

  test('entries are appended in a chain that verifies', async () => {
    const { audit } = await openTrail(open)
    const [newest, ...older] = await audit.page({ limit: 10 })
    expect(newest).toEqual({
      ...entry('').author,
      ...{ id: 4, action: 'client.created', subjectKind: 'client', subject: 'four' },
      ...{ before: null, after: '{"active":true}' },
      ...{ previousHash: older[0]?.hash, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(await audit.verify()).toEqual({
      entries: 4,
      head: { id: 4, hash: newest?.hash },
      broken: undefined,
    })
    expect(await audit.head()).toEqual({ id: 4, hash: newest?.hash })
  })

  test('an empty trail verifies, has no head and no page', async () => {
    const { audit } = (await open()).stores
    expect(await audit.verify()).toEqual({ entries: 0, head: undefined, broken: undefined })
    expect([await audit.head(), await audit.page({ limit: 10 })]).toEqual([undefined, []])
    for await (const rows of audit.all({})) expect(rows).toBeUndefined()
    await expect(audit.append(unwritable)).rejects.toThrow('no entry')
    expect(await audit.head()).toBeUndefined()
    expect(await audit.append(entry('one'))).toEqual({ ...(await audit.head()), id: 1 })
  })

  // Somebody who signs in chooses such a name. The trail broke there: the hash was made of the text
  // as it came, and the database had stored another one.
  test('an entry verifies whatever the texts in it are', async () => {
    const { audit } = (await open()).stores
    const odd = 'a\0b\ud83d'
    const author = { ...entry('').author, actor: odd, session: odd, address: odd, requestId: odd }
    await audit.append(entry(odd, { author, before: { odd }, after: { odd } }))
    await audit.append(entry('next'))
    expect(await audit.verify()).toMatchObject({ entries: 2, broken: undefined })
    const stored = 'a\u{fffd}b\u{fffd}'
    expect((await audit.page({ limit: 10 }))[1]).toMatchObject({
      ...{ actor: stored, session: stored, address: stored, requestId: stored, subject: stored },
      after: JSON.stringify({ odd }),
    })
  })

  test.each([
    "update audit_entries set actor = 'eve' where id = 2",
    'delete from audit_entries where id = 4',
    'delete from audit_entries',
    `insert into audit_entries select 9, at_ms, actor, actor_kind, session, address, action, subject_kind, subject, before, after, request_id, previous_hash, hash from audit_entries where id = 2`,
    ...refused,
  ])('the database refuses: %s', async (statement) => {
    const { audit, sql } = await openTrail(open)
    await expect(sql(statement)).rejects.toThrow('append-only')
    expect(await audit.verify()).toMatchObject({ entries: 4, broken: undefined })
  })

  test.each([
    ["update audit_entries set actor = 'eve' where id = 2", 2, 'it was changed'],
    ["update audit_entries set after = '{}' where id = 4", 4, 'it was changed'],
    ["update audit_entries set hash = 'f' where id = 2", 2, 'it was changed'],
    ["update audit_entries set previous_hash = 'f' where id = 3", 3, 'it does not follow'],
    ['delete from audit_entries where id = 2', 3, 'the entries 2 to 2 are missing'],
    ['delete from audit_entries where id = 1', 2, 'the entries 1 to 1 are missing'],
    ['delete from audit_entries where id >= 3', 3, 'the entries 3 to 4 are missing'],
    ['delete from audit_entries', 1, 'the entries 1 to 4 are missing'],
  ])('the check finds: %s', async (statement, id, problem) => {
    const { audit, sql } = await openTrail(open)
    await sql(withoutTriggers)
    await sql(statement)
    const { broken, entries } = await audit.verify()
    expect([broken?.id, entries]).toEqual([
      id,
      id - 1 - (problem.includes(`${id - 1} are`) ? 1 : 0),
    ])
    expect(broken?.problem).toContain(problem)
  })

  // Somebody who can write the database can also make the numbering forget the entries.
  test('an end that was cut off without a trace is found with the help of a head that was seen', async () => {
    const { audit, sql } = await openTrail(open)
    const head = (await audit.head()) ?? { id: 0, hash: '' }
    expect((await audit.verify([head])).broken).toBeUndefined()
    await sql(withoutTriggers)
    await sql('delete from audit_entries where id >= 3')
    await sql(forget)
    expect((await audit.verify()).broken).toBeUndefined()
    expect((await audit.verify([head])).broken?.problem).toContain('3 to 4')
    // The trail goes on: the number is there again, under another hash.
    await audit.append(entry('another three'))
    await audit.append(entry('another four'))
    expect((await audit.verify([head])).broken).toEqual({
      id: 4,
      problem: 'it is not the entry that was seen before under this number',
    })
  })

  test('an entry after a cut end does not hide the gap', async () => {
    const { audit, sql } = await openTrail(open)
    await sql(withoutTriggers)
    await sql('delete from audit_entries where id = 4')
    expect(await audit.append(entry('five'))).toMatchObject({ id: 5 })
    expect((await audit.verify()).broken).toEqual({
      id: 5,
      problem: 'the entries 4 to 4 are missing',
    })
  })

  test('filters find entries by time, actor, action and subject', async () => {
    const opened = await open()
    const { audit } = opened.stores
    const at = (atMs: number, actor: string) => ({ ...entry('').author, atMs, actor })
    await audit.append(entry('grid-bot', { author: at(1_000, 'ada@example.com') }))
    await audit.append(
      entry('grid-bot', { author: at(2_000, 'Bob@example.com'), action: 'client.deleted' }),
    )
    await audit.append(entry('mx', { author: at(3_000, 'ÄDA'), action: 'clientele' }))
    const found = (filter: AuditFilter & { beforeId?: number }) => idsOf(opened, filter)
    expect(await found({ fromMs: 2_000 })).toEqual([3, 2])
    expect(await found({ toMs: 2_000 })).toEqual([1])
    expect(await found({ fromMs: 2_000, toMs: 3_000 })).toEqual([2])
    expect(await found({ actor: 'bob' })).toEqual([2])
    expect(await found({ actor: '' })).toEqual([3, 2, 1])
    expect(await found({ action: 'client' })).toEqual([2, 1])
    expect(await found({ action: 'client.deleted' })).toEqual([2])
    expect(await found({ action: 'Client' })).toEqual([])
    expect(await found({ action: '' })).toEqual([])
    expect(await found({ subject: 'GRID' })).toEqual([2, 1])
    expect(await found({ beforeId: 3, subject: 'grid' })).toEqual([2, 1])
    expect(await found({ beforeId: 2 })).toEqual([1])
    expect(await found({ beforeId: 1 })).toEqual([])
    expect(await found({ actor: '%' })).toEqual([])
    expect(await found({ actor: '_' })).toEqual([])
    // Only ASCII has two cases, whatever the locale of the database is.
    expect(await found({ actor: 'Äd' })).toEqual([3])
    expect(await found({ actor: 'äd' })).toEqual([])
    expect(await found({ actor: 'a\0', action: 'a\0', subject: 'a\0' })).toEqual([])
  })

  // Found by the fuzzer: it went through the ids in steps, and did not come to an end.
  test('a page before an id far above the last entry comes at once', async () => {
    const opened = await open()
    await opened.stores.audit.append(entry('one'))
    expect(await idsOf(opened, { beforeId: Number.MAX_SAFE_INTEGER })).toEqual([1])
  })

  test('nothing more is read for somebody who has gone', async () => {
    const { audit } = await openTrail(open)
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(audit.page({ limit: 10, actor: 'nobody' }, gone)).rejects.toThrow('gone')
    const read = async () => {
      for await (const _ of audit.all({ actor: 'nobody' }, gone));
    }
    await expect(read()).rejects.toThrow('gone')
  })

  test('two nodes append one chain; pages and pieces go through one longer than a step', async () => {
    const { stores, beside } = await open()
    const others = await beside()
    const { audit } = stores
    // Some at a time: the last of 1,100 at once may wait longer than a write waits for another one.
    for (let from = 0; from < 1_100; from += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 === 0 ? audit : others.audit).append(entry(`s${(from + i) % 550}`)),
        ),
      )
    expect(await audit.verify()).toMatchObject({ entries: 1_100, broken: undefined })
    const found: string[] = []
    let beforeId: number | undefined
    for (;;) {
      const page = await audit.page({ limit: 1, subject: 's549', beforeId })
      if (page.length === 0) break
      found.push(...page.map(({ subject }) => subject))
      beforeId = page.at(-1)?.id
    }
    expect(found).toEqual(['s549', 's549'])
    const sizes: number[] = []
    const ids: number[] = []
    for await (const rows of audit.all({})) {
      sizes.push(rows.length)
      ids.push(...rows.map(({ id }) => id))
      // What is appended meanwhile does not move the rest.
      if (sizes.length === 1) await others.audit.append(entry('late'))
    }
    expect(sizes).toEqual([1_000, 100])
    expect(ids).toEqual(Array.from({ length: 1_100 }, (_, i) => 1_100 - i))
    const bots: string[] = []
    for await (const rows of audit.all({ subject: 's54' }))
      bots.push(...rows.map(({ subject }) => subject))
    expect(bots).toHaveLength(22)
  })
})
