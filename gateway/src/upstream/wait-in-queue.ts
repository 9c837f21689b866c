import { CallerGoneError, ClientQueueShareExceededError, notSent } from '../lane/errors.ts'
import type { Errand } from './request-context.ts'

export interface LineOptions {
  /** The exchange, as messages to callers name it. */
  readonly name: string
  /** What one client may have waiting here. */
  readonly clientMax: number
}

/** Waits for what comes before the queue, as the queue would: bounded, and called off by a hang-up. */
export function createLine({ name, clientMax }: LineOptions) {
  const waiting = new Map<number, number>()

  /**
   * Resolves when `turn` does, which must not reject.
   * @throws ClientQueueShareExceededError, CallerGoneError, `late()` after `leftMs`
   */
  return async (
    turn: Promise<unknown>,
    { clientRef, signal }: Pick<Errand, 'clientRef' | 'signal'>,
    { leftMs, late }: { readonly leftMs: number; readonly late: () => Error },
  ): Promise<void> => {
    const count = waiting.get(clientRef) ?? 0
    if (count >= clientMax) throw notSent(new ClientQueueShareExceededError(count, name))
    if (signal?.aborted) throw notSent(new CallerGoneError())
    waiting.set(clientRef, count + 1)
    const { promise: ended, resolve } = Promise.withResolvers<Error>()
    const onHangUp = () => resolve(notSent(new CallerGoneError()))
    signal?.addEventListener('abort', onHangUp, { once: true })
    const timer = setTimeout(() => resolve(late()), leftMs)
    const end = await Promise.race([turn, ended])
    clearTimeout(timer)
    signal?.removeEventListener('abort', onHangUp)
    const left = (waiting.get(clientRef) ?? 1) - 1
    if (left === 0) waiting.delete(clientRef)
    else waiting.set(clientRef, left)
    if (end instanceof Error) throw end
  }
}
