import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { markPassed } from '../http/passed-request.ts'
import type { NodeKeys } from '../vault/node-keys.ts'
import { NodeListenError } from './errors.ts'
import { PING_PATH, takePassed } from './hop.ts'
import { type Identities, isKnown, serverTls } from './tls.ts'

/** Longer than the other node keeps an unused connection: the other node closes it. */
const KEEP_ALIVE_MS = 75_000
/** What arrived before the end has this long to get its response. */
const CLOSE_MS = 1_000
/** Somebody without the key must not be able to fill the log. */
const WARN_EVERY_MS = 60_000

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly keys: NodeKeys
}

export interface NodeListener {
  /** Also when 0 was asked for. */
  readonly port: number
  /** From now on each connection ends with its next response; those without a request end now. */
  leave(): void
  /** Takes no new request, and ends all connections when what has arrived has its response. */
  close(): Promise<void>
}

/**
 * Takes requests that other nodes of the group pass to this one, and hands them to the app. Only a
 * node with the same master key can connect.
 * @throws NodeListenError when the address cannot be used
 */
export async function listenToNodes(
  app: FastifyInstance,
  { host, port, keys }: ListenOptions,
): Promise<NodeListener> {
  // To import it would load a second undici, Node's own.
  const { createServer } = process.getBuiltinModule('node:https')
  const identities: Identities = new WeakMap()
  const server = createServer(
    {
      ...serverTls(keys, identities),
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false,
      noDelay: true,
    },
    (request, response) => {
      responses.add(response)
      response.once('close', () => responses.delete(response))
      if (isLeaving) endWith(response)
      // A key that was removed from the ring may have been stolen.
      if (isKnown(request.socket, keys, identities)) handOver(app, request, response)
      else request.socket.destroy()
    },
  )
  const responses = new Set<ServerResponse>()
  let isLeaving = false
  const leave = () => {
    isLeaving = true
    for (const response of responses) endWith(response)
    server.closeIdleConnections()
  }
  let warnedAtMs = Number.NEGATIVE_INFINITY
  server.on('tlsClientError', (error, socket) => {
    if (performance.now() - warnedAtMs < WARN_EVERY_MS) return
    warnedAtMs = performance.now()
    app.log.warn(
      { err: error, from: socket.remoteAddress },
      'a connection to the listener for other nodes was refused: all nodes need the same master keys',
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new NodeListenError(`${host}:${port}`, cause.message, { cause })),
    )
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    leave,
    close() {
      leave()
      return new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
        server.close(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    },
  }
}

/** The connection ends with this response. */
function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

function handOver(app: FastifyInstance, request: IncomingMessage, response: ServerResponse): void {
  if (request.url === PING_PATH) {
    response.writeHead(204).end()
    return
  }
  const from = takePassed(request)
  if (from === undefined) {
    response.writeHead(400, { connection: 'close' }).end()
    return
  }
  markPassed(request, from)
  app.routing(request, response)
}
