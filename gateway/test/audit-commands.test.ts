import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { examine } from '../src/operations/doctor/examine.ts'
import { recordBackup } from '../src/operations/record-backup.ts'
import { restore } from '../src/operations/restore.ts'
import { finish, rotate } from '../src/operations/rotate.ts'
import type { AuditHead, AuditRow } from '../src/store/audit-chain.ts'
import { createAuditStore } from '../src/store/audit-store.ts'
import { backUp } from '../src/store/sqlite/backup.ts'
import { createDatabase } from '../src/store/sqlite/database.ts'
import { openReadOnly } from '../src/store/sqlite/open.ts'
import { testApp, testConfig } from './app.ts'
import { makeOlderDatabase, migrations } from './support/older-database.ts'
import { changeDatabase, onDisk } from './support/on-disk.ts'
import { tempFolder } from './support/temp-folder.ts'

/** A database that a gateway used and closed. */
async function used(masterKey?: string) {
  const { path, env } = onDisk(masterKey)
  const { app, client, paper } = await testApp({ env })
  await client()
  await app.close()
  return { path, env, config: testConfig(paper.url, env), exchange: paper.url }
}

async function trailOf(path: string): Promise<AuditRow[]> {
  const store = openReadOnly(path)
  try {
    const audit = createAuditStore(createDatabase(store.db))
    expect((await audit.verify()).broken).toBeUndefined()
    return await audit.page({ limit: 100 })
  } finally {
    store.close()
  }
}

const ME = { actor: userInfo().username, actorKind: 'command-line', address: null }

test('a backup is in the trail, in the copy too, whose last entry shows a cut-off end later', async () => {
  const { path, env, exchange } = await used()
  const target = join(tempFolder(), 'copy.db')
  expect(await recordBackup({ path, target, nowMs: Date.now })).toBe(true)
  const { auditHead } = await backUp(path, target)
  const [newest] = await trailOf(target)
  expect(newest).toMatchObject({ ...ME, action: 'database.backup-requested', subject: target })
  expect(auditHead).toEqual({ id: newest?.id, hash: newest?.hash })

  const find = async (heads: readonly AuditHead[]) => {
    const urls = { MEXC_SPOT_URL: exchange, MEXC_FUTURES_URL: exchange, BITGET_URL: exchange }
    for await (const finding of examine({ ...env, ...urls }, { nowMs: Date.now }, heads))
      if (finding.subject === 'audit trail') return finding
    throw new Error('The doctor says nothing of the audit trail')
  }
  const known = auditHead === undefined ? [] : [auditHead]
  expect(await find(known)).toMatchObject({
    level: 'ok',
    found: expect.stringContaining('entries are whole, and so are those that were seen before'),
  })
  // Everything that the database itself could tell of the last entry is removed.
  const guard = 'create trigger audit_entries_removed'
  const guarding = migrations
    .flatMap((step) => step.sql)
    .find((each) => each.trim().toLowerCase().replaceAll('`', '').startsWith(guard))
  changeDatabase(
    path,
    `drop trigger audit_entries_removed; delete from audit_entries where id = ${newest?.id};
     update sqlite_sequence set seq = seq - 1 where name = 'audit_entries'; ${guarding}`,
  )
  expect(await find([])).toMatchObject({ level: 'ok' })
  expect(await find(known)).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('the end was cut off'),
  })
})

test('a backup of a database without a trail leaves it as it is', async () => {
  const path = join(tempFolder(), 'sluice.db')
  makeOlderDatabase(path, 5, {})
  expect(await recordBackup({ path, target: '/x', nowMs: Date.now })).toBe(false)
  expect((await backUp(path, join(tempFolder(), 'copy.db'))).auditHead).toBeUndefined()
})

test('a restored database says so, and names the last entry of the one that it replaced', async () => {
  const { path, config } = await used()
  const file = join(tempFolder(), 'copy.db')
  await backUp(path, file)
  await recordBackup({ path, target: '/later', nowMs: Date.now })
  const replaced = openReadOnly(path)
  const head = await createAuditStore(createDatabase(replaced.db)).head()
  replaced.close()
  await restore({ config, file, replace: true, nowMs: Date.now })
  const [newest] = await trailOf(path)
  expect(newest).toMatchObject({ ...ME, action: 'database.restored', subject: path })
  expect(JSON.parse(newest?.before ?? '')).toEqual({ auditHead: head })
  expect(JSON.parse(newest?.after ?? '')).toMatchObject({ from: file })
})

test('each step of a rotation of the master key is in the trail', async () => {
  const { path, config } = await used('')
  const common = { config, nowMs: Date.now }
  await rotate({ ...common, onStep: () => {} })
  await finish({ ...common, endTokens: true })
  const [removal, rotated, addition] = await trailOf(path)
  expect(addition).toMatchObject({ ...ME, action: 'master-key.addition-requested' })
  expect(rotated).toMatchObject({ ...ME, action: 'master-key.rotated' })
  expect(removal).toMatchObject({ ...ME, action: 'master-key.removal-requested' })
  expect(JSON.parse(removal?.after ?? '')).toMatchObject({
    removedKeyIds: [JSON.parse(rotated?.before ?? '').keyId],
  })
})
