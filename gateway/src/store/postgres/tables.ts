/**
 * Every table. The migration tool and the stores take them from here. What the columns mean is said
 * at the tables of SQLite, which have the same names.
 *
 * JSON is of the type `json`, not `jsonb`: it stays the text that was written, as in SQLite.
 * `jsonb` would put its fields into another order, and an approval hashes what it was asked for.
 */
export * from './tables/admins.ts'
export * from './tables/audit.ts'
export * from './tables/clients.ts'
export * from './tables/facts.ts'
export * from './tables/lane-owners.ts'
export * from './tables/logs.ts'
export * from './tables/nodes.ts'
export * from './tables/orders.ts'
export * from './tables/row-changes.ts'
