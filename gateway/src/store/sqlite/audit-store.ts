import { and, asc, desc, gt, lt, type SQL, sql } from 'drizzle-orm'
import type { AuditHead, AuditRow, NewAuditEntry } from '../audit-chain.ts'
import type { AuditFilter, AuditPage, AuditStore } from '../audit-store.ts'
import { verifyTrail } from '../verify-trail.ts'
import { appendEntry, headOf, highestId } from './audit-trail.ts'
import { nextStep } from './next-step.ts'
import type { Db } from './open.ts'
import { auditEntries } from './tables.ts'
import { writing } from './write.ts'

/** Entries that one statement examines: about 2 ms. */
const STEP = 1_000

export function createAuditStore(db: Db): AuditStore {
  return {
    async append(entry: NewAuditEntry): Promise<AuditHead> {
      return writing(db, () => appendEntry(db, entry))
    },

    async head(): Promise<AuditHead | undefined> {
      return headOf(db)
    },

    async page({ limit, ...page }: AuditPage, signal?: AbortSignal): Promise<AuditRow[]> {
      const found: AuditRow[] = []
      for await (const rows of walk(db, page, signal)) {
        found.push(...rows.slice(0, limit - found.length))
        if (found.length >= limit) break
      }
      return found
    },

    all: (filter: AuditFilter, signal?: AbortSignal) => walk(db, filter, signal),

    verify: (known: readonly AuditHead[] = []) =>
      verifyTrail(
        {
          readAfter: (id, limit) => readAfter(db, id, limit),
          head: () => headOf(db),
          highestId: () => highestId(db),
        },
        known,
      ),
  }
}

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

function readAfter(db: Db, id: number, limit: number): AuditRow[] {
  return db
    .select()
    .from(auditEntries)
    .where(gt(auditEntries.id, id))
    .orderBy(asc(auditEntries.id))
    .limit(limit)
    .all()
}
