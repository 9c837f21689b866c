import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { healthReady, mxSubmitOrder, resumeExchange, urlOf } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { restore } from '../src/operations/restore.ts'
import { salvage } from '../src/operations/salvage.ts'
import { type TestApp, type TestClient, testApp, testConfig } from './app.ts'
import { clockAt } from './support/clock-at.ts'
import { overwritePages } from './support/overwrite-pages.ts'
import { tempFolder } from './support/temp-folder.ts'

const MASTER_KEY = randomBytes(32).toString('base64')

/** A gateway on a file, and where a salvaged database goes. */
async function world() {
  const folder = tempFolder()
  const [path, saved] = [join(folder, 'sluice.db'), join(folder, 'saved.db')]
  const env = { DATABASE_URL: `file:${path}`, MASTER_KEY }
  const closes: Array<() => Promise<unknown>> = []
  const gateway = await testApp({ env, onEnd: (close) => void closes.unshift(close) })
  onTestFinished(async () => {
    for (const close of closes) await close()
  })
  return {
    ...{ folder, path, saved, env, gateway },
    /** Closes the gateway; its paper exchange stays. */
    stop: () => closes.shift()?.(),
    save: () => salvage({ from: path, to: saved, nowMs: Date.now }),
  }
}

/** A gateway on the restored file, a minute later: orders from before are visible by then. */
const aMinuteLater = ({
  env,
  gateway,
}: Pick<Awaited<ReturnType<typeof world>>, 'env' | 'gateway'>) =>
  testApp({
    ...{ env, between: async () => gateway.paper.url },
    app: { time: clockAt(() => Date.now() + 61_000) },
  })

async function resume({ app, asAdmin }: TestApp) {
  const url = urlOf(resumeExchange, { params: { exchange: 'mx' } })
  expect((await app.inject({ method: 'POST', url, headers: asAdmin })).statusCode).toBe(200)
}

function place({ app }: TestApp, { headers }: Pick<TestClient, 'headers'>, key: string) {
  return app.inject({
    ...{ method: 'POST', url: mxSubmitOrder.path, headers: { ...headers, 'idempotency-key': key } },
    payload: { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
  })
}

test('from damage to orders again: no order is lost, and none is placed twice', async () => {
  const { path, saved, env, gateway, stop, save } = await world()
  const bot = await gateway.client()
  const placed = await place(gateway, bot, 'k')
  expect(placed.statusCode).toBe(200)
  await stop()
  overwritePages(path, 'request_logs')
  const salvaged = await save()
  expect(salvaged.tables.find(({ table }) => table === 'order_journal')).toMatchObject({
    kept: 1,
    lost: 0,
  })
  expect(salvaged.audit.broken).toBeUndefined()
  const config = testConfig('http://127.0.0.1:9', env)
  await restore({ config, file: saved, replace: true, nowMs: Date.now })

  const again = await aMinuteLater({ env, gateway })
  expect((await again.app.inject(healthReady.path)).statusCode).toBe(200)
  const { clientId, clientSecret } = bot
  const { token } = (await again.token({ clientId, clientSecret })).json()
  const headers = { authorization: `Bearer ${token}` }
  expect((await place(again, { headers }, 'new')).json()).toMatchObject({
    code: 'EXCHANGE_STOPPED',
    outcome: 'not-sent',
  })
  expect((await place(again, { headers }, 'k')).body).toBe(placed.body)
  await resume(again)
  expect((await place(again, { headers }, 'new')).statusCode).toBe(200)
  expect((await place(again, { headers }, 'k')).body).toBe(placed.body)
  expect(gateway.paper.orders('mx')).toHaveLength(2)
})

test('a gap in the audit trail is reported where it is, and later entries can be appended', async () => {
  const { path, gateway, stop, save } = await world()
  for (let i = 0; i < 10; i += 1) await gateway.client()
  await stop()
  overwritePages(path, 'audit_entries', ([first = 0]) => [first])
  const { audit, tables } = await save()
  const lost = tables.find(({ table }) => table === 'audit_entries')?.lost ?? 0
  expect(lost).toBeGreaterThan(0)
  expect(audit.broken).toEqual({ id: lost + 1, problem: expect.stringContaining(`1 to ${lost}`) })
})

test('orders that are lost are named, and a retry does not place them again', async () => {
  const { path, saved, env, gateway, stop, save } = await world()
  const bot = await gateway.client()
  expect((await place(gateway, bot, 'k')).statusCode).toBe(200)
  const [order] = gateway.paper.orders('mx')
  await stop()
  overwritePages(path, 'order_journal', (leaves) => leaves)
  const { lostOrders, tables } = await save()
  expect(tables.find(({ table }) => table === 'order_journal')).toMatchObject({ kept: 0, lost: 1 })
  expect(lostOrders).toEqual([
    { id: expect.any(String), clientOrderId: order?.clientOrderId, orderId: order?.orderId },
  ])

  const config = testConfig('http://127.0.0.1:9', env)
  await restore({ config, file: saved, replace: true, nowMs: Date.now })
  const again = await aMinuteLater({ env, gateway })
  await resume(again)
  const { token } = (await again.token(bot)).json()
  const headers = { authorization: `Bearer ${token}` }
  const retried = await place(again, { headers }, 'k')
  expect(retried.statusCode, retried.body).toBe(200)
  expect(retried.body).toContain(order?.orderId)
  expect(gateway.paper.orders('mx')).toHaveLength(1)
})

test('a salvage refuses a target that exists, and a database in use; it leaves no other file', async () => {
  const { folder, saved, stop, save } = await world()
  await expect(save()).rejects.toMatchObject({ code: 'STORE_IN_USE' })
  await stop()
  writeFileSync(saved, 'precious')
  await expect(save()).rejects.toMatchObject({ code: 'SALVAGE_TARGET' })
  expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([])
  expect(existsSync(saved)).toBe(true)
})
