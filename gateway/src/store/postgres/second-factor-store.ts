import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { SecondFactorRow, SecondFactorStore } from '../second-factor-store.ts'
import type { Db } from './open.ts'
import { createFactorWrites } from './second-factor-writes.ts'
import type { Queries } from './session.ts'
import { recoveryCodes, secondFactors } from './tables.ts'

export function createSecondFactorStore(db: Db): SecondFactorStore {
  return { ...createReads(db), ...createFactorWrites(db) }
}

type Reads = Pick<SecondFactorStore, 'list' | 'codesLeft' | 'findUnconfirmed' | 'listSealed'>

function createReads(db: Db): Reads {
  const listOf = db
    .select()
    .from(secondFactors)
    .where(
      and(
        eq(secondFactors.adminId, sql.placeholder('adminId')),
        isNotNull(secondFactors.confirmedAtMs),
      ),
    )
    .orderBy(asc(secondFactors.id))
    .prepare('second_factors_of_admin')

  return {
    list: (adminId) => listOf.execute({ adminId }),

    async codesLeft(adminId) {
      const isLeft = and(eq(recoveryCodes.adminId, adminId), isNull(recoveryCodes.usedAtMs))
      return db.$count(recoveryCodes, isLeft)
    },

    async findUnconfirmed(adminId, id) {
      const [found] = await db
        .select()
        .from(secondFactors)
        .where(
          and(
            eq(secondFactors.adminId, adminId),
            eq(secondFactors.id, id),
            isNull(secondFactors.confirmedAtMs),
          ),
        )
      return found
    },

    async listSealed() {
      return db
        .select()
        .from(secondFactors)
        .where(isNotNull(secondFactors.secretSealed))
        .orderBy(asc(secondFactors.id))
    },
  }
}

/**
 * Removes all second factors and recovery codes of an admin, inside the transaction of the caller.
 * @returns the kinds of the factors that counted, oldest first
 */
export async function removeSecondFactors(
  tx: Queries,
  adminId: number,
): Promise<SecondFactorRow['kind'][]> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId))
  const removed = await tx
    .delete(secondFactors)
    .where(eq(secondFactors.adminId, adminId))
    .returning()
  return removed
    .filter(({ confirmedAtMs }) => confirmedAtMs !== null)
    .sort((one, other) => one.id - other.id)
    .map(({ kind }) => kind)
}
