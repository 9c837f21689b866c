import type { FastifyInstance } from 'fastify'
import type { Time } from '../time.ts'

/**
 * A caller that neither finishes its request nor reads its response delays a stop by at most this.
 */
const PATIENCE_MS = 2_000

export interface PendingResponses {
  /**
   * Resolves when every request has its complete response or its caller has disconnected, after 2 s
   * at the latest.
   */
  done(): Promise<void>
}

/** Counts requests whose response is not complete yet, on the routes registered after this call. */
export function countPendingResponses(
  app: FastifyInstance,
  time: Pick<Time, 'setTimeout'>,
): PendingResponses {
  let open = 0
  let onDone = () => {}
  app.addHook('onRequest', (_request, { raw }, done) => {
    open += 1
    raw.once('close', () => {
      open -= 1
      if (open === 0) onDone()
    })
    done()
  })
  return {
    done: () =>
      open === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            const timer = time.setTimeout(resolve, PATIENCE_MS)
            onDone = () => {
              timer.cancel()
              resolve()
            }
          }),
  }
}
