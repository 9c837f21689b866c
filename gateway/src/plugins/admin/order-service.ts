import {
  type ExchangeCode,
  type JournalOrder,
  type listOrders,
  ORDERS_MAX,
  type OrderLife,
  type QueryOf,
} from 'schema'
import type { FoundByAdmin } from '../../orders/end-unknown.ts'
import { isLookedUp } from '../../orders/look-up.ts'
import { isSamePlace } from '../../orders/order-names.ts'
import { keyOf } from '../../orders/reconcile.ts'
import { isOfGateway, type UnknownCancels } from '../../orders/unknown-cancels.ts'
import type { WorkingOrders } from '../../orders/working-orders.ts'
import { type ApiKeyStore, accountRefOf } from '../../store/api-key-store.ts'
import {
  hasKey,
  type JournalRow,
  type JournalStore,
  type ListedOrder,
} from '../../store/journal-store.ts'
import type { LifeEvent } from '../../store/life-event.ts'
import type { LogStore } from '../../store/log-store.ts'
import { CancelUnderWayError, OrderNotFoundError, OrderNotUnknownError } from './errors.ts'
import { eventsOf } from './order-events.ts'

export interface OrderServiceDeps {
  readonly journal: Pick<JournalStore, 'find' | 'findByName' | 'listUnknown' | 'listNewest'>
  readonly log: Pick<LogStore, 'findByRequest'>
  readonly apiKeys: Pick<ApiKeyStore, 'find'>
  readonly endUnknown: (id: string, found: FoundByAdmin) => Promise<boolean>
  readonly nowMs: () => number
  readonly workingOrders: Pick<WorkingOrders, 'withIds'>
  readonly unknownCancels: Pick<UnknownCancels, 'isRepeated' | 'ordersOf' | 'triesOf'>
  /** What happened to an order and is in no commit yet, oldest first. */
  readonly unwrittenEventsOf: (id: string) => readonly LifeEvent[]
}

/** A request is entered into the journal soon after it arrived, when its body was read. */
const ARRIVED_BEFORE_MS = 2_000

/** What administrators read of orders, and how they end those of unknown outcome. */
export function createAdminOrderService(deps: OrderServiceDeps) {
  const { journal, log, unknownCancels, unwrittenEventsOf } = deps
  function toJournalOrder(row: Listed, canBeLookedUp: boolean): JournalOrder {
    const tries = unknownCancels.triesOf(row)
    const orders = tries === null ? undefined : unknownCancels.ordersOf(row.id)
    return {
      ...journalOrderOf(row, canBeLookedUp, tries),
      ...(orders === undefined ? {} : { orders }),
    }
  }
  const toList = (rows: readonly ListedOrder[]) =>
    Promise.all(rows.map(async (row) => toJournalOrder(row, await canBeListed(deps, row))))

  return {
    async list({ state, find }: QueryOf<typeof listOrders>): Promise<JournalOrder[]> {
      if (find !== undefined) {
        const rows = await journal.findByName(find, ORDERS_MAX)
        return toList(rows.filter((row) => state === undefined || row.state === state))
      }
      if (state === undefined) return toList(await journal.listNewest(ORDERS_MAX))
      const unknown = await journal.listUnknown(ORDERS_MAX)
      // All tries of a cancel are one entry, also the last while it is still looked up.
      return toList(unknown.filter(({ id }) => !unknownCancels.isRepeated(id)))
    },

    /** @throws OrderNotFoundError */
    async read(id: string): Promise<OrderLife> {
      const row = await journal.find(id)
      if (row === undefined) throw new OrderNotFoundError(id)
      const { createdAtMs, statusCode, contentType, body } = row
      const logRow = await log.findByRequest(id, createdAtMs - ARRIVED_BEFORE_MS, createdAtMs)
      const hasResponse = statusCode !== null && contentType !== null && body !== null
      return {
        ...toJournalOrder(row, await canBeLookedUp(deps, row)),
        clientRow: row.clientRef,
        idempotencyKey: row.idempotencyKey,
        keys: await keysOf(deps, row),
        mayBeOpen: mayBeOpen(deps, row),
        events: eventsOf({
          ...{ row, logRow, unwritten: unwrittenEventsOf(id) },
          related: await relatedOf(deps, row),
        }),
        response: hasResponse ? { statusCode, contentType, body } : null,
        logIds: logRow === undefined ? [] : [logRow.id],
      }
    },

    /**
     * Ends an order of unknown outcome with what an administrator found at the exchange.
     * @throws OrderNotFoundError, OrderNotUnknownError, CancelUnderWayError, StoreUnwritableError
     */
    async end(id: string, found: FoundByAdmin): Promise<JournalOrder> {
      const row = await journal.find(id)
      if (row === undefined) throw new OrderNotFoundError(id)
      const isUnknown = row.state === 'unknown'
      if (isUnknown && isOfGateway(row) && (await canBeLookedUp(deps, row)))
        throw new CancelUnderWayError(id)
      if (!(await deps.endUnknown(id, found))) throw new OrderNotUnknownError(id)
      const ended = (await journal.find(id)) ?? row
      return toJournalOrder(ended, await canBeLookedUp(deps, ended))
    },
  }
}
export type AdminOrderService = ReturnType<typeof createAdminOrderService>

