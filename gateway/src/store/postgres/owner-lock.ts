import pg from 'pg'
import { EXCHANGES } from 'schema'
import { type LockSession, OWNER_LEASE_MS, type OwnerLock, type OwnerRow } from '../node-store.ts'
import { knownMigrations } from './migrations.ts'
import { NOW_MS } from './node-store.ts'
import { Identity } from './note-restore.ts'
import { connectionTo } from './open.ts'
import { toStoreError } from './postgres-error.ts'
import { MIGRATIONS_CLASS, tryLockFor, unlockFor } from './session.ts'
import { readDatabaseUrl } from './url.ts'

/**
 * The server ends a session that asks nothing for this long. It is longer than the lease of an
 * owner, which counts from before its last question.
 */
const LOCK_IDLE_MS = 5_000
/**
 * The connection is given up when a query has no response by then: a later one renews no lease. One
 * that comes before shows that the session has not ended, so that the owner still is the owner.
 */
const QUESTION_MS = OWNER_LEASE_MS

/**
 * The lock of one owner: an advisory lock of a session. It needs a connection to the server itself,
 * or through a pooler that keeps one server connection for each client connection.
 * @param identity compared at each look, so that nodes notice a restore within a second
 * @param idleMs another time limit of the server, for tests
 */
export function createOwnerLock(
  databaseUrl: string,
  identity = new Identity(),
  idleMs = LOCK_IDLE_MS,
): OwnerLock {
  const connection = connectionTo(readDatabaseUrl(databaseUrl))
  return {
    async connect(onEnd) {
      const client = new pg.Client({
        ...connection,
        application_name: 'sluice owner',
        query_timeout: QUESTION_MS,
        keepAliveInitialDelayMillis: 1_000,
      })
      // It ends with an error or without one; what waits for a response fails as well.
      client.on('error', onEnd)
      client.on('end', onEnd)
      const session = new PostgresLockSession(client, identity)
      try {
        await client.connect()
        await session.prepare(idleMs)
      } catch (error) {
        await session.end()
        throw toStoreError(error)
      }
      return session
    },
  }
}

class PostgresLockSession implements LockSession {
  readonly #client: pg.Client
  readonly #identity: Identity

  constructor(client: pg.Client, identity: Identity) {
    this.#client = client
    this.#identity = identity
  }

  /** Each node has such a session: it also says how many migrations the node knows. */
  async prepare(idleMs: number): Promise<void> {
    await this.#client.query(
      `select pg_advisory_lock_shared(${MIGRATIONS_CLASS}, ${knownMigrations().length});
       set idle_session_timeout = ${idleMs}; set statement_timeout = ${QUESTION_MS};
       set synchronous_commit = on; set default_transaction_isolation = 'read committed'`,
    )
  }

  async tryLock(): Promise<boolean> {
    const [row] = await this.#ask<{ locked: boolean }>(`${tryLockFor('owner')} as locked`)
    return row?.locked === true
  }

  async owner(): Promise<OwnerRow | undefined> {
    await this.#identity.check(this.#client)
    // The rows of all exchanges are written together.
    const [row] = await this.#ask<{ fence: string; node_id: string; node_url: string }>(
      'select fence, node_id, node_url from lane_owners limit 1',
    )
    if (row === undefined) return undefined
    return { fence: Number(row.fence), nodeId: row.node_id, nodeUrl: row.node_url }
  }

  async becomeOwner({ nodeId, nodeUrl }: Pick<OwnerRow, 'nodeId' | 'nodeUrl'>): Promise<number> {
    const [row] = await this.#ask<{ fence: string }>(
      `insert into lane_owners (exchange, fence, node_id, node_url, since_ms)
       select unnest($1::text[]), coalesce((select max(fence) from lane_owners), 0) + 1, $2, $3, ${NOW_MS}
       on conflict (exchange) do update set fence = excluded.fence, node_id = excluded.node_id,
         node_url = excluded.node_url, since_ms = excluded.since_ms
       returning fence`,
      [EXCHANGES, nodeId, nodeUrl],
    )
    return Number(row?.fence)
  }

  async release(): Promise<void> {
    await this.#ask(`update lane_owners set node_id = '', node_url = '', since_ms = ${NOW_MS}`)
    await this.#ask(unlockFor('owner'))
  }

  async end(): Promise<void> {
    // A connection that is over cannot be ended in order.
    await this.#client.end().catch(() => {})
  }

  async #ask<Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    try {
      const { rows } = await this.#client.query<Row>({
        text,
        ...(values && { values: [...values] }),
      })
      return rows
    } catch (error) {
      throw toStoreError(error)
    }
  }
}
