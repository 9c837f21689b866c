import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import type { Time } from '../time.ts'
import { isInNetworks, namedNetworks } from './networks.ts'

interface ConnectionLimits {
  /** Open connections in all; 0: no limit. */
  readonly inAll: number
  /** Open connections of one address, or of one /64 network of IPv6; 0: no limit. */
  readonly perAddress: number
}

/** How many connections are open, and how many were closed at once because of a limit. */
export interface ConnectionCounts {
  open: number
  readonly refused: Record<'all' | 'address', number>
}

/**
 * Closes a connection at once that is one too many, before anything of it is read. A trusted proxy
 * has no limit of its own: it has the connections of all its callers.
 * @param trustProxy as the setting TRUST_PROXY has them
 */
export function limitConnections(
  server: FastifyInstance['server'],
  { inAll, perAddress }: ConnectionLimits,
  trustProxy: readonly string[],
): ConnectionCounts {
  const counts: ConnectionCounts = { open: 0, refused: { all: 0, address: 0 } }
  const byAddress = new Map<string, number>()
  const proxies = namedNetworks(trustProxy)

  // Ahead of the server's own listener, so that it gets a socket from which nothing is read.
  server.prependListener('connection', (socket: Socket) => {
    const reason = refusalOf(socket)
    if (reason === undefined) return
    counts.refused[reason] += 1
    socket.destroy()
  })

  function refusalOf(socket: Socket): keyof ConnectionCounts['refused'] | undefined {
    if (inAll > 0 && counts.open >= inAll) return 'all'
    const remote = socket.remoteAddress ?? ''
    const address = isInNetworks(remote, proxies) ? undefined : normalizeIP(remote)
    const own = address === undefined ? 0 : (byAddress.get(address) ?? 0)
    if (perAddress > 0 && own >= perAddress) return 'address'
    counts.open += 1
    if (address !== undefined) byAddress.set(address, own + 1)
    socket.once('close', () => {
      counts.open -= 1
      if (address !== undefined) release(address)
    })
    return undefined
  }

  function release(address: string): void {
    const left = (byAddress.get(address) ?? 1) - 1
    if (left === 0) byAddress.delete(address)
    else byAddress.set(address, left)
  }

  return counts
}

/**
 * How long a caller has to send one more request on a kept connection, whose response says that the
 * connection ends. What a caller sends at the moment of the close gets no response.
 */
export const LINGER_MS = 1_000
const LOOK_EVERY_MS = 20
const SHORT_MS = 0.5
/** A process that always has something to do closes its connections nevertheless. */
const TURNS_MAX = 200
/**
 * A caller that neither finishes its request nor reads its response delays a stop by at most this.
 */
const PATIENCE_MS = 2_000
/** The gateway itself delays it by at most this; a read of a silent database has ended before. */
export const RESPONDED_MS = 10_000

/** How the connections of a server end without a request that gets no response (RFC 9112, 9.6). */
export interface OpenConnections {
  /** From now on each connection ends with its next response, also with one that is under way. */
  leave(): void
  /**
   * Takes no more connections, and closes those without a request when their callers had time to
   * send one more. From then on no request comes.
   */
  close(): Promise<void>
  /**
   * Resolves when every request has its complete response or its caller has disconnected: after 2 s
   * at the latest where that is up to the caller, and otherwise after `workMs`, 10 s by default.
   */
  responded(workMs?: number): Promise<void>
}

/** Sees the requests on the routes registered after this call. */
export function watchConnections(
  app: FastifyInstance,
  connections: Pick<ConnectionCounts, 'open'>,
  time: Pick<Time, 'monotonic' | 'sleep'>,
): OpenConnections {
  const open = new Map<ServerResponse, IncomingMessage>()
  let leavingSinceMs: number | undefined
  app.addHook('onRequest', (request, { raw }, done) => {
    open.set(raw, request.raw)
    if (leavingSinceMs !== undefined) endWith(raw)
    raw.once('close', () => open.delete(raw))
    done()
  })

  function leave(): number {
    for (const response of open.keys()) endWith(response)
    leavingSinceMs ??= time.monotonic()
    return leavingSinceMs
  }

  return {
    leave: () => void leave(),
    async close() {
      const { server } = app
      const untilMs = leave() + LINGER_MS
      if (!server.listening) return
      // The system resets connections that it has accepted and this process has not.
      await shortTurn(time)
      // That of `http.Server` also closes the connections without a request, at once.
      Server.prototype.close.call(server)
      while (connections.open > 0 && time.monotonic() < untilMs) await time.sleep(LOOK_EVERY_MS)
      // What has arrived is read before.
      await shortTurn(time)
      server.closeIdleConnections()
    },
    async responded(workMs = RESPONDED_MS) {
      const sinceMs = time.monotonic()
      const isWaitedFor = ([response, { complete }]: [ServerResponse, IncomingMessage]) => {
        const isOurs = complete && !response.headersSent
        return time.monotonic() - sinceMs < (isOurs ? workMs : PATIENCE_MS)
      }
      while ([...open].some(isWaitedFor)) await time.sleep(LOOK_EVERY_MS)
    },
  }
}

/**
 * Resolves right after a turn of the event loop that took no time: in it the process has taken
 * everything that had arrived.
 */
async function shortTurn(time: Pick<Time, 'monotonic'>): Promise<void> {
  for (let turns = 0; turns < TURNS_MAX; turns += 1) {
    const sinceMs = time.monotonic()
    await nextTurn()
    if (time.monotonic() - sinceMs < SHORT_MS) return
  }
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
