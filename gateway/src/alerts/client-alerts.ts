import type { LimitReached } from '../upstream/events.ts'
import type { AlertBoard } from './alert-board.ts'

/** A bot that meets a limit now and then is no reason for an alert. */
const REFUSALS_MANY = 10
const WINDOW_MS = 5 * 60_000
/** It has ended after this long without a refusal. */
const QUIET_MS = 10 * 60_000

export interface ClientAlertsDeps {
  readonly board: Pick<AlertBoard, 'raise' | 'clear'>
  readonly nowMs: () => number
}

/**
 * Watches the refusals of each client by its limits. What a limit in shadow mode would have refused
 * does not count.
 */
export function createClientAlerts({ board, nowMs }: ClientAlertsDeps) {
  // The most recent refusals of a client, at most as many as raise the alert.
  const refusedAtMs = new Map<string, readonly number[]>()

  return {
    limitReached({ clientId, code, endpoint, mode }: LimitReached): void {
      if (mode === 'shadow') return
      const now = nowMs()
      const recent = (refusedAtMs.get(clientId) ?? []).filter((atMs) => now - atMs <= WINDOW_MS)
      const refusals = [...recent, now].slice(-REFUSALS_MANY)
      refusedAtMs.set(clientId, refusals)
      if (refusals.length < REFUSALS_MANY) return
      board.raise(
        'client.refused',
        clientId,
        `The limits of "${clientId}" refuse its requests again and again, the last one with ${code}. The bot is wrong, its limits are, or somebody else has its secret`,
        { code, endpoint },
      )
    },

    deleted(clientId: string): void {
      refusedAtMs.delete(clientId)
      board.clear('client.refused', clientId, `"${clientId}" was deleted`)
    },

    /** Clears the alerts of clients that were not refused for a while. Called every minute. */
    check(): void {
      for (const [clientId, times] of refusedAtMs) {
        if (nowMs() - (times.at(-1) ?? 0) <= QUIET_MS) continue
        refusedAtMs.delete(clientId)
        board.clear(
          'client.refused',
          clientId,
          `No request of "${clientId}" was refused by its limits for ten minutes`,
        )
      }
    },
  }
}
