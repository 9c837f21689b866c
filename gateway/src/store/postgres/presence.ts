import pg from 'pg'
import type { LoadedKeys } from '../stores.ts'
import { LOCK_CLASS, LOCKS } from './migrations.ts'
import { toStoreError } from './postgres-error.ts'

/** Of the advisory locks that say which master keys a node has loaded. */
const KEY_CLASS = LOCK_CLASS + 1
const CONNECT_AGAIN_MS = 1_000
const QUESTION_MS = 5_000

/**
 * Tells the other nodes and the commands that this node runs, and which master keys it has loaded:
 * by locks that a connection of its own shares. They end with the process, so none outlives it.
 */
export class Presence {
  readonly #connection: pg.ClientConfig
  #client: pg.Client | undefined
  #keyIds: readonly string[] = []
  /** The locks that the connection has. */
  #held: readonly number[] = []
  #running: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(connection: pg.ClientConfig) {
    this.#connection = {
      ...connection,
      application_name: 'sluice node',
      query_timeout: QUESTION_MS,
      keepAliveInitialDelayMillis: 1_000,
    }
  }

  /** Says which master keys are loaded. @throws when the server cannot be reached */
  announce(keyIds: readonly string[]): Promise<void> {
    this.#keyIds = keyIds
    this.#running = this.#running.catch(() => {}).then(() => this.#tell())
    return this.#running
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running.catch(() => {})
    // What is over already cannot be ended in order.
    await this.#client?.end().catch(() => {})
  }

  async #tell(): Promise<void> {
    if (this.#isClosed) return
    try {
      const client = await this.#connected()
      const wanted = this.#keyIds.map(numberOf)
      // First what is new: a node without any key would look like none.
      for (const number of wanted)
        if (!this.#held.includes(number))
          await client.query(`select pg_advisory_lock_shared(${KEY_CLASS}, ${number})`)
      for (const number of this.#held)
        if (!wanted.includes(number))
          await client.query(`select pg_advisory_unlock_shared(${KEY_CLASS}, ${number})`)
      this.#held = wanted
    } catch (error) {
      this.#drop()
      throw toStoreError(error)
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client
    const client = new pg.Client(this.#connection)
    this.#client = client
    const onEnd = () => {
      if (this.#client === client) this.#drop()
    }
    client.on('error', onEnd)
    client.on('end', onEnd)
    await client.connect()
    await client.query(`select pg_advisory_lock_shared(${LOCK_CLASS}, ${LOCKS.node})`)
    return client
  }

  /** The connection is over, and its locks with it: soon there is another one. */
  #drop(): void {
    const client = this.#client
    this.#client = undefined
    this.#held = []
    void client?.end().catch(() => {})
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      // When it fails, it is tried again.
      this.announce(this.#keyIds).catch(() => {})
    }, CONNECT_AGAIN_MS).unref()
  }
}

/** The nodes that run on a database, with the master keys that each has loaded. */
export async function readPresence(
  client: Pick<pg.ClientBase, 'query'>,
  keyIds: readonly string[],
): Promise<LoadedKeys[]> {
  const { rows } = await client.query<{ address: string | null; keys: string[] }>(
    `select coalesce(host(activity.client_addr), 'this machine') as address,
       array(select objid::text from pg_locks as key
         where key.pid = node.pid and key.locktype = 'advisory' and key.classid = ${KEY_CLASS}) as keys
     from pg_locks as node left join pg_stat_activity as activity using (pid)
     where node.locktype = 'advisory' and node.classid = ${LOCK_CLASS} and node.objid = ${LOCKS.node}
       and node.database = (select oid from pg_database where datname = current_database())
     order by address, node.pid`,
  )
  const names = new Map(keyIds.map((keyId) => [String(numberOf(keyId)), keyId]))
  return rows.map(({ address, keys }) => ({
    node: address ?? 'unknown',
    keyIds: keys.map((key) => names.get(key) ?? 'another key'),
  }))
}

/** The lock of a key: the first 31 bits of its id. */
const numberOf = (keyId: string): number => Number.parseInt(keyId.slice(0, 8), 16) >>> 1
