import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testApp } from './app.ts'
import { type Gateway, spawnGateway } from './campaign/gateway.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { nextRelease, type Release, THIS_RELEASE } from './support/next-release.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'

// No earlier release could form a group. What an upgrade relies on is therefore tested with the one
// that comes next, made of these sources: it adds to the tables and to what nodes say of a request.
// The one after that takes away what only these sources use.

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
/** The exchange takes two orders of an account each second. */
const PAUSE_MS = 600

/** Gateways start several times, on machines that do other things as well. */
const START_MS = 90_000

/** To every table that trading reads or writes. */
const ADDED = [
  ...['order_journal', 'order_names', 'working_orders', 'clients', 'client_tokens', 'api_keys'],
  ...['request_logs', 'log_kinds', 'stops', 'settings', 'nodes', 'lane_owners', 'audit_entries'],
  ...['admins', 'admin_sessions', 'heartbeats', 'queue_minutes', 'old_secrets'],
]
const EXPAND = [
  'CREATE TABLE "later" ("id" bigint PRIMARY KEY NOT NULL, "note" text)',
  ...ADDED.map((table) => `ALTER TABLE "${table}" ADD COLUMN "later" text`),
  ...ADDED.map(
    (table) => `ALTER TABLE "${table}" ADD COLUMN "later_count" bigint DEFAULT 0 NOT NULL`,
  ),
  'CREATE INDEX "order_journal_later" ON "order_journal" USING btree ("later")',
].join(';\n--> statement-breakpoint\n')
const CONTRACT = `-- contract: needs 9998_expand
ALTER TABLE "heartbeats" DROP COLUMN "later"`

test.skipIf(!hasPostgres)(
  'gateways of two releases share a group: no request is refused in a rolling upgrade, and one that is too old is refused with the reason',
  { timeout: 400_000 },
  async () => {
    const next = nextRelease(THIS_RELEASE, {
      ...{ version: '1.1.0', passedField: 'x-sluice-later' },
      migration: { name: '9998_expand', sql: EXPAND },
    })
    const afterNext = nextRelease(next, {
      ...{ version: '1.2.0' },
      migration: { name: '9999_contract', sql: CONTRACT },
    })
    const group = await startGroup()
    await group.start('a', THIS_RELEASE)
    await group.start('b', THIS_RELEASE)
    const bot = startBot(group)
    await bot.trades()

    // The next release migrates, and stands by beside an owner of this one.
    await group.stop('b')
    await group.start('b', next)
    expect(await group.versions()).toEqual(['1.0.0', '1.1.0'])
    expect(group.owner()).toBe('a')
    await bot.trades()
    expect(await migrate(afterNext, group.databaseUrl)).toContain('NODES_TOO_OLD')

    // This release starts again on the tables of the next one, and stands by beside its owner.
    await group.stop('a')
    expect(group.owner()).toBe('b')
    await group.start('a', THIS_RELEASE)
    expect(await group.versions()).toEqual(['1.0.0', '1.1.0'])
    await bot.trades()
    await group.stop('b')
    expect(group.owner()).toBe('a')
    await group.start('b', next)
    await bot.trades()

    await group.stop('a')
    await group.start('a', next)
    expect(await migrate(afterNext, group.databaseUrl)).toBe('done')
    await bot.trades()
    expect(await migrate(THIS_RELEASE, group.databaseUrl)).toContain('STORE_TOO_NEW')
    expect(await migrate(next, group.databaseUrl)).toBe('done')

    const { refused, placed } = await bot.stop()
    expect(refused).toEqual([])
    expect(group.paper.orders('mx')).toHaveLength(placed)
  },
)

/** Opens a database with a release, as its start does. @returns the code of the error, or `done` */
async function migrate({ folder, env }: Release, databaseUrl: string): Promise<string> {
  const program = `
    const { openPostgres } = await import(${JSON.stringify(`${folder}/gateway/src/store/postgres/open.ts`)})
    await openPostgres(${JSON.stringify(databaseUrl)}).then(
      (store) => store.close().then(() => console.log('done')),
      (error) => console.log(error.code + ' ' + error.message))`
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    { env: { ...process.env, ...env } },
  )
  return stdout.trim() || stderr
}

