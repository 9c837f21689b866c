import { describe, expect, test } from 'vitest'
import { gatewayAuthor } from '../../src/store/audit-chain.ts'
import { engines } from './engines.ts'

const entry = (subject: string) => ({
  ...{ author: gatewayAuthor(1), action: 'fact.set', subjectKind: 'fact', subject },
})

describe.each(engines)('the facts in $name', ({ open }) => {
  test('a fact is what it was set to last', async () => {
    const { facts } = (await open()).stores
    expect(await facts.get('check')).toBeUndefined()
    await facts.set('check', 'one')
    await facts.set('check', 'two')
    expect(await facts.get('check')).toBe('two')
    expect(await facts.get('other')).toBeUndefined()
  })

  test('facts are listed by how their names begin, and removed one by one', async () => {
    const { facts } = (await open()).stores
    for (const name of ['alert.b', 'alert_c', 'ALERT.d', 'alert.a'])
      await facts.set(name, `of ${name}`)
    expect([...(await facts.list('alert.'))]).toEqual([
      ['alert.a', 'of alert.a'],
      ['alert.b', 'of alert.b'],
    ])
    await facts.remove('alert.a')
    await facts.remove('alert.a')
    expect([...(await facts.list('alert.')).keys()]).toEqual(['alert.b'])
  })

  test('several facts are set at once, with their entry in the audit trail', async () => {
    const { stores, sql } = await open()
    await stores.facts.set('a', '1', [entry('a'), entry('once more')])
    await stores.facts.setAll({ a: '2', b: '3' }, entry('both'))
    expect([await stores.facts.get('a'), await stores.facts.get('b')]).toEqual(['2', '3'])
    const entries = await sql(
      'select id, subject, previous_hash, hash from audit_entries order by id',
    )
    expect(entries.map(({ subject }) => subject)).toEqual(['a', 'once more', 'both'])
    expect(entries.map(({ id }) => Number(id))).toEqual([1, 2, 3])
    expect(entries.map((row) => row.previous_hash).slice(1)).toEqual(
      entries.map(({ hash }) => hash).slice(0, -1),
    )
  })

  test('without its entry a fact is not set', async () => {
    const { stores, sql } = await open()
    const unwritable = {
      ...entry('a'),
      get subject(): string {
        throw new Error('no entry')
      },
    }
    await expect(stores.facts.set('a', '1', [entry('first'), unwritable])).rejects.toThrow(
      'no entry',
    )
    expect(await stores.facts.get('a')).toBeUndefined()
    expect(await sql('select id from audit_entries')).toEqual([])
  })
})
