import type { Socket } from 'node:net'
import { createError } from '@fastify/error'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { healthLive, healthReady, openApi } from 'schema'
import { isInNetworks, namedNetworks } from './networks.ts'
import { passedRequestOf } from './passed-request.ts'

/** Without a stack: anybody can cause floods of it. */
export const HttpsRequiredError = createError(
  'HTTPS_REQUIRED',
  'This gateway takes requests from elsewhere over https only, so that nobody on the way reads tokens and orders; what you sent was readable, so replace it. If you came over https, its operator must name the proxy in TRUST_PROXY',
  403,
  Error,
  false,
)

export interface PlainHttpOptions {
  /** As the settings have them. */
  readonly trustProxy: readonly string[]
  readonly plainHttpFrom: readonly string[]
}

/** They have nothing to protect. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set([healthLive.id, healthReady.id, openApi.id])

/**
 * Refuses what came over plain HTTP, unless it is from this machine or an allowed network. The
 * gateway itself has no TLS: a trusted proxy says by X-Forwarded-Proto how the caller came, and one
 * that does not say is believed to end TLS. A redirect would hide the mistake: the token is sent by
 * then (OWASP ASVS 5.0, 4.1.2).
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
