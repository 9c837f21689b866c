import type { SignInAttempt } from '../http/sign-in-attempt.ts'
import type { AlertBoard } from './alert-board.ts'

/** More failures within the window than typing errors explain, from all addresses together. */
const FAILURES_MANY = 30
const WINDOW_MS = 5 * 60_000
/** An attack has ended after this long without a failure. */
const QUIET_MS = 10 * 60_000

export interface SignInAlertsDeps {
  readonly board: Pick<AlertBoard, 'raise' | 'clear' | 'isRaised'>
  readonly nowMs: () => number
}

/**
 * Watches failed sign-ins, with one state for administrators and one for clients, however many
 * addresses are guessing. An alert is raised when an address is throttled or failures are many, and
 * cleared after ten minutes without a failure.
 */
export function createSignInAlerts({ board, nowMs }: SignInAlertsDeps) {
  // The most recent failures within the window, at most as many as raise the alert.
  const kinds: Record<SignInAttempt['kind'], { what: string; failedAtMs: readonly number[] }> = {
    admin: { what: 'Console passwords', failedAtMs: [] },
    client: { what: 'Client secrets', failedAtMs: [] },
  }

  return {
    attempted({ kind, result }: SignInAttempt, address: string): void {
      if (result !== 'refused' && result !== 'throttled') return
      const now = nowMs()
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
        if (nowMs() - (kinds[kind].failedAtMs.at(-1) ?? 0) > QUIET_MS)
          board.clear(
            'sign-in.attack',
            kind,
            `${kinds[kind].what}: no failed attempt for ten minutes`,
          )
    },
  }
}
