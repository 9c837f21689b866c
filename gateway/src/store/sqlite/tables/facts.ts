import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Facts about the database itself, such as the master key's check value. The table keeps its old
 * name on disk.
 */
export const facts = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
})
