import { asc, eq, lt, sql } from 'drizzle-orm'
import type pg from 'pg'
import { NODE_MISSING_AFTER_MS } from 'schema'
import { onlyRow } from '../database.ts'
import type { NodeStore, StandbyRow } from '../node-store.ts'
import type { ServerFacts } from '../server-facts.ts'
import type { Db } from './open.ts'
import { laneOwners, nodes } from './tables.ts'
import { unsynced, unsyncedValue, writingOnce } from './write.ts'

/** SQL: the time of the database in Unix ms. The nodes' own clocks are not compared. */
export const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

const NOW = sql.raw(NOW_MS)

/** An earlier run of a node was seen last before the next one started: two do not share a port. */
const HAS_TWIN = sql<boolean>`exists (select 1 from nodes as other
  where other.node_url = nodes.node_url and other.node_url <> ''
    and other.node_id <> nodes.node_id and other.seen_at_ms > nodes.started_at_ms)`

const otherVersions = (staleMs: number) => sql<string[]>`array(select distinct other.version
  from nodes as other where other.node_id <> nodes.node_id
    and other.seen_at_ms >= ${NOW} - ${staleMs}::bigint order by other.version)`

export function createNodeStore(db: Db): NodeStore {
  return {
    async announce({ keyIds, ...node }, staleMs) {
      const { nodeId, nodeUrl } = node
      const row = { ...node, keyIds: keyIds.join(), seenAtMs: NOW }
      const earlierRun = sql`${nodes.nodeUrl} = ${nodeUrl} and ${nodes.nodeId} <> ${nodeId} and ${nodes.seenAtMs} < ${NOW} - ${staleMs}::bigint`
      const gone = db
        .$with('gone', {})
        .as(db.delete(nodes).where(earlierRun).returning({ nodeId: nodes.nodeId }).getSQL())
      const announced = await writingOnce(db, () =>
        db
          .with(gone)
          .insert(nodes)
          .values({ ...row, startedAtMs: unsyncedValue(NOW) })
          .onConflictDoUpdate({ target: nodes.nodeId, set: row })
          .returning({ atMs: nodes.seenAtMs, hasTwin: HAS_TWIN, versions: otherVersions(staleMs) }),
      )
      return onlyRow(announced)
    },

    async remove(nodeId) {
      await writingOnce(db, () =>
        db.delete(nodes).where(sql`${eq(nodes.nodeId, nodeId)} and ${unsynced}`),
      )
    },

    async read() {
      const [rows, [owner], standbys, now] = await Promise.all([
        db.select().from(nodes).orderBy(asc(nodes.startedAtMs), asc(nodes.nodeId)),
        // The rows of all exchanges are written together.
        db.select().from(laneOwners).limit(1),
        readStandbys(db),
        db.execute<{ at_ms: number }>(sql`select ${NOW} as at_ms`),
      ])
      return {
        atMs: onlyRow(now.rows).at_ms,
        nodes: rows.map(({ keyIds, ...row }) => ({ ...row, keyIds: keyIds.split(',') })),
        owner,
        standbys,
      }
    },

    async removeUnseen(forMs) {
      await writingOnce(db, () =>
        db.delete(nodes).where(lt(nodes.seenAtMs, sql`${NOW} - ${forMs}::bigint`)),
      )
    },
  }
}

/** Without the role `pg_monitor`, the server says only that there are standbys. */
async function readStandbys(db: Db): Promise<StandbyRow[]> {
  const { rows } = await db.execute<{
    name: string
    state: string | null
    lag_bytes: number | null
    lag_ms: number | null
  }>(sql`select application_name as name, state,
      greatest(0, pg_wal_lsn_diff(case when not pg_is_in_recovery() then pg_current_wal_lsn() end, replay_lsn))::bigint as lag_bytes,
      round(extract(epoch from replay_lag) * 1000)::bigint as lag_ms
    from pg_stat_replication order by application_name, pid`)
  return rows.map((row) => ({
    name: row.name,
    state: row.state,
    // Of null and a number, greatest() is the number.
    lagBytes: row.state === null ? null : row.lag_bytes,
    lagMs: row.lag_ms,
  }))
}

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
