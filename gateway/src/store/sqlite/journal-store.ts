import { createJournalReads } from '../journal-reads.ts'
import { createJournalSearch } from '../journal-search.ts'
import type { JournalStore } from '../journal-store.ts'
import { createDatabase } from './database.ts'
import { createJournalSteps } from './journal-steps.ts'
import { createJournalWrites } from './journal-writes.ts'
import type { Db } from './open.ts'

export function createJournalStore(db: Db): JournalStore {
  const database = createDatabase(db)
  return {
    ...createJournalWrites(db, database),
    ...createJournalReads(database),
    ...createJournalSearch(database),
    ...createJournalSteps(db),
  }
}
