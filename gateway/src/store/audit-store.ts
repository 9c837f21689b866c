import { and, asc, type Column, desc, eq, gt, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import type { AuditHead, AuditRow, NewAuditEntry } from './audit-chain.ts'
import { appendEntry, newest } from './audit-trail.ts'
import { asciiLowerCase, type Database, type Queries } from './database.ts'
import { nextStep } from './next-step.ts'
import { type VerifiedAudit, verifyTrail } from './verify-trail.ts'

/** Entries of one piece of an export. */
const PIECE = 1_000

/** What narrows the trail. Texts match in upper and lower case. */
export interface AuditFilter {
  /** At or after this time. */
  readonly fromMs?: number | undefined
  /** Before this time. */
  readonly toMs?: number | undefined
  /** A part of the name. */
  readonly actor?: string | undefined
  /** A whole action, or its part before a dot. */
  readonly action?: string | undefined
  /** A part of the name. */
  readonly subject?: string | undefined
}

export interface AuditPage extends AuditFilter {
  readonly limit: number
  /** Only entries below this id. */
  readonly beforeId?: number | undefined
}

/** The audit trail: entries are appended and read, never changed or removed. */
export type AuditStore = ReturnType<typeof createAuditStore>

export function createAuditStore(db: Database) {
  return {
    /**
     * Appends an entry of its own: for acts that change no table.
     * @param fence for an act of the owner of the exchanges, as for StopStore.begin
     * @throws StoreUnwritableError, NotOwnerError
     */
    append: (entry: NewAuditEntry, fence?: number): Promise<AuditHead> =>
      db.changing((tx) => appendEntry(db, tx, entry), fence),

    async head(): Promise<AuditHead | undefined> {
      return (await newest(db, db.queries))[0]
    },

    /** A page, newest first. */
    async page({ limit, ...page }: AuditPage, signal?: AbortSignal): Promise<AuditRow[]> {
      const found: AuditRow[] = []
      for await (const rows of walk(db, page, signal, Math.min(limit, PIECE))) {
        found.push(...rows.slice(0, limit - found.length))
        if (found.length >= limit) break
      }
      return found
    },

    /** Everything that a filter matches, newest first, in pieces. */
    all: (filter: AuditFilter, signal?: AbortSignal): AsyncGenerator<AuditRow[], void> =>
      walk(db, filter, signal),

    /**
     * Verifies the whole trail. It reads every entry without a pause: for a process of its own.
     * @param known heads that were seen before: the trail must still have these entries
     */
    verify: (known: readonly AuditHead[] = []): Promise<VerifiedAudit> =>
      db.reading((tx) =>
        verifyTrail(
          {
            readAfter: (id, limit) => readAfter(db, tx, id, limit),
            head: async () => (await newest(db, tx))[0],
            highestId: () => highestId(db, tx),
          },
          known,
        ),
      ),
  }
}

/**
 * Examines the entries in steps of their ids, with turns of the event loop between them. Each step
 * is a read of its own: the receiver may be slow, and the entries do not change.
 */
async function* walk(
  db: Database,
  { beforeId, ...filter }: Omit<AuditPage, 'limit'>,
  signal: AbortSignal | undefined,
  rowsMax = PIECE,
): AsyncGenerator<AuditRow[], void> {
  const { auditEntries } = db.tables
  const end = (await db.reading((tx) => highestId(db, tx), signal)) + 1
  // Above the last entry there are no steps to take: a caller may name any id.
  let below = Math.min(beforeId ?? end, end)
  while (below > 1) {
    const from = below - db.examinedAtOnce
    const isIn = and(lt(auditEntries.id, below), gte(auditEntries.id, from), ...matches(db, filter))
    const rows = await db.reading(
      async (tx) =>
        tx.select().from(auditEntries).where(isIn).orderBy(desc(auditEntries.id)).limit(rowsMax),
      signal,
    )
    if (rows.length > 0) yield rows
    // A full piece may not be all of its step.
    below = rows.length < rowsMax ? from : (rows.at(-1)?.id ?? from)
    await nextStep(signal)
  }
}

function matches(
  db: Database,
  { fromMs, toMs, actor, action, subject }: AuditFilter,
): (SQL | undefined)[] {
  const { atMs, actor: who, action: what, subject: whom } = db.tables.auditEntries
  const contains = (column: Column, part: string) =>
    db.contains(sql`lower(${column})`, asciiLowerCase(part))
  return [
    fromMs === undefined ? undefined : gte(atMs, fromMs),
    toMs === undefined ? undefined : lt(atMs, toMs),
    actor === undefined ? undefined : contains(who, actor),
    action === undefined
      ? undefined
      : or(eq(what, action), sql`substr(${what}, 1, ${action.length + 1}) = ${`${action}.`}`),
    subject === undefined ? undefined : contains(whom, subject),
  ]
}

async function highestId(db: Database, tx: Queries): Promise<number> {
  const [found] = await tx.select({ highest: db.highestAuditId }).from(db.tables.auditEntries)
  return found?.highest ?? 0
}

async function readAfter(
  { tables: { auditEntries } }: Database,
  tx: Queries,
  id: number,
  limit: number,
): Promise<AuditRow[]> {
  return tx
    .select()
    .from(auditEntries)
    .where(gt(auditEntries.id, id))
    .orderBy(asc(auditEntries.id))
    .limit(limit)
}
