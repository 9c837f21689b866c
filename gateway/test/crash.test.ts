import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mxSubmitOrder } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { createPaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { ADMIN, createBotClient, signIn } from './crash/clients.ts'
import { type Gateway, MAIN, spawnGateway } from './crash/gateway.ts'
import { readJournal } from './crash/journal-book.ts'
import type { Plan } from './crash/plan.ts'
import { NO_SMALL_DISK, runPlans } from './crash/run.ts'
import { canMount } from './support/start-small-disk.ts'

const SMALL_DISK = canMount()
if (!SMALL_DISK) console.warn(NO_SMALL_DISK)
/** Each round ends with a stop as well. */
const BOTS = 4
const PLANS: readonly Plan[] = [
  {
    seed: 20_260_301,
    events: ['kill', 'rotation'],
    ...{ bots: BOTS, acceptsDuplicates: false, isClockBehind: true },
  },
  {
    seed: 20_260_302,
    events: ['backup', 'damage'],
    ...{ bots: BOTS, acceptsDuplicates: true, isClockBehind: false },
  },
  {
    seed: 20_260_303,
    events: SMALL_DISK ? ['full-disk', 'kill'] : ['kill'],
    ...{ bots: BOTS, acceptsDuplicates: true, isClockBehind: false },
  },
]

test('gateways that are killed, stopped, backed up, rotated, full and damaged place no order twice, lose none, and never report a false result', {
  timeout: 300_000,
}, async () => {
  const report = await runPlans(PLANS, { atOnce: PLANS.length })
  expect(report.violations).toEqual([])
  expect(report.migrations).toBeGreaterThan(5)
  // The run was one: orders were placed, some were cut off and found again, and bots retried.
  expect(report.ordersAtExchange).toBeGreaterThan(30)
  expect(report.journal.resolved).toBeGreaterThan(0)
  expect(report.retries).toBeGreaterThan(30)
})

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

test('after a crash the order in flight is looked up before a new one is sent, and the pace holds', {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-restart-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const paper = await createPaperExchange()
  onTestFinished(() => paper.close())
  const database = join(folder, 'sluice.db')
  const start = (): Gateway => {
    const gateway = spawnGateway({
      entry: MAIN,
      env: {
        DATABASE_URL: `file:${database}`,
        MASTER_KEY: masterKey,
        ADMIN_EMAIL: ADMIN.email,
        ADMIN_PASSWORD: ADMIN.password,
        MEXC_SPOT_URL: paper.url,
        MEXC_FUTURES_URL: paper.url,
        BITGET_URL: paper.url,
      },
    })
    onTestFinished(async () => {
      gateway.signal('SIGKILL')
      await gateway.ended
    })
    return gateway
  }
  const masterKey = randomBytes(32).toString('base64')
  const first = start()
  const url = await first.url
  const headers = {
    ...(await signIn(url, await createBotClient(url, paper.accounts, 'bot'))),
    'content-type': 'application/json',
  }
  const place = (base: string, key: string) =>
    fetch(`${base}${mxSubmitOrder.path}`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': key },
      body: JSON.stringify(ORDER),
    })

  paper.faults.add({ kind: 'timeout-after', match: { method: 'POST' } })
  const lost = place(url, 'lost').catch(() => 'broken')
  await expect.poll(() => paper.orders('mx').length, { timeout: 60_000, interval: 5 }).toBe(1)
  first.signal('SIGKILL')
  await first.ended
  expect(await lost).toBe('broken')
  expect(readJournal(database)).toMatchObject([{ state: 'sent' }])
  const before = paper.received({ exchange: 'mx' })

  const second = await start().url
  expect((await place(second, 'new')).status).toBe(200)
  const after = paper.received({ exchange: 'mx', since: before.at(-1)?.seq ?? 0 })
  const isOrder = ({ method }: { method: string }) => method === 'POST'
  const isLookup = ({ path }: { path: string }) => path.includes('/order/external/')
  expect(after.findIndex(isLookup)).toBeGreaterThan(-1)
  expect(after.findIndex(isLookup)).toBeLessThan(after.findIndex(isOrder))
  // Two per second at most, in every window that the restart lies in.
  const arrivals = [...before.slice(-2), ...after.slice(0, 2)]
  for (const [i, arrival] of arrivals.slice(2).entries())
    expect(arrival.arrivedAtMonotonicMs - (arrivals[i]?.arrivedAtMonotonicMs ?? 0)).toBeGreaterThan(
      999,
    )

  const retried = await place(second, 'lost')
  expect(retried.headers.get('idempotency-replayed')).toBe('true')
  expect(await retried.json()).toMatchObject({
    success: true,
    orderId: paper.orders('mx')[0]?.orderId,
  })
  expect(paper.orders('mx')).toHaveLength(2)
})
