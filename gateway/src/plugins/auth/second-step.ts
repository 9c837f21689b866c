import { randomUUID } from 'node:crypto'
import type { ConfirmRequest, Factor, SecondFactorRequest, SignInNeeded } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import type { AdminRow } from '../../store/admin-store.ts'
import {
  ConfirmFailedError,
  SecondFactorFailedError,
  SecondFactorNeededError,
  SignInExpiredError,
} from './errors.ts'
import type { FactorCheck } from './factor-check.ts'
import type { PasskeyChallenge } from './passkeys.ts'
import { newChallenge, requestOptions } from './passkeys.ts'

/** Where the first step came from. */
interface SignInPlace {
  readonly countedAddress: string | undefined
  /** The page's, as the browser says it. */
  readonly origin: string | undefined
}

/** The second step of signing in, for people who have a second factor. */
export function createSecondStep(
  { config: { consoleOrigins }, nowMs, stores }: Pick<Parts, 'config' | 'nowMs' | 'stores'>,
  factors: Pick<FactorCheck, 'check' | 'factorsOf'>,
) {
  const { admins, secondFactors } = stores
  const waiting = new WaitingSignIns(nowMs)

  return {
    /**
     * Returns when the password alone is enough.
     * @throws SecondFactorNeededError
     */
    async require({ id, email, passwordHash }: AdminRow, place: SignInPlace): Promise<void> {
      const enrolled = await secondFactors.list(id)
      if (enrolled.length === 0) return
      const challenge = newChallenge(place.origin, consoleOrigins)
      const passkey = challenge === undefined ? undefined : requestOptions(challenge, enrolled)
      const { countedAddress = '' } = place
      const begun = waiting.begin({
        ...{ adminId: id, email, passwordHash, countedAddress },
        passkey: passkey === undefined ? undefined : challenge,
      })
      // A passkey is for another page, or there is no page.
      const possible = (await factors.factorsOf({ adminId: id, isOpenId: false })).filter(
        (factor) => factor !== 'openid' && (factor !== 'passkey' || passkey !== undefined),
      )
      throw new SecondFactorNeededError({
        ...{ id: begun.id, expiresAt: new Date(begun.expiresAtMs).toISOString() },
        factors: possible,
        ...(passkey === undefined ? {} : { passkey }),
      } satisfies SignInNeeded)
    },

    /** Whose sign-in waits; empty when there is none. */
    emailOf: (signInId: string): string => waiting.find(signInId)?.email ?? '',

    /**
     * Ends a sign-in that waits, when what is shown is right.
     * @returns the person, with the hash of the password that was shown
     * @throws SecondFactorFailedError, SignInExpiredError, TooManyAttemptsError
     */
    async finish({
      signInId,
      ...shown
    }: SecondFactorRequest): Promise<{ admin: AdminRow; factor: Factor }> {
      const signIn = waiting.take(signInId)
      if (signIn === undefined) throw new SignInExpiredError()
      const admin = await admins.find(signIn.adminId)
      const isSame = admin?.disabledAtMs === null && admin.passwordHash === signIn.passwordHash
      if (!isSame) {
        waiting.end(signInId)
        throw new SignInExpiredError()
      }
      const factor = await show(factors, signIn, shown)
      // Of two that come at once, one gets the session.
      if (!waiting.end(signInId)) throw new SignInExpiredError()
      return { admin, factor }
    },
  }
}

export type SecondStep = ReturnType<typeof createSecondStep>

/** @throws SecondFactorFailedError, TooManyAttemptsError */
async function show(
  factors: Pick<FactorCheck, 'check'>,
  { adminId, passkey, triesLeft }: WaitingSignIn,
  shown: ConfirmRequest,
): Promise<Factor> {
  try {
    return await factors.check({ adminId, isOpenId: false }, shown, passkey)
  } catch (error) {
    if (!(error instanceof ConfirmFailedError)) throw error
    throw new SecondFactorFailedError(triesLeft, { cause: error.cause })
  }
}

/** How long a person may take for the second step. */
export const WAITING_MS = 300_000
/** How many wrong second factors end a sign-in. */
export const TRIES = 5
const PER_ADMIN_MAX = 5

/** A sign-in with the right password, which waits for a second factor. */
interface WaitingSignIn {
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
   * Takes one of the tries, before what was shown is checked: many at once get no further try.
   * @returns undefined when that sign-in has ended
   */
  take(id: string): WaitingSignIn | undefined {
    this.#removeExpired()
    const found = this.#byId.get(id)
    if (found === undefined || found.triesLeft === 0) return undefined
    found.triesLeft -= 1
    return found
  }

  /**
   * Ends a sign-in: it succeeded, or can no longer succeed.
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
