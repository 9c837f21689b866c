import type { SignInAttempt } from '../http/client-budget.ts'
import type { ListedApproval } from '../store/approval-store.ts'
import type { LimitReached } from '../upstream/events.ts'
import type { AlertBoard } from './alert-board.ts'

/** A bot that meets a limit now and then is no reason for an alert. */
const REFUSALS_MANY = 10
/** More failures within the window than typing errors explain, from all addresses together. */
const FAILURES_MANY = 30
/** Both are counted within this time. */
const WINDOW_MS = 5 * 60_000
/** It has ended after this long without a refusal or a failure. */
const QUIET_MS = 10 * 60_000

/**
 * Watches the refusals of each client by its limits. What a limit in shadow mode would have refused
 * does not count.
 */
export function createClientAlerts(board: Pick<AlertBoard, 'raise' | 'clear' | 'nowMs'>) {
  // The most recent refusals of a client, at most as many as raise the alert.
  const refusedAtMs = new Map<string, readonly number[]>()

  return {
    limitReached({ clientId, code, endpoint, mode }: LimitReached): void {
      if (mode === 'shadow') return
      const now = board.nowMs()
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
        if (board.nowMs() - (times.at(-1) ?? 0) <= QUIET_MS) continue
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

/** Clients that promised heartbeats and are silent. */
export function createHeartbeatAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  return {
    silent({ clientId, ttlSeconds }: { clientId: string; ttlSeconds: number }): void {
      raise(
        'client.silent',
        clientId,
        `"${clientId}" sent no heartbeat for ${ttlSeconds} s: it is stopped, and its working orders are being cancelled. Find out why it is silent, then resume it`,
        { clientId, ttlSeconds },
      )
    },

    heard: ({ clientId }: { clientId: string }): void =>
      clear('client.silent', clientId, `"${clientId}" sends heartbeats again`, { clientId }),

    deleted: (clientId: string): void =>
      clear('client.silent', clientId, `"${clientId}" was deleted`, { clientId }),
  }
}

/**
 * Watches failed sign-ins, with one state for administrators and one for clients, however many
 * addresses are guessing. An alert is raised when an address is throttled or failures are many, and
 * cleared after ten minutes without a failure.
 */
export function createSignInAlerts(board: Pick<AlertBoard, 'raise' | 'clear' | 'nowMs'>) {
  // The most recent failures within the window, at most as many as raise the alert.
  const kinds: Record<SignInAttempt['kind'], { what: string; failedAtMs: readonly number[] }> = {
    admin: { what: 'Console passwords', failedAtMs: [] },
    client: { what: 'Client secrets', failedAtMs: [] },
  }

  return {
    attempted({ kind, result }: SignInAttempt, address: string): void {
      if (result !== 'refused' && result !== 'throttled') return
      const now = board.nowMs()
      const state = kinds[kind]
      const recent = state.failedAtMs.filter((atMs) => now - atMs <= WINDOW_MS)
      state.failedAtMs = [...recent, now].slice(-FAILURES_MANY)
      const failures = state.failedAtMs.length
      if (result !== 'throttled' && failures < FAILURES_MANY) return
      board.raise(
        'sign-in.attack',
        kind,
        `${state.what} are being guessed, or a program uses an outdated one. Attempts are throttled; if the address is not yours, block it`,
        { lastAddress: address, failures },
      )
    },

    /** Clears the alerts of attacks that have ended. Called every minute. */
    check(): void {
      for (const kind of ['admin', 'client'] as const)
        if (board.nowMs() - (kinds[kind].failedAtMs.at(-1) ?? 0) > QUIET_MS)
          board.clear(
            'sign-in.attack',
            kind,
            `${kinds[kind].what}: no failed attempt for ten minutes`,
          )
    },
  }
}

/** One alert for each request that waits for another administrator. */
export function createApprovalAlerts(board: Pick<AlertBoard, 'raise' | 'clear' | 'raised'>) {
  return {
    /** @param waiting all that wait now */
    check(waiting: readonly Pick<ListedApproval, Shown>[]): void {
      for (const { id, action, subject, requestedByEmail, expiresAtMs } of waiting) {
        const expiresAt = new Date(expiresAtMs).toISOString()
        board.raise(
          'approval.waiting',
          `${id}`,
          `${requestedByEmail} asks for "${action}" of "${subject}". It waits for another admin until ${expiresAt}; approve or reject it on the Approvals page`,
          { action, subject, requestedBy: requestedByEmail, expiresAt },
        )
      }
      for (const { subject: id } of board.raised('approval.waiting'))
        if (!waiting.some((each) => `${each.id}` === id))
          board.clear('approval.waiting', id, 'It no longer waits for approval')
    },
  }
}

type Shown = 'id' | 'action' | 'subject' | 'requestedByEmail' | 'expiresAtMs'