/** Two nodes, each of which can be of another release at each start. */
async function startGroup() {
  const databaseUrl = await createDatabase()
  const env = {
    DATABASE_URL: databaseUrl,
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const ends: (() => Promise<unknown>)[] = []
  const { paper, client } = await testApp({ env, onEnd: (end) => ends.push(end) })
  const { headers } = await client()
  const [closePaper, closeApp] = ends
  onTestFinished(async () => void (await closePaper?.()))
  await closeApp?.()

  const running = new Map<string, Gateway>()
  /** Of the nodes that take requests. */
  const urls = new Map<string, string>()
  let owner = ''
  onTestFinished(async () => {
    for (const gateway of running.values()) gateway.signal('SIGKILL')
    await Promise.all([...running.values()].map((gateway) => gateway.ended))
  })
  return {
    ...{ databaseUrl, paper, headers },
    urls: () => [...urls.values()],
    owner: () => owner,
    async start(name: string, release: Release): Promise<void> {
      const gateway = spawnGateway({
        entry: release.entry,
        env: {
          ...{ PATH: process.env.PATH ?? '', ...release.env, ...env, DRAIN_SECONDS: '0' },
          ...{ MEXC_SPOT_URL: paper.url, MEXC_FUTURES_URL: paper.url, BITGET_URL: paper.url },
          NODE_URL: `https://127.0.0.1:${await freePort()}`,
        },
        onLine(line) {
          if (line.includes('is the owner of the exchanges now')) owner = name
        },
      })
      running.set(name, gateway)
      const url = await gateway.url
      await vi.waitFor(
        async () => {
          expect((await fetch(`${url}/health/ready`)).status).toBe(200)
          expect(owner).not.toBe('')
        },
        { timeout: START_MS },
      )
      urls.set(name, url)
    },
    /** Stops a node as an operator does, who takes it out of the load balancer first. */
    async stop(name: string): Promise<void> {
      urls.delete(name)
      const gateway = running.get(name)
      gateway?.signal('SIGTERM')
      expect(await gateway?.ended).toMatchObject({ code: 0 })
      running.delete(name)
      await eventually(() => expect(owner).not.toBe(name))
    },
    /** Of the nodes that run, as each announces its own. */
    async versions(): Promise<string[]> {
      const db = new pg.Client(databaseUrl)
      await db.connect()
      const { rows } = await db.query<{ version: string }>('select version from nodes order by 1')
      await db.end()
      return rows.map(({ version }) => version)
    },
  }
}

/** Places orders at each node in turn, until it is stopped. */
function startBot(group: Awaited<ReturnType<typeof startGroup>>) {
  const refused: string[] = []
  const running: Promise<void>[] = []
  let [placed, count, isOver] = [0, 0, false]
  const place = async (number: number): Promise<void> => {
    const urls = group.urls()
    const response = await fetch(`${urls[number % urls.length]}/api/mx/v1/submitOrder`, {
      method: 'POST',
      headers: {
        ...{ ...group.headers, 'content-type': 'application/json' },
        'idempotency-key': `k${number}`,
      },
      body: JSON.stringify(ORDER),
    })
    const text = await response.text()
    if (response.status === 200) placed += 1
    // On a machine that stands still for seconds the owner may be given up: the key tells.
    else if (text.includes('OUTCOME_UNKNOWN')) await sleep(PAUSE_MS).then(() => place(number))
    else refused.push(`${response.status} ${text}`)
  }
  const trade = async () => {
    for (; !isOver; await sleep(PAUSE_MS)) {
      count += 1
      const placing = place(count).catch((error: unknown) => void refused.push(`${error}`))
      running.push(placing)
    }
  }
  const trading = trade()
  return {
    /** Resolves when orders that are wanted from now on were placed. */
    async trades(): Promise<void> {
      const from = running.length
      await eventually(() => expect(running.length).toBeGreaterThan(from + 1))
      await Promise.all(running.slice(from, from + 2))
      expect(refused).toEqual([])
    },
    async stop() {
      isOver = true
      await trading
      await Promise.all(running)
      return { refused, placed }
    },
  }
}
