import { constants } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket, TlsOptions } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { buildConnector } from 'undici'
import { markPassed } from '../http/request-origin.ts'
import type { Time } from '../time.ts'
import type { NodeKey, NodeKeys } from '../vault/key-ring.ts'
import { NodeListenError } from './errors.ts'
import { NOT_OWNER_HEADER, type Passed, PING_PATH, takePassed } from './hop.ts'

/**
 * TLS 1.3 with a pre-shared key instead of certificates (RFC 8446, 2.2). OpenSSL uses such a key
 * only together with an ephemeral key exchange, so that recorded traffic stays secret when the
 * master key is lost later. With keys from callbacks it supports the hash SHA-256 only, which this
 * cipher has (OpenSSL, SSL_CTX_set_psk_client_callback).
 */
const PROTOCOL = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
} as const

/** The identities by which the connections of a listener were opened. */
type Identities = WeakMap<object, string>

/** The TLS options of a listener that accepts each key of the ring. */
function serverTls(keys: NodeKeys, identities: Identities): TlsOptions {
  return {
    ...PROTOCOL,
    // A session ticket of TLS would open connections after its key has left the ring.
    secureOptions: constants.SSL_OP_NO_TICKET,
    pskCallback(socket: TLSSocket, identity: string) {
      const key = keys.find(identity)
      if (key === undefined) return null
      identities.set(socket, identity)
      return key.psk
    },
  }
}

/** Whether the key is still loaded by which a connection was opened. */
function isKnown(socket: object, keys: NodeKeys, identities: Identities): boolean {
  const identity = identities.get(socket)
  return identity !== undefined && keys.find(identity) !== undefined
}

/** The TLS options of a connection that offers one key. */
export function clientTls({ identity, psk }: NodeKey) {
  return {
    ...PROTOCOL,
    pskCallback: () => ({ identity, psk }),
    // No certificate is trusted. OpenSSL would otherwise accept a server that ignores the key and
    // has a certificate.
    ca: [],
    checkServerIdentity: () => new Error('The other side has a certificate instead of the key'),
  }
}

const CONNECT_MS = 3_000
/**
 * A node that vanished without a word is noticed 10 s after this: libuv sends ten probes, one each
 * second.
 */
const PROBE_AFTER_MS = 5_000

/**
 * Connects to another node with the newest key that both have. A node that refuses a key does so
 * before the first byte of a request.
 */
export function createNodeConnector(keys: NodeKeys): buildConnector.connector {
  return (target, callback) => {
    const connect = ([key, ...older]: readonly NodeKey[]) => {
      if (key === undefined) return callback(new Error('No master key is loaded'), null)
      const connectTo = buildConnector({
        ...clientTls(key),
        allowH2: false,
        maxCachedSessions: 0,
        timeout: CONNECT_MS,
        keepAliveInitialDelay: PROBE_AFTER_MS,
      })
      connectTo(target, (...result) => {
        const [error] = result
        if (error !== null && isKeyRefused(error) && older.length > 0) return connect(older)
        callback(...result)
      })
    }
    connect(keys.offered())
  }
}

/** Alerts of TLS, in Node's codes of OpenSSL's errors. */
function isKeyRefused(error: Error): boolean {
  return 'code' in error && String(error.code).startsWith('ERR_SSL')
}

/** Longer than the other node keeps an unused connection: the other node closes it. */
const KEEP_ALIVE_MS = 75_000
/** As long as another node waits for a connection. */
const HANDSHAKE_MS = CONNECT_MS
/** The most connections that have not shown the key yet. One more ends the oldest of them. */
const HANDSHAKES_MAX = 500
/** What arrived before the end has this long to get its response. */
const CLOSE_MS = 1_000
/**
 * A node asks every 500 ms who the owner is. Until it knows, it may send a request on an unused
 * connection, and closing that one would leave the outcome of the request unknown.
 */
const LINGER_MS = 1_000
const LOOK_EVERY_MS = 20
/** A sender without the key must not be able to fill the log. */
const WARN_EVERY_MS = 60_000

interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly keys: NodeKeys
  /**
   * This run of this node: it takes no request that is meant for another one. Empty: it takes all.
   */
  readonly nodeId: string
  /** Whether this node can write to the database. */
  readonly canWrite: () => boolean
  readonly time: Pick<Time, 'monotonic' | 'setTimeout' | 'sleep'>
}

export interface NodeListener {
  /** Also when 0 was asked for. */
  readonly port: number
  /** From now on each connection ends with its next response. */
  leave(): void
  /**
   * Call it when other nodes can know that this one is not the owner. Waits a moment for those that
   * do not, and ends all connections when what has arrived has its response.
   */
  close(): Promise<void>
}

/**
 * Takes requests that other nodes of the group pass to this one, and hands them to the app. Only a
 * node with the same master key can connect.
 * @throws NodeListenError when the address cannot be used
 */
