import { EXCHANGES } from 'schema'
import { watchStore } from '../alerts/group-alerts.ts'
import type { Config } from '../config.ts'
import { LINGER_MS, RESPONDED_MS } from '../http/connections.ts'
import type { ReadinessCheck } from '../http/health.ts'
import { GRACE_MS, SPREAD_MS } from '../http/open-streams.ts'
import { SILENT_TEXT, storeFailureText } from '../store/open-reason.ts'
import type { Parts } from './create-parts.ts'
import { groupCloseMs } from './group.ts'

/**
 * What makes the gateway ready.
 * @param stopping aborted from the moment when it takes no more requests
 */
export function readinessChecks(
  { stores, isOnReserve, vault, exchanges, nowMs }: Parts,
  stopping: AbortSignal,
): ReadinessCheck[] {
  /** The first problem of the database hides the others, which it causes. */
  async function whyStoreFails(): Promise<string | undefined> {
    stores.requireSound()
    const writable = await stores.log.probe(nowMs())
    if (!writable.ok) throw writable.error
    if ((await stores.pendingMigrations()) > 0)
      return 'migrations are pending: the database is not the one that was opened; restart the gateway'
    await vault.ring.current()
    return undefined
  }
  const now = (check: () => string | undefined) => ({ check, late: '' })
  return [
    now(() => (stopping.aborted ? 'the gateway is shutting down' : undefined)),
    { check: whyStoreFails, textOf: storeFailureText, late: SILENT_TEXT },
    // Another gateway, if there is one, should get the orders.
    now(() =>
      isOnReserve()
        ? 'the disk is full: new orders are refused until space is freed; cancels, tokens, sign-in and stops still work'
        : undefined,
    ),
    ...EXCHANGES.map((exchange) =>
      now(() => {
        const { state, reason } = exchanges.lanes[exchange].snapshot()
        return state === 'stuck' ? (reason ?? state) : undefined
      }),
    ),
  ]
}

/**
 * Watches the database and the other nodes, also where this node is not the owner.
 * @returns a function that stops it
 */
export function watchGroup(parts: Parts): () => void {
  const { config, stores, group, owner, time, watching } = parts
  const { board, group: nodes } = watching.alerts
  nodes.start()
  return watchStore({
    ...{ board, log: stores.log, owner, time, url: config.node?.url ?? '' },
    otherUrls: nodes.otherUrls,
    canWrite: async (url) => group?.canWrite(url),
  })
}

/** Sockets to the exchanges get so long to close, and then the listen keys to be deleted. */
const SOCKETS_MS = 2_000
const LISTEN_KEYS_MS = 2_000
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
  // The streams of bots end while the sockets at the exchanges do: the longer time counts.
  const streams = Math.max(SOCKETS_MS + LISTEN_KEYS_MS, SPREAD_MS + GRACE_MS)
  return config.upstreamTimeoutMs + streams + server + ALERTS_MS + SPANS_MS + RESPONDED_MS + REST_MS
}

/** Closes everything in the order in which the parts need each other. */
export function closeInOrder(parts: Parts, closing: AbortController, stopTasks: () => void): void {
  const { app, config, stores, exchanges, group, ownership, orders } = parts
  const { openConnections, openStreams, streams, tracing, watching } = parts
  // While the server can still respond: queued requests are rejected, and sent ones get their
  // response. In a group the next owner gets what was queued.
  app.addHook('preClose', async () => {
    closing.abort()
    stopTasks()
    parts.stopWatchingFiles()
    parts.self.leave()
    openConnections.leave()
    group?.leave()
    // The next owner has the streams; until then no bot gets another one here.
    const streamsClosed = openStreams.close()
    await Promise.all([streams.feeds.close(LISTEN_KEYS_MS), streams.publicFeeds.close()])
    await exchanges.closeLanes(config.upstreamTimeoutMs, group !== undefined)
    await orders.close()
    await ownership?.leave()
    await streamsClosed
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
