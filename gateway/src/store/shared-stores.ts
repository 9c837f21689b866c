import { createAdminSessionStore } from './admin-session-store.ts'
import { createAdminStore } from './admin-store.ts'
import { createApiKeyStore } from './api-key-store.ts'
import { createApprovalStore } from './approval-store.ts'
import { createAuditStore } from './audit-store.ts'
import { createClientStore } from './client-store.ts'
import type { Database } from './database.ts'
import { createFactStore } from './fact-store.ts'
import { createHeartbeatStore } from './heartbeat-store.ts'
import { createListenKeyStore } from './listen-key-store.ts'
import { createOpenIdStore } from './openid-store.ts'
import { createOwnPositionStore } from './own-position-store.ts'
import { createQueueMinuteStore } from './queue-minute-store.ts'
import { createSecondFactorStore } from './second-factor-store.ts'
import { createSecretStore } from './secret-store.ts'
import { createStopStore } from './stop-store.ts'
import { createStreamStore } from './stream-store.ts'
import { createTokenStore } from './token-store.ts'
import { createWorkingOrderStore } from './working-order-store.ts'

/** Creates the stores that are written once for both kinds of database. */
export const createSharedStores = (db: Database) => ({
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
  queueMinutes: createQueueMinuteStore(db),
  audit: createAuditStore(db),
  stops: createStopStore(db),
  heartbeats: createHeartbeatStore(db),
  workingOrders: createWorkingOrderStore(db),
  ownPositions: createOwnPositionStore(db),
  streamEvents: createStreamStore(db),
  listenKeys: createListenKeyStore(db),
})

export type SharedStores = ReturnType<typeof createSharedStores>
