import { createError } from '@fastify/error'
import type { OrderRequestStatus } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import type { JournalRow } from '../../store/journal-store.ts'

/**
 * Reads the status of a client's own orders and cancels, and withdraws those that are still queued.
 */
export function createRequestService({
  stores: { journal },
  exchanges: { lanes },
  orders: { placeOrder },
}: Pick<Parts, 'exchanges' | 'orders' | 'stores'>) {
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

/** A status whose `answer`, the stored response, still has its body as text. */
interface StatusWithText extends Omit<OrderRequestStatus, 'answer'> {
  readonly answer: { readonly statusCode: number; readonly body: string } | null
}

/**
 * Serializes a status. The body of the stored response goes in byte for byte: parsed and serialized
 * again, an order id above 2^53 would change. A body that is not JSON, such as an exchange's error
 * page, goes in as a string.
 */
export function toStatusText({ answer, ...status }: StatusWithText): string {
  const head = JSON.stringify(status).slice(0, -1)
  if (answer === null) return `${head},"answer":null}`
  const body = isJson(answer.body) ? answer.body : JSON.stringify(answer.body)
  return `${head},"answer":{"statusCode":${answer.statusCode},"body":${body}}}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // It is inserted as a string.
  }
}

/** Also for a request of another client: to others it does not exist. */
const RequestNotFoundError = createError<[id: string]>(
  'REQUEST_NOT_FOUND',
  'No order or cancel of this client has the request id "%s"',
  404,
)

const RequestAlreadySentError = createError<[id: string]>(
  'REQUEST_ALREADY_SENT',
  'The request "%s" was already sent; cancel the order instead',
  409,
)

/** Also for a cancel of another client: to others it does not exist. */
export const CancelNotFoundError = createError<[id: string]>(
  'CANCEL_NOT_FOUND',
  'The gateway has no cancel of your orders with the id "%s". It keeps the last 20, and after a restart those that were still running. GET /api/orders?state=working lists what may still be open; cancel that once more',
  404,
)
