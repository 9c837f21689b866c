import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { openStore } from 'gateway/store/sqlite/open.ts'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../gateway/test/support/eventually.ts'
import { startHoldingProxy, withPort } from '../../gateway/test/support/holding-proxy.ts'
import { createDatabase, hasPostgres } from '../../gateway/test/support/postgres.ts'
import { CAN_MOUNT, smallDisk } from '../../gateway/test/support/small-disk.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { runCommand } from './support/run-command.ts'

const COMMAND = fileURLToPath(new URL('../src/migrate-store.ts', import.meta.url))

/** A file with so many rows that a move takes a while, and an empty database. */
async function world(rows: number) {
  const folder = tempFolder()
  const path = join(folder, 'sluice.db')
  const store = openStore(path)
  store.db.$client.exec(`insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, request_id)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
    select i, 'GET', '/x', 200, 1, 0, 'r' || i from n`)
  store.close()
  return { folder, path, url: await createDatabase('empty'), back: join(folder, 'back.db') }
}

/** A proxy in front of a database, and the URL of the database through it. */
async function behindProxy(url: string) {
  const proxy = await startHoldingProxy(() => Number(new URL(url).port))
  onTestFinished(() => proxy.close())
  return { proxy, through: withPort(url, proxy.port) }
}

/** Runs the command as a process, and kills it at an event. */
async function killAt(args: readonly string[], event: (kill: () => boolean) => void) {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: 'ignore' })
  event(() => child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
}

describe.skipIf(!hasPostgres)('npm run migrate-store', () => {
  test('killed in the middle, it leaves an empty database, and the next run moves everything', async () => {
    const { path, url } = await world(5_000)
    const client = new pg.Client(url)
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.end())
    const { proxy, through } = await behindProxy(url)
    await killAt([path, through], (kill) => proxy.once('insert into "request_logs"', kill))
    const counted = await eventually(async () => {
      const { rows } = await client.query('select count(*) from request_logs')
      return rows.map(({ count }) => Number(count))
    })
    expect(counted).toEqual([0])
    const { code, output } = await runCommand('migrate-store', {}, [path, url])
    expect(output).toContain('5000 log rows')
    expect(output).toMatch(/Never start a gateway on .*sluice.db again/)
    expect(code).toBe(0)
    const { rows } = await client.query('select count(*)::int from request_logs')
    expect(rows).toEqual([{ count: 5_000 }])
  })

  test('killed in the middle, it leaves no file of the name, and the next run names what to remove', async () => {
    const { folder, path, url, back } = await world(5_000)
    expect((await runCommand('migrate-store', {}, [path, url])).code).toBe(0)
    const drafts = () => readdirSync(folder).filter((name) => name.endsWith('.part'))
    const { proxy, through } = await behindProxy(url)
    await killAt([through, `file:${back}`], (kill) => proxy.once('"request_logs" order by', kill))
    expect(existsSync(back)).toBe(false)
    const [draft] = drafts()
    const { code, output } = await runCommand('migrate-store', {}, [url, `file:${back}`])
    expect(output).toContain(`${join(folder, draft ?? '')} is what a command left that was killed`)
    expect(code).toBe(0)
    const client = new Database(back, { readonly: true })
    expect(client.prepare('select count(*) from request_logs').pluck().get()).toBe(5_000)
    client.close()
  })

  test.skipIf(!CAN_MOUNT)('on a full disk it says so, and leaves nothing', async () => {
    const { path, url } = await world(60_000)
    expect((await runCommand('migrate-store', {}, [path, url])).code).toBe(0)
    const disk = await smallDisk(2)
    const to = join(disk.folder, 'sluice.db')
    const [program = '', ...through] = disk.through
    const { status, stderr } = spawnSync(
      program,
      [...through, process.execPath, COMMAND, url, to],
      { encoding: 'utf8' },
    )
    expect(stderr).toContain(`Nothing was moved to "${to}": the disk is full; make room`)
    expect(status).toBe(1)
    expect(readdirSync(disk.seen).filter((name) => !name.endsWith('.lock'))).toEqual([])
  })

  test('no password is shown, and one in the command line is remarked upon', async () => {
    const { path } = await world(1)
    const url = 'postgres://sluice:sesame@127.0.0.1:1/none'
    const { code, output } = await runCommand('migrate-store', {}, [path, url])
    expect(code).toBe(1)
    expect(output).toContain('set PGPASSWORD instead')
    expect(output).toContain('nothing listens there')
    expect(output).not.toContain('sesame')
  })

  // PostgreSQL's client reads it from the environment of the process.
  test('the password may be in PGPASSWORD', async () => {
    const { path, url } = await world(1)
    const asUser = new URL(url)
    asUser.username = 'with_password'
    const { stderr } = spawnSync(process.execPath, [COMMAND, path, asUser.href], {
      env: { ...process.env, PGPASSWORD: 'wrong' },
      encoding: 'utf8',
    })
    expect(stderr).toContain('the user or the password is wrong')
  })
})
