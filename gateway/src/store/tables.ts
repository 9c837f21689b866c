import {
  adminAddressesTable,
  adminSessionsTable,
  adminsTable,
  approvalsTable,
  auditEntriesTable,
  openIdIdentitiesTable,
  recoveryCodesTable,
  secondFactorsTable,
} from './admin-tables.ts'
import {
  apiKeysTable,
  clientsTable,
  clientTokensTable,
  heartbeatsTable,
  oldSecretsTable,
  removedKeysTable,
  secretUsesTable,
  stopsTable,
} from './client-tables.ts'
import { factsTable, logMinutesTable, queueMinutesTable, requestLogsTable } from './log-tables.ts'
import {
  orderJournalTable,
  orderNamesTable,
  ownPositionOrdersTable,
  workingOrdersTable,
} from './order-tables.ts'
import type { Kit } from './table-kit.ts'

export type Tables = ReturnType<typeof defineTables>

/** Makes the tables that both databases have. */
export function defineTables(kit: Kit) {
  const admins = adminsTable(kit)
  const clients = clientsTable(kit)
  const orderJournal = orderJournalTable(kit, clients)
  return {
    ...{ admins, clients, orderJournal },
    adminSessions: adminSessionsTable(kit, admins),
    adminAddresses: adminAddressesTable(kit, admins),
    openIdIdentities: openIdIdentitiesTable(kit, admins),
    secondFactors: secondFactorsTable(kit, admins),
    recoveryCodes: recoveryCodesTable(kit, admins),
    approvals: approvalsTable(kit, admins),
    auditEntries: auditEntriesTable(kit),
    oldSecrets: oldSecretsTable(kit, clients),
    secretUses: secretUsesTable(kit, clients),
    heartbeats: heartbeatsTable(kit, clients),
    stops: stopsTable(kit),
    clientTokens: clientTokensTable(kit, clients),
    removedKeys: removedKeysTable(kit, clients),
    apiKeys: apiKeysTable(kit, clients),
    facts: factsTable(kit),
    requestLogs: requestLogsTable(kit, clients),
    logMinutes: logMinutesTable(kit, clients),
    queueMinutes: queueMinutesTable(kit),
    orderNames: orderNamesTable(kit, orderJournal),
    workingOrders: workingOrdersTable(kit, clients),
    ownPositionOrders: ownPositionOrdersTable(kit, clients),
  }
}
