import { eq } from 'drizzle-orm'
import type { ClientRow } from '../client-store.ts'
import type { Queries } from './session.ts'
import { clients } from './tables.ts'

/**
 * Reads the row of a client inside of `changing` and locks it. A token that is being stored refers
 * to it: either the next statement sees that token, or it is stored after the commit.
 */
export async function lockClient(tx: Queries, id: number): Promise<ClientRow | undefined> {
  const [row] = await tx.select().from(clients).where(eq(clients.id, id)).for('update')
  return row
}
