import { and, asc, count, eq, isNotNull, isNull, lt, or } from 'drizzle-orm'
import { endSessions, type KeptSession } from './admin-session-store.ts'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import {
  type Database,
  first,
  hasChanged,
  type Queries,
  run,
  type Steps,
  theRow,
} from './database.ts'
import { PasskeyTakenError } from './errors.ts'
import type { Tables } from './tables.ts'

export type SecondFactorRow = Tables['secondFactors']['$inferSelect']

type SealedTotp = Pick<SecondFactorRow, 'keyId' | 'secretSealed'>

type NewPasskeyRow = Pick<
  SecondFactorRow,
  'adminId' | 'name' | 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'rpId'
>

/** What is stored when a second factor is confirmed. */
export interface Enrolment {
  readonly atMs: number
  /** Stored with the first factor. */
  readonly codeHashes: readonly string[]
  /** The session that adds it: it has shown the factor, and stays when the others end. */
  readonly session: KeptSession
  readonly toEntry: (factor: SecondFactorRow, isFirst: boolean) => NewAuditEntry
}

export interface Enrolled {
  readonly factor: SecondFactorRow
  readonly isFirst: boolean
  readonly endedSessions: number
}

/** What admins show besides their passwords. Its writes throw StoreUnwritableError. */
export function createSecondFactorStore(db: Database) {
  return { ...createReads(db), ...createEnrolments(db), ...createChanges(db), ...createUses(db) }
}

function createReads(db: Database) {
  const { recoveryCodes, secondFactors } = db.tables
  return {
    /** The confirmed factors of an admin, oldest first. */
    list: async (adminId: number): Promise<SecondFactorRow[]> =>
      db.queries
        .select()
        .from(secondFactors)
        .where(isCounted(db, adminId))
        .orderBy(asc(secondFactors.id)),

    /** How many recovery codes of an admin were not used yet. */
    codesLeft: async (adminId: number): Promise<number> =>
      db.queries.$count(
        recoveryCodes,
        and(eq(recoveryCodes.adminId, adminId), isNull(recoveryCodes.usedAtMs)),
      ),

    /** An authenticator app that has not shown a code yet; undefined when there is none. */
    async findUnconfirmed(adminId: number, id: number): Promise<SecondFactorRow | undefined> {
      const isWaiting = and(eq(secondFactors.id, id), isNull(secondFactors.confirmedAtMs))
      const [found] = await db.queries
        .select()
        .from(secondFactors)
        .where(and(eq(secondFactors.adminId, adminId), isWaiting))
      return found
    },

    /** All rows with a sealed secret, oldest first. */
    listSealed: async (): Promise<SecondFactorRow[]> =>
      db.queries
        .select()
        .from(secondFactors)
        .where(isNotNull(secondFactors.secretSealed))
        .orderBy(asc(secondFactors.id)),
  }
}

