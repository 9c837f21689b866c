import type Database from 'better-sqlite3'

/** Reading every page takes 3 to 5 ms per MB: a third of a second at most for this size. */
const WHOLE_BYTES_MAX = 64 * 1024 ** 2
/** These tables grow with traffic or time. Every other table has a few thousand rows at most. */
const GROWING = [
  'request_logs',
  'log_minutes',
  'log_kinds',
  'log_keys',
  'order_journal',
  'audit_entries',
]

/**
 * Checks at the start whether the database file is damaged. A small file is checked completely. Of
 * a larger one only the tables that decide who may do what are checked: reading gigabytes would
 * delay the start too long. Other damage is found by the check of all pages that follows
 * (`page-check.ts`), or when the page is read.
 * @returns what was found
 */
export function checkPages(
  client: Database.Database,
  wholeBytesMax = WHOLE_BYTES_MAX,
): Error | undefined {
  for (const pragma of checksOf(client, wholeBytesMax)) {
    const found = client.prepare<[], string>(`pragma ${pragma}`).pluck().get()
    if (found !== 'ok') return new Error(found)
  }
  return undefined
}

function checksOf(client: Database.Database, wholeBytesMax: number): readonly string[] {
  const number = (pragma: string) => Number(client.pragma(pragma, { simple: true }))
  if (number('page_count') * number('page_size') <= wholeBytesMax) return ['quick_check(1)']
  return client
    .prepare<[], string>(`select name from sqlite_schema where type = 'table'`)
    .pluck()
    .all()
    .filter((name) => !GROWING.includes(name) && !name.startsWith('sqlite_'))
    .map((name) => `quick_check("${name}")`)
}
