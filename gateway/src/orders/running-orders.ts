import { CallerGoneError } from '../lane/errors.ts'
import type { StoredResponse } from '../upstream/stored-response.ts'
import type { OrderProgress } from './order-state.ts'

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
