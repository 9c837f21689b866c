import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLastBackup } from 'gateway/operations/record-backup.ts'
import { createFactStore } from 'gateway/store/fact-store.ts'
import { createDatabase } from 'gateway/store/sqlite/database.ts'
import { openReadOnly } from 'gateway/store/sqlite/open.ts'
import { expect, test } from 'vitest'
import { testApp } from '../../gateway/test/app.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { runCommand } from './support/run-command.ts'

const hasRestic = spawnSync('restic', ['version']).error === undefined

/** A gateway, and an empty repository in a folder of its own. */
async function world() {
  const folder = tempFolder()
  const path = join(folder, 'sluice.db')
  const password = join(folder, 'password')
  writeFileSync(password, 'of a test\n', { mode: 0o600 })
  const own = { DATABASE_URL: `file:${path}`, MASTER_KEY: randomBytes(32).toString('base64') }
  const gateway = await testApp({ env: own })
  const env = {
    ...{ ...own, RESTIC_REPOSITORY: join(folder, 'repository'), RESTIC_PASSWORD_FILE: password },
    RESTIC_CACHE_DIR: join(folder, 'cache'),
  }
  const restic = (...args: string[]) =>
    execFileSync('restic', args, {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  restic('init')
  const backUp = (more: Record<string, string> = {}) =>
    runCommand('backup-to-restic', { ...env, ...more }, [])
  return { gateway, folder, path, env, restic, backUp }
}

interface Snapshot {
  readonly short_id: string
  readonly time: string
}

test.skipIf(!hasRestic)('a database comes back as it was at the time of a snapshot', async () => {
  const { gateway, folder, path, env, restic, backUp } = await world()
  const { clientId } = await gateway.client('before')
  const startedMs = Date.now()
  expect(await backUp()).toMatchObject({ code: 0 })
  await gateway.client('after')
  expect(await backUp()).toMatchObject({ code: 0 })
  await gateway.app.close()

  const snapshots: Snapshot[] = JSON.parse(restic('snapshots', '--json'))
  expect(snapshots).toHaveLength(2)
  const [first] = snapshots.toSorted((a, b) => a.time.localeCompare(b.time))
  // restic keeps whole seconds.
  expect(Date.parse(String(first?.time))).toBeGreaterThanOrEqual(startedMs - 1_000)
  restic('restore', String(first?.short_id), '--target', join(folder, 'point'))
  const restored = await runCommand('restore', env, [join(folder, 'point/sluice.db'), '--replace'])
  expect(restored.code, restored.output).toBe(0)
  const { db, close } = openReadOnly(path)
  try {
    const clientIds = db.$client.prepare('select client_id from clients').pluck().all()
    expect(clientIds).toEqual([clientId])
  } finally {
    close()
  }
})

test.skipIf(!hasRestic)(
  'what the rule does not keep is forgotten, and the rest is checked',
  async () => {
    const { env, restic, backUp } = await world()
    for (let count = 0; count < 3; count += 1)
      expect((await backUp({ BACKUP_KEEP: '--keep-last 2' })).code).toBe(0)
    expect(JSON.parse(restic('snapshots', '--json'))).toHaveLength(2)
    const checked = await runCommand('backup-to-restic', env, ['--check'])
    expect(checked).toMatchObject({
      code: 0,
      output: expect.stringContaining('no errors were found'),
    })
  },
)

test.skipIf(!hasRestic)(
  'the database records a backup once the repository has it, not before',
  async () => {
    const { path, backUp } = await world()
    const lastMs = async () => {
      const { db, close } = openReadOnly(path)
      try {
        return await readLastBackup(createFactStore(createDatabase(db)))
      } finally {
        close()
      }
    }
    const failed = await backUp({ RESTIC_REPOSITORY: '/nowhere/at/all' })
    expect(failed).toMatchObject({
      code: 1,
      output: expect.stringContaining('restic backup failed; see what it said above.'),
    })
    expect(await lastMs()).toBeUndefined()
    const startedMs = Date.now()
    expect((await backUp()).code).toBe(0)
    expect(await lastMs()).toBeGreaterThanOrEqual(startedMs)
  },
)

test('without restic, one sentence says what to install', async () => {
  const path = join(tempFolder(), 'sluice.db')
  await testApp({ env: { DATABASE_URL: `file:${path}` } })
  const env = { DATABASE_URL: `file:${path}`, PATH: '/nowhere' }
  const { code, output } = await runCommand('backup-to-restic', env, [])
  expect(code).toBe(1)
  expect(output).toContain('restic is not installed: run "apt-get install restic" as root.')
})
