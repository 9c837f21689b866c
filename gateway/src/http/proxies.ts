import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isInNetworks, NAMED_NETWORKS, namedNetworks } from './networks.ts'

/**
 * Headers that proxies add: a request with one of them comes from elsewhere, even over a local
 * connection.
 */
export const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const

const LOOPBACK = namedNetworks(['loopback'])
/** This machine and private networks: where a gateway's own proxy is. */
const NEARBY = namedNetworks(Object.keys(NAMED_NETWORKS))

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * It came through a proxy that TRUST_PROXY does not name: its address is that of the proxy.
     * Such a proxy is on this machine or in a private network. Anybody else who sends the headers
     * of a proxy has an address of their own.
     */
    readonly isThroughUnknownProxy: boolean
  }
}

/**
 * Notices a proxy that TRUST_PROXY does not name, and logs a warning about the first one.
 * @param trustProxy as the setting has them
 * @returns what readiness says about it: sentences with what to do
 */
export function watchProxies(
  app: FastifyInstance,
  trustProxy: readonly string[],
): () => readonly string[] {
  const trusted = namedNetworks(trustProxy)
  const warnings: string[] = []
  app.decorateRequest('isThroughUnknownProxy', {
    getter() {
      const peer = this.socket.remoteAddress ?? ''
      return isForwarded(this) && isInNetworks(peer, NEARBY) && !isInNetworks(peer, trusted)
    },
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (warnings.length === 0 && request.isThroughUnknownProxy) {
      const warning = textOf(request.socket.remoteAddress ?? '')
      warnings.push(warning)
      app.log.warn(warning)
    }
    done()
  })
  return () => warnings
}

function textOf(peer: string): string {
  const address = peer.replace(/^::ffff:/, '')
  return `Requests come through a proxy at ${address} that TRUST_PROXY does not name: all callers behind it appear with its address, in the audit trail, for allowed addresses and for limits. Set TRUST_PROXY=${address}`
}

function isForwarded({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return FORWARDING_HEADERS.some((name) => headers[name] !== undefined)
}

/**
 * Whether a request comes from this machine and through no proxy. Uses the connection's own
 * address, not the one that TRUST_PROXY takes from a header.
 */
export function isFromThisMachine(request: FastifyRequest): boolean {
  const { hostname, raw, socket } = request
  // A proxy on this machine that adds no header still passes on the host name of the request, or
  // speaks HTTP/1.0: nginx does by default, and asks for the host by the address in its settings.
  const isAskedLocally = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname)
  return (
    isInNetworks(socket.remoteAddress ?? '', LOOPBACK) &&
    isAskedLocally &&
    raw.httpVersion !== '1.0' &&
    !isForwarded(request)
  )
}
