import type { AdminSessionRow, AdminSessionStore } from '../../store/admin-session-store.ts'

/** A session that is used all the time is written once in this time. */
const WRITE_EVERY_MS = 60_000

export interface SessionUsesDeps {
  readonly sessions: Pick<AdminSessionStore, 'noteUse'>
  readonly nowMs: () => number
  /** Called when a use could not be written. */
  readonly onError: (error: unknown) => void
}

/** Records when sessions are used; no request waits for it. */
export class SessionUses {
  readonly #deps: SessionUsesDeps
  /** Sessions whose use is being written. */
  readonly #writing = new Set<string>()

  constructor(deps: SessionUsesDeps) {
    this.#deps = deps
  }

  used({ jti, lastUsedAtMs }: Pick<AdminSessionRow, 'jti' | 'lastUsedAtMs'>): void {
    const { sessions, nowMs, onError } = this.#deps
    const atMs = nowMs()
    if (atMs - lastUsedAtMs < WRITE_EVERY_MS || this.#writing.has(jti)) return
    this.#writing.add(jti)
    sessions
      .noteUse(jti, atMs)
      .catch(onError)
      .finally(() => this.#writing.delete(jti))
  }
}
