import { type JournalOrder, type listOrders, ORDERS_MAX, type QueryOf } from 'schema'
import type { ListedOrder } from '../../store/journal-search.ts'
import type { JournalStore } from '../../store/journal-store.ts'

export interface OrderServiceDeps {
  readonly journal: Pick<JournalStore, 'findByName' | 'listUnknown' | 'listNewest'>
}

/** What administrators read of orders. It changes nothing. */
export function createOrderLifeService({ journal }: OrderServiceDeps) {
  return {
    async list({ state, find }: QueryOf<typeof listOrders>): Promise<JournalOrder[]> {
      if (find === undefined)
        return (
          await (state === undefined
            ? journal.listNewest(ORDERS_MAX)
            : journal.listUnknown(ORDERS_MAX))
        ).map(toJournalOrder)
      const rows = await journal.findByName(find, ORDERS_MAX)
      return rows.filter((row) => state === undefined || row.state === state).map(toJournalOrder)
    },
  }
}
export type OrderLifeService = ReturnType<typeof createOrderLifeService>

function toJournalOrder(row: ListedOrder): JournalOrder {
  const { id, exchange, clientId, method, endpoint, clientOrderId, orderId, state, lookups } = row
  return {
    ...{ id, exchange, clientId, method, endpoint, clientOrderId, orderId, state },
    createdAt: toTime(row.createdAtMs),
    sentAt: toTimeOrNull(row.sentAtMs),
    settledAt: toTimeOrNull(row.settledAtMs),
    lookups,
    canBeLookedUp: row.sentAtMs === null || row.canBeLookedUp === 1,
  }
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}

function toTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : toTime(ms)
}
