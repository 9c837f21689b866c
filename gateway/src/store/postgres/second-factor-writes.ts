import { and, eq, isNotNull, isNull, lt, or } from 'drizzle-orm'
import { PasskeyTakenError } from '../errors.ts'
import type {
  Enrolled,
  Enrolment,
  SecondFactorRow,
  SecondFactorStore,
} from '../second-factor-store.ts'
import { recordChange } from './audit-trail.ts'
import { endSessions } from './end-sessions.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { adminSessions, recoveryCodes, secondFactors } from './tables.ts'
import { theRow } from './the-row.ts'
import { changing, isTaken, writingOnce } from './write.ts'

type Enrolments = Pick<SecondFactorStore, 'insertTotp' | 'confirmTotp' | 'insertPasskey'>
type Changes = Pick<SecondFactorStore, 'rename' | 'remove' | 'replaceCodes' | 'reseal'>
type Uses = Pick<SecondFactorStore, 'useTotp' | 'usePasskey' | 'useCode'>

/** How second factors begin, change and end, and the use of each. */
export function createFactorWrites(db: Db): Enrolments & Changes & Uses {
  return { ...createEnrolments(db), ...createChanges(db), ...createUses(db) }
}

function createEnrolments(db: Db): Enrolments {
  return {
    async insertTotp(totp, seal, entry) {
      const isWaiting = and(
        eq(secondFactors.adminId, totp.adminId),
        isNull(secondFactors.confirmedAtMs),
      )
      return changing(db, async (tx) => {
        await tx.delete(secondFactors).where(isWaiting)
        await recordChange(tx, entry)
        const row = { ...totp, kind: 'totp' as const }
        const { id } = theRow(await tx.insert(secondFactors).values(row).returning())
        return theRow(
          await tx.update(secondFactors).set(seal(id)).where(eq(secondFactors.id, id)).returning(),
        )
      })
    },

    async confirmTotp(id, lastStep, enrolment) {
      return changing(db, async (tx) => {
        const [factor] = await tx
          .update(secondFactors)
          .set({ confirmedAtMs: enrolment.atMs, lastStep })
          .where(and(eq(secondFactors.id, id), isNull(secondFactors.confirmedAtMs)))
          .returning()
        return factor === undefined ? undefined : enrol(tx, factor, enrolment)
      })
    },

    async insertPasskey(passkey, enrolment) {
      const { atMs } = enrolment
      const row = { ...passkey, kind: 'passkey' as const, createdAtMs: atMs, confirmedAtMs: atMs }
      try {
        return await changing(db, async (tx) => {
          const factor = theRow(await tx.insert(secondFactors).values(row).returning())
          return enrol(tx, factor, enrolment)
        })
      } catch (error) {
        throw isTaken(error) ? new PasskeyTakenError() : error
      }
    },
  }
}

/** What comes with a factor that counts since a moment ago. */
async function enrol(
  tx: Queries,
  factor: SecondFactorRow,
  { atMs, codeHashes, session, toEntry }: Enrolment,
): Promise<Enrolled> {
  const { adminId } = factor
  const isFirst = (await countOf(tx, adminId)) === 1
  await recordChange(tx, toEntry(factor, isFirst))
  await tx
    .update(adminSessions)
    .set({ confirmedAtMs: atMs, factor: factor.kind })
    .where(eq(adminSessions.jti, session.jti))
  if (!isFirst) return { factor, isFirst, endedSessions: 0 }
  await setCodes(tx, adminId, codeHashes, atMs)
  // They began with the password alone.
  return { factor, isFirst, endedSessions: await endSessions(tx, adminId, atMs, session) }
}

function createChanges(db: Db): Changes {
  return {
    async rename(adminId, id, name, toEntry) {
      return changing(db, async (tx) => {
        const before = await find(tx, adminId, id)
        if (before === undefined) return undefined
        await recordChange(tx, toEntry(before))
        await tx.update(secondFactors).set({ name }).where(eq(secondFactors.id, id))
        return { ...before, name }
      })
    },

    async remove(adminId, id, toEntry) {
      return changing(db, async (tx) => {
        const [factor] = await tx.delete(secondFactors).where(isOf(adminId, id)).returning()
        if (factor === undefined) return false
        const isLast = (await countOf(tx, adminId)) === 0
        if (isLast) await tx.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId))
        await recordChange(tx, toEntry(factor, isLast))
        return true
      })
    },

    async replaceCodes(adminId, hashes, atMs, entry) {
      return changing(db, async (tx) => {
        if ((await countOf(tx, adminId)) === 0) return false
        await recordChange(tx, entry)
        await setCodes(tx, adminId, hashes, atMs)
        return true
      })
    },

    async reseal(id, totp) {
      await writingOnce(db, () =>
        db.update(secondFactors).set(totp).where(eq(secondFactors.id, id)),
      )
    },
  }
}

/** A factor that counts. */
const isOf = (adminId: number, id: number) =>
  and(
    eq(secondFactors.adminId, adminId),
    eq(secondFactors.id, id),
    isNotNull(secondFactors.confirmedAtMs),
  )

async function find(
  tx: Queries,
  adminId: number,
  id: number,
): Promise<SecondFactorRow | undefined> {
  const [found] = await tx.select().from(secondFactors).where(isOf(adminId, id))
  return found
}

/** Each is one statement: of two that come at once, one finds that it is too late. */
function createUses(db: Db): Uses {
  return {
    async useTotp(id, lastStep, lastUsedAtMs) {
      const isNew = or(isNull(secondFactors.lastStep), lt(secondFactors.lastStep, lastStep))
      const { rowCount } = await writingOnce(db, () =>
        db
          .update(secondFactors)
          .set({ lastStep, lastUsedAtMs })
          .where(and(eq(secondFactors.id, id), isNotNull(secondFactors.confirmedAtMs), isNew)),
      )
      return rowCount === 1
    },

    async usePasskey(id, counters, lastUsedAtMs) {
      const { rowCount } = await writingOnce(db, () =>
        db
          .update(secondFactors)
          .set({ counter: counters.to, lastUsedAtMs })
          .where(and(eq(secondFactors.id, id), eq(secondFactors.counter, counters.from))),
      )
      return rowCount === 1
    },

    async useCode(adminId, hash, usedAtMs) {
      const isUnused = and(
        eq(recoveryCodes.adminId, adminId),
        eq(recoveryCodes.hash, hash),
        isNull(recoveryCodes.usedAtMs),
      )
      const { rowCount } = await writingOnce(db, () =>
        db.update(recoveryCodes).set({ usedAtMs }).where(isUnused),
      )
      return (rowCount ?? 0) > 0
    },
  }
}

async function setCodes(
  tx: Queries,
  adminId: number,
  hashes: readonly string[],
  createdAtMs: number,
): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId))
  await tx.insert(recoveryCodes).values(hashes.map((hash) => ({ adminId, hash, createdAtMs })))
}

/** How many second factors of a person count. */
function countOf(tx: Queries, adminId: number): Promise<number> {
  return tx.$count(
    secondFactors,
    and(eq(secondFactors.adminId, adminId), isNotNull(secondFactors.confirmedAtMs)),
  )
}
