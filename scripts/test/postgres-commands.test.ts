import { randomBytes } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, rotate } from 'gateway/operations/rotate.ts'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testApp, testConfig } from '../../gateway/test/app.ts'
import { eventually } from '../../gateway/test/support/eventually.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { startHoldingProxy, withPort } from '../../gateway/test/support/holding-proxy.ts'
import { sql } from '../../gateway/test/support/own-server.ts'
import { createDatabase, hasPostgres } from '../../gateway/test/support/postgres.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { runCommand } from './support/run-command.ts'

function keyFile(): string {
  const file = join(tempFolder(), 'master.key')
  writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  return file
}

/** No node reaches the owner: the sign-in at the others need not wait for it. */
const UNREACHABLE = { parkedMs: 0 }

describe.skipIf(!hasPostgres)('commands beside gateways on PostgreSQL', () => {
  test('an administrator is created while the gateway runs; the doctor finds the gateway and its owner', async () => {
    const env = { DATABASE_URL: await createDatabase(), MASTER_KEY_FILE: keyFile(), MASTER_KEY: '' }
    const { app } = await testApp({ env })
    const password = 'two-gates-one-lock'
    const args = ['create', '--email', 'second@sluice.test', '--password-stdin']
    const created = await runCommand('admin', env, args, `${password}\n`)
    expect(created).toMatchObject({ code: 0, output: expect.stringContaining('can sign in now') })
    const payload = { email: 'second@sluice.test', password }
    expect((await app.inject({ method: 'POST', url: '/auth/login', payload })).statusCode).toBe(200)

    const { output } = await runCommand('doctor', env, [])
    for (const line of [
      /^(ok|warn) +database: postgres:\S+ is PostgreSQL \d+/m,
      /^ok {4}database connection: it does not leave this machine/m,
      /^ok {4}tables: they are those of this version/m,
      /^fail {2}durability: fsync and full_page_writes are off/m,
      /^ok {4}nodes: 1 gateway runs on this database \([\da-f-]{36}\); the owner is the only one/m,
      /^ok {4}master key: the key \w+ in \S+ matches/m,
      /^ok {4}administrators: 2 can sign in/m,
      /^ok {4}audit trail: \d+ entries are whole/m,
    ])
      expect(output).toMatch(line)
  })

  test('the doctor finds gateways with one NODE_URL, and of different versions, and so do they', async () => {
    const env = { DATABASE_URL: await createDatabase(), MASTER_KEY_FILE: keyFile(), MASTER_KEY: '' }
    const NODE_URL = 'https://10.0.0.5:3100'
    const logs: string[][] = [[], []]
    for (const logLines of logs)
      await testApp({
        env: { ...env, NODE_URL, NODE_LISTEN: `127.0.0.1:${await freePort()}` },
        app: { announceEveryMs: 50, passingTimes: UNREACHABLE },
        logLines,
      })
    for (const lines of logs)
      await eventually(() =>
        expect(lines.filter((line) => line.includes('has the same NODE_URL'))).toHaveLength(1),
      )
    // A node of an earlier version, which announced itself an hour from now.
    await sql(
      env.DATABASE_URL,
      `insert into nodes select 'old', 'https://10.0.0.9:3100', '0.9.0', started_at_ms, seen_at_ms + 3600000, false, key_ids, null
       from nodes limit 1`,
    )
    for (const lines of logs)
      await eventually(() =>
        expect(lines.filter((line) => line.includes('"others":["0.9.0"]'))).toHaveLength(1),
      )
    const { code, output } = await runCommand('doctor', env, [])
    expect(output).toMatch(/^ok {4}Sluice: version 1\.0\.0, /m)
    expect(output).toMatch(/^warn {2}nodes: they have different versions: .*10.0.0.9:3100 0\.9\.0/m)
    expect(output).toMatch(/^fail {2}nodes: several gateways have the NODE_URL https:\/\/10.0.0.5/m)
    expect(code).toBe(1)
  })

  test('the doctor says what keeps it from PostgreSQL, and never the password', async () => {
    const DATABASE_URL = 'postgres://sluice:hunter2hunter2@127.0.0.1:9/sluice'
    const { code, output } = await runCommand('doctor', { DATABASE_URL }, [])
    expect(code).toBe(1)
    expect(output).toContain('nothing listens there; start PostgreSQL')
    expect(output).not.toContain('hunter2')
  })

  // Nobody can tell a gateway that was killed from one that runs and is cut off.
  test('a new master key becomes current once each gateway has loaded it; one that is missing counts until it is back, or a person says that it is gone', async () => {
    const DATABASE_URL = await createDatabase()
    const proxy = await startHoldingProxy(() => Number(new URL(DATABASE_URL).port))
    const behindProxy = withPort(DATABASE_URL, proxy.port)
    const [here, there] = [keyFile(), keyFile()]
    copyFileSync(here, there)
    const app = { keyLookEveryMs: 50, announceEveryMs: 100, passingTimes: UNREACHABLE }
    const env = { DATABASE_URL, MASTER_KEY_FILE: here, MASTER_KEY: '' }
    await (await testApp({ env, app })).client()
    const NODE_URL = `https://127.0.0.1:${await freePort()}`
    const ends: (() => Promise<unknown>)[] = []
    await testApp({
      env: { ...env, DATABASE_URL: behindProxy, MASTER_KEY_FILE: there, NODE_URL },
      app,
      onEnd: (end) => ends.push(end),
    })
    onTestFinished(async () => {
      for (const end of ends.toReversed()) await end()
      await proxy.close()
    })
    const common = { config: testConfig('http://127.0.0.1:9', env), nowMs: Date.now }
    const turn = (patienceMs: number) => rotate({ ...common, patienceMs, onStep: () => {} })
    const end = (patienceMs: number, gone: string[] = []) =>
      finish({ ...common, patienceMs, gone, endTokens: true })
    const unseen = (url: string) =>
      sql(
        DATABASE_URL,
        `update nodes set seen_at_ms = seen_at_ms - 3600000 where node_url = '${url}'`,
      )

    proxy.cut()
    // The other gateway is named too until it has taken the key. What this one announced right
    // before the cut may arrive late.
    await eventually(async () => {
      await unseen(NODE_URL)
      await expect(turn(500)).rejects.toMatchObject({
        code: 'KEY_NOT_TAKEN',
        message: expect.stringContaining(`(${NODE_URL}: not seen since`),
      })
    })
    copyFileSync(here, there)
    // Long enough for a look at the file, which finds no database.
    await expect(turn(6_000)).rejects.toMatchObject({ code: 'KEY_NOT_TAKEN' })
    proxy.heal(false)
    const [old] = readFileSync(here, 'utf8').trim().split('\n')
    expect(await turn(60_000)).toMatchObject({ isChanged: true, good: 2, lost: 0, behind: 0 })

    const killed = 'https://10.0.0.9:3100'
    await sql(
      DATABASE_URL,
      `insert into nodes select 'killed', '${killed}', version, started_at_ms, seen_at_ms, false, key_ids, null
       from nodes limit 1`,
    )
    await expect(end(500, [killed])).rejects.toMatchObject({ code: 'KEY_NOT_TAKEN' })
    expect(readFileSync(here, 'utf8')).not.toContain(old)
    copyFileSync(here, there)
    await unseen(killed)
    await eventually(() =>
      expect(end(500, [NODE_URL])).rejects.toMatchObject({
        code: 'KEY_NOT_TAKEN',
        message: expect.stringContaining(`(${killed}: not seen since`),
      }),
    )
    expect(await end(60_000, [killed])).toMatchObject({ file: here, isErased: false })
  })

  test('one command at a time works on the master key', async () => {
    const DATABASE_URL = await createDatabase()
    const env = { DATABASE_URL, MASTER_KEY: randomBytes(32).toString('base64') }
    const client = new pg.Client(DATABASE_URL)
    await client.connect()
    try {
      await client.query(`select pg_advisory_lock(${0x51_1c_ed}, 5)`)
      const config = testConfig('http://127.0.0.1:9', env)
      const turned = rotate({ config, nowMs: Date.now, onStep: () => {} })
      await expect(turned).rejects.toMatchObject({ code: 'ROTATION_RUNNING' })
    } finally {
      await client.end()
    }
  })

  test.each([
    ['backup', ['/tmp/none.db']],
    ['backup-to-restic', []],
    ['restore', ['/tmp/none.db']],
  ])('%s is about a database in a file, and says so', async (name, args) => {
    const env = {
      ...{ DATABASE_URL: 'postgres://sluice@127.0.0.1:9/sluice', RESTIC_REPOSITORY: '/nowhere' },
      RESTIC_PASSWORD: 'none',
    }
    const { code, output } = await runCommand(name, env, args)
    expect(code).not.toBe(0)
    expect(output).toContain('docs/operations/postgresql.md')
    expect(output).not.toContain('    at ')
  })
})
