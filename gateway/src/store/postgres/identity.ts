import type pg from 'pg'
import { StoreLostError, StoreReplacedError } from '../errors.ts'

/** The fact that has the identity that the database had when a gateway last began to use it. */
export const IDENTITY_NAME = 'database_identity'

/**
 * SQL that identifies the history of a database: the cluster, the timeline of its write-ahead log,
 * the database, and the table of the facts. A dump that is restored is another table at least; a
 * recovery to a point in time and a standby that takes over begin another timeline. Null on a
 * standby, and while the tables are gone. A copy of the files that is started without a recovery
 * has the same identity.
 */
export const IDENTITY = `select case when pg_is_in_recovery() or to_regclass('settings') is null then null else
  concat_ws(' ', (select system_identifier from pg_control_system()),
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
    (select oid from pg_database where datname = current_database()),
    to_regclass('settings')::oid) end as identity`

/** Notices that connections of one process reach different databases. */
export class Identity {
  #first: string | undefined
  #isReplaced = false
  #listener: (() => void) | undefined

  /**
   * Looks at what a connection reaches.
   * @throws StoreReplacedError; StoreLostError on a standby, and while the tables are gone
   */
  async check(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query<{ identity: string | null }>(IDENTITY)
    const found = rows[0]?.identity ?? null
    if (found === null) throw new StoreLostError()
    this.#first ??= found
    if (found === this.#first) return
    const isFirst = !this.#isReplaced
    this.#isReplaced = true
    if (isFirst) this.#listener?.()
    throw new StoreReplacedError()
  }

  /** @throws StoreReplacedError */
  requireSame(): void {
    if (this.#isReplaced) throw new StoreReplacedError()
  }

  /** Calls back once. The listener must not throw. */
  onReplaced(listener: () => void): void {
    this.#listener = listener
    if (this.#isReplaced) listener()
  }
}