function createEnrolments(db: Database) {
  const { secondFactors } = db.tables
  return {
    /**
     * Stores the secret of an app, which its first code will confirm. An earlier unconfirmed one of
     * the same person is removed.
     * @param seal is called with the id of the row, which the sealed secret belongs to
     */
    insertTotp: (
      totp: Pick<SecondFactorRow, 'adminId' | 'name' | 'createdAtMs'>,
      seal: (id: number) => SealedTotp,
      entry: NewAuditEntry,
    ): Promise<SecondFactorRow> =>
      db.changing(function* (tx) {
        const isOf = eq(secondFactors.adminId, totp.adminId)
        const isWaiting = and(isOf, isNull(secondFactors.confirmedAtMs))
        yield* run(tx.delete(secondFactors).where(isWaiting))
        yield* recordChange(db, tx, entry)
        const row = { ...totp, kind: 'totp' as const }
        const { id } = yield* theRow(tx.insert(secondFactors).values(row).returning())
        return yield* theRow(
          tx.update(secondFactors).set(seal(id)).where(eq(secondFactors.id, id)).returning(),
        )
      }),

    /**
     * Confirms an app, which has shown its first code.
     * @returns undefined when it is gone, or confirmed already
     */
    confirmTotp: (
      id: number,
      lastStep: number,
      enrolment: Enrolment,
    ): Promise<Enrolled | undefined> =>
      db.changing(function* (tx) {
        const factor = yield* first(
          tx
            .update(secondFactors)
            .set({ confirmedAtMs: enrolment.atMs, lastStep })
            .where(and(eq(secondFactors.id, id), isNull(secondFactors.confirmedAtMs)))
            .returning(),
        )
        return factor === undefined ? undefined : yield* enrol(db, tx, factor, enrolment)
      }),

    /**
     * Stores a passkey, which needs no confirmation.
     * @throws PasskeyTakenError
     */
    async insertPasskey(passkey: NewPasskeyRow, enrolment: Enrolment): Promise<Enrolled> {
      const { atMs } = enrolment
      const row = { ...passkey, kind: 'passkey' as const, createdAtMs: atMs, confirmedAtMs: atMs }
      try {
        return await db.changing(function* (tx) {
          const factor = yield* theRow(tx.insert(secondFactors).values(row).returning())
          return yield* enrol(db, tx, factor, enrolment)
        })
      } catch (error) {
        throw db.isTaken(error) ? new PasskeyTakenError() : error
      }
    },
  }
}

/** What follows when this transaction confirms a factor. */
function* enrol(
  db: Database,
  tx: Queries,
  factor: SecondFactorRow,
  { atMs, codeHashes, session, toEntry }: Enrolment,
): Steps<Enrolled> {
  const { adminSessions } = db.tables
  const { adminId, kind } = factor
  const isFirst = (yield* countOf(db, tx, adminId)) === 1
  yield* recordChange(db, tx, toEntry(factor, isFirst))
  const shown = { confirmedAtMs: atMs, factor: kind }
  yield* run(tx.update(adminSessions).set(shown).where(eq(adminSessions.jti, session.jti)))
  if (!isFirst) return { factor, isFirst, endedSessions: 0 }
  yield* setCodes(db, tx, adminId, codeHashes, atMs)
  // They began with the password alone.
  const endedSessions = yield* endSessions(db, tx, adminId, atMs, session)
  return { factor, isFirst, endedSessions }
}

function createChanges(db: Database) {
  const { recoveryCodes, secondFactors } = db.tables
  const isOf = (adminId: number, id: number) =>
    and(isCounted(db, adminId), eq(secondFactors.id, id))

  return {
    /** @returns undefined when the person has no such factor */
    rename: (
      adminId: number,
      id: number,
      name: string,
      toEntry: (before: SecondFactorRow) => NewAuditEntry,
    ): Promise<SecondFactorRow | undefined> =>
      db.changing(function* (tx) {
        const before = yield* first(tx.select().from(secondFactors).where(isOf(adminId, id)))
        if (before === undefined) return undefined
        yield* recordChange(db, tx, toEntry(before))
        yield* run(tx.update(secondFactors).set({ name }).where(eq(secondFactors.id, id)))
        return { ...before, name }
      }),

    /**
     * Removes a factor; with the last one the recovery codes.
     * @returns whether the person had it
     */
    remove: (
      adminId: number,
      id: number,
      toEntry: (factor: SecondFactorRow, isLast: boolean) => NewAuditEntry,
    ): Promise<boolean> =>
      db.changing(function* (tx) {
        const factor = yield* first(tx.delete(secondFactors).where(isOf(adminId, id)).returning())
        if (factor === undefined) return false
        const isLast = (yield* countOf(db, tx, adminId)) === 0
        if (isLast) yield* run(tx.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId)))
        yield* recordChange(db, tx, toEntry(factor, isLast))
        return true
      }),

    /**
     * Gives a person new recovery codes; the older ones end.
     * @returns false when there is no second factor, and so nothing to recover
     */
    replaceCodes: (
      adminId: number,
      hashes: readonly string[],
      atMs: number,
      entry: NewAuditEntry,
    ): Promise<boolean> =>
      db.changing(function* (tx) {
        if ((yield* countOf(db, tx, adminId)) === 0) return false
        yield* recordChange(db, tx, entry)
        yield* setCodes(db, tx, adminId, hashes, atMs)
        return true
      }),

    /** Stores the same secret sealed again. */
    async reseal(id: number, totp: SealedTotp): Promise<void> {
      const isIt = eq(secondFactors.id, id)
      await db.once((queries) => queries.update(secondFactors).set(totp).where(isIt))
    },
  }
}

