import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openStore } from './open.ts'
import { createSecretStore } from './secret-store.ts'

test('an old secret is found from its rotation until it expires or another process ends it', async () => {
  const path = join(tempFolder(), 'sluice.db')
  const { db, close } = openStore(path)
  onTestFinished(close)
  db.$client.exec(
    `insert into clients (id, client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms)
     values (1, 'grid', 'first', 'p1', 0, 0)`,
  )
  const secrets = createSecretStore(db)
  expect(await secrets.findOld(1, 0)).toBeUndefined()
  await secrets.rotate(1, { secretHash: 'second', secretPreview: 'p2' }, 1000, 0)
  expect(await secrets.findOld(1, 999)).toMatchObject({ hash: 'first' })
  expect(await secrets.findOld(1, 1000)).toBeUndefined()
  const other = new Database(path)
  onTestFinished(() => void other.close())
  other.exec('delete from old_secrets')
  expect(await secrets.findOld(1, 999)).toBeUndefined()
})
