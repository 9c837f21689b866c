import { randomUUID } from 'node:crypto'

/** How long a person may take for the second step. */
export const WAITING_MS = 300_000
/** How many wrong second factors end a sign-in. */
export const TRIES = 5
const PER_ADMIN_MAX = 5

/** A sign-in with the right password, which waits for a second factor. */
export interface WaitingSignIn {
  readonly id: string
  readonly adminId: number
  readonly email: string
  /** The hash of the password that was shown: a new password ends the sign-in. */
  readonly passwordHash: string
  /** As attempts are counted. */
  readonly countedAddress: string
  readonly expiresAtMs: number
  /** What a passkey has to sign; undefined where none is offered. */
  readonly passkey: PasskeyChallenge | undefined
  triesLeft: number
}

/** What a passkey signs, and for which page. */
export interface PasskeyChallenge {
  readonly challenge: string
  readonly origin: string
  readonly rpId: string
}

/**
 * Sign-ins between the password and the second factor. They are in memory: after a restart the
 * password is asked for again.
 */
export class WaitingSignIns {
  readonly #nowMs: () => number
  readonly #byId = new Map<string, WaitingSignIn>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Of one person at most five wait. A sixth ends the oldest one from its own address, so that
   * somebody else who knows the password ends none of the owner's while there are others.
   */
  begin(signIn: Omit<WaitingSignIn, 'id' | 'expiresAtMs' | 'triesLeft'>): WaitingSignIn {
    this.#removeExpired()
    const waiting = [...this.#byId.values()].filter(({ adminId }) => adminId === signIn.adminId)
    if (waiting.length >= PER_ADMIN_MAX) {
      const { countedAddress } = signIn
      const ended = waiting.find((each) => each.countedAddress === countedAddress) ?? waiting[0]
      if (ended !== undefined) this.#byId.delete(ended.id)
    }
    const begun = {
      ...{ ...signIn, id: randomUUID(), triesLeft: TRIES },
      expiresAtMs: this.#nowMs() + WAITING_MS,
    }
    this.#byId.set(begun.id, begun)
    return begun
  }

  find(id: string): WaitingSignIn | undefined {
    return this.#byId.get(id)
  }

  /**
   * Takes one of the tries, before what was shown is checked: many at once get no more.
   * @returns undefined when there is no such sign-in any more
   */
  take(id: string): WaitingSignIn | undefined {
    this.#removeExpired()
    const found = this.#byId.get(id)
    if (found === undefined || found.triesLeft === 0) return undefined
    found.triesLeft -= 1
    return found
  }

  /**
   * Ends a sign-in: it succeeded, or it cannot any more.
   * @returns false when it has ended before, so that one sign-in becomes one session
   */
  end(id: string): boolean {
    return this.#byId.delete(id)
  }

  #removeExpired(): void {
    const nowMs = this.#nowMs()
    // A clock that was set back makes none of them last longer.
    for (const [id, { expiresAtMs }] of this.#byId)
      if (expiresAtMs <= nowMs || expiresAtMs > nowMs + WAITING_MS) this.#byId.delete(id)
  }
}