/** Each is one statement: of two that come at once, one finds that it is too late. */
function createUses(db: Database) {
  const { recoveryCodes, secondFactors } = db.tables
  return {
    /** @returns whether no code of this time step, or of a later one, was taken before */
    async useTotp(id: number, lastStep: number, lastUsedAtMs: number): Promise<boolean> {
      const isNew = or(isNull(secondFactors.lastStep), lt(secondFactors.lastStep, lastStep))
      const isIt = and(eq(secondFactors.id, id), isNotNull(secondFactors.confirmedAtMs), isNew)
      const used = { lastStep, lastUsedAtMs }
      return hasChanged(db, (queries) => queries.update(secondFactors).set(used).where(isIt))
    },

    /** @returns whether the counter is still the one that the signature was compared with */
    async usePasskey(
      id: number,
      counters: { readonly from: number; readonly to: number },
      lastUsedAtMs: number,
    ): Promise<boolean> {
      const isIt = and(eq(secondFactors.id, id), eq(secondFactors.counter, counters.from))
      const used = { counter: counters.to, lastUsedAtMs }
      return hasChanged(db, (queries) => queries.update(secondFactors).set(used).where(isIt))
    },

    /** @returns whether the person has such a code, and had not used it */
    async useCode(adminId: number, hash: string, usedAtMs: number): Promise<boolean> {
      const isUnused = and(
        eq(recoveryCodes.adminId, adminId),
        eq(recoveryCodes.hash, hash),
        isNull(recoveryCodes.usedAtMs),
      )
      const set = { usedAtMs }
      return hasChanged(db, (queries) => queries.update(recoveryCodes).set(set).where(isUnused))
    },
  }
}

/**
 * Removes all second factors and recovery codes of an admin, inside the transaction of the caller.
 * @returns the kinds of the confirmed factors, oldest first
 */
export function* removeSecondFactors(
  { tables: { recoveryCodes, secondFactors } }: Database,
  tx: Queries,
  adminId: number,
): Steps<SecondFactorRow['kind'][]> {
  yield* run(tx.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId)))
  const removed = yield* run(
    tx.delete(secondFactors).where(eq(secondFactors.adminId, adminId)).returning(),
  )
  return removed
    .filter(({ confirmedAtMs }) => confirmedAtMs !== null)
    .toSorted((one, other) => one.id - other.id)
    .map(({ kind }) => kind)
}

const isCounted = ({ tables: { secondFactors } }: Database, adminId: number) =>
  and(eq(secondFactors.adminId, adminId), isNotNull(secondFactors.confirmedAtMs))

/** How many confirmed second factors a person has. */
function* countOf(db: Database, tx: Queries, adminId: number): Steps<number> {
  const { secondFactors } = db.tables
  const counted = tx.select({ count: count() }).from(secondFactors).where(isCounted(db, adminId))
  return (yield* theRow(counted)).count
}

function* setCodes(
  { tables: { recoveryCodes } }: Database,
  tx: Queries,
  adminId: number,
  hashes: readonly string[],
  createdAtMs: number,
): Steps<void> {
  yield* run(tx.delete(recoveryCodes).where(eq(recoveryCodes.adminId, adminId)))
  const rows = hashes.map((hash) => ({ adminId, hash, createdAtMs }))
  yield* run(tx.insert(recoveryCodes).values(rows))
}
