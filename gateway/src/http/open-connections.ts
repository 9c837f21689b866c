import type { ServerResponse } from 'node:http'
import { Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Time } from '../time.ts'
import type { ConnectionCounts } from './connection-limit.ts'

/**
 * So long a caller has to send one more request on a connection that it keeps, and so to learn that
 * the connection ends. What a caller sends in the moment in which it is closed gets no response.
 */
const LINGER_MS = 1_000
const LOOK_EVERY_MS = 20
/**
 * A caller that neither finishes its request nor reads its response delays a stop by at most this.
 */
const PATIENCE_MS = 2_000

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
   * Resolves when every request has its complete response or its caller has disconnected, after 2 s
   * at the latest.
   */
  responded(): Promise<void>
}

/** Sees the requests on the routes registered after this call. */
export function watchConnections(
  app: FastifyInstance,
  connections: Pick<ConnectionCounts, 'open'>,
  time: Pick<Time, 'monotonic' | 'setTimeout' | 'sleep'>,
): OpenConnections {
  const responses = new Set<ServerResponse>()
  let leavingSinceMs: number | undefined
  let onDone = () => {}
  app.addHook('onRequest', (_request, { raw }, done) => {
    responses.add(raw)
    if (leavingSinceMs !== undefined) endWith(raw)
    raw.once('close', () => {
      responses.delete(raw)
      if (responses.size === 0) onDone()
    })
    done()
  })

  function leave(): number {
    for (const response of responses) endWith(response)
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
      await nextTurn()
      // That of `http.Server` also closes the connections without a request, at once.
      Server.prototype.close.call(server)
      while (connections.open > responses.size && time.monotonic() < untilMs)
        await time.sleep(LOOK_EVERY_MS)
      // What has arrived is read before.
      await nextTurn()
      server.closeIdleConnections()
    },
    responded: () =>
      responses.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            const timer = time.setTimeout(resolve, PATIENCE_MS)
            onDone = () => {
              timer.cancel()
              resolve()
            }
          }),
  }
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
