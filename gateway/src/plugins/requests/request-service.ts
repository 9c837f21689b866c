import type { ExchangeCode } from 'schema'
import type { Lane } from '../../lane/lane-types.ts'
import type { PlaceOrder } from '../../orders/place-order.ts'
import type { JournalRow, JournalStore } from '../../store/journal-store.ts'
import type { JudgedResponse } from '../../upstream/judged-response.ts'
import { RequestAlreadySentError, RequestNotFoundError } from './errors.ts'
import type { StatusWithText } from './status-text.ts'

export interface RequestServiceDeps {
  readonly journal: Pick<JournalStore, 'find'>
  readonly placeOrder: Pick<PlaceOrder, 'withdraw'>
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'list'>>>
}

/**
 * Reads the status of a client's own orders and cancels, and withdraws those that are still queued.
 */
export function createRequestService({ journal, lanes, placeOrder }: RequestServiceDeps) {
  async function own(clientRef: number, id: string): Promise<JournalRow> {
    const row = await journal.find(id)
    if (row === undefined || row.clientRef !== clientRef) throw new RequestNotFoundError(id)
    return row
  }

  /** How many requests are ahead of it, and the expected wait; nulls when it is not queued. */
  function place({ exchange, id }: JournalRow) {
    const waiting = lanes[exchange].list()
    const position = waiting.findIndex(({ requestId }) => requestId === id)
    const entry = waiting[position]
    if (entry === undefined) return { position: null, expectedWaitMs: null }
    return { position, expectedWaitMs: entry.expectedWaitMs }
  }

  return {
    /** @throws RequestNotFoundError */
    async read(clientRef: number, id: string): Promise<StatusWithText> {
      const row = await own(clientRef, id)
      return { ...toStatus(row), ...place(row) }
    },

    /** @throws RequestNotFoundError, RequestAlreadySentError */
    async withdraw(clientRef: number, id: string): Promise<void> {
      await own(clientRef, id)
      if (await placeOrder.withdraw(id)) return
      // A first attempt of the same call may already have dropped it: then there is nothing left to
      // withdraw.
      const { state } = await own(clientRef, id)
      if (state !== 'dropped') throw new RequestAlreadySentError(id)
    },
  }
}
export type RequestService = ReturnType<typeof createRequestService>

function toStatus(row: JournalRow) {
  const { statusCode, body } = row
  return {
    id: row.id,
    state: row.state,
    exchange: row.exchange,
    method: row.method,
    endpoint: row.endpoint,
    clientOrderId: row.clientOrderId,
    createdAt: new Date(row.createdAtMs).toISOString(),
    sentAt: row.sentAtMs === null ? null : new Date(row.sentAtMs).toISOString(),
    settledAt: row.settledAtMs === null ? null : new Date(row.settledAtMs).toISOString(),
    answer: statusCode === null || body === null ? null : { statusCode, body },
  }
}
