import type { SignInAttempt } from '../http/sign-in-attempt.ts'
import type { AlertBoard } from './alert-board.ts'

/** Failures within the window that are nobody's typing errors, whatever addresses they come from. */
const FAILURES_MANY = 30
const WINDOW_MS = 5 * 60_000
/** After this long without a failure an attack is over. */
const QUIET_MS = 10 * 60_000

export interface SignInAlertsDeps {
  readonly board: Pick<AlertBoard, 'raise' | 'clear' | 'isRaised'>
  readonly nowMs: () => number
}

/**
 * One state each for administrators and for clients, however many addresses guess: raised when an address is held
 * back or failures are many, cleared after ten quiet minutes.
 */
export function createSignInAlerts({ board, nowMs }: SignInAlertsDeps) {
  // Of the failures within the window the last ones, as many as make an attack.
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

    /** To be called now and then: ends what is over. */
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
