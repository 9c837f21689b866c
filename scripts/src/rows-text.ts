import { counted } from './cli.ts'

const NAMES = [
  ['clients', 'client'],
  ['api_keys', 'exchange key'],
  ['admins', 'administrator'],
  ['order_journal', 'order'],
  ['request_logs', 'log row'],
] as const

/** What a database holds, in one line: `3 clients, 5 exchange keys, …`. */
export function rowsText(rows: Readonly<Record<string, number>>): string {
  return NAMES.filter(([table]) => table in rows)
    .map(([table, noun]) => counted(rows[table] ?? 0, noun))
    .join(', ')
}
