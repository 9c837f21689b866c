import { describe, expect, test } from 'vitest'
import { hasPostgres } from '../support/postgres.ts'
import { engines } from './engines.ts'

/** Far longer than a test takes: none of its nodes grows stale by itself. */
const STALE_MS = 3_600_000
const A_DAY_MS = 86_400_000

const node = {
  ...{ nodeId: 'run-1', nodeUrl: 'https://10.0.0.1:8443', version: '1.2.3' },
  ...{ isLeaving: false, keyIds: ['aaaa', 'bbbb'], clockOffsetMs: null },
}

async function open() {
  const engine = engines.find(({ name }) => name === 'postgres')
  if (engine === undefined) throw new Error('PostgreSQL is not installed')
  const { stores, sql, beside } = await engine.open()
  const { nodes } = stores
  if (nodes === undefined) throw new Error('PostgreSQL has nodes')
  return { nodes, sql, beside, stores }
}

describe.skipIf(!hasPostgres)('the nodes of a group', () => {
  test('a node that announces itself again keeps when it started', async () => {
    const { nodes, sql } = await open()
    const { atMs: first } = await nodes.announce(node, STALE_MS)
    await sql('update nodes set started_at_ms = 1000, seen_at_ms = 2000')
    const again = { ...node, isLeaving: true, keyIds: ['bbbb'], clockOffsetMs: -3 }
    const { atMs } = await nodes.announce(again, STALE_MS)
    expect(atMs).toBeGreaterThanOrEqual(first)
    const { nodes: rows, owner, standbys, atMs: readAtMs } = await nodes.read()
    expect(rows).toEqual([{ ...again, startedAtMs: 1000, seenAtMs: atMs }])
    expect(readAtMs).toBeGreaterThanOrEqual(atMs)
    expect([owner, standbys]).toEqual([undefined, []])
  })

  test('the next run of a node replaces the row that the last one left behind', async () => {
    const { nodes, sql } = await open()
    await nodes.announce(node, STALE_MS)
    await nodes.announce({ ...node, nodeId: 'elsewhere', nodeUrl: 'https://10.0.0.2:8443' }, 0)
    await nodes.announce({ ...node, nodeId: 'run-2' }, STALE_MS)
    // Two that run at once with one URL are a mistake that is to be seen.
    expect((await nodes.read()).nodes).toHaveLength(3)
    await sql(`update nodes set seen_at_ms = seen_at_ms - ${STALE_MS + 1} where node_id = 'run-1'`)
    await nodes.announce({ ...node, nodeId: 'run-2' }, STALE_MS)
    expect((await nodes.read()).nodes.map(({ nodeId }) => nodeId)).toEqual(['elsewhere', 'run-2'])
  })

  test('two that run at once with one URL learn of each other, and a new run of a node of none', async () => {
    const { nodes, sql } = await open()
    const hasTwin = async (nodeId: string, nodeUrl = node.nodeUrl) =>
      (await nodes.announce({ ...node, nodeId, nodeUrl }, STALE_MS)).hasTwin
    expect(await hasTwin('run-1')).toBe(false)
    // It has ended, and is started again at once.
    await sql('update nodes set seen_at_ms = seen_at_ms - 5')
    expect(await hasTwin('run-2')).toBe(false)
    expect(await hasTwin('elsewhere', 'https://10.0.0.2:8443')).toBe(false)
    await sql('update nodes set started_at_ms = started_at_ms - 5')
    expect(await hasTwin('run-1')).toBe(true)
    expect(await hasTwin('run-2')).toBe(true)
  })

  // A gateway without a URL that was killed was missing for a day, and held up rotations.
  test('so does the next run of a gateway without a URL, which is alone', async () => {
    const { nodes, sql } = await open()
    await nodes.announce(node, STALE_MS)
    await nodes.announce({ ...node, nodeId: 'run-2', nodeUrl: '' }, STALE_MS)
    await sql('update nodes set seen_at_ms = 0')
    await nodes.announce({ ...node, nodeId: 'run-3', nodeUrl: '' }, STALE_MS)
    expect((await nodes.read()).nodes.map(({ nodeId }) => nodeId)).toEqual(['run-1', 'run-3'])
  })

  test('a node that ends in order is removed, and those that were not seen for long', async () => {
    const { nodes, sql } = await open()
    for (const nodeId of ['ends', 'crashed', 'runs'])
      await nodes.announce({ ...node, nodeId, nodeUrl: '' }, STALE_MS)
    await nodes.remove('ends')
    await sql(
      `update nodes set seen_at_ms = seen_at_ms - ${A_DAY_MS + 1} where node_id = 'crashed'`,
    )
    expect((await nodes.read()).nodes).toHaveLength(2)
    await nodes.removeUnseen(A_DAY_MS)
    expect((await nodes.read()).nodes.map(({ nodeId }) => nodeId)).toEqual(['runs'])
  })

  test('the owner is the latest one, with its number', async () => {
    const { nodes, stores } = await open()
    const session = await stores.ownerLock?.connect(() => {})
    await session?.tryLock()
    await session?.becomeOwner(node)
    const { owner, atMs } = await nodes.read()
    expect(owner).toMatchObject({ fence: 1, nodeId: 'run-1', nodeUrl: node.nodeUrl })
    expect(Math.abs((owner?.sinceMs ?? 0) - atMs)).toBeLessThan(60_000)
    await session?.end()
  })
})
