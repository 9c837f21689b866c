import { expect, test } from 'vitest'
import { openStore } from './open.ts'
import { createSettingsStore } from './settings-store.ts'

test('a setting is what it was set to last', async () => {
  const store = openStore(':memory:')
  const settings = createSettingsStore(store.db)
  expect(await settings.get('check')).toBeUndefined()
  await settings.set('check', 'one')
  await settings.set('check', 'two')
  expect(await settings.get('check')).toBe('two')
  expect(await settings.get('other')).toBeUndefined()
  store.close()
})
