import { and, asc, count, eq, isNotNull, isNull } from 'drizzle-orm'
import type { SecondFactorRow, SecondFactorStore } from '../second-factor-store.ts'
import type { Db } from './open.ts'
import { createFactorWrites } from './second-factor-writes.ts'
import { recoveryCodes, secondFactors } from './tables.ts'

export function createSecondFactorStore(db: Db): SecondFactorStore {
  return { ...createReads(db), ...createFactorWrites(db) }
}

function createReads(db: Db) {
  return {
    async list(adminId: number): Promise<SecondFactorRow[]> {
      return db
        .select()
        .from(secondFactors)
        .where(and(eq(secondFactors.adminId, adminId), isNotNull(secondFactors.confirmedAtMs)))
        .orderBy(asc(secondFactors.id))
        .all()
    },

    async codesLeft(adminId: number): Promise<number> {
      const left = db
        .select({ count: count() })
        .from(recoveryCodes)
        .where(and(eq(recoveryCodes.adminId, adminId), isNull(recoveryCodes.usedAtMs)))
        .get()
      return left?.count ?? 0
    },

    async findUnconfirmed(adminId: number, id: number): Promise<SecondFactorRow | undefined> {
      return db
        .select()
        .from(secondFactors)
        .where(
          and(
            eq(secondFactors.adminId, adminId),
            eq(secondFactors.id, id),
            isNull(secondFactors.confirmedAtMs),
          ),
        )
        .get()
    },

    async listSealed(): Promise<SecondFactorRow[]> {
      return db
        .select()
        .from(secondFactors)
        .where(isNotNull(secondFactors.secretSealed))
        .orderBy(asc(secondFactors.id))
        .all()
    },
  }
}

/**
 * Removes all second factors and recovery codes of an admin, inside the transaction of the caller.
 * @returns the kinds of the factors that counted
 */
export function removeSecondFactors(db: Db, adminId: number): SecondFactorRow['kind'][] {
  db.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId)).run()
  return db
    .delete(secondFactors)
    .where(eq(secondFactors.adminId, adminId))
    .returning()
    .all()
    .filter(({ confirmedAtMs }) => confirmedAtMs !== null)
    .map(({ kind }) => kind)
}
