import { APPROVALS_LISTED } from 'schema'
import { expect, test } from 'vitest'
import { type Author, gatewayAuthor } from '../../src/store/audit-chain.ts'
import { onEachDatabase } from './engines.ts'
import { ada, bob, entryOf, subjectsOf } from './rows.ts'

const seal = (id: number) => ({ requestSealed: `sealed ${id}`, keyId: 'key' })
const asked = (id: number) => entryOf(`asked for ${id}`)
const bobAt = (atMs: number): Author => ({
  ...{ ...gatewayAuthor(atMs), actor: bob.email, actorKind: 'admin' },
})

onEachDatabase('approvals', (t) => {
  /** With an admin who asks. */
  async function withAdmin() {
    const { id: requestedBy } = await t.stores.admins.insert(ada)
    const { approvals } = t.stores
    const newRow = (
      changes: { requestedBy?: number; expiresAtMs?: number; subject?: string } = {},
    ) => ({
      ...{ action: 'deleteClient', subjectKind: 'client', subject: 'grid-bot', basis: 'sha' },
      ...{ before: '{"active":true}', after: null, requestedBy, requestedAtMs: 1_000 },
      ...{ expiresAtMs: 5_000, ...changes },
    })
    const ask = (changes?: Parameters<typeof newRow>[0]) =>
      approvals.insert(newRow(changes), seal, asked)
    return { approvals, requestedBy, newRow, ask }
  }

  /** The actions and subjects of the trail, without those of asking. */
  async function decisions(): Promise<unknown[][]> {
    const rows = await t.sql('select action, subject, after from audit_entries order by id')
    return rows
      .filter(({ subject }) => !`${subject}`.startsWith('asked'))
      .map(({ action, subject, after }) => [action, subject, JSON.parse(`${after}`)])
  }

  test('an approval is asked for, found and listed, newest first', async () => {
    const { approvals, ask, newRow } = await withAdmin()
    const first = await ask()
    expect(first).toEqual({
      ...{ ...newRow(), ...seal(first.id), id: first.id, requestedByEmail: ada.email },
      ...{ state: 'waiting', decidedBy: null, decidedAtMs: null, reason: null },
    })
    const second = await ask({ subject: 'other' })
    expect(await approvals.find(first.id)).toEqual(first)
    expect(await approvals.find(99)).toBeUndefined()
    expect(await approvals.list()).toEqual([second, first])
    const rejected = await approvals.end(first.id, 'rejected', 'no', bobAt(2_000))
    expect(await approvals.list('waiting')).toEqual([second])
    expect(await approvals.list('rejected')).toEqual([rejected])
    expect(await approvals.list('failed')).toEqual([])
    const { requestedByEmail: _, ...row } = second
    expect(await approvals.listSealed()).toEqual([row])
    expect(await subjectsOf(t)).toEqual([
      ...[`asked for ${first.id}`, `asked for ${second.id}`, 'grid-bot'],
    ])
  })

  test('the sealed requests are listed in the order they came, whatever was changed', async () => {
    const { approvals, ask } = await withAdmin()
    const ids = [(await ask()).id, (await ask()).id, (await ask()).id]
    await approvals.reseal(ids[0] ?? 0, { requestSealed: 'sealed again', keyId: 'next' })
    const sealed = await approvals.listSealed()
    expect(sealed.map(({ id, keyId }) => [id, keyId])).toEqual([
      [ids[0], 'next'],
      [ids[1], 'key'],
      [ids[2], 'key'],
    ])
    await approvals.end(ids[1] ?? 0, 'withdrawn', null, bobAt(2_000))
    // It has no request any more.
    await approvals.reseal(ids[1] ?? 0, { requestSealed: 'sealed again', keyId: 'next' })
    expect(await approvals.find(ids[1] ?? 0)).toMatchObject({ requestSealed: null, keyId: null })
  })

  test('one admin asks for 25 things at a time, and all of them for 100', async () => {
    const { approvals, ask, requestedBy } = await withAdmin()
    const askers = [requestedBy]
    for (const name of ['b', 'c', 'd', 'e'])
      askers.push((await t.stores.admins.insert({ ...ada, email: `${name}@example.com` })).id)
    for (let i = 0; i < 100; i += 1) {
      if (i === 25)
        await expect(ask()).rejects.toMatchObject({
          ...{ code: 'APPROVALS_FULL', statusCode: 409 },
          message: expect.stringContaining('25 requests of yours'),
        })
      await ask({ requestedBy: askers[Math.floor(i / 25)] ?? 0 })
    }
    await expect(ask({ requestedBy: askers[4] ?? 0 })).rejects.toThrow('100 requests')
    expect(await subjectsOf(t)).toHaveLength(100)
    const [newest] = await approvals.list()
    await approvals.end(newest?.id ?? 0, 'withdrawn', null, bobAt(2_000))
    await ask({ requestedBy: askers[4] ?? 0 })
    expect(await approvals.list('waiting')).toHaveLength(100)
  })

  test('of many, the newest are listed', async () => {
    const { approvals, requestedBy } = await withAdmin()
    await t.sql(`insert into approvals (action, subject_kind, subject, basis, requested_by, requested_at_ms, expires_at_ms, state)
      with recursive n(i) as (select 1 union all select i + 1 from n where i <= ${APPROVALS_LISTED})
      select 'deleteClient', 'client', i, 'sha', ${requestedBy}, 0, 0, 'expired' from n`)
    const listed = await approvals.list()
    expect(listed).toHaveLength(APPROVALS_LISTED)
    expect([listed[0]?.subject, listed.at(-1)?.subject]).toEqual([`${APPROVALS_LISTED + 1}`, '2'])
  })

  test('two nodes together do not ask for more than 25', async () => {
    const { approvals, newRow, ask } = await withAdmin()
    const other = (await t.beside()).approvals
    for (let i = 0; i < 20; i += 1) await ask()
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? approvals : other).insert(newRow(), seal, asked),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await approvals.list('waiting')).toHaveLength(25)
  })

  test('a change that was approved settles its approval, once', async () => {
    const { approvals, ask } = await withAdmin()
    const { id } = await ask()
    const approval = { id, requestedBy: ada.email }
    const author = { ...bobAt(2_000), approval }
    const of = { author, subjectKind: 'client', subject: 'grid-bot' }
    const entry = { ...of, action: 'client.deleted' } as const
    await t.stores.facts.set('a', '1', [entry, { ...entry, action: 'client.disabled' }])
    const settled = await approvals.settle(id, author)
    expect(settled).toMatchObject({
      ...{ id, state: 'approved', requestSealed: null, keyId: null },
      ...{ decidedBy: bob.email, decidedAtMs: 2_000, reason: null },
    })
    expect(await decisions()).toEqual([
      ['approval.approved', 'grid-bot', { action: 'deleteClient', approval }],
      ['client.deleted', 'grid-bot', { approval }],
      ['client.disabled', 'grid-bot', { approval }],
    ])
    // One whose change has no entry.
    const other = await ask()
    const otherApproval = { id: other.id, requestedBy: ada.email }
    await approvals.settle(other.id, { ...author, approval: otherApproval })
    expect(await approvals.find(other.id)).toMatchObject({ state: 'approved' })
    expect(await decisions()).toHaveLength(4)
    await expect(approvals.settle(99, gatewayAuthor(1))).rejects.toThrow('The approval 99 is gone')
  })

  test('at two nodes at once, an approval is settled once', async () => {
    const { approvals, ask } = await withAdmin()
    const other = (await t.beside()).approvals
    const { id } = await ask()
    const author = { ...bobAt(2_000), approval: { id, requestedBy: ada.email } }
    const settled = await Promise.all([
      approvals.settle(id, author),
      other.settle(id, author),
      approvals.reseal(id, { requestSealed: 'again', keyId: 'next' }),
      other.expire(1_500),
    ])
    expect(settled[0]).toMatchObject({ state: 'approved', requestSealed: null })
    expect(await approvals.find(id)).toMatchObject({ state: 'approved', requestSealed: null })
    expect(await decisions()).toHaveLength(1)
  })

  test('an approval ends without being carried out, with an entry', async () => {
    const { approvals, ask } = await withAdmin()
    const { id } = await ask()
    const approval = { id, requestedBy: ada.email }
    const rejected = await approvals.end(id, 'rejected', 'not now', bobAt(2_000))
    expect(rejected).toMatchObject({
      ...{ state: 'rejected', reason: 'not now', requestSealed: null, keyId: null },
      ...{ decidedBy: bob.email, decidedAtMs: 2_000, requestedByEmail: ada.email },
    })
    // One that was settled with its first change and failed half-way is marked too.
    await approvals.end(id, 'failed', null, bobAt(3_000))
    expect(await approvals.find(id)).toMatchObject({ state: 'failed', reason: null })
    expect(await decisions()).toEqual([
      [
        ...['approval.rejected', 'grid-bot'],
        { action: 'deleteClient', reason: 'not now', approval },
      ],
      ['approval.failed', 'grid-bot', { action: 'deleteClient', approval }],
    ])
    await expect(approvals.end(99, 'failed', null, bobAt(1))).rejects.toThrow('is gone')
  })

  test('what nobody decides expires, each with an entry, once at all nodes', async () => {
    const { approvals, ask } = await withAdmin()
    const other = await t.beside()
    const first = await ask({ subject: 'one' })
    const second = await ask({ subject: 'two', expiresAtMs: 4_000 })
    const later = await ask({ subject: 'later', expiresAtMs: 5_001 })
    const decided = await ask({ subject: 'decided' })
    await approvals.end(decided.id, 'withdrawn', null, bobAt(2_000))
    expect(await approvals.expire(3_999)).toBe(0)
    const counts = await Promise.all([approvals.expire(5_000), other.approvals.expire(5_000)])
    expect(counts.sort()).toEqual([0, 2])
    expect(await approvals.expire(5_000)).toBe(0)
    expect(await approvals.list('expired')).toMatchObject([
      { id: second.id, decidedBy: null, decidedAtMs: 5_000, requestSealed: null, keyId: null },
      { id: first.id, decidedBy: null, decidedAtMs: 5_000, requestSealed: null, keyId: null },
    ])
    expect((await approvals.list('waiting')).map(({ id }) => id)).toEqual([later.id])
    const action = 'deleteClient'
    const requestedBy = ada.email
    expect((await decisions()).slice(1)).toEqual([
      ['approval.expired', 'one', { action, approval: { id: first.id, requestedBy } }],
      ['approval.expired', 'two', { action, approval: { id: second.id, requestedBy } }],
    ])
    expect((await t.stores.audit.verify()).broken).toBeUndefined()
  })

  test('what was decided before a time is removed, and its id is never given again', async () => {
    const { approvals, ask } = await withAdmin()
    const [waiting, ended] = [await ask(), await ask()]
    await approvals.end(ended.id, 'withdrawn', null, bobAt(2_000))
    await approvals.removeOlderThan(1_000)
    expect(await approvals.list()).toHaveLength(2)
    await approvals.removeOlderThan(1_001)
    expect((await approvals.list()).map(({ id }) => id)).toEqual([waiting.id])
    expect((await ask()).id).toBeGreaterThan(ended.id)
  })

  test('what fails half-way leaves everything as it was', async () => {
    const { approvals, newRow, ask } = await withAdmin()
    const unsealed = () => {
      throw new Error('not sealed')
    }
    await expect(approvals.insert(newRow(), unsealed, asked)).rejects.toThrow('not sealed')
    expect(await approvals.list()).toEqual([])
    const waiting = await ask()
    const author = {
      ...{ ...bobAt(2_000), approval: { id: waiting.id, requestedBy: ada.email } },
      get actorKind(): Author['actorKind'] {
        throw new Error('no author')
      },
    }
    // Only the entry reads it: the row was changed before.
    await expect(approvals.settle(waiting.id, author)).rejects.toThrow('no author')
    expect(await approvals.list()).toEqual([waiting])
    expect(await subjectsOf(t)).toEqual([`asked for ${waiting.id}`])
  })
})
