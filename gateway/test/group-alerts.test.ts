import { healthReady } from 'schema'
import { describe, expect, test } from 'vitest'
import { alertReceiver } from './support/alert-receiver.ts'
import { closable } from './support/closable.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { scrape } from './support/metrics.ts'
import { onDisk } from './support/on-disk.ts'
import { sql } from './support/own-server.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'
import { startStallingNetwork } from './support/stalling-network.ts'

/** Two gateways on one PostgreSQL, which can be made to say nothing, and one receiver of alerts. */
async function twoGateways() {
  const databaseUrl = await createDatabase()
  const { url, proxy } = await startStallingNetwork(databaseUrl)
  const receiver = await alertReceiver()
  const common = { ...onDisk().env, DATABASE_URL: url }
  const node = async () => {
    const logLines: string[] = []
    const NODE_URL = `https://127.0.0.1:${await freePort()}`
    const { app, close } = await closable({
      ...{ logLines, env: { ...receiver.env, ...common, NODE_URL } },
      app: {
        endProcess: () => {},
        ownershipTimes: { tryEveryMs: 50 },
        // A node that does not respond in time counts as one that cannot report.
        passingTimes: { quietMs: 15_000 },
        alerts: { readEveryMs: 200 },
      },
    })
    const isOwner = async () => (await scrape(app)).value('sluice_node_owner', {}) === 1
    return { app, url: NODE_URL, logLines, isOwner, close }
  }
  const first = await node()
  await eventually(async () => expect(await first.isOwner()).toBe(true))
  return { ...receiver, databaseUrl, proxy, first, second: await node() }
}

describe.skipIf(!hasPostgres)('a group', () => {
  test('reports a database that says nothing once, from memory, and the end of it once', async () => {
    const { proxy, expectAlerts, first, second } = await twoGateways()
    // Each node has to know the other one.
    await eventually(async () => {
      for (const { app } of [first, second])
        expect((await scrape(app)).value('sluice_nodes_seen', {})).toBe(2)
    })
    const both = [first, second]
    const ready = async ({ app }: typeof first) => (await app.inject(healthReady.path)).json()
    for (const node of both)
      expect(await ready(node)).toMatchObject({ status: 'ready', reasons: [] })
    proxy.cut()
    const reasons = ['the store cannot be written: the database does not respond']
    for (const node of both)
      expect(await ready(node)).toMatchObject({ status: 'not-ready', reasons })
    await eventually(async () => {
      for (const { app } of both)
        expect((await scrape(app)).value('sluice_store_writable', {})).toBe(0)
    })
    await expectAlerts('store.unwritable', 'raised database')
    for (const node of both)
      expect(await ready(node)).toMatchObject({ status: 'not-ready', reasons })
    proxy.heal(true)
    await expectAlerts('store.unwritable', 'raised database', 'cleared database')
    await eventually(async () => {
      for (const node of both) expect((await ready(node)).status).toBe('ready')
    })
    // One line for each change, however often it was asked.
    for (const { logLines } of both) {
      const lines = logLines.filter((line) => /the gateway is (not )?ready/.test(line))
      expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
        'the gateway is not ready',
        'the gateway is ready again',
      ])
    }
  })

  test('reports that another gateway sends now, and that one is missing, once', async () => {
    const { alertsOf, expectAlerts, attempts, databaseUrl, first, second } = await twoGateways()
    // It has crashed. It is missing once the owner has been able to see it for 12 s.
    await sql(
      databaseUrl,
      `insert into nodes select 'crashed', 'https://10.0.0.9:3100', '0.0.1', started_at_ms, seen_at_ms - 60000, false, key_ids, null
       from nodes limit 1`,
    )
    await expectAlerts('node.missing', 'raised https://10.0.0.9:3100')
    expect(alertsOf('owner.changed')).toEqual([])
    await first.close()
    await expectAlerts('owner.changed', 'raised exchanges')
    const { alert } = attempts.find((one) => one.alert.type === 'owner.changed') ?? {}
    expect(alert?.detail).toEqual({ from: first.url, to: second.url, fence: 2 })
    // The next owner continues what the last one has reported.
    await sql(databaseUrl, `delete from nodes where node_id = 'crashed'`)
    await eventually(() => expect(alertsOf('node.missing').at(-1)).toMatch(/^cleared/))
    expect(alertsOf('node.missing')).toHaveLength(2)
  })
})
