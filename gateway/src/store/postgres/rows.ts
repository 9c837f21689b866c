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
  #rows: Map<string, object>[] = []
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
      const rows = this.#rows[use] as Map<string, Row>
      const known = rows.get(key)
      if (known !== undefined) return known
      const row = await read()
      if (row === undefined) return undefined
      if (rows.size >= ROWS_MAX) rows.clear()
      rows.set(key, Object.freeze(row))
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
