import { Readable } from 'node:stream'
import compress from '@fastify/compress'
import { createError } from '@fastify/error'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  endOrder,
  exportOrders,
  getOrderLife,
  getOrderSums,
  listOrders,
  ORDERS_MAX,
  type OrderLife,
  type QueryOf,
} from 'schema'
import { actsWith } from '../../http/act.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import { isSamePlace } from '../../orders/order-names.ts'
import { keyOf } from '../../orders/reconcile.ts'
import { isOfGateway } from '../../orders/unknown-cancels.ts'
import { accountRefOf } from '../../store/api-key-store.ts'
import type { JournalRow, ListedOrder } from '../../store/journal-store.ts'
import { Turns } from '../../upstream/in-turn.ts'
import { eventsOf, refusalOf } from './order-events.ts'
import {
  canBeLookedUp,
  fileOf,
  type OrderParts,
  pageOf,
  sumUp,
  toJournalOrder,
} from './order-list.ts'

const OrderNotFoundError = createError<[id: string]>(
  'ORDER_NOT_FOUND',
  'No order, change or cancel has the request id "%s"; it may be older than the log is kept',
  404,
)

const OrderNotUnknownError = createError<[id: string]>(
  'ORDER_NOT_UNKNOWN',
  'The outcome of the request "%s" is known, or it is still being carried out; read it again',
  409,
)

/** A wrong end would take an order that is open off the list of those that the gateway cancels. */
const CancelUnderWayError = createError<[id: string]>(
  'CANCEL_UNDER_WAY',
  'The gateway itself makes the cancel "%s", and looks up what became of it: nobody has to end it. If the order must be gone now, cancel it at the exchange; the gateway finds that out',
  409,
)

const TYPES: Record<NonNullable<QueryOf<typeof exportOrders>['format']>, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
}

/** A request is entered into the journal soon after it arrived, when its body was read. */
const ARRIVED_BEFORE_MS = 2_000

/** What administrators read of orders, and how they end those of unknown outcome. */
export const orderRoutes: FastifyPluginAsyncTypebox<OrderParts> = async (app, given) => {
  const parts = { ...given, turns: new Turns() }
  app.route({
    ...routeOf(listOrders),
    handler: async (request, reply) => {
      reply.header('x-kept-days', parts.config.logRetentionMs / 86_400_000)
      const { orders, next } = await pageOf(parts, request.query)
      if (next !== undefined) reply.header('x-next-before', next)
      return orders
    },
  })

  app.route({
    ...routeOf(getOrderSums),
    handler: (request) => sumUp(parts, request.query),
  })

  await app.register(compress, { global: false, encodings: ['gzip'] })
  app.route({
    ...textRouteOf(exportOrders),
    compress: { encodings: ['gzip'], customTypes: /^(?:text\/csv|application\/jsonl)/ },
    handler: async (request, reply) => {
      const { format = 'csv' } = request.query
      const date = new Date(parts.nowMs()).toISOString().slice(0, 10)
      return reply
        .header('content-disposition', `attachment; filename="orders-${date}.${format}"`)
        .header('cache-control', 'no-store')
        .type(TYPES[format])
        .send(Readable.from(fileOf(parts, request.query)))
    },
  })

  app.route({
    ...routeOf(getOrderLife),
    handler: async (request) => read(parts, request.params.id),
  })

  app.route(endWith(parts))
}

const act = actsWith<OrderParts>()

const endWith = act(endOrder, {
  entries: ['order.ended'],
  /**
   * Ends an order of unknown outcome with what an administrator found at the exchange.
   * @throws OrderNotFoundError, OrderNotUnknownError, CancelUnderWayError, StoreUnwritableError
   */
  async run({ params: { id }, body: { outcome, reason } }, by, parts) {
    const { journal } = parts.stores
    const row = await journal.find(id)
    if (row === undefined) throw new OrderNotFoundError(id)
    const isUnknown = row.state === 'unknown'
    if (isUnknown && isOfGateway(row) && (await canBeLookedUp(parts, row)))
      throw new CancelUnderWayError(id)
    const found = { outcome, reason, author: by.author }
    if (!(await parts.orders.endUnknown(id, found))) throw new OrderNotUnknownError(id)
    const ended = (await journal.find(id)) ?? row
    const canBe = await canBeLookedUp(parts, ended)
    const shown = toJournalOrder(parts, ended, canBe, mayBeOpen(parts, ended))
    by.log('order ended', { id, outcome, reason })
    return shown
  },
})

/** @throws OrderNotFoundError */
async function read(parts: OrderParts, id: string): Promise<OrderLife> {
  const { journal, log } = parts.stores
  const row = await journal.find(id)
  if (row === undefined) throw new OrderNotFoundError(id)
  const { createdAtMs, statusCode, contentType, body } = row
  const logRow = await log.findByRequest(id, createdAtMs - ARRIVED_BEFORE_MS, createdAtMs)
  const hasResponse = statusCode !== null && contentType !== null && body !== null
  return {
    ...toJournalOrder(parts, row, await canBeLookedUp(parts, row), mayBeOpen(parts, row)),
    clientRow: row.clientRef,
    idempotencyKey: row.idempotencyKey,
    keys: await keysOf(parts, row),
    refusal: refusalOf(row),
    events: eventsOf({
      ...{ row, logRow, unwritten: parts.orders.unwrittenEventsOf(id) },
      related: await relatedOf(parts, row),
    }),
    response: hasResponse ? { statusCode, contentType, body } : null,
    logIds: logRow === undefined ? [] : [logRow.id],
  }
}

async function keysOf(
  { stores }: OrderParts,
  { clientRef, exchange, keysRef, createdAtMs }: JournalRow,
): Promise<OrderLife['keys']> {
  if (keysRef === null) return null
  const stored = await stores.apiKeys.find(clientRef, exchange)
  const isOfAccount = stored !== undefined && accountRefOf(stored) === keysRef
  // Other keys of the account may have come since.
  return isOfAccount && stored.createdAtMs <= createdAtMs
    ? { note: stored.note, isStored: true }
    : { note: null, isStored: false }
}

function mayBeOpen({ orders: { workingOrders } }: OrderParts, row: JournalRow): boolean {
  const { clientRef, exchange, orderId, clientOrderId } = row
  const named = keyOf(row)
  if (named === undefined || named.action === 'cancel') return false
  const ids = orderId === null ? { clientOrderId: clientOrderId ?? undefined } : { orderId }
  return workingOrders.withIds(clientRef, exchange, ids).some(({ key }) => isSamePlace(key, named))
}

/** Other requests about the same order: its cancel or change, or the one that placed it. */
async function relatedOf({ stores }: OrderParts, row: JournalRow): Promise<JournalRow[]> {
  const { journal } = stores
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
