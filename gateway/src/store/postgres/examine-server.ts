import pg from 'pg'
import { NODE_MISSING_AFTER_MS } from 'schema'
import type { ExaminedServer, ServerFacts, StandbyFacts } from '../server-facts.ts'
import { storesBeside } from './create-stores.ts'
import { findMigrations } from './migrations.ts'
import { listNodes } from './node-store.ts'
import { connectionTo, connectPostgres } from './open.ts'
import { toOpenError } from './postgres-error.ts'
import { isLocal, readDatabaseUrl } from './url.ts'

const QUESTION_MS = 10_000

/** Asks a server about itself, with what every role may read. @throws StoreUnopenableError */
export async function examineServer(
  databaseUrl: string,
  nowMs: () => number,
): Promise<ExaminedServer> {
  const address = readDatabaseUrl(databaseUrl)
  const client = new pg.Client({ ...connectionTo(address), query_timeout: QUESTION_MS })
  // What uses the connection fails as well.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('set default_transaction_read_only to on')
    const general = await readGeneral(client)
    const ofTables = general.hasTables ? await readTables(client) : NO_TABLES
    const facts: ServerFacts = {
      name: address.name,
      isLocal: isLocal(address.host),
      ...(await compareClocks(client, nowMs)),
      ...general,
      ...ofTables,
      standbys: await readStandbys(client),
    }
    const hasTables = facts.pendingMigrations === 0 && facts.newerTables !== 'unusable'
    const isUsable = hasTables && !facts.isStandby
    return { facts, stores: isUsable ? storesBeside(connectPostgres(address)) : undefined }
  } catch (error) {
    throw toOpenError(error, address.name)
  } finally {
    await client.end().catch(() => {})
  }
}

type OfTables = Pick<
  ServerFacts,
  'pendingMigrations' | 'newerTables' | 'owner' | 'nodes' | 'sharedUrls'
>

const NO_TABLES: OfTables = {
  ...{ pendingMigrations: undefined, newerTables: 'none' },
  ...{ owner: undefined, nodes: [], sharedUrls: [] },
}

/** The quickest of some responses: it waited least for this machine. */
async function compareClocks(client: pg.Client, nowMs: () => number) {
  let best = await askTime(client, nowMs)
  for (let count = 0; count < 4; count++) {
    const next = await askTime(client, nowMs)
    if (next.roundTripMs < best.roundTripMs) best = next
  }
  return best
}

async function askTime(client: pg.Client, nowMs: () => number) {
  const startMs = performance.now()
  const askedAtMs = nowMs()
  const { rows } = await client.query<{ at: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at',
  )
  const roundTripMs = performance.now() - startMs
  return { roundTripMs, aheadMs: Number(rows[0]?.at) - askedAtMs - roundTripMs / 2 }
}

interface General {
  readonly version: string
  readonly encrypted: boolean | null
  readonly standby: boolean
  readonly used: number
  readonly max: number
  readonly may_create: boolean
  readonly has_tables: boolean
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly archive_mode: string
  readonly archived_ms: number | null
  readonly archive_failed: boolean
}

async function readGeneral(client: pg.Client) {
  const setting = (name: string) => `current_setting('${name}') as ${name}`
  const { rows } = await client.query<General>(
    `select current_setting('server_version') as version,
       (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted,
       pg_is_in_recovery() as standby,
       (select sum(numbackends)::float8 from pg_stat_database) as used,
       (current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int)::float8 as max,
       coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
       to_regclass('__drizzle_migrations') is not null as has_tables,
       ${['fsync', 'full_page_writes', 'synchronous_commit', 'archive_mode'].map(setting).join()},
       (extract(epoch from last_archived_time) * 1000)::float8 as archived_ms,
       coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as archive_failed
     from pg_stat_archiver`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('The server has no pg_stat_archiver')
  const { fsync, full_page_writes, synchronous_commit, archive_mode } = row
  return {
    version: row.version,
    isEncrypted: row.encrypted === true,
    isStandby: row.standby,
    connections: { used: row.used, max: row.max },
    mayCreate: row.may_create,
    hasTables: row.has_tables,
    settings: { fsync, full_page_writes, synchronous_commit, archive_mode },
    archive: { lastMs: row.archived_ms, failed: row.archive_failed },
  }
}

async function readTables(client: pg.Client): Promise<OfTables> {
  const { pending: pendingMigrations, newer, isTooNew } = await findMigrations(client)
  const newerTables: ServerFacts['newerTables'] = isTooNew
    ? 'unusable'
    : newer > 0
      ? 'usable'
      : 'none'
  if (pendingMigrations > 0 || isTooNew) return { ...NO_TABLES, pendingMigrations, newerTables }
  const { rows } = await client.query<{ url: string; fence: number; since_ms: number }>(
    `select node_url as url, fence::float8 as fence, since_ms::float8 as since_ms
     from lane_owners where node_id <> '' limit 1`,
  )
  const [row] = rows
  return {
    ...{ pendingMigrations, newerTables },
    owner: row && { url: row.url, fence: row.fence, sinceMs: row.since_ms },
    nodes: await listNodes(client),
    sharedUrls: await readSharedUrls(client),
  }
}

/** An earlier run of a node was seen last before the next one started. */
async function readSharedUrls(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ url: string }>(
    `select distinct one.node_url as url from nodes as one join nodes as later using (node_url)
     where node_url <> '' and one.node_id <> later.node_id and one.seen_at_ms > later.started_at_ms
       and one.started_at_ms <= later.started_at_ms
       and least(one.seen_at_ms, later.seen_at_ms) > extract(epoch from clock_timestamp()) * 1000 - $1
     order by 1`,
    [NODE_MISSING_AFTER_MS],
  )
  return rows.map(({ url }) => url)
}

/** On a standby this is about its own standbys, and the position is not known. */
async function readStandbys(client: pg.Client): Promise<readonly StandbyFacts[]> {
  const { rows } = await client.query<StandbyFacts>(
    `select coalesce(application_name, '') as name, state, sync_state as "syncState",
       case when not pg_is_in_recovery()
         then pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 end as "lagBytes"
     from pg_stat_replication order by 1`,
  )
  return rows
}
