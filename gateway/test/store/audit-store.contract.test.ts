import { expect, test } from 'vitest'
import type { NewAuditEntry } from '../../src/store/audit-chain.ts'
import type { AuditFilter } from '../../src/store/audit-store.ts'
import { onEachDatabase } from './engines.ts'
import { allOf, unwritable } from './rows.ts'

const author = {
  ...{ atMs: 1_000, actor: 'ada@example.com', actorKind: 'admin' as const, session: 'jti' },
  ...{ address: '203.0.113.7', requestId: null },
}

const entry = (subject: string, changes: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  ...{ author, action: 'client.created', subjectKind: 'client', subject },
  ...{ before: null, after: { active: true }, ...changes },
})

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

onEachDatabase('the audit trail', (t) => {
  const { withoutTriggers, forget, refused } = TAMPERING[t.name]
  /** A trail of four entries, on which somebody with the database may do anything. */
  async function trail() {
    const { audit } = t.stores
    for (const subject of ['one', 'two', 'three', 'four']) await audit.append(entry(subject))
    return audit
  }
  const idsOf = async (filter: AuditFilter & { beforeId?: number }) =>
    (await t.stores.audit.page({ limit: 10, ...filter })).map(({ id }) => id)

  test('entries are appended in a chain that verifies', async () => {
    const audit = await trail()
    const [newest, ...older] = await audit.page({ limit: 10 })
    expect(newest).toEqual({
      ...author,
      ...{ id: 4, action: 'client.created', subjectKind: 'client', subject: 'four' },
      ...{ before: null, after: '{"active":true}' },
      ...{ previousHash: older[0]?.hash, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    const head = { id: 4, hash: newest?.hash }
    expect(await audit.verify()).toEqual({ entries: 4, head, broken: undefined })
    expect(await audit.head()).toEqual(head)
  })

  test('an empty trail verifies, has no head and no page', async () => {
    const { audit } = t.stores
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
    const { audit } = t.stores
    const odd = 'a\0b\ud83d'
    const oddly = { ...author, actor: odd, session: odd, address: odd, requestId: odd }
    await audit.append(entry(odd, { author: oddly, before: { odd }, after: { odd } }))
    await audit.append(entry('next'))
    expect(await audit.verify()).toMatchObject({ entries: 2, broken: undefined })
    const stored = 'a\u{fffd}b\u{fffd}'
    expect((await audit.page({ limit: 10 }))[1]).toMatchObject({
      ...{ actor: stored, session: stored, address: stored, requestId: stored, subject: stored },
      after: JSON.stringify({ odd }),
    })
  })

  test('the database refuses every change of an entry', async () => {
    const audit = await trail()
    for (const statement of [
      "update audit_entries set actor = 'eve' where id = 2",
      'delete from audit_entries where id = 4',
      'delete from audit_entries',
      `insert into audit_entries select 9, at_ms, actor, actor_kind, session, address, action, subject_kind, subject, before, after, request_id, previous_hash, hash from audit_entries where id = 2`,
      ...refused,
    ]) {
      await expect(t.sql(statement), statement).rejects.toThrow('append-only')
      expect(await audit.verify()).toMatchObject({ entries: 4, broken: undefined })
    }
  })

  test('the check finds what was changed or removed', async () => {
    const audit = await trail()
    await t.sql(`${withoutTriggers}; create table whole as select * from audit_entries`)
    for (const [statement, entries, id, problem] of [
      ["update audit_entries set actor = 'eve' where id = 2", 1, 2, 'it was changed'],
      ["update audit_entries set after = '{}' where id = 4", 3, 4, 'it was changed'],
      ["update audit_entries set hash = 'f' where id = 2", 1, 2, 'it was changed'],
      ["update audit_entries set previous_hash = 'f' where id = 3", 2, 3, 'it does not follow'],
      ['delete from audit_entries where id = 2', 1, 3, 'the entries 2 to 2 are missing'],
      ['delete from audit_entries where id = 1', 0, 2, 'the entries 1 to 1 are missing'],
      ['delete from audit_entries where id >= 3', 2, 3, 'the entries 3 to 4 are missing'],
      ['delete from audit_entries', 0, 1, 'the entries 1 to 4 are missing'],
    ] as const) {
      await t.sql(statement)
      expect(await audit.verify(), statement).toMatchObject({
        ...{ entries, broken: { id, problem: expect.stringContaining(problem) } },
      })
      await t.sql('delete from audit_entries; insert into audit_entries select * from whole')
      expect((await audit.verify()).broken).toBeUndefined()
    }
  })

  // Somebody who can write the database can also make the numbering forget the entries.
  test('an end that was cut off without a trace is found with the help of a head that was seen', async () => {
    const audit = await trail()
    const head = (await audit.head()) ?? { id: 0, hash: '' }
    expect((await audit.verify([head])).broken).toBeUndefined()
    await t.sql(withoutTriggers)
    await t.sql('delete from audit_entries where id >= 3')
    await t.sql(forget)
    expect((await audit.verify()).broken).toBeUndefined()
    expect((await audit.verify([head])).broken?.problem).toContain('3 to 4')
    // The trail continues: the number is there again, under another hash.
    await audit.append(entry('another three'))
    await audit.append(entry('another four'))
    expect((await audit.verify([head])).broken).toEqual({
      id: 4,
      problem: 'it is not the entry that was seen before under this number',
    })
  })

  test('an entry after a cut end does not hide the gap', async () => {
    const audit = await trail()
    await t.sql(withoutTriggers)
    await t.sql('delete from audit_entries where id = 4')
    expect(await audit.append(entry('five'))).toMatchObject({ id: 5 })
    expect((await audit.verify()).broken).toEqual({
      id: 5,
      problem: 'the entries 4 to 4 are missing',
    })
  })

  test('filters find entries by time, actor, action and subject', async () => {
    const { audit } = t.stores
    const at = (atMs: number, actor: string) => ({ ...author, atMs, actor })
    await audit.append(entry('grid-bot', { author: at(1_000, 'ada@example.com') }))
    const bobs = { author: at(2_000, 'Bob@example.com'), action: 'client.deleted' } as const
    await audit.append(entry('grid-bot', bobs))
    await audit.append(entry('mx', { author: at(3_000, 'ÄDA'), action: 'client-limits.changed' }))
    const found: [AuditFilter & { beforeId?: number }, number[]][] = [
      [{ fromMs: 2_000 }, [3, 2]],
      [{ toMs: 2_000 }, [1]],
      [{ fromMs: 2_000, toMs: 3_000 }, [2]],
      [{ actor: 'bob' }, [2]],
      [{ actor: '' }, [3, 2, 1]],
      [{ action: 'client' }, [2, 1]],
      [{ action: 'client.deleted' }, [2]],
      [{ action: 'Client' }, []],
      [{ action: '' }, []],
      [{ subject: 'GRID' }, [2, 1]],
      [{ beforeId: 3, subject: 'grid' }, [2, 1]],
      [{ beforeId: 2 }, [1]],
      [{ beforeId: 1 }, []],
      [{ actor: '%' }, []],
      [{ actor: '_' }, []],
      // Only ASCII has two cases, whatever the locale of the database is.
      [{ actor: 'Äd' }, [3]],
      [{ actor: 'äd' }, []],
      [{ actor: 'a\0', action: 'a\0', subject: 'a\0' }, []],
    ]
    for (const [filter, ids] of found) expect([filter, await idsOf(filter)]).toEqual([filter, ids])
    // The clock went back, and the entry in between belongs to the chain.
    await audit.append(entry('bg', { author: at(1_500, 'ada@example.com') }))
    for (const [part, ids] of [
      [{ lastId: 3 }, [1, 2, 3]],
      [{ fromMs: 1_400, lastId: 4 }, [2, 3, 4]],
      [{ fromMs: 3_001, lastId: 4 }, []],
      [{ lastId: 0 }, []],
    ] as const)
      expect((await allOf(audit.chain(part))).map(({ id }) => id)).toEqual(ids)
  })

  // Found by the fuzzer: it went through the ids in steps, and did not come to an end.
  test('a page before an id far above the last entry comes at once', async () => {
    await t.stores.audit.append(entry('one'))
    expect(await idsOf({ beforeId: Number.MAX_SAFE_INTEGER })).toEqual([1])
  })

  test('nothing more is read for somebody who has gone', async () => {
    const audit = await trail()
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(audit.page({ limit: 10, actor: 'nobody' }, gone)).rejects.toThrow('gone')
    await expect(allOf(audit.all({ actor: 'nobody' }, gone))).rejects.toThrow('gone')
  })

  test('two nodes append one chain; pages and pieces go through one longer than a step', async () => {
    const { audit } = t.stores
    const others = await t.beside()
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
      // What is appended in between does not move the rest.
      if (sizes.length === 1) await others.audit.append(entry('late'))
    }
    expect(sizes).toEqual([1_000, 100])
    expect(ids).toEqual(Array.from({ length: 1_100 }, (_, i) => 1_100 - i))
    expect(await allOf(audit.all({ subject: 's54' }))).toHaveLength(22)
    const chain = await allOf(audit.chain({ lastId: 1_001 }))
    expect(chain.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 1_001))
  })
})
