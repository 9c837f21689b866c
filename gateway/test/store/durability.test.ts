import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../src/store/sqlite/open.ts'
import { tempFolder } from '../support/temp-folder.ts'

const program = fileURLToPath(new URL('append-until-killed.ts', import.meta.url))

/** How long a process may take to start on a busy machine. Nothing waits for it to pass. */
const START_PATIENCE = { timeout: 150_000 }

let children: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[]
beforeEach(() => {
  children = []
})
afterEach(async () => {
  for (const { child, ended } of children) {
    child.kill('SIGKILL')
    await ended
  }
})

/** Starts a process that appends to the log, and collects what it says is committed. */
function append(path: string) {
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const committed: string[] = []
  const lines = createInterface({ input: child.stdout }).on('line', (line) => committed.push(line))
  const ended = once(lines, 'close')
  children.push({ child, ended })
  return { child, committed, ended }
}

test('rows reported as committed are in the log after kill -9', async () => {
  const path = join(tempFolder(), 'sluice.db')
  for (const least of [1, 50, 200]) {
    const { child, committed, ended } = append(path)
    await expect.poll(() => committed.length, START_PATIENCE).toBeGreaterThanOrEqual(least)
    child.kill('SIGKILL')
    await ended

    const store = openStore(path)
    const { $client } = store.db
    const kept = new Set($client.prepare('select request_id from request_logs').pluck().all())
    expect(committed.filter((requestId) => !kept.has(requestId))).toEqual([])
    expect($client.prepare('select sum(total) from log_minutes').pluck().get()).toBe(
      $client.prepare('select count(*) from request_logs').pluck().get(),
    )
    expect($client.pragma('integrity_check', { simple: true })).toBe('ok')
    store.close()
  }
})

test('two gateways that start at once on a new database both come up', async () => {
  const path = join(tempFolder(), 'sluice.db')
  const both = [append(path), append(path)]
  for (const { committed } of both) {
    await expect.poll(() => committed.length, START_PATIENCE).toBeGreaterThanOrEqual(5)
  }
})
