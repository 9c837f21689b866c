import { and, count, eq, isNotNull, isNull, lt, or } from 'drizzle-orm'
import type { NewAuditEntry } from '../audit-chain.ts'
import { PasskeyTakenError } from '../errors.ts'
import type { Enrolled, Enrolment, NewPasskeyRow, SealedTotp } from '../second-factor-store.ts'
import { recordChange } from './audit-trail.ts'
import { endSessions } from './end-sessions.ts'
import type { Db } from './open.ts'
import { adminSessions, recoveryCodes, secondFactors } from './tables.ts'
import { isTaken, writing } from './write.ts'

type Row = typeof secondFactors.$inferSelect

/** How second factors begin, change and end, and the use of each. */
export function createFactorWrites(db: Db) {
  return { ...createEnrolments(db), ...createChanges(db), ...createUses(db) }
}

function createEnrolments(db: Db) {
  return {
    async insertTotp(
      totp: Pick<Row, 'adminId' | 'name' | 'createdAtMs'>,
      seal: (id: number) => SealedTotp,
      entry: NewAuditEntry,
    ): Promise<Row> {
      return writing(db, () => {
        db.delete(secondFactors)
          .where(and(eq(secondFactors.adminId, totp.adminId), isNull(secondFactors.confirmedAtMs)))
          .run()
        recordChange(db, entry)
        const { id } = db
          .insert(secondFactors)
          .values({ ...totp, kind: 'totp' })
          .returning()
          .get()
        return db
          .update(secondFactors)
          .set(seal(id))
          .where(eq(secondFactors.id, id))
          .returning()
          .get()
      })
    },

    async confirmTotp(
      id: number,
      lastStep: number,
      enrolment: Enrolment,
    ): Promise<Enrolled | undefined> {
      return writing(db, () => {
        const isFirst = isFirstOf(db, id)
        const factor = db
          .update(secondFactors)
          .set({ confirmedAtMs: enrolment.atMs, lastStep })
          .where(and(eq(secondFactors.id, id), isNull(secondFactors.confirmedAtMs)))
          .returning()
          .get()
        return factor === undefined ? undefined : enrol(db, factor, isFirst, enrolment)
      })
    },

    async insertPasskey(passkey: NewPasskeyRow, enrolment: Enrolment): Promise<Enrolled> {
      const { atMs } = enrolment
      try {
        return await writing(db, () => {
          const isFirst = countOf(db, passkey.adminId) === 0
          const factor = db
            .insert(secondFactors)
            .values({ ...passkey, kind: 'passkey', createdAtMs: atMs, confirmedAtMs: atMs })
            .returning()
            .get()
          return enrol(db, factor, isFirst, enrolment)
        })
      } catch (error) {
        throw isTaken(error) ? new PasskeyTakenError() : error
      }
    },
  }
}

function createChanges(db: Db) {
  const isOf = (adminId: number, id: number) =>
    and(
      eq(secondFactors.adminId, adminId),
      eq(secondFactors.id, id),
      isNotNull(secondFactors.confirmedAtMs),
    )
  const find = (adminId: number, id: number) =>
    db.select().from(secondFactors).where(isOf(adminId, id)).get()

  return {
    async rename(
      adminId: number,
      id: number,
      name: string,
      toEntry: (before: Row) => NewAuditEntry,
    ): Promise<Row | undefined> {
      return writing(db, () => {
        const before = find(adminId, id)
        if (before === undefined) return undefined
        recordChange(db, toEntry(before))
        db.update(secondFactors).set({ name }).where(eq(secondFactors.id, id)).run()
        return { ...before, name }
      })
    },

    async remove(
      adminId: number,
      id: number,
      toEntry: (factor: Row, isLast: boolean) => NewAuditEntry,
    ): Promise<boolean> {
      return writing(db, () => {
        const factor = find(adminId, id)
        if (factor === undefined) return false
        db.delete(secondFactors).where(eq(secondFactors.id, id)).run()
        const isLast = countOf(db, adminId) === 0
        if (isLast) db.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId)).run()
        recordChange(db, toEntry(factor, isLast))
        return true
      })
    },

    async replaceCodes(
      adminId: number,
      hashes: readonly string[],
      atMs: number,
      entry: NewAuditEntry,
    ): Promise<boolean> {
      return writing(db, () => {
        if (countOf(db, adminId) === 0) return false
        recordChange(db, entry)
        setCodes(db, adminId, hashes, atMs)
        return true
      })
    },

    async reseal(id: number, totp: SealedTotp): Promise<void> {
      await writing(db, () =>
        db.update(secondFactors).set(totp).where(eq(secondFactors.id, id)).run(),
      )
    },
  }
}

/** Each is one statement: of two that come at once, one finds that it is too late. */
function createUses(db: Db) {
  return {
    async useTotp(id: number, lastStep: number, lastUsedAtMs: number): Promise<boolean> {
      const isNew = or(isNull(secondFactors.lastStep), lt(secondFactors.lastStep, lastStep))
      return writing(
        db,
        () =>
          db
            .update(secondFactors)
            .set({ lastStep, lastUsedAtMs })
            .where(and(eq(secondFactors.id, id), isNotNull(secondFactors.confirmedAtMs), isNew))
            .run().changes > 0,
      )
    },

    async usePasskey(
      id: number,
      counters: { readonly from: number; readonly to: number },
      lastUsedAtMs: number,
    ): Promise<boolean> {
      return writing(
        db,
        () =>
          db
            .update(secondFactors)
            .set({ counter: counters.to, lastUsedAtMs })
            .where(and(eq(secondFactors.id, id), eq(secondFactors.counter, counters.from)))
            .run().changes > 0,
      )
    },

    async useCode(adminId: number, hash: string, usedAtMs: number): Promise<boolean> {
      const isUnused = and(
        eq(recoveryCodes.adminId, adminId),
        eq(recoveryCodes.hash, hash),
        isNull(recoveryCodes.usedAtMs),
      )
      return writing(
        db,
        () => db.update(recoveryCodes).set({ usedAtMs }).where(isUnused).run().changes > 0,
      )
    },
  }
}

function enrol(db: Db, factor: Row, isFirst: boolean, enrolment: Enrolment): Enrolled {
  const { atMs, codeHashes, session, toEntry } = enrolment
  const { adminId } = factor
  recordChange(db, toEntry(factor, isFirst))
  db.update(adminSessions)
    .set({ confirmedAtMs: atMs, factor: factor.kind })
    .where(eq(adminSessions.jti, session.jti))
    .run()
  if (!isFirst) return { factor, isFirst, endedSessions: 0 }
  setCodes(db, adminId, codeHashes, atMs)
  // They began with the password alone.
  return { factor, isFirst, endedSessions: endSessions(db, adminId, atMs, session) }
}

function setCodes(db: Db, adminId: number, hashes: readonly string[], createdAtMs: number): void {
  db.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId)).run()
  db.insert(recoveryCodes)
    .values(hashes.map((hash) => ({ adminId, hash, createdAtMs })))
    .run()
}

function isFirstOf(db: Db, id: number): boolean {
  const factor = db.select().from(secondFactors).where(eq(secondFactors.id, id)).get()
  return factor !== undefined && countOf(db, factor.adminId) === 0
}

/** How many second factors of a person count. */
function countOf(db: Db, adminId: number): number {
  const found = db
    .select({ count: count() })
    .from(secondFactors)
    .where(and(eq(secondFactors.adminId, adminId), isNotNull(secondFactors.confirmedAtMs)))
    .get()
  return found?.count ?? 0
}
