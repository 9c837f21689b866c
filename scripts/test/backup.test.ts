import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { isBackupRunning } from 'gateway/store/sqlite/lock.ts'
import { mxSubmitOrder } from 'schema'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { testApp } from '../../gateway/test/app.ts'
import { COMPILE_CACHE } from '../../gateway/test/support/compile-cache.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { seedLog } from '../src/bench/seed-log.ts'
import { runCommand } from './support/run-command.ts'

/** About 25 MB: copying them takes some dozens of steps, each with a pause. */
const ROWS = 100_000
const COMMAND = fileURLToPath(new URL('../src/backup.ts', import.meta.url))
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

let seeded: string
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-backup-'))
  seeded = join(folder, 'seeded.db')
  // None is so old that it is removed while a test runs.
  seedLog(seeded, ROWS, { spanMs: 20 * 86_400_000 })
  return () => rmSync(folder, { recursive: true })
})

/** A gateway with many rows in its log, and the command that makes a backup of it. */
async function world() {
  const path = join(tempFolder(), 'sluice.db')
  copyFileSync(seeded, path)
  const env = { DATABASE_URL: `file:${path}` }
  const t = await testApp({ env })
  const target = join(tempFolder(), 'backup.db')
  return {
    ...{ ...t, path, target },
    namesLeft: () => readdirSync(dirname(target)),
    /** As a process, which copies while this one does something else. */
    start: (through?: string[]) => start(env, target, through),
    run: () => runCommand('backup', env, [target]),
  }
}

interface Command {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; output: string }>
}

function start(env: Record<string, string>, target: string, through: string[] = []): Command {
  const [program = '', ...args] = [...through, process.execPath, COMMAND, target]
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([out, err, [code]]) => ({ code, output: out + err }),
  )
  return { child, ended }
}

/** Waits until the command copies; fails when it ends before that. */
async function copying(path: string, { child }: Command): Promise<void> {
  while (!isBackupRunning(path)) {
    if (child.exitCode !== null) throw new Error('The backup ended before it was seen to copy')
    await nextTurn()
  }
}

test('orders go on during a backup, and the copy is of one moment', async () => {
  const { app, path, client, start, target, namesLeft } = await world()
  const { headers } = await client()
  const place = () =>
    app.inject({ method: 'POST', url: mxSubmitOrder.path, headers, payload: ORDER })
  await place()
  const command = start()
  await copying(path, command)
  // The backup is stopped until three orders are placed, so it cannot end before them.
  command.child.kill('SIGSTOP')
  let during = 0
  for (; isBackupRunning(path); during += 1) {
    if (during === 3) command.child.kill('SIGCONT')
    expect((await place()).statusCode).toBe(200)
  }
  expect(await command.ended).toMatchObject({
    code: 0,
    output: expect.stringContaining('read back and intact'),
  })
  expect(namesLeft()).toEqual(['backup.db'])

  const copy = new Database(target, { readonly: true })
  onTestFinished(() => void copy.close())
  const number = (sql: string) => Number(copy.prepare(sql).pluck().get())
  // A row of the log and its count are one commit; so are the rows before and after the snapshot.
  const rows = number('select count(*) from request_logs')
  expect(number('select sum(total) from log_minutes')).toBe(rows)
  expect(rows).toBeGreaterThan(ROWS)
  expect(rows).toBeLessThan(ROWS + 1 + during)
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(copy.pragma('journal_mode', { simple: true })).toBe('delete')
})

test('a backup that is killed leaves no file with its name, and no lock', async () => {
  const { path, start, run, namesLeft } = await world()
  const command = start()
  await copying(path, command)
  command.child.kill('SIGKILL')
  await command.ended
  expect(isBackupRunning(path)).toBe(false)
  expect(namesLeft()).not.toContain('backup.db')
  expect(namesLeft().every((name) => /^backup\.db\.[0-9a-f]+\.part/.test(name))).toBe(true)
  expect(await run()).toMatchObject({ code: 0 })
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends a backup, which leaves no file',
  async (signal) => {
    const { path, start, namesLeft } = await world()
    const command = start()
    await copying(path, command)
    command.child.kill(signal)
    expect(await command.ended).toEqual({ code: 1, output: 'Stopped. No backup was made.\n' })
    expect(namesLeft()).toEqual([])
    expect(isBackupRunning(path)).toBe(false)
  },
)

test('a disk that fills up during a backup ends it, and nothing is left of it', async () => {
  const { start, target, namesLeft } = await world()
  // No file may be larger than 8 MiB: to a process this looks like a disk that is full.
  const limit =
    'unit=512; [ -n "$BASH_VERSION" ] && unit=1024; ulimit -S -f $((8388608 / unit)); exec "$0" "$@"'
  const { code, output } = await start(['sh', '-c', limit]).ended
  expect(code).toBe(1)
  expect(output).toBe(
    `The backup "${target}" cannot be written: its disk is full, or the disk of the backup or of the database fails\n`,
  )
  expect(namesLeft()).toEqual([])
})
