import { EXCHANGES } from 'schema'
import type { ReadinessCheck } from '../http/health.ts'
import { SILENT_TEXT, storeFailureText } from '../store/open-reason.ts'
import type { Parts } from './create-parts.ts'

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
