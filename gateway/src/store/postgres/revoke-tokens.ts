import { and, eq, isNull } from 'drizzle-orm'
import type { Queries } from './session.ts'
import { clientTokens } from './tables.ts'

/** Revokes the tokens of a client whose row is locked. @returns how many */
export async function revokeTokens(
  tx: Queries,
  clientRef: number,
  revokedAtMs: number,
): Promise<number> {
  const { rowCount } = await tx
    .update(clientTokens)
    .set({ revokedAtMs })
    .where(and(eq(clientTokens.clientRef, clientRef), isNull(clientTokens.revokedAtMs)))
  return rowCount ?? 0
}
