import { hash } from 'node:crypto'
import { EXCHANGE_NAMES } from 'schema'
import { hasKey, type JournalRow, type JournalStore, mayBeUnsent } from '../store/journal-store.ts'
import type { Time } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import type { StoredResponse } from '../upstream/stored-response.ts'
import { IdempotencyKeyReusedError, OutcomeUnknownError } from './errors.ts'
import type { OrderRequest } from './order-request.ts'
import type { WorkingOrder } from './working-order.ts'

type Keyed = Pick<OrderRequest, 'clientRef' | 'idempotencyKey'>

/** The same key of two clients is two keys. */
export function nameOfKey({ clientRef, idempotencyKey }: Keyed): string | undefined {
  return idempotencyKey === null ? undefined : `${clientRef} ${idempotencyKey}`
}

/**
 * The client order id for an order to which the bot gave none: 27 characters that every exchange
 * accepts. A retry with the same idempotency key gets the same id, so that an exchange that detects
 * duplicates rejects the second order.
 */
export function clientOrderIdOf(request: Keyed & Pick<OrderRequest, 'id'>): string {
  const seed = nameOfKey(request) ?? request.id
  return `sl-${hash('sha256', seed, 'base64url').slice(0, 24)}`
}

/** @throws IdempotencyKeyReusedError when the first request with the key had another payload */
export function checkSamePayload(
  first: Pick<OrderRequest, 'fingerprint'>,
  { fingerprint }: Pick<OrderRequest, 'fingerprint'>,
): void {
  if (first.fingerprint !== fingerprint) throw new IdempotencyKeyReusedError()
}

/** The response to a retry when this process does not carry out the journal's order. */
export function replayOf(
  row: JournalRow,
  toErrorResponse: (error: unknown, requestId: string) => StoredResponse,
): StoredResponse {
  const { id, exchange, statusCode, contentType, body, clientOrderId } = row
  if (statusCode !== null && contentType !== null && body !== null)
    return { statusCode, contentType, body }
  const toUnknown = (why: string, order: ConstructorParameters<typeof OutcomeUnknownError>[2]) =>
    toErrorResponse(new OutcomeUnknownError(EXCHANGE_NAMES[exchange], why, order), id)
  if (row.state !== 'unknown' || hasKey(row))
    return toUnknown('its outcome is not known yet', {
      clientOrderId: clientOrderId ?? undefined,
    })
  if (!mayBeUnsent(row)) return toUnknown('its response was lost', undefined)
  return toUnknown(WAITED_IN_BACKUP, { madeId: clientOrderIdOf(row) })
}

const WAITED_IN_BACKUP =
  'it waited when the backup was made from which the gateway was restored, and may have been sent since. The gateway cannot look it up; an administrator can end it'

/**
 * For how long a request counts as a retry once the first one was placed and its caller got no
 * response, or only that the outcome is unknown. SDKs retry within seconds.
 */
const UNHEARD_FOR_MS = 5 * 60_000

type Request = Pick<OrderRequest, 'id' | 'clientRef' | 'exchange' | 'fingerprint'>

/** A request that placed orders with ids from the bot. */
interface First {
  readonly name: string
  isUnheard: boolean
  /** By the monotonic clock, once its outcome is known. */
  untilMs: number
}

interface ClientOrderIdsDeps {
  readonly journal: Pick<JournalStore, 'find'>
  readonly events: Pick<Events, 'on'>
  readonly time: Pick<Time, 'monotonic'>
}

/**
 * Requests without an idempotency key whose orders have client order ids from the bot: the same
 * request again is a retry while the first one runs, while its outcome is unknown, and for a while
 * after it where the bot may not know that it was placed. At any other time it is a new order: a
 * bot may use an id again, and an old response would leave its new order unplaced.
 */
export class ClientOrderIds {
  readonly #deps: ClientOrderIdsDeps
  /** The id of the first request with a name. */
  readonly #byName = new Map<string, string>()
  readonly #firsts = new Map<string, First>()

  constructor(deps: ClientOrderIdsDeps) {
    this.#deps = deps
    deps.events.on('orderSettled', ({ order, state }) => {
      if (state === 'answered' || state === 'resolved') this.#placed(order.id)
      else this.forget(order.id)
    })
    deps.events.on('orderResolved', ({ order, outcome }) => {
      this.callersGone(order.id)
      if (outcome === 'done') this.#placed(order.id)
      else this.forget(order.id)
    })
  }

  /** An order of the previous process whose outcome is unknown. */
  resume(row: JournalRow): void {
    this.#add(row)
    this.callersGone(row.id)
  }

  /** A request is carried out. */
  sending(request: Request, hasOwnId: boolean): void {
    if (hasOwnId) this.#add(request)
  }

  /** Nobody gets the response of a request. */
  callersGone(id: string): void {
    const first = this.#firsts.get(id)
    if (first !== undefined) first.isUnheard = true
  }

  /** Nothing was placed, or the bot has the response. */
  forget(id: string): void {
    const first = this.#firsts.get(id)
    if (first === undefined) return
    this.#firsts.delete(id)
    if (this.#byName.get(first.name) === id) this.#byName.delete(first.name)
  }

  /** An order was cancelled or replaced through the gateway: the bot knows it. */
  cancelled({ journalId }: Pick<WorkingOrder, 'journalId'>): void {
    if (journalId !== null) this.forget(journalId)
  }

  /**
   * The request of which this one is a retry.
   * @throws StoreUnwritableError when it cannot be read
   */
  async firstOf(request: Request, hasOwnId: boolean): Promise<JournalRow | undefined> {
    this.#removeOld()
    const id = hasOwnId ? this.#byName.get(nameOfRequest(request)) : undefined
    return id === undefined ? undefined : this.#deps.journal.find(id)
  }

  #add(request: Request): void {
    this.#removeOld()
    const name = nameOfRequest(request)
    this.#byName.set(name, request.id)
    this.#firsts.set(request.id, { name, isUnheard: false, untilMs: Number.POSITIVE_INFINITY })
  }

  #placed(id: string): void {
    const first = this.#firsts.get(id)
    if (first?.isUnheard === true) first.untilMs = this.#deps.time.monotonic() + UNHEARD_FOR_MS
    else this.forget(id)
  }

  #removeOld(): void {
    const nowMs = this.#deps.time.monotonic()
    for (const [id, { untilMs }] of this.#firsts) if (untilMs <= nowMs) this.forget(id)
  }
}

/** What a retry without an idempotency key has in common with the first request: all of it. */
export function nameOfRequest({ clientRef, exchange, fingerprint }: Request): string {
  return `${clientRef} ${exchange} ${fingerprint}`
}
