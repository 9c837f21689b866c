import type pg from 'pg'
import { NODE_MISSING_AFTER_MS } from 'schema'
import type { ServerFacts } from '../server-facts.ts'
import { NOW_MS } from './now-ms.ts'

/**
 * The nodes in the table, for commands: also those that were killed or are cut off, until their
 * next run replaces them or they are forgotten. None where the tables are older than that table.
 */
export async function listNodes(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<ServerFacts['nodes']> {
  const { rows: found } = await client.query<{ table: string | null }>(
    `select to_regclass('nodes')::text as table`,
  )
  if ((found[0]?.table ?? null) === null) return []
  const { rows } = await client.query<{
    name: string
    keys: string
    version: string
    seen_ms: number
    is_missing: boolean
  }>(
    `select coalesce(nullif(node_url, ''), node_id) as name, key_ids as keys, version,
       seen_at_ms::float8 as seen_ms,
       seen_at_ms < ${NOW_MS} - ${NODE_MISSING_AFTER_MS} as is_missing
     from nodes order by started_at_ms, node_id`,
  )
  return rows.map(({ name, keys, version, seen_ms, is_missing }) => ({
    node: name,
    keyIds: keys.split(','),
    version,
    missingSinceMs: is_missing ? seen_ms : undefined,
  }))
}
