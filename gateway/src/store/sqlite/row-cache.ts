import type Database from 'better-sqlite3'

/** What decides whether a request may be sent, and with which keys; whether a token is issued. */
const WATCHED_CHANGES = {
  clients: ['update', 'delete'],
  client_tokens: ['update', 'delete'],
  // Their list is kept too, and ends with the last one that was saved.
  api_keys: ['insert', 'update', 'delete'],
  // That a client has no old secret is kept too.
  old_secrets: ['insert', 'update', 'delete'],
} as const
const ROWS_MAX = 10_000

/** Returns the row with this key, from memory or by reading it. */
type KeptRows<Row extends object> = (
  key: string,
  read: () => Row | undefined,
) => Readonly<Row> | undefined

/**
 * Keeps rows in memory that every request reads. A row is used only while nobody can have changed
 * it: a change by this connection drops all rows at once, through a trigger, and a commit of any
 * other connection is seen in `PRAGMA data_version`, which is asked each time and costs a tenth of
 * a read. So a client that is switched off is off at its next request, as without this.
 */
export class RowCache {
  readonly #kept: Map<string, object>[] = []
  #dataVersion: Database.Statement | undefined
  #version: unknown

  /** Without this, each row is read each time: for a connection that serves no requests. */
  watch(client: Database.Database): void {
    client.function('rows_changed', () => this.#drop())
    for (const [table, changes] of Object.entries(WATCHED_CHANGES))
      for (const change of changes)
        client.exec(
          `create temp trigger ${table}_${change} after ${change} on main.${table} begin select rows_changed(); end`,
        )
    this.#dataVersion = client.prepare('pragma data_version').pluck()
  }

  /** A place for the rows of one statement. A row that does not exist is not kept. */
  keep<Row extends object>(): KeptRows<Row> {
    const rows = new Map<string, Row>()
    this.#kept.push(rows)
    return (key, read) => {
      if (this.#dataVersion === undefined) return read()
      this.#dropIfChanged()
      const known = rows.get(key)
      if (known !== undefined) return known
      const row = read()
      if (row === undefined) return undefined
      if (rows.size >= ROWS_MAX) rows.clear()
      rows.set(key, Object.freeze(row))
      return row
    }
  }

  #dropIfChanged(): void {
    const version = this.#dataVersion?.get()
    if (version === this.#version) return
    this.#drop()
    this.#version = version
  }

  #drop(): void {
    for (const rows of this.#kept) rows.clear()
  }
}
