/** Returns the row with this key, from memory or by reading it. */
export type KeptRows<Row extends object> = (
  key: string,
  read: () => Promise<Row | undefined>,
) => Promise<Readonly<Row> | undefined>

const ROWS_MAX = 10_000

/**
 * Keeps rows in memory that every request reads: of `clients`, `client_tokens`, `api_keys` and
 * `old_secrets`. Before a row is used, the version of all of them is read (`row_changes`), which
 * triggers count up in the transaction of each change, whoever makes it. So a client that is
 * switched off at any node is off at its next request at every node. A request makes one round trip
 * for each row, which is a tenth of reading it, and requests that come meanwhile share the next.
 */
export class RowCache {
  readonly #readVersion: () => Promise<number>
  #version: number | undefined
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
    return async (key, read) => {
      await this.#refresh()
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
    const version = await this.#readVersion()
    if (version === this.#version) return
    this.#version = version
    this.#rows = []
  }
}
