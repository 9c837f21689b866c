import { and, asc, desc, eq, gt, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import type { AuditRow } from '../audit-chain.ts'
import type { AuditFilter, AuditPage, AuditStore } from '../audit-store.ts'
import { verifyTrail } from '../verify-trail.ts'
import { appendEntry, headOf, highestId } from './audit-trail.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { auditEntries } from './tables.ts'
import { changing, reading } from './write.ts'

/** Entries of one piece of an export. */
const PIECE = 1_000

export function createAuditStore(db: Db): AuditStore {
  return {
    async append(entry, fence) {
      return changing(db, (tx) => appendEntry(tx, entry), fence)
    },

    async head() {
      return headOf(db)
    },

    async page(page, signal) {
      return reading(db, (tx) => newest(tx, page), signal)
    },

    all: (filter, signal) => walk(db, filter, signal),

    async verify(known = []) {
      return reading(db, (tx) =>
        verifyTrail(
          {
            readAfter: (id, limit) => readAfter(tx, id, limit),
            head: () => headOf(tx),
            highestId: () => highestId(tx),
          },
          known,
        ),
      )
    },
  }
}

/** Each piece is a read of its own: the receiver may be slow, and the entries do not change. */
async function* walk(
  db: Db,
  filter: AuditFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditRow[], void> {
  let beforeId: number | undefined
  for (;;) {
    const piece = { ...filter, beforeId, limit: PIECE }
    const rows = await reading(db, (tx) => newest(tx, piece), signal)
    if (rows.length > 0) yield rows
    if (rows.length < PIECE) return
    beforeId = rows.at(-1)?.id
  }
}

/** The newest entries that a filter matches, below an id. */
async function newest(tx: Queries, { limit, beforeId, ...filter }: AuditPage): Promise<AuditRow[]> {
  return tx
    .select()
    .from(auditEntries)
    .where(
      and(beforeId === undefined ? undefined : lt(auditEntries.id, beforeId), ...matches(filter)),
    )
    .orderBy(desc(auditEntries.id))
    .limit(limit)
}

function matches({ fromMs, toMs, actor, action, subject }: AuditFilter): (SQL | undefined)[] {
  const { atMs, actor: who, action: what, subject: whom } = auditEntries
  return [
    fromMs === undefined ? undefined : gte(atMs, fromMs),
    toMs === undefined ? undefined : lt(atMs, toMs),
    actor === undefined ? undefined : has(who, actor),
    action === undefined
      ? undefined
      : or(eq(what, action), sql`starts_with(${what}, ${sql.param(`${action}.`, what)})`),
    subject === undefined ? undefined : has(whom, subject),
  ]
}

/**
 * Whether a column has a part in upper or lower case. Without `collate`, `lower` of the part goes
 * by the locale of the database.
 */
const has = (column: typeof auditEntries.actor | typeof auditEntries.subject, part: string) =>
  sql`strpos(lower(${column}), lower(${sql.param(part, column)} collate "C")) > 0`

async function readAfter(tx: Queries, id: number, limit: number): Promise<AuditRow[]> {
  return tx
    .select()
    .from(auditEntries)
    .where(gt(auditEntries.id, id))
    .orderBy(asc(auditEntries.id))
    .limit(limit)
}
