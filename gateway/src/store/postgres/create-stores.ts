import type { Stores } from '../stores.ts'
import { createAdminSessionStore } from './admin-session-store.ts'
import { createAdminStore } from './admin-store.ts'
import { createApiKeyStore } from './api-key-store.ts'
import { createApprovalStore } from './approval-store.ts'
import { createAuditStore } from './audit-store.ts'
import { createClientStore } from './client-store.ts'
import { createFactStore } from './fact-store.ts'
import { createHeartbeatStore } from './heartbeat-store.ts'
import { createJournalStore } from './journal-store.ts'
import { createLogStore } from './log-store.ts'
import { createNodeStore } from './node-store.ts'
import { noteRestore } from './note-restore.ts'
import { openPostgres } from './open.ts'
import { createOpenIdStore } from './openid-store.ts'
import { createOwnPositionStore } from './own-position-store.ts'
import { createOwnerLock } from './owner-lock.ts'
import { createQueueMinuteStore } from './queue-minute-store.ts'
import { createSecondFactorStore } from './second-factor-store.ts'
import { createSecretStore } from './secret-store.ts'
import { createStopStore } from './stop-store.ts'
import { createTokenStore } from './token-store.ts'
import { createWorkingOrderStore } from './working-order-store.ts'

/** Connects to a database and creates all its stores. @throws what openPostgres throws */
export async function createStores(databaseUrl: string): Promise<Stores> {
  const { db, pendingMigrations, close } = await openPostgres(databaseUrl)
  return {
    facts: createFactStore(db),
    admins: createAdminStore(db),
    adminSessions: createAdminSessionStore(db),
    openIds: createOpenIdStore(db),
    secondFactors: createSecondFactorStore(db),
    approvals: createApprovalStore(db),
    clients: createClientStore(db),
    secrets: createSecretStore(db),
    tokens: createTokenStore(db),
    apiKeys: createApiKeyStore(db),
    log: createLogStore(db),
    journal: createJournalStore(db),
    queueMinutes: createQueueMinuteStore(db),
    audit: createAuditStore(db),
    stops: createStopStore(db),
    heartbeats: createHeartbeatStore(db),
    workingOrders: createWorkingOrderStore(db),
    ownPositions: createOwnPositionStore(db),
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
