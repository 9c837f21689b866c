import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode, type QueueEntry } from 'schema'
import { notSent, QueueEntryDroppedError } from '../../lane/errors.ts'
import type { JobClass } from '../../lane/job.ts'
import { toPublicState } from '../../lane/lane-snapshot.ts'
import type { Lane } from '../../lane/lane-types.ts'
import type { StopOrder, Stops } from '../../orders/stops.ts'
import type { JudgedResponse } from '../../upstream/judged-response.ts'
import { QueueEntryNotFoundError } from './errors.ts'

export interface QueueServiceDeps {
  readonly lanes: Readonly<
    Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'list' | 'drop' | 'dropClient' | 'snapshot'>>
  >
  readonly stops: Pick<Stops, 'stop' | 'resume'>
}

/** At most this many entries are listed per exchange: the page is for people, not an export. */
const ENTRIES_MAX = 1000

/**
 * The queues of the exchanges, and the two ways to intervene: drop one request, or stop an
 * exchange.
 */
export function createQueueService({ lanes, stops }: QueueServiceDeps) {
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
          position: index + 1,
          waitedMs: Math.round(entry.waitedMs),
          expectedWaitMs: Math.round(entry.expectedWaitMs),
          remainingMs: Math.round(entry.remainingMs),
        })),
      )
    },

    /** @throws QueueEntryNotFoundError */
    drop(exchange: ExchangeCode, id: string, reason: string): void {
      if (!lanes[exchange].drop(id, reason)) throw new QueueEntryNotFoundError(id)
    },

    /** @returns how many requests of the client were dropped */
    dropClient(
      exchange: ExchangeCode,
      clientId: string,
      reason: string,
      jobClass: JobClass | undefined,
    ): number {
      const error = notSent(new QueueEntryDroppedError(EXCHANGE_NAMES[exchange], reason))
      return lanes[exchange].dropClient(clientId, error, jobClass)
    },

    /** The exchange stays stopped until it is resumed, also after a restart. */
    async stop(exchange: ExchangeCode, order: StopOrder) {
      const stop = await stops.stop({ exchange }, order)
      const { dropped, startedAt, inFlight, cancelled, failed, completedAt } = stop
      const progress = { startedAt, inFlight, cancelled, failed, completedAt }
      return { ...stateOf(exchange, dropped), ...progress }
    },

    async resume(exchange: ExchangeCode) {
      await stops.resume({ exchange })
      return stateOf(exchange, 0)
    },
  }
}
export type QueueService = ReturnType<typeof createQueueService>
