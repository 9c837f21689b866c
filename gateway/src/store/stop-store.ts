import { and, asc, eq, isNull } from 'drizzle-orm'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import { type Database, first, requireOwner, run, theRow } from './database.ts'
import { putFacts } from './fact-store.ts'
import type { Tables } from './tables.ts'

export type StopRow = Tables['stops']['$inferSelect']

/** A stop, with who began it; null where that is not known. */
export type KnownStop = StopRow & { readonly startedBy: string | null }

type NewStop = Pick<StopRow, 'scope' | 'reason' | 'cancelOrders' | 'startedAtMs'> & {
  /** Who begins it. */
  readonly startedBy?: string
}

/** The fact that keeps who began the newest stop of a scope, behind the time when it began. */
const startedByFact = (scope: string) => `stop-by.${scope}`

/**
 * The stops of clients, of exchanges and of everything: the newest of each. Its writes throw
 * StoreUnwritableError.
 */
export type StopStore = ReturnType<typeof createStopStore>

export const createStopStore = (db: Database) => ({ ...createReads(db), ...createWrites(db) })

function createReads(db: Database) {
  const { stops, facts } = db.tables
  return {
    async find(scope: string): Promise<KnownStop | undefined> {
      const [found] = await db.queries
        .select({ stop: stops, by: facts.value })
        .from(stops)
        .leftJoin(facts, eq(facts.name, startedByFact(scope)))
        .where(eq(stops.scope, scope))
      if (found === undefined) return undefined
      const { stop, by } = found
      // A restore begins a stop without a person: the fact is then of the one before it.
      const prefix = `${stop.startedAtMs} `
      return { ...stop, startedBy: by?.startsWith(prefix) ? by.slice(prefix.length) : null }
    },

    /** Those that still have orders to cancel. */
    listIncomplete: async (): Promise<StopRow[]> =>
      db.queries
        .select()
        .from(stops)
        .where(
          and(isNull(stops.completedAtMs), isNull(stops.resumedAtMs), eq(stops.cancelOrders, true)),
        )
        .orderBy(asc(stops.startedAtMs), asc(stops.scope)),
  }
}

function createWrites(db: Database) {
  const { stops, clients } = db.tables
  return {
    /**
     * Begins a stop in place of an earlier one of the same scope.
     * @param clientRef the client that is halted with it
     * @param entry of the audit trail
     * @param fence the number under which this node is the owner; undefined where there is no group
     * @throws NotOwnerError: the next owner would not know of it
     */
    begin(
      stop: NewStop,
      clientRef?: number,
      entry?: NewAuditEntry,
      fence?: number,
    ): Promise<StopRow> {
      const row = beginningOf(stop)
      const halted = { stoppedAtMs: stop.startedAtMs, stopReason: stop.reason }
      return db.changing(function* (tx) {
        yield* recordChange(db, tx, entry)
        const { scope, startedBy, startedAtMs } = stop
        if (startedBy !== undefined)
          yield* putFacts(db, tx, { [startedByFact(scope)]: `${startedAtMs} ${startedBy}` })
        if (clientRef !== undefined)
          yield* run(tx.update(clients).set(halted).where(eq(clients.id, clientRef)))
        return yield* theRow(
          tx
            .insert(stops)
            .values(row)
            .onConflictDoUpdate({ target: stops.scope, set: row })
            .returning(),
        )
      }, fence)
    },

    /**
     * Writes how far a stop is; a power cut may lose it.
     * @param fence as for `begin`
     * @throws NotOwnerError
     */
    update: (
      scope: string,
      changes: Partial<Omit<StopRow, 'scope'>>,
      fence?: number,
    ): Promise<void> =>
      db.writingUnsynced(function* (tx) {
        yield* run(tx.update(stops).set(changes).where(eq(stops.scope, scope)))
        yield* requireOwner(db, tx, fence)
      }),

    /**
     * Ends a stop, and lets its client place orders again.
     * @param fence as for `begin`
     * @returns undefined when there was none
     * @throws NotOwnerError
     */
    resume(
      scope: string,
      atMs: number,
      clientRef?: number,
      entry?: NewAuditEntry,
      fence?: number,
    ): Promise<StopRow | undefined> {
      const trading = { stoppedAtMs: null, stopReason: null }
      const isStopped = and(eq(stops.scope, scope), isNull(stops.resumedAtMs))
      return db.changing(function* (tx) {
        yield* recordChange(db, tx, entry)
        if (clientRef !== undefined)
          yield* run(tx.update(clients).set(trading).where(eq(clients.id, clientRef)))
        yield* run(tx.update(stops).set({ resumedAtMs: atMs }).where(isStopped))
        return yield* first(tx.select().from(stops).where(eq(stops.scope, scope)))
      }, fence)
    },
  }
}

/** The row of a stop that begins. */
export const beginningOf = ({ startedBy: _, ...stop }: NewStop): StopRow => ({
  ...stop,
  // Without orders to cancel, there is nothing that could be interrupted.
  completedAtMs: stop.cancelOrders ? null : stop.startedAtMs,
  ...{ resumedAtMs: null, failed: [] },
  ...{ dropped: 0, inFlight: 0, cancelled: 0 },
})
