import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { tempFolder } from './support/temp-folder.ts'

test('only the owner of the process may read the database', async () => {
  const folder = tempFolder()
  await testApp({ env: { DATABASE_URL: `file:${join(folder, 'data', 'sluice.db')}` } })
  expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0)
  for (const name of readdirSync(join(folder, 'data')))
    expect(statSync(join(folder, 'data', name)).mode & 0o077, name).toBe(0)
})
