import { adminTables } from './admin-tables.ts'
import { clientTables } from './client-tables.ts'
import { logTables } from './log-tables.ts'
import { orderTables } from './order-tables.ts'
import type { Kit } from './table-kit.ts'

export type Tables = ReturnType<typeof defineTables>

/** Makes the tables that both databases have. */
export function defineTables(kit: Kit) {
  const ofClients = clientTables(kit)
  const { clients } = ofClients
  return {
    ...adminTables(kit),
    ...ofClients,
    ...logTables(kit, clients),
    ...orderTables(kit, clients),
  }
}
