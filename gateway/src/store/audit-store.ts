import { and, asc, type Column, desc, eq, gt, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import {
  type AuditHead,
  type AuditRow,
  type Author,
  FIRST_PREVIOUS_HASH,
  hashOf,
  type NewAuditEntry,
  toAuditRow,
} from './audit-chain.ts'
import {
  asciiLowerCase,
  type Database,
  first,
  type Queries,
  run,
  type Steps,
  theRow,
} from './database.ts'
import { nextStep } from './in-steps.ts'

/** Entries of one piece of an export. */
const PIECE = 1_000

/** A filter of the trail. Texts match in upper and lower case. */
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

interface AuditPage extends AuditFilter {
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

    /** The hash of the first entry, which no other trail has; zeros while there is none. */
    async trail(): Promise<string> {
      const [entry] = await readAfter(db, db.queries, 0, 1)
      return entry?.hash ?? FIRST_PREVIOUS_HASH
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
     * A part of the chain, oldest first, in pieces: from the first entry at or after a time to the
     * entry with the last id. Unlike `all`, it has every entry between those two.
     */
    chain: (
      part: { readonly fromMs?: number | undefined; readonly lastId: number },
      signal?: AbortSignal,
    ): AsyncGenerator<AuditRow[], void> => chain(db, part, signal),

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

async function* chain(
  db: Database,
  { fromMs, lastId }: { readonly fromMs?: number | undefined; readonly lastId: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditRow[], void> {
  let [afterId, hasBegun] = [0, fromMs === undefined]
  while (afterId < lastId) {
    const rows = await db.reading(
      (tx) => readAfter(db, tx, afterId, Math.min(PIECE, lastId - afterId)),
      signal,
    )
    const from = hasBegun ? 0 : rows.findIndex(({ atMs }) => atMs >= (fromMs ?? 0))
    hasBegun = from >= 0
    const part = rows.slice(hasBegun ? from : rows.length).filter(({ id }) => id <= lastId)
    if (part.length > 0) yield part
    afterId = rows.at(-1)?.id ?? lastId
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

/** Appends an entry. Call it inside of `changing`, with the change that it describes. */
export function* appendEntry(db: Database, tx: Queries, entry: NewAuditEntry): Steps<AuditHead> {
  const { auditEntries } = db.tables
  const { highest } = yield* theRow(tx.select({ highest: db.highestAuditId }).from(auditEntries))
  const row = toAuditRow(entry, highest + 1, yield* first(newest(db, tx)))
  yield* run(tx.insert(auditEntries).values(row))
  return { id: row.id, hash: row.hash }
}

/**
 * Appends the entry of a change, when it has one, inside of `changing`. A change that was approved
 * settles its approval there too, so that no crash leaves one without the other.
 */
export function* recordChange(
  db: Database,
  tx: Queries,
  entry: NewAuditEntry | undefined,
): Steps<void> {
  if (entry === undefined) return
  yield* settleApproval(db, tx, entry.author)
  yield* appendEntry(db, tx, entry)
}

/** The approval counts as carried out, and its request is removed. */
export function* settleApproval(db: Database, tx: Queries, author: Author): Steps<void> {
  if (author.approval === undefined) return
  const { id } = author.approval
  const { approvals } = db.tables
  const settled = yield* first(
    tx
      .update(approvals)
      .set({
        ...{ state: 'approved', requestSealed: null, keyId: null },
        ...{ decidedBy: author.actor, decidedAtMs: author.atMs },
      })
      .where(and(eq(approvals.id, id), eq(approvals.state, 'waiting')))
      .returning(),
  )
  // A change may have several entries: the first one settles.
  if (settled === undefined) return
  const { action, subjectKind, subject } = settled
  yield* appendEntry(db, tx, {
    ...{ author, subjectKind, subject },
    ...{ action: 'approval.approved', after: { action } },
  })
}

/** The last entry; no row while there is none. */
function newest({ tables: { auditEntries } }: Database, tx: Queries) {
  return tx
    .select({ id: auditEntries.id, hash: auditEntries.hash })
    .from(auditEntries)
    .orderBy(desc(auditEntries.id))
    .limit(1)
}

/** Entries that one statement reads. */
const STEP = 1_000

interface AuditProblem {
  /** The entry at which the chain breaks. */
  readonly id: number
  readonly problem: string
}

export interface VerifiedAudit {
  readonly entries: number
  readonly head: AuditHead | undefined
  /** The first break; undefined when the chain is whole. */
  readonly broken: AuditProblem | undefined
}

/** What a check of the trail reads. */
interface ReadableTrail {
  /** The entries above an id, lowest first. */
  readAfter(id: number, limit: number): Promise<AuditRow[]>
  head(): Promise<AuditHead | undefined>
  /** The highest id that was ever given. */
  highestId(): Promise<number>
}

/**
 * Verifies a trail from its first entry to its last one.
 * @param known heads that were seen before
 */
async function verifyTrail(
  trail: ReadableTrail,
  known: readonly AuditHead[],
): Promise<VerifiedAudit> {
  const expected = new Map(known.map(({ id, hash }) => [id, hash]))
  // Before the entries: one may be appended while they are read.
  const highestId = await trail.highestId()
  let last: AuditHead = { id: 0, hash: FIRST_PREVIOUS_HASH }
  for (;;) {
    const rows = await trail.readAfter(last.id, STEP)
    for (const row of rows) {
      const problem = problemOf(row, last, expected.get(row.id))
      if (problem !== undefined)
        return { entries: last.id, head: await trail.head(), broken: { id: row.id, problem } }
      last = row
    }
    if (rows.length < STEP) break
  }
  const broken = cutOff(last.id, known, highestId)
  return { entries: last.id, head: await trail.head(), broken }
}

/** What is wrong with an entry that follows another; undefined: nothing. */
function problemOf(
  row: AuditRow,
  last: AuditHead,
  knownHash: string | undefined,
): string | undefined {
  if (row.id !== last.id + 1) return `the entries ${last.id + 1} to ${row.id - 1} are missing`
  if (row.previousHash !== last.hash) return 'it does not follow the entry before it'
  if (row.hash !== hashOf(row)) return 'it was changed'
  if (knownHash !== undefined && knownHash !== row.hash)
    return 'it is not the entry that was seen before under this number'
  return undefined
}

/** What is missing at the end: entries that the database numbered, or that were seen. */
function cutOff(
  lastId: number,
  known: readonly AuditHead[],
  highest: number,
): AuditProblem | undefined {
  const until = Math.max(highest, ...known.map(({ id }) => id))
  if (until <= lastId) return undefined
  return {
    id: lastId + 1,
    problem: `the end was cut off: the entries ${lastId + 1} to ${until} are missing`,
  }
}
