import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FaultKind } from '../paper-exchange/src/faults.ts'
import { checkServer } from '../src/operations/doctor/check-server.ts'
import { VISIBLE_AFTER_MS } from '../src/orders/look-up.ts'
import { STILL_SENT_MS } from '../src/store/restored.ts'
import { testApp, testConfig } from './app.ts'
import { type Gateway, MAIN, spawnGateway } from './campaign/gateway.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { binaries, run, server, serverFolder } from './support/own-server.ts'
import { hasPostgres, sql } from './support/postgres.ts'
import { startAgain, stopCluster } from './support/postgres-cluster.ts'
import { tempFolder } from './support/temp-folder.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
/** The exchange takes two orders of an account each second. */
const PAUSE_MS = 600
const EXIT_NOT_OWNER = 75
/** Gateways start several times, on machines that do other things as well. */
const START_MS = 90_000
/** From then on after a restore, what no exchange shows was not placed. */
const AGEING_MS = STILL_SENT_MS + VISIBLE_AFTER_MS
const CLOCK_AHEAD = new URL('campaign/clock-ahead.js', import.meta.url).href

describe.skipIf(!hasPostgres)(
  'a standby of PostgreSQL that takes over while a group trades',
  () => {
    test('every gateway ends with 75, starts with its exchanges stopped, and after a resume each order exists once', {
      timeout: 400_000,
    }, async () => {
      const primary = await server(serverFolder(), { synchronous_commit: 'on' })
      await sql(primary.url('postgres'), 'create database sluice')
      const standby = await standbyOf(primary.url('postgres'), primary.folder)
      // The name of the database, which leads to whichever server is the primary.
      const at = { port: primary.port }
      const address = await startHoldingProxy(() => at.port)
      onTestFinished(() => address.close())
      expect(await doctor(primary.url('sluice'))).toContain('none is synchronous')
      const group = await startGroup(`postgres://sluice@127.0.0.1:${address.port}/sluice`)
      await sql(primary.url('postgres'), `alter system set synchronous_standby_names to '*'`)
      await sql(primary.url('postgres'), 'select pg_reload_conf()')
      await eventually(async () => {
        const rows = await sql(
          primary.url('postgres'),
          'select sync_state from pg_stat_replication',
        )
        expect(rows).toEqual([{ sync_state: 'sync' }])
      })
      expect(await doctor(primary.url('sluice'))).toContain('is streaming (sync)')
      expect(await doctor(standby.url('sluice'))).toContain('it is a standby')
      const bot = startBot(group)
      await eventually(() => expect(bot.done().length).toBeGreaterThan(3))
      // Both lose their responses with the primary. Of these two, only the bot's order is placed.
      await group.holdNext('timeout-after')
      const before = bot.done().length
      const isHeld = group.holdNext('timeout-before')
      const lost = group.place('lost').catch(() => undefined)
      await isHeld

      await stopCluster(primary.folder, 'SIGQUIT')
      await sql(standby.url('postgres'), 'select pg_promote()')
      // Nobody confirms any more: the new primary has no standby.
      await sql(standby.url('postgres'), 'alter system reset synchronous_standby_names')
      await sql(standby.url('postgres'), 'select pg_reload_conf()')
      at.port = standby.port
      address.cut()
      address.heal(false)

      await eventually(() => expect(group.exits()).toEqual([EXIT_NOT_OWNER, EXIT_NOT_OWNER]))
      await lost
      const sent = group.paper.received().length
      await vi.waitFor(
        async () => expect((await group.place('new')).text).toContain('PostgreSQL was restored'),
        { timeout: START_MS, interval: PAUSE_MS },
      )
      // However long that takes, what was in flight is not looked up before the resume.
      group.passTime()
      const isUnknown = (text: string) => text.includes('OUTCOME_UNKNOWN')
      await eventually(() => expect(bot.refusals().filter(isUnknown).length).toBeGreaterThan(3))
      await eventually(async () => expect((await group.place('lost')).text).toSatisfy(isUnknown))
      expect(group.paper.received()).toHaveLength(sent)
      // On a busy machine the lease may run out, which is a 503.
      await eventually(async () => expect(await group.resume()).toBe(200))
      await eventually(() =>
        expect(bot.done().length, bot.refusals().at(-1)).toBeGreaterThan(before + 2),
      )
      await eventually(async () => expect((await group.place('new')).isDone).toBe(true))
      await eventually(async () =>
        expect((await group.place('lost')).text).toContain('NOT_CARRIED_OUT'),
      )

      const keys = await bot.stop()
      expect(group.exits()).toHaveLength(2)
      const placed = group.paper.orders('mx').length
      expect(placed).toBe(keys.length + 1)
      for (const key of [...keys, 'new'])
        await eventually(async () => expect((await group.place(key)).replayed, key).toBe('true'))
      expect(group.paper.orders('mx')).toHaveLength(placed)
    })
  },
)

