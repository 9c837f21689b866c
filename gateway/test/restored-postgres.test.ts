import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { binaries, makeFolder, own, run, server, serverFolder } from './support/own-server.ts'
import { createDatabase, hasPostgres, sql } from './support/postgres.ts'
import { startAgain, stopCluster } from './support/postgres-cluster.ts'
import { ACCEPTING, type Call, restoredWorld } from './support/restored-world.ts'

// PostgreSQL is restored with its own tools, which know nothing of the gateway: it has to notice.

const MINUTE_MS = 60_000

const MX = {
  url: '/api/mx/v1/submitOrder',
  payload: { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '40000' },
}
const WAITING = ['40001', '40002', '40003']
const atPrice = (price: string) => ({ ...MX, payload: { ...MX.payload, price } })
const BG = {
  url: '/bg/api/v2/spot/trade/place-order',
  payload: {
    ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
    ...{ size: '0.01', price: '40000' },
  },
}

describe.skipIf(!hasPostgres)('PostgreSQL that was restored', () => {
  test('a dump in another server: what was placed after it, and what waited then, is not placed again by a retry', async () => {
    const first = await server()
    await sql(first.url('postgres'), 'create database sluice')
    const waiting: Promise<unknown>[] = []
    const world = await placedAfter(first.url('sluice'), async ({ bot, world }) => {
      // Nothing is sent to MEXC for a while.
      world.paper.faults.add({ kind: '429', retryAfterSeconds: 8, match: { exchange: 'mx' } })
      waiting.push(bot.get('/api/mx/v1/getAccountInfo'))
      await eventually(() => expect(world.paper.received().at(-1)?.method).toBe('GET'))
      for (const price of WAITING) waiting.push(sendUntilOk(bot, atPrice(price), price))
      await eventually(async () => {
        const [row] = await sql(
          first.url('sluice'),
          `select count(*)::int as queued, count(*) filter (where trace is null)::int as unnamed
           from order_journal where state = 'queued'`,
        )
        expect(row).toEqual({ queued: WAITING.length, unnamed: 0 })
      })
      run('pg_dump', ['-Fc', '-f', join(first.folder, 'dump'), first.url('sluice')], first.folder)
      await Promise.all(waiting)
    })
    const second = await server()
    await sql(second.url('postgres'), 'create database sluice')
    run('pg_restore', ['-d', second.url('sluice'), join(first.folder, 'dump')], second.folder)
    await expectProtected(world, second.url('sluice'))
    const { bot } = world
    const placed = bot.orders('mx').length
    for (const price of WAITING) await sendUntilOk(bot, atPrice(price), price)
    expect(bot.orders('mx')).toHaveLength(placed)
  })

  test('a dump in another database of the same server', async () => {
    const only = await server()
    await sql(only.url('postgres'), 'create database sluice')
    const world = await placedAfter(only.url('sluice'), () => {
      run('pg_dump', ['-Fc', '-f', join(only.folder, 'dump'), only.url('sluice')], only.folder)
    })
    await sql(only.url('postgres'), 'create database again')
    run('pg_restore', ['-d', only.url('again'), join(only.folder, 'dump')], only.folder)
    await expectProtected(world, only.url('again'))
  })

  test('a dump in the same database, under a running gateway: it ends, and places nothing again', async () => {
    const folder = serverFolder()
    const url = await createDatabase()
    const exits: number[] = []
    const { app, paper, client } = await testApp({
      ...{ env: { DATABASE_URL: url }, paper: { habits: ACCEPTING } },
      app: { endProcess: (code) => exits.push(code) },
    })
    const { headers } = await client()
    const send = (key: string) =>
      app.inject({ ...MX, method: 'POST', headers: { ...headers, 'idempotency-key': key } })
    expect((await send('known')).statusCode).toBe(200)
    run('pg_dump', ['-Fc', '-f', join(folder, 'dump'), url], folder)
    // pg_dump blocked this process, and its lease may have run out.
    await eventually(async () => expect((await send('lost')).statusCode).toBe(200))
    run('pg_restore', ['--clean', '-d', url, join(folder, 'dump')], folder)
    await eventually(() => expect(exits).toEqual([75]))
    expect((await send('lost')).json()).toMatchObject({ code: 'STORE_UNWRITABLE' })
    expect(paper.orders('mx')).toHaveLength(2)
  })

  test('a recovery to a point in time', async () => {
    const folder = serverFolder()
    const archive = join(folder, 'archive')
    const first = await server(folder, {
      ...{ archive_mode: 'on', archive_command: `cp %p ${archive}/%f` },
    })
    makeFolder(archive)
    await sql(first.url('postgres'), 'create database sluice')
    const base = join(folder, 'base')
    run('pg_basebackup', ['-D', base, '-d', first.url('postgres'), '-c', 'fast'], folder)
    let target = ''
    const world = await placedAfter(first.url('sluice'), async () => {
      const [row] = await sql(first.url('sluice'), 'select clock_timestamp()::text as at')
      target = row?.at ?? ''
    })
    await sql(first.url('sluice'), 'select pg_switch_wal()')
    await eventually(async () => {
      const [row] = await sql(
        first.url('postgres'),
        'select last_archived_wal >= (select pg_walfile_name(pg_current_wal_lsn() - 1)) as done from pg_stat_archiver',
      )
      expect(row?.done).toBe(true)
    })
    await stopCluster(folder, 'SIGINT')
    const restored = serverFolder()
    onTestFinished(() => stopCluster(restored))
    cpSync(base, join(restored, 'data'), { recursive: true, preserveTimestamps: true })
    writeFileSync(join(restored, 'data', 'recovery.signal'), '')
    own(restored)
    chmodSync(join(restored, 'data'), 0o700)
    const second = await startAgain(
      {
        ...{ binaries, folder: restored },
        settings: {
          restore_command: `cp ${archive}/%f %p`,
          ...{ recovery_target_time: target, recovery_target_action: 'promote' },
        },
      },
      first.port,
    )
    await eventually(async () => {
      const [row] = await sql(second.url('postgres'), 'select pg_is_in_recovery() as recovering')
      expect(row?.recovering).toBe(false)
    })
    await expectProtected(world, second.url('sluice'))
  })
})

