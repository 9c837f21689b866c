import { createSharedStores } from '../shared-stores.ts'
import type { Stores } from '../stores.ts'
import { createDatabase } from './database.ts'
import { createJournalStore } from './journal-store.ts'
import { createLogStore } from './log-store.ts'
import { createNodeStore } from './node-store.ts'
import { noteRestore } from './note-restore.ts'
import { openPostgres } from './open.ts'
import { createOwnerLock } from './owner-lock.ts'

/** Connects to a database and creates all its stores. @throws what openPostgres throws */
export async function createStores(databaseUrl: string): Promise<Stores> {
  const { db, pendingMigrations, close } = await openPostgres(databaseUrl)
  return {
    ...createSharedStores(createDatabase(db)),
    log: createLogStore(db),
    journal: createJournalStore(db),
    nodes: createNodeStore(db),
    ownerLock: createOwnerLock(databaseUrl, db.identity),
    noteRestore: (nowMs) => noteRestore(db, nowMs),
    onReplaced: (listener) => db.identity.onReplaced(listener),
    requireSound() {
      db.identity.requireSame()
      db.damage.requireNone()
    },
    pendingMigrations,
    close,
  }
}