export async function listenToNodes(
  app: FastifyInstance,
  { host, port, keys, nodeId, canWrite, time }: ListenOptions,
): Promise<NodeListener> {
  // To import it would load a second undici, Node's own.
  const { createServer } = process.getBuiltinModule('node:https')
  const identities: Identities = new WeakMap()
  const server = createServer(
    {
      ...serverTls(keys, identities),
      keepAliveTimeout: KEEP_ALIVE_MS,
      handshakeTimeout: HANDSHAKE_MS,
      requireHostHeader: false,
      noDelay: true,
    },
    (request, response) => {
      responses.add(response)
      response.once('close', () => responses.delete(response))
      if (isLeaving) endWith(response)
      // A key that was removed from the ring may have been stolen.
      if (!isKnown(request.socket, keys, identities)) request.socket.destroy()
      else if (request.url === PING_PATH) response.writeHead(canWrite() ? 204 : 503).end()
      else if (!passToApp(app, request, response, nodeId))
        warn({ from: request.socket.remoteAddress }, ODD)
    },
  )
  // As far as the app is concerned, it has come to its own listener.
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const from = isKnown(request.socket, keys, identities) ? takePassed(request) : undefined
    if (from === undefined || isForOtherRun(from, nodeId)) {
      socket.end(NOT_UPGRADED)
      return
    }
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    markPassed(request, from.from)
    if (!app.server.emit('upgrade', request, socket, head)) socket.destroy()
  })
  const responses = new Set<ServerResponse>()
  /** The server itself no longer counts them. */
  const upgraded = new Set<Duplex>()
  const connectionCount = countConnections(server)
  let isLeaving = false
  const leave = () => {
    isLeaving = true
    for (const response of responses) endWith(response)
  }
  limitHandshakes(server)
  let warnedAtMs = Number.NEGATIVE_INFINITY
  const warn = (facts: object, message: string) => {
    if (time.monotonic() - warnedAtMs < WARN_EVERY_MS) return
    warnedAtMs = time.monotonic()
    app.log.warn(facts, message)
  }
  server.on('tlsClientError', (err, socket) => warn({ err, from: socket.remoteAddress }, NO_KEY))
  return {
    port: await listen(server, host, port),
    leave,
    async close() {
      leave()
      const untilMs = time.monotonic() + LINGER_MS
      while (connectionCount() > 0 && time.monotonic() < untilMs) await time.sleep(LOOK_EVERY_MS)
      for (const socket of upgraded) socket.destroy()
      await closeServer(server, time)
    },
  }
}

/** @returns how many connections are open now */
function countConnections(server: Server): () => number {
  let count = 0
  server.on('secureConnection', (socket) => {
    count += 1
    socket.once('close', () => {
      count -= 1
    })
  })
  return () => count
}

/** @returns the port, which the system chose when 0 was asked for @throws NodeListenError */
async function listen(server: Server, host: string, port: number): Promise<number> {
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
  return typeof address === 'object' && address !== null ? address.port : port
}

function closeServer(server: Server, time: Pick<Time, 'setTimeout'>): Promise<void> {
  return new Promise((resolve) => {
    const timer = time.setTimeout(() => server.closeAllConnections(), CLOSE_MS)
    server.close(() => {
      timer.cancel()
      resolve()
    })
  })
}

/**
 * Somebody without the key must not be able to take all connections. The other nodes show theirs
 * within milliseconds, so the oldest connection without one is not theirs.
 */
function limitHandshakes(server: Server): void {
  const pending = new Map<string, Socket>()
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    const [oldest] = pending.values()
    if (pending.size >= HANDSHAKES_MAX) oldest?.destroy()
    pending.set(name, socket)
    socket.once('close', () => pending.get(name) === socket && pending.delete(name))
  })
  server.on('secureConnection', (socket: TLSSocket) => pending.delete(nameOf(socket)))
}

/** The connection ends with this response. */
function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

const NO_KEY =
  'a connection to the listener for other nodes was refused: all nodes need the same master keys'
const ODD =
  'a request of another gateway was refused, because this version does not understand what it says of it: all nodes need the same version, or one of two that follow each other'

/** Nothing was done: the other node tries again when it knows the owner. */
const NOT_UPGRADED = `HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n${NOT_OWNER_HEADER}: 1\r\n\r\n`

function isForOtherRun({ ownerId }: Passed, nodeId: string): boolean {
  return ownerId !== nodeId && ownerId !== '' && nodeId !== ''
}

/** @returns false when the request was not understood */
function passToApp(
  app: FastifyInstance,
  request: IncomingMessage,
  response: ServerResponse,
  nodeId: string,
): boolean {
  const passed = takePassed(request)
  // The other node knows by the header that nothing was done.
  if (passed === undefined) {
    response.writeHead(503, { connection: 'close', [NOT_OWNER_HEADER]: '1' }).end()
    return false
  }
  const { from } = passed
  if (isForOtherRun(passed, nodeId)) {
    // The other node would give up on it once it knows of this run.
    response.writeHead(503, { [NOT_OWNER_HEADER]: '1' }).end()
    return true
  }
  markPassed(request, from)
  app.routing(request, response)
  return true
}
