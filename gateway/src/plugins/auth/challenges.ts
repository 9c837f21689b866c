import type { PasskeyChallenge } from './waiting-sign-ins.ts'

const LIFE_MS = 300_000
const KEPT_MAX = 1_000

/** What it is asked for, and in which session. */
export interface ChallengeKey {
  readonly purpose: 'registration' | 'confirmation'
  readonly jti: string
}

interface Kept {
  readonly challenge: PasskeyChallenge
  readonly expiresAtMs: number
}

/** What passkeys of people who are signed in have to sign: the last challenge of each, once. */
export class Challenges {
  readonly #nowMs: () => number
  readonly #kept = new Map<string, Kept>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  keep(key: ChallengeKey, challenge: PasskeyChallenge): void {
    const name = nameOf(key)
    // The oldest one comes first in the map.
    this.#kept.delete(name)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(name, { challenge, expiresAtMs: this.#nowMs() + LIFE_MS })
  }

  /** The challenge, which is forgotten now; undefined when there is none. */
  take(key: ChallengeKey): PasskeyChallenge | undefined {
    const name = nameOf(key)
    const kept = this.#kept.get(name)
    this.#kept.delete(name)
    const leftMs = (kept?.expiresAtMs ?? 0) - this.#nowMs()
    // A clock that was set back makes none last longer.
    return leftMs > 0 && leftMs <= LIFE_MS ? kept?.challenge : undefined
  }
}

function nameOf({ purpose, jti }: ChallengeKey): string {
  return `${purpose} ${jti}`
}
