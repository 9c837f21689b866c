import type { Config } from '../config.ts'
import { LINGER_MS, RESPONDED_MS } from '../http/connections.ts'
import type { Parts } from './create-parts.ts'
import { groupCloseMs } from './join-group.ts'

/** For so long the last alerts are sent, and then the last spans. */
const ALERTS_MS = 2_000
const SPANS_MS = 2_000
/** For what has no limit of its own: the last writes, the locks, and the end of the database. */
const REST_MS = 5_000

/**
 * How long the gateway may take to close once it takes no requests; then its process ends. It is
 * the sum of what `closeInOrder` waits for.
 */
export function closeMs(config: Config): number {
  const server = LINGER_MS + groupCloseMs(config) + RESPONDED_MS
  return config.upstreamTimeoutMs + server + ALERTS_MS + SPANS_MS + RESPONDED_MS + REST_MS
}

/** Closes everything in the order in which the parts need each other. */
export function closeInOrder(
  parts: Parts,
  config: Config,
  closing: AbortController,
  stopTasks: () => void,
): void {
  const { app, stores, exchanges, group, ownership, orders, openConnections } = parts
  const { tracing, watching } = parts
  // While the server can still respond: queued requests are rejected, and sent ones get their
  // response. In a group the next owner gets what was queued.
  app.addHook('preClose', async () => {
    closing.abort()
    stopTasks()
    parts.stopWatchingKeys()
    parts.stopKeepingReserve()
    parts.self.leave()
    openConnections.leave()
    group?.leave()
    await exchanges.closeLanes(config.upstreamTimeoutMs, group !== undefined)
    await orders.close()
    await ownership?.leave()
    await openConnections.close()
    await group?.finish()
    await openConnections.responded()
    await watching.alerts.close(ALERTS_MS)
    await tracing?.close(SPANS_MS)
    // The server ends all connections next.
    await openConnections.responded()
  })
  app.addHook('onClose', async () => {
    await group?.close()
    await ownership?.close()
    await parts.self.close()
    await stores.log.flush()
    await exchanges.close()
    await stores.close()
  })
}
