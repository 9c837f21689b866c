import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { RELEASE } from '../src/version.ts'
import { eventually } from './support/eventually.ts'
import { nextRelease, type Release, THIS_RELEASE } from './support/next-release.ts'
import { hasPostgres } from './support/postgres.ts'
import { processGroup } from './support/process-group.ts'

// No earlier release could form a group. What an upgrade relies on is therefore tested with the one
// that comes next, made of these sources: it adds to the tables and to what nodes say of a request.
// The one after that takes away what only these sources use.

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
/** The exchange takes two orders of an account each second. */
const PAUSE_MS = 600

/** To every table that trading reads or writes. */
const ADDED = [
  ...[
    'order_journal',
    'order_names',
    'working_orders',
    'own_position_orders',
    'clients',
    'client_tokens',
    'api_keys',
  ],
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
    await group.untilVersions(RELEASE, '1.1.0')
    expect(group.owner()).toBe('a')
    await bot.trades()
    expect(await migrate(afterNext, group.databaseUrl)).toContain('NODES_TOO_OLD')

    // This release starts again on the tables of the next one, and stands by beside its owner.
    await group.stop('a')
    expect(group.owner()).toBe('b')
    await group.start('a', THIS_RELEASE)
    await group.untilVersions(RELEASE, '1.1.0')
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
  const group = await processGroup({ DRAIN_SECONDS: '0' })
  /** Of the nodes that take requests. */
  const urls = new Map<string, string>()
  return {
    ...group,
    urls: () => [...urls.values()],
    async start(name: string, release: Release): Promise<void> {
      urls.set(name, await group.start(name, release))
    },
    /** Stops a node as an operator does, who takes it out of the load balancer first. */
    async stop(name: string): Promise<void> {
      urls.delete(name)
      await group.stop(name)
    },
    /** Resolves once the running nodes have announced exactly these versions. */
    async untilVersions(...versions: readonly string[]): Promise<void> {
      const db = new pg.Client(group.databaseUrl)
      await db.connect()
      const read = () => db.query<{ version: string }>('select version from nodes order by 1')
      await eventually(async () =>
        expect((await read()).rows).toEqual(versions.map((version) => ({ version }))),
      )
      await db.end()
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
    // On a machine that stops for seconds the owner may be given up: the key tells.
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
