import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ExpectationUnknownError, HostInvalidError } from './errors.ts'

/**
 * Rejects, in this API's own error format, what Node and the CORS plugin would otherwise reject in
 * theirs: a missing or repeated Host header (RFC 9112, 3.2), an expectation other than 100-continue
 * (RFC 9110, 10.1.1), and an OPTIONS that is no preflight. The server must be created with
 * `requireHostHeader: false`.
 */
export function checkMessages(app: FastifyInstance): void {
  const unmet = new WeakSet<IncomingMessage>()
  app.server.on('checkExpectation', (request, response) => {
    unmet.add(request)
    app.server.emit('request', request, response)
  })

  app.addHook('onRequest', async (request, reply) => {
    const { raw, headers } = request
    const hosts = raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host')
    if (hosts.length > 1 || (hosts.length === 0 && raw.httpVersion !== '1.0'))
      throw new HostInvalidError()
    if (unmet.has(raw)) throw new ExpectationUnknownError()
    const { origin, 'access-control-request-method': method } = headers
    if (request.method === 'OPTIONS' && (origin === undefined || method === undefined))
      return reply.callNotFound()
  })
}
