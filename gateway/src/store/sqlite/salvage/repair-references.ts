import type Database from 'better-sqlite3'

/** What a lost client's row is replaced by: it cannot sign in, and no secret fits it. */
const LOST = 'lost with a damaged page of the database; npm run salvage made this entry'

interface Reference {
  readonly table: string
  readonly rowid: number
  readonly parent: string
}

interface Repaired {
  readonly lostClients: readonly string[]
  readonly orphans: Readonly<Record<string, number>>
}

/**
 * Deals with rows that refer to rows that are lost. A lost client gets a disabled entry in its
 * place, because its orders must stay known; any other row is removed.
 */
export function repairReferences(client: Database.Database): Repaired {
  const lostClients = addLostClients(client)
  const orphans: Record<string, number> = {}
  for (let found = referencesOf(client); found.length > 0; found = referencesOf(client)) {
    for (const { table, rowid } of found) {
      const { changes } = client.prepare(`delete from "${table}" where rowid = ?`).run(rowid)
      orphans[table] = (orphans[table] ?? 0) + changes
    }
  }
  return { lostClients, orphans }
}

const referencesOf = (client: Database.Database) =>
  client
    .prepare<[], Reference>('select distinct "table", rowid, parent from pragma_foreign_key_check')
    .all()

function addLostClients(client: Database.Database): string[] {
  const refs = new Set<number>()
  for (const { table, rowid, parent } of referencesOf(client)) {
    if (parent !== 'clients') continue
    const read = client.prepare<[number], number>(
      `select client_ref from "${table}" where rowid = ?`,
    )
    refs.add(read.pluck().get(rowid) ?? 0)
  }
  const nameOf = client
    .prepare<[number], string>('select client_id from order_journal where client_ref = ? limit 1')
    .pluck()
  const insert = client.prepare(
    `insert into clients (id, client_id, description, secret_hash, secret_preview, active, created_at_ms, updated_at_ms)
     values (?, ?, '${LOST}', 'lost', 'lost', 0, 0, 0)`,
  )
  const taken = client.prepare('select 1 from clients where client_id = ?')
  const names: string[] = []
  for (const ref of refs) {
    const known = nameOf.get(ref) ?? `lost-${ref}`
    const name = taken.get(known) === undefined ? known : `${known}-lost-${ref}`
    insert.run(ref, name)
    names.push(name)
  }
  return names
}
