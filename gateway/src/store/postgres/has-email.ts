import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { admins } from './tables.ts'

/**
 * Whether an admin has the e-mail in upper or lower case. Without `collate`, `lower` of the value
 * goes by the locale of the database, and that of the column by bytes.
 */
export const hasEmail = (email: string | Placeholder): SQL =>
  sql`lower(${admins.email}) = lower(${sql.param(email, admins.email)} collate "C")`
