import { pgTable } from 'drizzle-orm/pg-core'
import { text } from './columns.ts'

/**
 * Facts about the database itself, such as the master key's check value. The table keeps its old
 * name on disk.
 */
export const facts = pgTable('settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
})
