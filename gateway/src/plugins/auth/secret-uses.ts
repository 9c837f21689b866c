import type { SecretStore } from '../../store/secret-store.ts'

/** A secret that is used all the time is recorded once in this time, unless its address changes. */
const RECORD_EVERY_MS = 60_000
const SECRETS_MAX = 10_000

export interface SecretUsesDeps {
  readonly secretStore: Pick<SecretStore, 'noteUse'>
  readonly nowMs: () => number
  /** Called when a use could not be recorded. */
  readonly onError: (error: unknown) => void
}

/** Records when and from where the secrets of clients are used; no request waits for it. */
export class SecretUses {
  readonly #deps: SecretUsesDeps
  readonly #recorded = new Map<string, { readonly atMs: number; readonly address: string }>()

  constructor(deps: SecretUsesDeps) {
    this.#deps = deps
  }

  used(clientRef: number, preview: string, address: string): void {
    const { secretStore, nowMs, onError } = this.#deps
    const key = `${clientRef} ${preview}`
    const usedAtMs = nowMs()
    const last = this.#recorded.get(key)
    if (last?.address === address && usedAtMs - last.atMs < RECORD_EVERY_MS) return
    if (this.#recorded.size >= SECRETS_MAX) this.#recorded.clear()
    this.#recorded.set(key, { atMs: usedAtMs, address })
    secretStore.noteUse({ clientRef, preview, usedAtMs, address }).catch(onError)
  }
}
