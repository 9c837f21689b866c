import { expect, test } from 'vitest'
import { createFactStore } from './fact-store.ts'
import { openStore } from './open.ts'

test('a fact is what it was set to last', async () => {
  const store = openStore(':memory:')
  const facts = createFactStore(store.db)
  expect(await facts.get('check')).toBeUndefined()
  await facts.set('check', 'one')
  await facts.set('check', 'two')
  expect(await facts.get('check')).toBe('two')
  expect(await facts.get('other')).toBeUndefined()
  store.close()
})
