import { CallerGoneError, ClientQueueShareExceededError, notSent } from '../lane/errors.ts'
import type { Time } from '../time.ts'
import type { RequestContext } from './request-context.ts'

export interface QueueEntranceOptions {
  /** The exchange's name in messages to callers. */
  readonly name: string
  /** How many requests of one client may wait here. */
  readonly clientMax: number
  readonly time: Pick<Time, 'setTimeout'>
}

export interface WaitLimits {
  readonly leftMs: number
  readonly late: () => Error
}

/**
 * Lets requests wait before they are queued, under the queue's own rules: the wait is limited, and
 * a hang-up ends it.
 */
export class QueueEntrance {
  readonly #options: QueueEntranceOptions
  readonly #waiting = new Map<number, number>()

  constructor(options: QueueEntranceOptions) {
    this.#options = options
  }

  /**
   * Resolves when `turn` does, which must not reject.
   * @throws ClientQueueShareExceededError, CallerGoneError, `late()` after `leftMs`
   */
  async wait(
    turn: Promise<unknown>,
    { clientRef, signal }: Pick<RequestContext, 'clientRef' | 'signal'>,
    { leftMs, late }: WaitLimits,
  ): Promise<void> {
    const { name, clientMax, time } = this.#options
    const count = this.#waiting.get(clientRef) ?? 0
    if (count >= clientMax) throw notSent(new ClientQueueShareExceededError(count, name))
    if (signal?.aborted) throw notSent(new CallerGoneError())
    this.#waiting.set(clientRef, count + 1)
    const { promise: ended, resolve } = Promise.withResolvers<Error>()
    const onHangUp = () => resolve(notSent(new CallerGoneError()))
    signal?.addEventListener('abort', onHangUp, { once: true })
    const timer = time.setTimeout(() => resolve(late()), leftMs)
    const end = await Promise.race([turn, ended])
    timer.cancel()
    signal?.removeEventListener('abort', onHangUp)
    this.#leave(clientRef)
    if (end instanceof Error) throw end
  }

  #leave(clientRef: number): void {
    const left = (this.#waiting.get(clientRef) ?? 1) - 1
    if (left === 0) this.#waiting.delete(clientRef)
    else this.#waiting.set(clientRef, left)
  }
}
