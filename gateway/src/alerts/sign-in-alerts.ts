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
  const kinds = {
    admin: { what: 'Sign-ins at the console', since: 0, failures: 0, lastAt: 0 },
    client: { what: 'Client secrets', since: 0, failures: 0, lastAt: 0 },
  }

  return {
    attempted({ kind, result }: SignInAttempt, address: string): void {
      if (result !== 'refused' && result !== 'throttled') return
      const now = nowMs()
      const state = kinds[kind]
      if (now - state.since > WINDOW_MS) Object.assign(state, { since: now, failures: 0 })
      state.failures += 1
      state.lastAt = now
      if (result !== 'throttled' && state.failures < FAILURES_MANY) return
      board.raise(
        'sign-in.attack',
        kind,
        `${state.what} are being guessed, or a program has an old one. Attempts are held back; if the address is not yours, block it`,
        { lastAddress: address, failures: state.failures },
      )
    },

    /** To be called now and then: ends what is over. */
    check(): void {
      for (const kind of ['admin', 'client'] as const)
        if (nowMs() - kinds[kind].lastAt > QUIET_MS)
          board.clear('sign-in.attack', kind, `${kinds[kind].what}: no failure for ten minutes`)
    },
  }
}
