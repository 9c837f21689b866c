import type { FastifyInstance } from 'fastify'

/** A caller that neither sends the rest of its request nor reads its answer holds no stop up for longer. */
const PATIENCE_MS = 2_000

export interface PendingResponses {
  /** Resolves when every request that came in has its whole answer, or its caller has gone; after 2 s in any case. */
  done(): Promise<void>
}

/** Counts the requests of the routes registered after it whose answer is not out yet. */
export function countPendingResponses(app: FastifyInstance): PendingResponses {
  let open = 0
  let onDone = () => {}
  app.addHook('onRequest', async (_request, { raw }) => {
    open += 1
    raw.once('close', () => {
      open -= 1
      if (open === 0) onDone()
    })
  })
  return {
    done: () =>
      open === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            const timer = setTimeout(resolve, PATIENCE_MS)
            onDone = () => {
              clearTimeout(timer)
              resolve()
            }
          }),
  }
}
