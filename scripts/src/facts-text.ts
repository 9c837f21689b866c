const NAMES = [
  ['clients', 'clients'],
  ['api_keys', 'exchange keys'],
  ['admins', 'administrators'],
  ['order_journal', 'orders'],
  ['request_logs', 'log rows'],
] as const

/** What a database holds, in one line: `3 clients, 5 exchange keys, …`. */
export function rowsText(rows: Readonly<Record<string, number>>): string {
  return NAMES.filter(([table]) => table in rows)
    .map(([table, name]) => `${rows[table]} ${name}`)
    .join(', ')
}
