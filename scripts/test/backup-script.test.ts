import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getMetrics } from 'schema'
import { describe, expect, test } from 'vitest'
import { testApp } from '../../gateway/test/app.ts'
import { findPostgres } from '../../gateway/test/support/find-postgres.ts'
import { createDatabase, hasPostgres } from '../../gateway/test/support/postgres.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'

const DAY_MS = 24 * 3_600_000
const PATH = `${findPostgres() ?? ''}:${process.env.PATH}`

/** A gateway on this database, and `deploy/backup.sh` with the settings that it has in compose. */
async function world(databaseUrl: string, env: Record<string, string>) {
  const folder = tempFolder()
  const settings = { DATABASE_URL: databaseUrl, MASTER_KEY: randomBytes(32).toString('base64') }
  const { app } = await testApp({ env: settings })
  const script = (...args: string[]) =>
    spawnSync('sh', ['deploy/backup.sh', ...args], {
      env: { PATH, BACKUP_FOLDER: folder, ...env },
      encoding: 'utf8',
    })
  const lastMs = async () => {
    const { body } = await app.inject(getMetrics.path)
    return 1_000 * Number(/^sluice_backup_last_timestamp_seconds (.+)$/m.exec(body)?.[1])
  }
  /** A file of another run. */
  const put = (name: string, ageMs: number) => {
    writeFileSync(join(folder, name), '')
    const at = new Date(Date.now() - ageMs)
    utimesSync(join(folder, name), at, at)
  }
  return { folder, script, lastMs, put, files: () => readdirSync(folder).toSorted() }
}

/** What the tools of PostgreSQL read. */
function variablesOf(databaseUrl: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  return {
    ...{ PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password },
    PGDATABASE: pathname.slice(1),
  }
}

test('a database in a file is copied, the gateway learns of it, and only old copies go', async () => {
  const url = `file:${join(tempFolder(), 'sluice.db')}`
  const { script, lastMs, put, files } = await world(url, { DATABASE_URL: url })
  put('sluice-old.db', 15 * DAY_MS)
  put('sluice-yesterday.db', DAY_MS)
  put('of-somebody-else', 30 * DAY_MS)
  const startedMs = Date.now()
  expect(script('once')).toMatchObject({ status: 0, stdout: expect.stringContaining('Backed up') })
  expect(files()).toEqual([
    'of-somebody-else',
    expect.stringMatching(/^sluice-\d{4}-\d\d-\d\dT\d{6}Z\.db$/),
    'sluice-yesterday.db',
  ])
  expect(await lastMs()).toBeGreaterThanOrEqual(startedMs)
})

describe.skipIf(!hasPostgres)('with PostgreSQL', () => {
  test('a dump is made and read back, and the gateway learns of it', async () => {
    const url = await createDatabase()
    const { script, lastMs, files, folder } = await world(url, variablesOf(url))
    expect(script('check').status).toBe(1)
    expect(await lastMs()).toBe(0)
    const startedMs = Date.now()
    expect(script('once')).toMatchObject({ status: 0, stderr: '' })
    expect(script('check').status).toBe(0)
    // It keeps whole seconds.
    expect(await lastMs()).toBeGreaterThan(startedMs - 1_000)
    const [name = ''] = files()
    const list = execFileSync('pg_restore', ['-l', join(folder, name)], { env: { PATH } })
    expect(list.toString()).toContain('TABLE DATA public order_journal')
  })

  test('without a good dump nothing counts as one, and no older one goes', async () => {
    const url = await createDatabase()
    const { script, lastMs, put, files } = await world(url, {
      ...variablesOf(url),
      PGDATABASE: 'not_there',
    })
    put('sluice-old.dump', 15 * DAY_MS)
    put('sluice-new.dump.part', 0)
    expect(script('once').status).toBe(1)
    expect(files().filter((name) => !name.endsWith('.part'))).toEqual(['sluice-old.dump'])
    expect(script('check').status).toBe(1)
    expect(await lastMs()).toBe(0)
  })
})
