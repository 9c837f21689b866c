import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode, type QueueEntry } from 'schema'
import { notSent, QueueEntryDroppedError } from '../../lane/errors.ts'
import type { JobClass } from '../../lane/job.ts'
import { toPublicState } from '../../lane/lane-snapshot.ts'
import type { Lane } from '../../lane/lane-types.ts'
import type { StopOrder, Stops } from '../../orders/stops.ts'
import type { AuditFacts, Author, NewAuditEntry } from '../../store/audit-chain.ts'
import type { AuditStore } from '../../store/audit-store.ts'
import type { JudgedResponse } from '../../upstream/judged-response.ts'
import { recordAround } from './audit-facts.ts'
import { QueueEntryNotFoundError } from './errors.ts'

export interface QueueServiceDeps {
  readonly lanes: Readonly<
    Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'list' | 'drop' | 'dropClient' | 'snapshot'>>
  >
  readonly stops: Pick<Stops, 'stop' | 'resume'>
  readonly audit: Pick<AuditStore, 'append'>
}

/** Which requests of a client are dropped, and why. */
export interface DropOrder {
  readonly clientId: string
  readonly reason: string
  /** All classes when absent. */
  readonly requestClass?: JobClass | undefined
}

/** At most this many entries are listed per exchange: the page is for people, not an export. */
const ENTRIES_MAX = 1000

/**
 * The queues of the exchanges, and the two ways to intervene: drop one request, or stop an
 * exchange.
 */
export function createQueueService({ lanes, stops, audit }: QueueServiceDeps) {
  const stateOf = (exchange: ExchangeCode, dropped: number) => {
    const { state, reason } = lanes[exchange].snapshot()
    return { exchange, state: toPublicState(state), reason, dropped }
  }

  return {
    list(): QueueEntry[] {
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
    },

    /** @throws QueueEntryNotFoundError */
    async drop(exchange: ExchangeCode, id: string, reason: string, author: Author): Promise<void> {
      const queued = lanes[exchange].list(Number.MAX_SAFE_INTEGER).find((entry) => entry.id === id)
      if (queued === undefined) throw new QueueEntryNotFoundError(id)
      const { clientId, requestId, endpoint } = queued
      const entry = dropEntry(author, exchange, { clientId, requestId, endpoint, reason })
      const { dropped } = await recordAround(audit, entry, () => ({
        dropped: lanes[exchange].drop(id, reason) ? 1 : 0,
      }))
      if (dropped === 0) throw new QueueEntryNotFoundError(id)
    },

    /** @returns how many requests of the client were dropped */
    async dropClient(exchange: ExchangeCode, order: DropOrder, author: Author): Promise<number> {
      const { clientId, reason, requestClass } = order
      const error = notSent(new QueueEntryDroppedError(EXCHANGE_NAMES[exchange], reason))
      const facts = { clientId, requestClass: requestClass ?? 'all', reason }
      const { dropped } = await recordAround(audit, dropEntry(author, exchange, facts), () => ({
        dropped: lanes[exchange].dropClient(clientId, error, requestClass),
      }))
      return dropped
    },

    /** The exchange stays stopped until it is resumed, also after a restart. */
    async stop(exchange: ExchangeCode, order: StopOrder) {
      const stop = await stops.stop({ exchange }, order)
      const { reason: _given, resumedAt: _none, dropped, ...progress } = stop
      return { ...stateOf(exchange, dropped), ...progress }
    },

    async resume(exchange: ExchangeCode, reason: string, author: Author) {
      await stops.resume({ exchange }, { reason, author })
      return stateOf(exchange, 0)
    },
  }
}
export type QueueService = ReturnType<typeof createQueueService>

function dropEntry(author: Author, exchange: ExchangeCode, after: AuditFacts): NewAuditEntry {
  return { author, action: 'queue.drop', subjectKind: 'exchange', subject: exchange, after }
}
