import type { FastifyInstance } from 'fastify'

export interface OpenAnswers {
  /** Resolves when every request that came in has its whole answer, or its caller has gone. */
  done(): Promise<void>
}

/** Counts the requests of the routes registered after it whose answer is not out yet. */
export function countOpenAnswers(app: FastifyInstance): OpenAnswers {
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
            onDone = resolve
          }),
  }
}
