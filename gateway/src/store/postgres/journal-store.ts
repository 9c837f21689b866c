import type { JournalStore } from '../journal-store.ts'
import { createJournalReads } from './journal-reads.ts'
import { createJournalSearch } from './journal-search.ts'
import { createJournalWrites } from './journal-writes.ts'
import type { Db } from './open.ts'

export function createJournalStore(db: Db): JournalStore {
  return { ...createJournalWrites(db), ...createJournalReads(db), ...createJournalSearch(db) }
}
