import { sql } from 'drizzle-orm'
import { inSteps, type StepsOptions } from '../in-steps.ts'
import { createLogRows } from '../log-rows.ts'
import type { LogStore } from '../log-store.ts'
import { lockFor } from './advisory-locks.ts'
import { createDatabase } from './database.ts'
import { createLogReads } from './log-reads.ts'
import { createLogWriter } from './log-writer.ts'
import type { Db } from './open.ts'
import { writingUnsynced } from './write.ts'

/** Kinds that one statement looks at. */
const KINDS_AT_ONCE = 500

export function createLogStore(db: Db): LogStore {
  const rows = createLogRows(createDatabase(db))

  return {
    ...createLogWriter(db),
    ...createLogReads(db),
    ...rows,

    // The database keeps its index itself.
    updateIndex: async () => {},
    unindexedRows: async () => 0,

    async removeOlderThan(beforeMs, chunk, options = {}) {
      const removed = await rows.removeOlderThan(beforeMs, chunk, options)
      await removeKinds(db, options)
      return removed
    },
  }
}

/** Removes the kinds that no row of the log has any more. */
async function removeKinds(db: Db, options: StepsOptions): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  await inSteps(async () => {
    const { rows } = await db.execute<{ kind: string; isUsed: boolean }>(
      sql`select kind, ${IS_USED} as "isUsed" from log_kinds where kind > ${after}::uuid
        order by kind limit ${KINDS_AT_ONCE}`,
    )
    const unused = rows.filter(({ isUsed }) => !isUsed).map(({ kind }) => kind)
    if (unused.length > 0)
      await writingUnsynced(db, async (tx) => {
        // No row is being added, so that the next statement sees them all.
        await tx.execute(sql.raw(lockFor('log')))
        await tx.execute(
          sql`delete from log_kinds where kind = any(${sql.param(unused)}::uuid[]) and not ${IS_USED}`,
        )
      })
    after = rows.at(-1)?.kind ?? after
    return rows.length
  }, options)
}

const IS_USED = sql`exists (select 1 from request_logs where request_logs.kind = log_kinds.kind)`
