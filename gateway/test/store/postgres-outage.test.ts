import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { StoreUnwritableError } from '../../src/store/errors.ts'
import { createStores } from '../../src/store/postgres/create-stores.ts'
import { type Db, openPostgres, type PostgresStore } from '../../src/store/postgres/open.ts'
import { facts } from '../../src/store/postgres/tables.ts'
import { writing, writingOnce } from '../../src/store/postgres/write.ts'
import { databaseProxy } from '../support/database-proxy.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'
import { startAgain, startCluster, stopCluster } from '../support/postgres-cluster.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { newClient } from './rows.ts'

async function open(url: string): Promise<PostgresStore> {
  const store = await openPostgres(url)
  onTestFinished(() => store.close())
  return store
}

/** A server that may be stopped, with a first row. */
async function ownServer() {
  const { binaries } = inject('postgres') ?? { binaries: '' }
  const options = { binaries, folder: tempFolder() }
  const cluster = await startCluster(options)
  onTestFinished(() => stopCluster(options.folder))
  const { db } = await open(cluster.url('postgres'))
  await add(db, 'first')
  return { options, cluster, db }
}

const add = (db: Db, name: string) =>
  writing(db, (tx) => tx.insert(facts).values({ name, value: '' }).returning())

const names = async (db: Db) =>
  (await db.select().from(facts).orderBy(facts.name)).map(({ name }) => name)

describe.skipIf(!hasPostgres)('without PostgreSQL', () => {
  test('a connection that is lost before the commit costs the caller nothing', async () => {
    const proxy = await databaseProxy(await createDatabase())
    const { db } = await open(proxy.url)
    await add(db, 'first')
    proxy.cut('insert into', 'before')
    await add(db, 'second')
    proxy.cut('insert into', 'after')
    await add(db, 'third')
    expect(await names(db)).toEqual(['first', 'second', 'third'])
  })

  test('a commit whose answer is lost is not made again, and the error says what is known', async () => {
    const proxy = await databaseProxy(await createDatabase())
    const { db } = await open(proxy.url)
    let runs = 0
    const addOnce = (name: string) =>
      writing(db, async (tx) => {
        runs += 1
        await tx.insert(facts).values({ name, value: '' })
      })
    proxy.cut('commit\0', 'after')
    const unknown = await addOnce('stored').catch((error: unknown) => error)
    expect(unknown).toBeInstanceOf(StoreUnwritableError)
    expect(unknown).toMatchObject({ message: expect.stringContaining('it may have been stored') })
    proxy.cut('commit\0', 'before')
    await expect(addOnce('not stored')).rejects.toThrow('it may have been stored')
    expect(runs).toBe(2)
    await expect.poll(() => names(db)).toEqual(['stored'])
  })

  test('so it is with a statement that is a transaction of its own', async () => {
    const proxy = await databaseProxy(await createDatabase())
    const { db } = await open(proxy.url)
    await add(db, 'first')
    proxy.cut('insert into', 'after')
    const insert = writingOnce(db, () => db.insert(facts).values({ name: 'second', value: '' }))
    await expect(insert).rejects.toThrow('it may have been stored')
    await expect.poll(() => names(db)).toEqual(['first', 'second'])
  })

  test('a token whose insertion had no answer is inserted again, once', async () => {
    const proxy = await databaseProxy(await createDatabase())
    const { tokens, clients, close } = await createStores(proxy.url)
    onTestFinished(close)
    const { id: clientRef } = await clients.insert(newClient())
    for (const when of ['before', 'after'] as const) {
      proxy.cut('insert into "client_tokens"', when)
      await tokens.insert({ jti: when, clientRef, issuedAtMs: 0, expiresAtMs: 600_000 })
      expect(await tokens.findByJti(when)).toMatchObject({ expiresAtMs: 600_000 })
    }
  })

  test('a server that is down is waited for, then callers may try again; when it is back all is well', async () => {
    const { options, cluster, db } = await ownServer()
    await stopCluster(options.folder)

    const startedMs = performance.now()
    await expect(add(db, 'second')).rejects.toThrow('cannot reach its database')
    expect(performance.now() - startedMs).toBeGreaterThan(2_000)
    // The patience is over: nobody waits any more. Each of these would wait for 2 s.
    const laterMs = performance.now()
    const kept = db.rows.keep<{ name: string }>()
    for (let count = 0; count < 20; count += 1) {
      await expect(add(db, 'second')).rejects.toThrow(StoreUnwritableError)
      await expect(db.select().from(facts)).rejects.toThrow(StoreUnwritableError)
      await expect(kept('x', async () => ({ name: 'x' }))).rejects.toThrow(StoreUnwritableError)
    }
    expect(performance.now() - laterMs).toBeLessThan(60_000)

    await startAgain(options, cluster.port)
    await add(db, 'second')
    expect(await names(db)).toEqual(['first', 'second'])
  })

  test('a restart of the server goes by unnoticed', async () => {
    const { options, cluster, db } = await ownServer()
    await stopCluster(options.folder, 'SIGINT')
    const second = add(db, 'second')
    // On a busy machine a server may take longer to start than a write waits.
    const patience = setInterval(() => {
      if (db.outage.sinceMs !== undefined) db.outage.sinceMs = performance.now()
    }, 10)
    onTestFinished(() => clearInterval(patience))
    await startAgain(options, cluster.port)
    await second
    expect(await names(db)).toEqual(['first', 'second'])
  })

  test('a server that does not answer holds a request for a few seconds at most', async () => {
    const { db } = await open(await createDatabase())
    await add(db, 'first')
    const { rows } = await db.execute<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
    )
    for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
    const startedMs = performance.now()
    const second = writingOnce(db, () => db.insert(facts).values({ name: 'second', value: '' }))
    await expect(second).rejects.toThrow(StoreUnwritableError)
    expect(performance.now() - startedMs).toBeLessThan(60_000)
    for (const { pid } of rows) process.kill(pid, 'SIGCONT')
    await add(db, 'third')
    expect(await names(db)).toContain('third')
  })
})