/** A gateway on a database, and a bot whose last orders the backup does not have. */
async function placedAfter(
  url: string,
  backUp: (placed: { readonly bot: Bot; readonly world: World }) => void | Promise<void>,
) {
  const at = { url }
  const world = await restoredWorld({ databaseUrl: () => at.url })
  await world.start()
  const bot = await eventually(() => world.bot('bot'))
  await sendUntilOk(bot, MX, 'known')
  await backUp({ bot, world })
  for (const call of [MX, BG]) await sendUntilOk(bot, call, `lost ${call.url}`)
  await world.stop()
  return { world, bot, at }
}

type World = Awaited<ReturnType<typeof restoredWorld>>
type Bot = Awaited<ReturnType<World['bot']>>

/** Sends until the response is 200: on a busy machine the lease may run out, which is a 503. */
function sendUntilOk(bot: Bot, call: Call, key: string) {
  return eventually(async () => {
    const response = await bot.send(call, key)
    expect(response.statusCode, response.body).toBe(200)
    return response
  })
}

async function expectProtected(
  { world, bot, at }: Awaited<ReturnType<typeof placedAfter>>,
  url: string,
) {
  const before = bot.orders('mx').length
  expect(bot.orders('bg')).toHaveLength(1)
  at.url = url
  await world.start()
  await eventually(async () => {
    for (const exchange of ['mx', 'bg']) {
      const refused = await bot.get(`/api/${exchange}/v1/getAccountInfo`)
      expect(refused.statusCode).toBe(503)
      expect(refused.body).toContain('PostgreSQL was restored')
    }
  })
  expect((await bot.send(MX, `lost ${MX.url}`)).statusCode).toBe(503)
  world.passMs(2 * MINUTE_MS)
  await eventually(async () => expect((await world.resume()).statusCode).toBe(200))
  for (const call of [MX, BG]) await sendUntilOk(bot, call, `lost ${call.url}`)
  const replayed = await sendUntilOk(bot, MX, 'known')
  expect(replayed.headers['idempotency-replayed'], replayed.body).toBe('true')
  expect([bot.orders('mx').length, bot.orders('bg').length]).toEqual([before, 1])
  const audit = await world.inject({ url: '/api/admin/audit', headers: await world.asAdmin() })
  expect(audit.body).toContain('database.restored')
  // Once: the next start on the same database continues.
  await world.stop()
  await world.start()
  await sendUntilOk(bot, atPrice('41000'), 'fresh')
  expect(bot.orders('mx')).toHaveLength(before + 1)
}
