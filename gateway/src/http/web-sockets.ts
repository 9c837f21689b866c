import type { IncomingMessage } from 'node:http'
import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pathOf, RouteNotFoundError } from './errors.ts'

/** The largest message of a bot. A subscription to many channels has a few thousand bytes. */
const MESSAGE_BYTES_MAX = 16 * 1024
/** A page in a browser cannot set headers, so it sends its token as a subprotocol. */
const TOKEN_PROTOCOL = 'sluice.bearer.'

/** Accepts WebSockets on routes that declare one and are registered after this call. */
export async function acceptWebSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    // Compression would cost 220 kB for each connection.
    options: {
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      handleProtocols: chosenSubprotocol,
    },
    errorHandler: (_error, socket) => socket.terminate(),
    // `OpenStreams` closes the connections.
    preClose: (done) => done(),
  })
  // The plugin would accept the connection, close it, and log the URL with its query.
  app.addHook('preHandler', (request, _reply, done) => {
    const { stream = 'sse' } = request.routeOptions.config
    if (request.ws && stream === 'sse')
      return done(new RouteNotFoundError('WebSocket', pathOf(request.url)))
    done()
  })
}

/** HTTP clients of Java offer HTTP/2 in the same header. They get a response over HTTP/1.1. */
export function isUpgradeToWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** The token in the subprotocol `sluice.bearer.<token>`; undefined when there is none. */
export function subprotocolTokenOf({ headers }: FastifyRequest): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim())
  const found = offered.find((each) => each.startsWith(TOKEN_PROTOCOL))
  return found?.slice(TOKEN_PROTOCOL.length)
}

/**
 * The subprotocol that the response names, because a browser closes a connection without one. The
 * one with the token is the last choice.
 */
function chosenSubprotocol(offered: ReadonlySet<string>): string | false {
  const [other] = [...offered].filter((each) => !each.startsWith(TOKEN_PROTOCOL))
  return other ?? [...offered][0] ?? false
}
