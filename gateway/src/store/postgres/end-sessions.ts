import { and, eq, isNull, ne } from 'drizzle-orm'
import type { KeptSession } from '../admin-session-store.ts'
import type { Queries } from './session.ts'
import { adminAddresses, adminSessions } from './tables.ts'

/**
 * Ends the sessions of an admin, and forgets the addresses that they were used from: somebody else
 * may have signed in from one. Call it inside of `changing`, with the change that ends them.
 * @param keep a session that stays, and whose address stays known
 * @returns how many ended
 */
export async function endSessions(
  tx: Queries,
  adminId: number,
  revokedAtMs: number,
  keep?: KeptSession,
): Promise<number> {
  await tx
    .delete(adminAddresses)
    .where(
      and(
        eq(adminAddresses.adminId, adminId),
        keep === undefined ? undefined : ne(adminAddresses.address, keep.address),
      ),
    )
  const { rowCount } = await tx
    .update(adminSessions)
    .set({ revokedAtMs })
    .where(
      and(
        eq(adminSessions.adminId, adminId),
        isNull(adminSessions.revokedAtMs),
        keep === undefined ? undefined : ne(adminSessions.jti, keep.jti),
      ),
    )
  return rowCount ?? 0
}
