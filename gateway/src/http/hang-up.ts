import type { FastifyReply } from 'fastify'

/**
 * Aborts when the connection closes before the response is complete. Fastify's own `request.signal`
 * already aborts once the body of a POST has been read, because Node then closes the request's
 * stream (Node docs, http.IncomingMessage, event 'close').
 */
export function hangUpSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const { raw } = reply
  if (raw.destroyed) controller.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}
