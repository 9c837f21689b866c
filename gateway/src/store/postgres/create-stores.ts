import type { Stores } from '../stores.ts'
import { createClientStore } from './client-store.ts'
import { createFactStore } from './fact-store.ts'
import { createJournalStore } from './journal-store.ts'
import { openPostgres } from './open.ts'
import { createWorkingOrderStore } from './working-order-store.ts'

/** The members that are implemented. */
type Members =
  | 'facts'
  | 'clients'
  | 'journal'
  | 'workingOrders'
  | 'requireSound'
  | 'pendingMigrations'
  | 'close'

/** Connects to a database and creates all its stores. @throws what openPostgres throws */
export async function createStores(databaseUrl: string): Promise<Pick<Stores, Members>> {
  const { db, pendingMigrations, close } = await openPostgres(databaseUrl)
  return {
    facts: createFactStore(db),
    clients: createClientStore(db),
    journal: createJournalStore(db),
    workingOrders: createWorkingOrderStore(db),
    requireSound: () => db.damage.requireNone(),
    pendingMigrations,
    close,
  }
}
