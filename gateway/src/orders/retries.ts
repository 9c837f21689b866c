import { hash } from 'node:crypto'
import { EXCHANGE_NAMES } from 'schema'
import { CallerGoneError } from '../lane/errors.ts'
import { hasKey, type JournalRow, type JournalStore, mayBeUnsent } from '../store/journal-store.ts'
import type { Time } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import type { StoredResponse } from '../upstream/responses.ts'
import { IdempotencyKeyReusedError, OutcomeUnknownError } from './errors.ts'
import type { OrderRequest, ToErrorResponse } from './order-request.ts'
import type { OrderProgress } from './order-state.ts'
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
export function replayOf(row: JournalRow, toErrorResponse: ToErrorResponse): StoredResponse {
  const { exchange, statusCode, contentType, body, clientOrderId } = row
  if (statusCode !== null && contentType !== null && body !== null)
    return { statusCode, contentType, body }
  const toUnknown = (why: string, order: ConstructorParameters<typeof OutcomeUnknownError>[2]) =>
    toErrorResponse(new OutcomeUnknownError(EXCHANGE_NAMES[exchange], why, order), row)
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

/**
 * An order that this process carries out, and its callers: the first one and those that retry with
 * the same key.
 */
export interface RunningOrder {
  readonly order: OrderProgress
  readonly response: Promise<StoredResponse>
  /** Resolves when the order has its response and the journal has its end. Never rejects. */
  readonly ended: Promise<void>
  /** Cancels the order while it is queued. */
  readonly abandon: AbortController
  callers: number
}

/** The orders that this process carries out, by id and by what a retry is recognised by. */
export class RunningOrders {
  readonly #byId = new Map<string, RunningOrder>()
  readonly #byKey = new Map<string, RunningOrder>()

  byId(id: string | undefined): RunningOrder | undefined {
    return id === undefined ? undefined : this.#byId.get(id)
  }

  /** The running order with one of these keys. */
  byKey(names: readonly string[]): RunningOrder | undefined {
    for (const name of names) {
      const running = this.#byKey.get(name)
      if (running !== undefined) return running
    }
    return undefined
  }

  /**
   * The running order with one of these keys. If all its callers have left, this waits for its end,
   * which decides.
   */
  async holderOfKey(names: readonly string[]): Promise<RunningOrder | undefined> {
    const running = this.byKey(names)
    if (running?.abandon.signal.aborted !== true) return running
    await running.ended
    return undefined
  }

  /**
   * Starts an order and keeps it until it has ended.
   * @param names the keys under which retries of it come
   */
  start(
    order: OrderProgress,
    names: readonly string[],
    carryOut: (signal: AbortSignal) => Promise<StoredResponse>,
  ): RunningOrder {
    const abandon = new AbortController()
    const response = carryOut(abandon.signal)
    const ended = response.then(
      () => order.ended,
      () => order.ended,
    )
    const running = { order, response, ended, abandon, callers: 0 }
    const { id } = order.request
    this.#byId.set(id, running)
    for (const name of names) this.#byKey.set(name, running)
    const forget = () => {
      this.#byId.delete(id)
      for (const name of names) if (this.#byKey.get(name) === running) this.#byKey.delete(name)
    }
    void ended.then(forget)
    return running
  }

  /** Resolves when every order has ended. */
  async idle(): Promise<void> {
    while (this.#byId.size > 0)
      await Promise.all([...this.#byId.values()].map(({ ended }) => ended))
  }
}

/**
 * Waits for an order together with its other callers. When the last of them hangs up, the order is
 * cancelled if it is still queued.
 * @param hangUp absent: this caller does not wait, so that nothing cancels the order
 * @param onGone called when the last caller hangs up
 * @throws CallerGoneError when another caller still waits, otherwise the order's own error
 */
export async function join(
  running: RunningOrder,
  hangUp: AbortSignal | undefined,
  onGone: (running: RunningOrder) => void,
): Promise<StoredResponse> {
  running.callers += 1
  if (hangUp === undefined) return running.response
  const { promise: gone, reject } = Promise.withResolvers<never>()
  const onHangUp = () => {
    running.callers -= 1
    // A caller that is not the last leaves on its own; the last one gets the order's own end.
    if (running.callers > 0) return reject(new CallerGoneError())
    running.abandon.abort()
    onGone(running)
  }
  if (hangUp.aborted) onHangUp()
  else hangUp.addEventListener('abort', onHangUp, { once: true })
  try {
    return await Promise.race([running.response, gone])
  } finally {
    hangUp.removeEventListener('abort', onHangUp)
  }
}
