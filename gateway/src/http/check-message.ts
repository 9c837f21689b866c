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

  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request
    const hosts = countHosts(raw.rawHeaders)
    if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) return done(new HostInvalidError())
    if (unmet.has(raw)) return done(new ExpectationUnknownError())
    const { origin, 'access-control-request-method': method } = headers
    if (request.method === 'OPTIONS' && (origin === undefined || method === undefined))
      return reply.callNotFound()
    done()
  })
}

/** @param rawHeaders names and values in turn, as they came */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1
  return hosts
}
