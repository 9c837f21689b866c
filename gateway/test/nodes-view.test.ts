import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { NodeGroup } from 'schema'
import { describe, expect, test } from 'vitest'
import { RELEASE } from '../src/version.ts'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { scrape } from './support/metrics.ts'
import { createDatabase, hasPostgres, sql } from './support/postgres.ts'
import { sharedApp } from './support/shared-app.ts'

type Auth = Readonly<Record<string, string>>

async function readGroup(app: FastifyInstance, headers: Auth): Promise<NodeGroup> {
  const response = await app.inject({ url: '/api/admin/nodes', headers })
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

async function hasNodes(app: FastifyInstance, headers: Auth): Promise<boolean> {
  const { hasNodes: has } = (await app.inject({ url: '/api/admin/operations', headers })).json()
  return has
}

const shared = sharedApp({ env: { DATABASE_URL: 'file::memory:' } })

test('a gateway whose database is a file is one node, the owner', async () => {
  const { app, asAdmin } = shared()
  const group = await readGroup(app, asAdmin)
  expect(group).toMatchObject({ database: 'file', owner: { fence: 0 }, standbys: [] })
  expect(group.nodes).toMatchObject([
    {
      ...{ id: group.answeredBy, url: null, version: RELEASE, clockOffsetMs: null },
      ...{ isOwner: true, isLeaving: false, isMissing: false },
      keyIds: [expect.stringMatching(/^[0-9a-f]+$/)],
    },
  ])
  expect(await hasNodes(app, asAdmin)).toBe(false)
  const { value } = await scrape(app)
  expect(value('sluice_node_owner')).toBe(1)
  expect(value('sluice_node_fence')).toBe(0)
  expect(value('sluice_nodes_seen')).toBe(1)
})

test('nobody else may read the nodes', async () => {
  const { app } = shared()
  expect((await app.inject('/api/admin/nodes')).statusCode).toBe(401)
})

describe.skipIf(!hasPostgres)('several gateways on PostgreSQL', () => {
  test('each says which one is the owner, which are missing, and when the owner changes', async () => {
    const common = {
      DATABASE_URL: await createDatabase(),
      MASTER_KEY: randomBytes(32).toString('base64'),
    }
    const node = async () => ({ ...common, NODE_URL: `https://127.0.0.1:${await freePort()}` })
    const app = { announceEveryMs: 50, ownershipTimes: { tryEveryMs: 50 } }
    const first = await testApp({ env: await node(), app })
    await eventually(async () =>
      expect((await readGroup(first.app, first.asAdmin)).owner).not.toBeNull(),
    )
    const second = await testApp({ env: await node(), app })
    const { asAdmin } = first
    const group = await readGroup(second.app, asAdmin)
    const { answeredBy: firstId } = await readGroup(first.app, asAdmin)
    expect(group).toMatchObject({
      ...{ database: 'postgresql', owner: { fence: 1 } },
      nodes: [
        { id: firstId, isOwner: true, isMissing: false, version: RELEASE },
        { id: group.answeredBy, isOwner: false, isMissing: false, version: RELEASE },
      ],
    })
    expect(group.nodes[0]?.keyIds).toEqual(group.nodes[1]?.keyIds)
    expect(await hasNodes(first.app, asAdmin)).toBe(true)
    await eventually(async () => {
      const { nodes } = await readGroup(first.app, asAdmin)
      for (const { clockOffsetMs } of nodes) expect(clockOffsetMs).toBeLessThan(60_000)
      for (const { clockOffsetMs } of nodes) expect(clockOffsetMs).not.toBeNull()
    })

    await sql(
      common.DATABASE_URL,
      `insert into nodes select 'crashed', 'https://10.0.0.9:3100', '0.0.1', started_at_ms, seen_at_ms - 13000, false, key_ids, null
       from nodes limit 1`,
    )
    const { nodes } = await readGroup(second.app, asAdmin)
    expect(nodes.filter(({ isMissing }) => isMissing)).toMatchObject([
      { id: 'crashed', isOwner: false, version: '0.0.1' },
    ])
    // A takeover is counted when the work as the owner has begun.
    await eventually(async () => {
      const [ofFirst, ofSecond] = [await scrape(first.app), await scrape(second.app)]
      const both = (name: string) => [ofFirst.value(name), ofSecond.value(name)]
      expect(both('sluice_node_owner')).toEqual([1, 0])
      expect(both('sluice_node_fence')).toEqual([1, 0])
      expect(both('sluice_node_takeovers_total')).toEqual([1, 0])
      expect(both('sluice_nodes_seen')).toEqual([2, 2])
      expect(both('sluice_nodes_missing')).toEqual([1, 1])
      expect(both('sluice_node_versions')).toEqual([1, 1])
    })
    await sql(
      common.DATABASE_URL,
      `update nodes set seen_at_ms = seen_at_ms + 60000 where node_id = 'crashed'`,
    )
    expect((await scrape(second.app)).value('sluice_node_versions')).toBe(2)

    await first.app.close()
    await eventually(async () => {
      const left = await readGroup(second.app, asAdmin)
      expect(left.owner).toMatchObject({ fence: 2 })
      expect(new Set(left.nodes.map(({ id }) => id))).toEqual(
        new Set(['crashed', group.answeredBy]),
      )
      expect(left.nodes.find(({ isOwner }) => isOwner)?.id).toBe(group.answeredBy)
    })
    await eventually(async () =>
      expect((await scrape(second.app)).value('sluice_node_takeovers_total')).toBe(1),
    )
  })
})
