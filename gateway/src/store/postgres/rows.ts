/**
 * Returns the row with this key, from memory or by reading it: as it was at `sinceMs`
 * (`performance.now()`) or later. Absent: as it is now.
 */
type KeptRows<Row extends object> = (
  key: string,
  read: () => Promise<Row | undefined>,
  sinceMs?: number,
) => Promise<Readonly<Row> | undefined>

const ROWS_MAX = 10_000

/**
 * Keeps rows in memory that every request reads: of `clients`, `client_tokens`, `api_keys` and
 * `old_secrets`. Before a row is used, the version of all of them is read (`row_changes`), which
 * triggers count up in the transaction of each change. So a client that is switched off at any node
 * is off at its next request at every node. To read the version takes a tenth of the time of a row,
 * and requests that come during one reading share the next one. A request that says since when it
 * runs needs one reading only: one that began after that time is new enough.
 */
export class RowCache {
  readonly #readVersion: () => Promise<number>
  #version: number | undefined
  /** When the last version was asked for that has come. */
  #versionMs = Number.NEGATIVE_INFINITY
  /** When this process last changed a row. */
  #changedMs = Number.NEGATIVE_INFINITY
  /** One map for each use of `keep`. Replaced when a row may have changed. */
  #rows: Map<string, Promise<object | undefined>>[] = []
  #uses = 0
  #running: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined

  /** @param readVersion reads `row_changes.version` from the primary server */
  constructor(readVersion: () => Promise<number>) {
    this.#readVersion = readVersion
  }

  /** A place for the rows of one statement. A row that does not exist is not kept. */
  keep<Row extends object>(): KeptRows<Row> {
    const use = this.#uses++
    return async (key, read, sinceMs = Number.POSITIVE_INFINITY) => {
      if (this.#versionMs < Math.max(sinceMs, this.#changedMs)) await this.#refresh()
      // These maps only: while the row is read, a change may be seen, and the row be an old one.
      this.#rows[use] ??= new Map()
      const rows = this.#rows[use] as Map<string, Promise<Row | undefined>>
      const known = rows.get(key)
      // Also while it is read: a request overtakes none that came before it.
      if (known !== undefined) return known
      if (rows.size >= ROWS_MAX) rows.clear()
      const row = read().then((found) => found && Object.freeze(found))
      rows.set(key, row)
      const forget = () => rows.get(key) === row && rows.delete(key)
      row.then((found) => found ?? forget(), forget)
      return row
    }
  }

  /**
   * This process may have changed a row: every request sees that from now on, as in SQLite, also
   * one that runs already.
   */
  changed(): void {
    this.#changedMs = performance.now()
  }

  /** Resolves once a version that was read after this call is known. */
  #refresh(): Promise<void> {
    // The one that is being read may have been read before a change that the caller knows of.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        const read = this.#read()
        this.#running = read
        return read
      })
    return this.#next
  }

  async #read(): Promise<void> {
    const askedMs = performance.now()
    const version = await this.#readVersion()
    this.#versionMs = askedMs
    if (version === this.#version) return
    this.#version = version
    this.#rows = []
  }
}
