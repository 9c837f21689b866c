import { asc, eq, lt, sql } from 'drizzle-orm'
import type { NodeStore, StandbyRow } from '../node-store.ts'
import { NOW_MS as now } from './now-ms.ts'
import type { Db } from './open.ts'
import { laneOwners, nodes } from './tables.ts'
import { unsynced, unsyncedValue, writingOnce } from './write.ts'

const NOW_MS = sql.raw(now)

/** An earlier run of a node was seen last before the next one started: two do not share a port. */
const HAS_TWIN = sql<boolean>`exists (select 1 from nodes as other
  where other.node_url = nodes.node_url and other.node_url <> ''
    and other.node_id <> nodes.node_id and other.seen_at_ms > nodes.started_at_ms)`

const otherVersions = (staleMs: number) => sql<string[]>`array(select distinct other.version
  from nodes as other where other.node_id <> nodes.node_id
    and other.seen_at_ms >= ${NOW_MS} - ${staleMs}::bigint order by other.version)`

export function createNodeStore(db: Db): NodeStore {
  return {
    async announce({ keyIds, ...node }, staleMs) {
      const { nodeId, nodeUrl } = node
      const row = { ...node, keyIds: keyIds.join(), seenAtMs: NOW_MS }
      const earlierRun = sql`${nodes.nodeUrl} = ${nodeUrl} and ${nodes.nodeId} <> ${nodeId} and ${nodes.seenAtMs} < ${NOW_MS} - ${staleMs}::bigint`
      const gone = db
        .$with('gone', {})
        .as(db.delete(nodes).where(earlierRun).returning({ nodeId: nodes.nodeId }).getSQL())
      const announced = await writingOnce(db, () =>
        db
          .with(gone)
          .insert(nodes)
          .values({ ...row, startedAtMs: unsyncedValue(NOW_MS) })
          .onConflictDoUpdate({ target: nodes.nodeId, set: row })
          .returning({ atMs: nodes.seenAtMs, hasTwin: HAS_TWIN, versions: otherVersions(staleMs) }),
      )
      return theRow(announced)
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
        db.execute<{ at_ms: number }>(sql`select ${NOW_MS} as at_ms`),
      ])
      return {
        atMs: theRow(now.rows).at_ms,
        nodes: rows.map(({ keyIds, ...row }) => ({ ...row, keyIds: keyIds.split(',') })),
        owner,
        standbys,
      }
    },

    async removeUnseen(forMs) {
      await writingOnce(db, () =>
        db.delete(nodes).where(lt(nodes.seenAtMs, sql`${NOW_MS} - ${forMs}::bigint`)),
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

/** The row that a statement returned which cannot have failed to. */
function theRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The statement returned no row')
  return row
}
