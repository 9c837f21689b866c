import type { Socket } from 'node:net'
import { createError } from '@fastify/error'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { adminOpenApi, healthLive, healthReady, openApi } from 'schema'
import { isInNetworks, NAMED_NETWORKS, namedNetworks } from './networks.ts'
import { passedRequestOf } from './request-origin.ts'

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

/** Without a stack: anybody can cause floods of it. */
const HttpsRequiredError = createError(
  'HTTPS_REQUIRED',
  'This gateway takes requests from elsewhere over https only, so that nobody on the way reads tokens and orders; what you sent was readable, so replace it. If you came over https, its operator must name the proxy in TRUST_PROXY',
  403,
  Error,
  false,
)

interface PlainHttpOptions {
  /** As the settings have them. */
  readonly trustProxy: readonly string[]
  readonly plainHttpFrom: readonly string[]
}

/** They have nothing to protect. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set(
  [healthLive, healthReady, openApi, adminOpenApi].map(({ id }) => id),
)

/**
 * Refuses what came over plain HTTP, unless it is from this machine or an allowed network. The
 * gateway itself has no TLS: a trusted proxy says by X-Forwarded-Proto how the caller came, and a
 * proxy without that header is assumed to end TLS. A redirect would hide the mistake: the token is
 * sent by then (OWASP ASVS 5.0, 4.1.2).
 */
export function refusePlainHttp(app: FastifyInstance, options: PlainHttpOptions): void {
  const trusted = namedNetworks(options.trustProxy)
  const allowed = namedNetworks(['loopback', ...options.plainHttpFrom])
  const isAllowed = (address: string) => isInNetworks(address, allowed)
  // What is known of an address is kept for its connection: the look-up costs microseconds.
  const peers = new WeakMap<Socket, { readonly isTrusted: boolean; readonly isAllowed: boolean }>()

  function peerOf(socket: Socket) {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const address = socket.remoteAddress ?? ''
    const peer = { isTrusted: isInNetworks(address, trusted), isAllowed: isAllowed(address) }
    peers.set(socket, peer)
    return peer
  }

  function isRefused(request: FastifyRequest): boolean {
    // The node that passed it has checked how its caller came.
    if (passedRequestOf(request.raw) !== undefined) return false
    const peer = peerOf(request.socket)
    if (!peer.isTrusted) return !peer.isAllowed
    return isForwardedPlain(request) && !isAllowed(request.ip)
  }

  app.addHook('onRequest', (request, _reply, done) => {
    const { endpoint } = request.routeOptions.config
    // What serves no endpoint has nothing to protect either: pages, preflights, unknown paths.
    if (endpoint === undefined || OPEN_TO_ALL.has(endpoint.id) || !isRefused(request)) return done()
    done(new HttpsRequiredError())
  })
}

/** The last proxy names the protocol of its own caller last. */
function isForwardedPlain({ headers }: FastifyRequest): boolean {
  const proto = [headers['x-forwarded-proto']].flat().at(-1)
  return proto?.split(',').at(-1)?.trim().toLowerCase() === 'http'
}
