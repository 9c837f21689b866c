/**
 * Every table. The migration tool and the stores take them from here. What the columns mean is said
 * at the tables of SQLite, which have the same names.
 */
export * from './tables/admins.ts'
export * from './tables/audit.ts'
export * from './tables/clients.ts'
export * from './tables/facts.ts'
export * from './tables/lane-owners.ts'
export * from './tables/logs.ts'
export * from './tables/orders.ts'
export * from './tables/row-changes.ts'