/** What the doctor says about a database. */
async function doctor(databaseUrl: string): Promise<string> {
  const config = testConfig('http://127.0.0.1:9', { DATABASE_URL: databaseUrl })
  const { findings, stores } = await checkServer(config, { nowMs: Date.now })
  await stores?.close()
  return findings.map(({ found }) => found).join('\n')
}

/** A copy of a server that follows it. */
async function standbyOf(url: string, folderOfPrimary: string) {
  const folder = serverFolder()
  onTestFinished(() => stopCluster(folder))
  run('pg_basebackup', ['-R', '-D', join(folder, 'data'), '-d', url, '-c', 'fast'], folderOfPrimary)
  return startAgain({ binaries, folder }, await freePort())
}

/** Two gateways, each of which is started again when it ends. */
async function startGroup(databaseUrl: string) {
  const env = { DATABASE_URL: databaseUrl, MASTER_KEY: randomBytes(32).toString('base64') }
  const clock = join(tempFolder(), 'clock')
  writeFileSync(clock, '0')
  let aheadMs = 0
  const { app, paper, client, asAdmin } = await testApp({
    ...{ env, paper: { nowMs: () => Date.now() + aheadMs } },
  })
  const { headers } = await client()
  await app.close()
  const exits: (number | null)[] = []
  const running = new Map<number, Gateway>()
  const urls = new Map<number, string>()
  let isOver = false
  onTestFinished(async () => {
    isOver = true
    for (const gateway of running.values()) gateway.signal('SIGKILL')
    await Promise.all([...running.values()].map((gateway) => gateway.ended))
  })
  async function keepRunning(node: number): Promise<void> {
    const nodeUrl = `https://127.0.0.1:${await freePort()}`
    while (!isOver) {
      const gateway = spawnGateway({
        entry: MAIN,
        env: {
          ...{ PATH: process.env.PATH ?? '', ...env, DRAIN_SECONDS: '0', NODE_URL: nodeUrl },
          ...{ NODE_OPTIONS: `--import=${CLOCK_AHEAD}`, CLOCK_AHEAD_FILE: clock },
          // Longer than the primary needs to end: what is in flight then has no outcome yet.
          ...{ UPSTREAM_TIMEOUT_SECONDS: '120', UPSTREAM_CONCURRENCY: '2' },
          ...{ MEXC_SPOT_URL: paper.url, MEXC_FUTURES_URL: paper.url, BITGET_URL: paper.url },
          ACCOUNT_STREAMS: 'off',
        },
      })
      running.set(node, gateway)
      await gateway.url.then((url) => urls.set(node, url)).catch(() => {})
      const { code } = await gateway.ended
      urls.delete(node)
      if (!isOver) exits.push(code)
    }
  }
  for (const node of [0, 1]) void keepRunning(node)
  await vi.waitFor(() => expect(urls.size).toBe(2), { timeout: START_MS })
  let calls = 0
  const url = () => [...urls.values()][calls++ % Math.max(1, urls.size)] ?? 'http://127.0.0.1:9'
  return {
    ...{ paper, exits: () => exits },
    /** The exchange never responds to its next order. Resolves when that order has arrived. */
    async holdNext(kind: FaultKind): Promise<void> {
      const held = () => paper.received().filter(({ fault }) => fault !== undefined).length
      const before = held()
      paper.faults.add({ kind, match: { exchange: 'mx', method: 'POST' } })
      await eventually(() => expect(held()).toBe(before + 1))
    },
    /** At the gateways and at the exchange. */
    passTime() {
      aheadMs = AGEING_MS
      writeFileSync(clock, `${AGEING_MS}`)
    },
    async resume(): Promise<number> {
      const response = await fetch(`${url()}/api/admin/resume`, {
        ...{ method: 'POST', body: '{}' },
        headers: { ...asAdmin, 'content-type': 'application/json' },
      })
      return response.status
    },
    /** Tries an order once, at one of the gateways. */
    async place(key: string) {
      const response = await fetch(`${url()}/api/mx/v1/submitOrder`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(ORDER),
      })
      const text = await response.text()
      const replayed = response.headers.get('idempotency-replayed')
      return { isDone: response.status === 200, text, replayed }
    },
  }
}

/** Places one order after the other, each until it has its response. */
function startBot({ place }: Awaited<ReturnType<typeof startGroup>>) {
  const done: string[] = []
  const refusals: string[] = []
  let isOver = false
  const trading = (async () => {
    while (!isOver) {
      const key = `k${done.length + 1}`
      for (let isDone = false; !isDone; await sleep(PAUSE_MS)) {
        const tried = await place(key).catch((error: unknown) => ({
          ...{ isDone: false, text: `${error}`, replayed: null },
        }))
        isDone = tried.isDone
        if (!isDone) refusals.push(tried.text)
      }
      done.push(key)
    }
  })()
  return {
    done: () => done,
    refusals: () => refusals,
    async stop(): Promise<readonly string[]> {
      isOver = true
      await trading
      return done
    },
  }
}
