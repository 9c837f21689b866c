import { type Db, openStore } from './open.ts'

/** Whether the triggers are there, unchanged, that refuse to change the audit trail. */
export function isAuditGuarded(db: Db): boolean {
  const guards = guardsOf(db)
  return expectedGuards().every((guard) => guards.has(guard))
}

function expectedGuards(): string[] {
  const { db, close } = openStore(':memory:')
  try {
    return [...guardsOf(db)]
  } finally {
    close()
  }
}

/** The triggers of the table, as SQL. */
function guardsOf(db: Db): Set<string> {
  return new Set(
    db.$client
      .prepare<[], string>(
        `select sql from sqlite_schema where type = 'trigger' and tbl_name = 'audit_entries'`,
      )
      .pluck()
      .all(),
  )
}