/** Whether the gateway can look it up, with the keys that the client has now. */
async function canBeLookedUp(
  { apiKeys, nowMs }: OrderServiceDeps,
  row: JournalRow,
): Promise<boolean> {
  if (row.state !== 'unknown') return row.sentAtMs === null || hasKey(row)
  const stored = await apiKeys.find(row.clientRef, row.exchange)
  return isLookedUp(row, keyOf(row), stored && accountRefOf(stored), nowMs())
}

async function canBeListed(deps: OrderServiceDeps, listed: ListedOrder): Promise<boolean> {
  const row = listed.state === 'unknown' ? await deps.journal.find(listed.id) : undefined
  if (row !== undefined) return canBeLookedUp(deps, row)
  return listed.sentAtMs === null || listed.canBeLookedUp === 1
}

async function keysOf(
  { apiKeys }: OrderServiceDeps,
  { clientRef, exchange, keysRef, createdAtMs }: JournalRow,
): Promise<OrderLife['keys']> {
  if (keysRef === null) return null
  const stored = await apiKeys.find(clientRef, exchange)
  const isOfAccount = stored !== undefined && accountRefOf(stored) === keysRef
  // Other keys of the account may have come since.
  return isOfAccount && stored.createdAtMs <= createdAtMs
    ? { note: stored.note, isStored: true }
    : { note: null, isStored: false }
}

function mayBeOpen({ workingOrders }: OrderServiceDeps, row: JournalRow): boolean {
  const { clientRef, exchange, orderId, clientOrderId } = row
  const named = keyOf(row)
  if (named === undefined || named.action === 'cancel') return false
  const ids = orderId === null ? { clientOrderId: clientOrderId ?? undefined } : { orderId }
  return workingOrders.withIds(clientRef, exchange, ids).some(({ key }) => isSamePlace(key, named))
}

/** Other requests about the same order: its cancel or change, or the one that placed it. */
async function relatedOf({ journal }: OrderServiceDeps, row: JournalRow): Promise<JournalRow[]> {
  const { orderId, clientOrderId } = row
  const names = [orderId, clientOrderId].filter((name) => name !== null)
  const found = await Promise.all(names.map((name) => journal.findByName(name, ORDERS_MAX)))
  const isRelated = (other: ListedOrder) =>
    other.id !== row.id &&
    other.clientRef === row.clientRef &&
    other.exchange === row.exchange &&
    // A bot may use a client order id again, for another order.
    (orderId === null || other.orderId === null || other.orderId === orderId)
  const ids = new Set(
    found
      .flat()
      .filter(isRelated)
      .map(({ id }) => id),
  )
  const rows = await Promise.all([...ids].map((id) => journal.find(id)))
  const named = keyOf(row)
  const isAboutIt = (other: JournalRow) => {
    const key = keyOf(other)
    return named === undefined || key === undefined || isSamePlace(key, named)
  }
  return rows.filter((each) => each !== undefined).filter(isAboutIt)
}

type Listed = Omit<ListedOrder, 'canBeLookedUp'>

function journalOrderOf(row: Listed, canBeLookedUp: boolean, tries: number | null): JournalOrder {
  const { id, clientId, method, endpoint, clientOrderId, orderId, state, lookups } = row
  const exchange: ExchangeCode = row.exchange
  return {
    ...{ id, exchange, clientId, method, endpoint, clientOrderId, orderId, state },
    createdAt: new Date(row.createdAtMs).toISOString(),
    sentAt: toTimeOrNull(row.sentAtMs),
    settledAt: toTimeOrNull(row.settledAtMs),
    ...{ lookups, tries, canBeLookedUp },
  }
}

function toTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
