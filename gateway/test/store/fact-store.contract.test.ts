import { expect, test } from 'vitest'
import { onEachDatabase } from './engines.ts'
import { entryOf } from './rows.ts'

onEachDatabase('the facts', (t) => {
  test('a fact is what it was set to last', async () => {
    const { facts } = t.stores
    expect(await facts.get('check')).toBeUndefined()
    await facts.set('check', 'one')
    await facts.set('check', 'two')
    expect(await facts.get('check')).toBe('two')
    expect(await facts.get('other')).toBeUndefined()
  })

  test('facts are listed by how their names begin, and removed one by one', async () => {
    const { facts } = t.stores
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
    const { facts } = t.stores
    await facts.set('a', '1', [entryOf('a'), entryOf('once more')])
    await facts.setAll({ a: '2', b: '3' }, entryOf('both'))
    expect([await facts.get('a'), await facts.get('b')]).toEqual(['2', '3'])
    const entries = await t.sql('select * from audit_entries order by id')
    expect(entries.map(({ subject }) => subject)).toEqual(['a', 'once more', 'both'])
    expect(entries.map(({ id }) => Number(id))).toEqual([1, 2, 3])
    expect(entries.map((row) => row.previous_hash).slice(1)).toEqual(
      entries.map(({ hash }) => hash).slice(0, -1),
    )
  })
})
