import { and, asc, desc, gt, lt, type SQL, sql } from 'drizzle-orm'
import {
  type AuditHead,
  type AuditRow,
  appendEntry,
  FIRST_PREVIOUS_HASH,
  hashOf,
  headOf,
  highestId,
  type NewAuditEntry,
} from './audit-chain.ts'
import { nextStep } from './next-step.ts'
import type { Db } from './open.ts'
import { auditEntries } from './tables.ts'
import { writing } from './write.ts'

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

export interface AuditProblem {
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

/** Entries that one statement examines: about 2 ms. */
const STEP = 1_000

/** The audit trail: entries are appended and read, never changed or removed. */
export function createAuditStore(db: Db) {
  return {
    /**
     * Appends an entry of its own: for acts that change no table.
     * @throws StoreUnwritableError
     */
    async append(entry: NewAuditEntry): Promise<AuditHead> {
      return writing(db, () => appendEntry(db, entry))
    },

    async head(): Promise<AuditHead | undefined> {
      return headOf(db)
    },

    /** A page, newest first. */
    async page({ limit, ...page }: AuditPage, signal?: AbortSignal): Promise<AuditRow[]> {
      const found: AuditRow[] = []
      for await (const rows of walk(db, page, signal)) {
        found.push(...rows.slice(0, limit - found.length))
        if (found.length >= limit) break
      }
      return found
    },

    /** Everything that a filter matches, newest first, in pieces. */
    all: (filter: AuditFilter, signal?: AbortSignal) => walk(db, filter, signal),

    /**
     * Verifies the whole trail. It reads every entry without a pause: for a process of its own.
     * @param known heads that were seen before: the trail must still have these entries
     */
    verify: (known: readonly AuditHead[] = []) => verify(db, known),
  }
}
export type AuditStore = ReturnType<typeof createAuditStore>

/** Examines the entries in steps of their ids, with turns of the event loop between them. */
async function* walk(
  db: Db,
  { beforeId, ...filter }: Omit<AuditPage, 'limit'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditRow[], void> {
  const end = highestId(db) + 1
  // Above the last entry there are no steps to take: a caller may name any id.
  let below = Math.min(beforeId ?? end, end)
  while (below > 1) {
    const rows = db
      .select()
      .from(auditEntries)
      .where(
        and(lt(auditEntries.id, below), gt(auditEntries.id, below - 1 - STEP), ...matches(filter)),
      )
      .orderBy(desc(auditEntries.id))
      .all()
    if (rows.length > 0) yield rows
    below -= STEP
    await nextStep(signal)
  }
}

function matches({ fromMs, toMs, actor, action, subject }: AuditFilter): SQL[] {
  const { atMs, actor: who, action: what, subject: whom } = auditEntries
  return [
    ...(fromMs === undefined ? [] : [sql`${atMs} >= ${fromMs}`]),
    ...(toMs === undefined ? [] : [sql`${atMs} < ${toMs}`]),
    ...(actor === undefined ? [] : [sql`instr(lower(${who}), lower(${actor})) > 0`]),
    ...(action === undefined
      ? []
      : [sql`(${what} = ${action} or instr(${what}, ${`${action}.`}) = 1)`]),
    ...(subject === undefined ? [] : [sql`instr(lower(${whom}), lower(${subject})) > 0`]),
  ]
}

function verify(db: Db, known: readonly AuditHead[]): VerifiedAudit {
  const expected = new Map(known.map(({ id, hash }) => [id, hash]))
  let last: AuditHead = { id: 0, hash: FIRST_PREVIOUS_HASH }
  for (;;) {
    const rows = db
      .select()
      .from(auditEntries)
      .where(gt(auditEntries.id, last.id))
      .orderBy(asc(auditEntries.id))
      .limit(STEP)
      .all()
    for (const row of rows) {
      const problem = problemOf(row, last, expected.get(row.id))
      if (problem !== undefined)
        return { entries: last.id, head: headOf(db), broken: { id: row.id, problem } }
      last = row
    }
    if (rows.length < STEP) break
  }
  return { entries: last.id, head: headOf(db), broken: cutOff(last.id, known, highestId(db)) }
}

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

/** What is missing at the end: entries that SQLite numbered, or that were seen. */
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
