import { createLogRows } from '../log-rows.ts'
import type { LogStore, LogThread } from '../log-store.ts'
import { createDatabase } from './database.ts'
import { createLogIndex } from './log-index.ts'
import { createLogReads } from './log-reads.ts'
import { createLogWriter } from './log-writer.ts'
import type { Db } from './open.ts'

/** @param thread for another connection; undefined: there can be no other */
export function createLogStore(db: Db, thread?: LogThread): LogStore {
  const index = createLogIndex(db)
  return {
    ...createLogWriter(db),
    ...createLogReads(db.$client),
    ...createLogRows(createDatabase(db)),
    ...(thread === undefined ? {} : { thread }),
    updateIndex: index.update,
    unindexedRows: async () => index.unindexedRows(),
  }
}
