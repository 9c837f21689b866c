import { sql } from 'drizzle-orm'
import { check, pgTable } from 'drizzle-orm/pg-core'
import { integer } from './columns.ts'

/**
 * One row: how often the rows that are kept in memory were changed (`rows.ts`). Triggers in the
 * migration count at the end of each transaction that changes one, so that a transaction holds this
 * row for as long as its commit takes, and cannot deadlock over it.
 */
export const rowChanges = pgTable(
  'row_changes',
  { id: integer('id').primaryKey().default(1), version: integer('version').notNull().default(0) },
  (table) => [check('row_changes_one', sql`${table.id} = 1`)],
)
