import { join } from 'node:path'
import { mxSubmitOrder } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { createBotClient, signIn } from './campaign/clients.ts'
import { readJournal } from './campaign/journal.ts'
import { checkPace, watchSockets } from './campaign/pace-book.ts'
import { hasSmallDisk } from './campaign/rounds.ts'
import type { Plan } from './crash/round.ts'
import { runPlans } from './crash/run.ts'
import { IS_LONG } from './support/is-long.ts'
import { restarts } from './support/restarts.ts'
import { tempFolder } from './support/temp-folder.ts'

const SMALL_DISK = hasSmallDisk()
/** Each round ends with a stop as well. */
const BOTS = 4
const common = { bots: BOTS, acceptsDuplicates: true, isClockBehind: false }
const SHORT: readonly Plan[] = [
  {
    ...{ ...common, seed: 20_260_301, events: ['kill', 'rotation'] },
    ...{ acceptsDuplicates: false, isClockBehind: true },
  },
  {
    ...{ ...common, seed: 20_260_302 },
    events: ['backup', ...(SMALL_DISK ? (['full-disk'] as const) : []), 'damage'],
  },
]
/** Another one begins with the damage, without a backup, and one has the disk full alone. */
const LONG: readonly Plan[] = [
  ...SHORT,
  { ...common, seed: 20_260_303, events: SMALL_DISK ? ['full-disk', 'kill'] : ['kill'] },
  { ...common, seed: 20_260_304, events: ['damage', 'kill'] },
]
const PLANS = IS_LONG ? LONG : SHORT

test('gateways that are killed, stopped, backed up, rotated, full and damaged place no order twice, lose none, and never report a false result', {
  timeout: 900_000,
}, async () => {
  const report = await runPlans(PLANS, { atOnce: PLANS.length })
  expect(report.violations).toEqual([])
  expect(report.migrations).toBeGreaterThan(IS_LONG ? 5 : 1)
  // The run was one: orders were placed, some were cut off and found again, and bots retried.
  expect(report.ordersAtExchange).toBeGreaterThan(IS_LONG ? 30 : 15)
  expect(report.journal.resolved).toBeGreaterThan(0)
  expect(report.retries).toBeGreaterThan(IS_LONG ? 30 : 15)
})

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

test('after a crash the order in flight is looked up before a new one is sent, and the pace holds', {
  timeout: 180_000,
}, async () => {
  const database = join(tempFolder(), 'sluice.db')
  const { paper, start } = await restarts({ DATABASE_URL: `file:${database}` })
  const sockets = watchSockets()
  onTestFinished(sockets.stop)
  const { url, kill } = await start()
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
  await kill()
  expect(await lost).toBe('broken')
  expect(readJournal(database)).toMatchObject([{ state: 'sent' }])
  const before = paper.received({ exchange: 'mx' })

  const { url: second } = await start()
  expect((await place(second, 'new')).status).toBe(200)
  const after = paper.received({ exchange: 'mx', since: before.at(-1)?.seq ?? 0 })
  const isOrder = ({ method }: { method: string }) => method === 'POST'
  const isLookup = ({ path }: { path: string }) => path.includes('/order/external/')
  expect(after.findIndex(isLookup)).toBeGreaterThan(-1)
  expect(after.findIndex(isLookup)).toBeLessThan(after.findIndex(isOrder))
  // Two per second at most, in every window that the restart lies in.
  expect(checkPace(paper.received({ exchange: 'mx' }), 2, sockets).violations).toEqual([])

  const retried = await place(second, 'lost')
  expect(retried.headers.get('idempotency-replayed')).toBe('true')
  expect(await retried.json()).toMatchObject({
    success: true,
    orderId: paper.orders('mx')[0]?.orderId,
  })
  expect(paper.orders('mx')).toHaveLength(2)
})
