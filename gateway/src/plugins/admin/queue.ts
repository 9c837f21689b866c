import { createError } from '@fastify/error'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  dropQueueEntry,
  dropQueueOfClient,
  EXCHANGE_NAMES,
  EXCHANGES,
  listQueue,
  type QueueEntry,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { actsWith } from '../../http/act.ts'
import { routeOf } from '../../http/route.ts'
import { notSent, QueueEntryDroppedError } from '../../lane/errors.ts'
import type { AuditFacts, NewAuditEntry } from '../../store/audit-chain.ts'
import type { AuditStore } from '../../store/audit-store.ts'

const QueueEntryNotFoundError = createError<[id: string]>(
  'QUEUE_ENTRY_NOT_FOUND',
  'The request "%s" is no longer in the queue; it was sent or removed',
  404,
)

/** At most this many entries are listed per exchange: the page is for people, not an export. */
const ENTRIES_MAX = 1000

type QueueParts = Pick<Parts, 'stores' | 'exchanges' | 'nowMs'>

/** The queues of the exchanges: list what waits, drop one request or those of a client. */
export const queueRoutes: FastifyPluginAsyncTypebox<QueueParts> = async (app, parts) => {
  app.route({ ...routeOf(listQueue), handler: async () => list(parts) })
  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<QueueParts>()

const acts = [
  act(dropQueueEntry, {
    entries: ['queue.drop-requested', 'queue.drop'],
    /** @throws QueueEntryNotFoundError */
    async run({ params: { exchange, id }, query }, by, { stores, exchanges }) {
      const { reason = 'no reason given' } = query
      const lane = exchanges.lanes[exchange]
      const queued = lane.list(Number.MAX_SAFE_INTEGER).find((entry) => entry.id === id)
      if (queued === undefined) throw new QueueEntryNotFoundError(id)
      const { clientId, requestId, endpoint } = queued
      const after = { clientId, requestId, endpoint, reason }
      const entry = by.entry({ action: 'queue.drop', ...ofExchange(exchange), after })
      const { dropped } = await recordAround(stores.audit, entry, () => ({
        dropped: lane.drop(id, reason) ? 1 : 0,
      }))
      if (dropped === 0) throw new QueueEntryNotFoundError(id)
      by.log('queued request dropped', { exchange, id, reason })
    },
  }),

  act(dropQueueOfClient, {
    entries: ['queue.drop-requested', 'queue.drop'],
    async run({ params: { exchange }, query }, by, { stores, exchanges }) {
      const { clientId, requestClass, reason = 'no reason given' } = query
      const error = notSent(new QueueEntryDroppedError(EXCHANGE_NAMES[exchange], reason))
      const after = { clientId, requestClass: requestClass ?? 'all', reason }
      const entry = by.entry({ action: 'queue.drop', ...ofExchange(exchange), after })
      const { dropped } = await recordAround(stores.audit, entry, () => ({
        dropped: exchanges.lanes[exchange].dropClient(clientId, error, requestClass),
      }))
      const what = { exchange, ...after, dropped: `${dropped}` }
      by.log('queued requests of a client dropped', what)
      return { dropped }
    },
  }),
]

const ofExchange = (exchange: string) => ({ subjectKind: 'exchange', subject: exchange })

/**
 * Makes a change that no transaction can hold together with its entry: an entry `…-requested` is
 * written first, and one with the result follows.
 * @throws StoreUnwritableError before anything was done, and what the change throws
 */
async function recordAround<T extends AuditFacts>(
  audit: Pick<AuditStore, 'append'>,
  entry: NewAuditEntry & { readonly action: 'queue.drop' },
  change: () => T,
): Promise<T> {
  await audit.append({ ...entry, action: `${entry.action}-requested` })
  const result = change()
  await audit.append({ ...entry, after: { ...entry.after, ...result } })
  return result
}

function list({ exchanges: { lanes } }: QueueParts): QueueEntry[] {
  return EXCHANGES.flatMap((exchange) =>
    lanes[exchange].list(ENTRIES_MAX).map((entry, index) => ({
      id: entry.id,
      exchange,
      clientId: entry.clientId,
      requestClass: entry.jobClass,
      method: entry.method,
      endpoint: entry.endpoint,
      requestId: entry.requestId,
      clientOrderId: entry.order?.clientOrderId ?? null,
      orderId: entry.order?.orderId ?? null,
      position: index + 1,
      waitedMs: Math.round(entry.waitedMs),
      expectedWaitMs: Math.round(entry.expectedWaitMs),
      remainingMs: Math.round(entry.remainingMs),
    })),
  )
}
