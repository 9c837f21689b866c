import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { LogStore } from '../../src/store/log-store.ts'
import { createStores } from '../../src/store/postgres/create-stores.ts'
import { lockFor } from '../../src/store/postgres/session.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'
import { startAgain, startCluster, stopCluster } from '../support/postgres-cluster.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { untilWaiting } from '../support/until-waiting.ts'
import { logRow } from './rows.ts'

const ROW = logRow({ responseMs: 1, clientId: 'bot', requestId: 'r' })

async function openLog(url: string): Promise<LogStore> {
  const { log, close } = await createStores(url)
  onTestFinished(() => close())
  return log
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

describe.skipIf(!hasPostgres)('the log of several nodes in one PostgreSQL', () => {
  test('who asks for what is new since a row misses none, whatever is appended at once', async () => {
    const url = await createDatabase()
    const [one, other] = [await openLog(url), await openLog(url)]
    const seen: number[] = []
    let isOver = false
    const look = async () => {
      const rows = await one.page({ sinceMs: 0, afterId: Math.max(0, ...seen), limit: 10_000 })
      seen.push(...rows.map(({ id }) => id))
    }
    const looking = (async () => {
      while (!isOver) await look()
    })()
    const appended: Promise<number>[] = []
    for (let n = 0; n < 60; n += 1) {
      for (const log of [one, other])
        for (let row = 0; row < 10; row += 1)
          appended.push(log.append({ ...ROW, atMs: 60_000 - n, endpoint: `/${n % 7}` }))
      await setTimeout(2)
    }
    const ids = await Promise.all(appended)
    isOver = true
    await looking
    await look()
    expect(new Set(ids).size).toBe(1_200)
    expect(seen.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b))
    expect(await other.summary(0, 60_000)).toMatchObject({ total: 1_200, success: 1_200 })
    expect(await other.count({ sinceMs: 0, endpoint: '/3' })).toBe(180)
  })

  test('kinds go with their last row, and come back with the next', async () => {
    const url = await createDatabase()
    const log = await openLog(url)
    const client = await connect(url)
    const kinds = async () =>
      (await client.query('select endpoint from log_kinds order by 1')).rows.map(
        ({ endpoint }) => endpoint,
      )
    await log.append({ ...ROW, atMs: 1, endpoint: '/old' })
    await log.append({ ...ROW, atMs: 2, endpoint: '/new' })
    expect(await kinds()).toEqual(['/new', '/old'])
    await log.removeOlderThan(2)
    expect(await kinds()).toEqual(['/new'])
    await log.append({ ...ROW, atMs: 3, endpoint: '/old' })
    expect(await log.count({ sinceMs: 0, search: 'OLD' })).toBe(1)
  })

  test('rows are added under the lock that the removal of kinds takes', async () => {
    const client = await connect(await createDatabase())
    const { rows } = await client.query(
      `select prosrc from pg_proc where proname = 'begin_log_rows'`,
    )
    expect(rows[0]?.prosrc).toContain(lockFor('log').replace('select ', ''))
  })

  test('a row that cannot be stored takes no other with it', async () => {
    const log = await openLog(await createDatabase())
    const appended = [200, 1.5, 404].map((statusCode) => log.append({ ...ROW, statusCode }))
    const results = await Promise.allSettled(appended)
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(log.writable()).toEqual({ ok: true })
    expect(await log.count({ sinceMs: 0 })).toBe(2)
  })

  test('text that PostgreSQL cannot hold is stored, and found', async () => {
    const log = await openLog(await createDatabase())
    await log.append({ ...ROW, note: 'a\0b "{,}" \\ NULL' })
    expect(await log.count({ sinceMs: 0, search: 'A\0B "{,}" \\ null' })).toBe(1)
  })

  test('a read ends at the server when nobody waits for it any more', async () => {
    const url = await createDatabase()
    const log = await openLog(url)
    const client = await connect(url)
    await client.query('begin; lock table request_logs in access exclusive mode')
    const watcher = await connect(url)
    const stop = new AbortController()
    const reading = log.count({ sinceMs: 0, search: 'x' }, 10, stop.signal)
    await untilWaiting(watcher, 1)
    stop.abort(new Error('hung up'))
    await expect(reading).rejects.toThrow('hung up')
    await untilWaiting(watcher, 0)
    await client.query('rollback')
    expect(await log.count({ sinceMs: 0, search: 'x' })).toBe(0)
  })
})

describe.skipIf(!hasPostgres)('the log while PostgreSQL is away', () => {
  test('rows wait for some seconds, a bounded number of them; it recovers by itself', async () => {
    const { binaries } = inject('postgres') ?? { binaries: '' }
    const options = { binaries, folder: tempFolder() }
    const cluster = await startCluster(options)
    onTestFinished(() => stopCluster(options.folder))
    const log = await openLog(cluster.url('postgres'))
    await log.append(ROW)
    // In order: a crash may lose rows, which wait for no disk.
    await stopCluster(options.folder, 'SIGINT')

    const appended = Array.from({ length: 10_001 }, () => log.append(ROW).catch((error) => error))
    expect(await appended.at(-1)).toMatchObject({ code: 'STORE_UNWRITABLE' })
    expect(await Promise.race([appended[0], 'waits'])).toBe('waits')
    await log.flush()
    expect(await Promise.all(appended)).toEqual(
      appended.map(() => expect.objectContaining({ code: 'STORE_UNWRITABLE' })),
    )
    expect(log.writable()).toMatchObject({ ok: false, error: { code: 'STORE_UNWRITABLE' } })
    await expect(log.requireWritable(1)).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' })

    await startAgain(options, cluster.port)
    await log.requireWritable(2)
    await log.append(ROW)
    expect(log.writable()).toEqual({ ok: true })
    expect(await log.count({ sinceMs: 0 })).toBe(2)
  })
})
